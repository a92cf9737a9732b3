#include "codegen/TecProgram.h"
#include "kernels/AllParams.h"
#include <gtest/gtest.h>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <fstream>
using namespace yarrow;
static TecProgramInput inp(bool opt){
  TecProgramInput in; in.regionCount=5; in.tecs=4; in.optimize=opt;
  kernels::LutParams p{};
  TecStep s; s.symbol="yk_lut"; s.params.resize(sizeof p); memcpy(s.params.data(),&p,sizeof p);
  s.buffers={{3,0},{1,64},{4,0}};
  in.steps.push_back(s);
  in.steps.push_back(s);
  kernels::SoftmaxLutParams q{}; TecStep t; t.symbol="yk_softmax_lut_int"; t.params.resize(sizeof q); memcpy(t.params.data(),&q,sizeof q); t.buffers={{3,0},{1,64},{0,0}}; t.waits={1,0,0,4};
  in.steps.push_back(t);
  in.queues[0]={0,64};
  return in;
}
TEST(Tec, Smoke) {
  for (bool opt : {false,true}) for (int rep=0;rep<3;rep++){
  DiagnosticEngine d; auto in=inp(opt); 
  auto t0=std::chrono::steady_clock::now();
  auto p=buildTecProgram(in,d);
  auto t1=std::chrono::steady_clock::now();
  d.print(std::cerr); ASSERT_TRUE(p);
  printf("opt %d: %.2f ms text %zu elf %zu\n",opt,std::chrono::duration<double,std::milli>(t1-t0).count(),p->text.size(),p->elf.size());
  std::ofstream(opt?"/tmp/cg/o1.elf":"/tmp/cg/o0.elf").write(p->elf.data(),p->elf.size());
  }
}
