//===- Engines.cpp - Which engines compute which kernels ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/commands/Engines.h"
#include "kernels/conv/Conv.h"
#include "kernels/conv/Gemm.h"
#include "kernels/movement/DataMovement.h"
#include "kernels/pool/Pool.h"
#include "passes/lower/commands/Lowering.h"

using namespace yarrow;
using namespace yarrow::npu;
using isa::Engine;

template <bool (Lowering::*Lower)(const Step &)>
static bool lowerWith(Lowering &lowering, const Step &step) {
  return (lowering.*Lower)(step);
}

llvm::ArrayRef<EngineForm> npu::engineForms(llvm::StringRef kernel) {
  constexpr auto conv = lowerWith<&Lowering::lowerConv>;
  // Forms of one kernel are neighbours.
  static constexpr EngineForm forms[] = {
      {kernels::Conv2DInt::kSymbol, Engine::TensorEngine, conv},
      {kernels::DepthwiseConv2DInt::kSymbol, Engine::TensorEngine, conv},
      {kernels::Conv2DWinogradInt::kSymbol, Engine::TensorEngine, conv},
      {kernels::FullyConnectedInt::kSymbol, Engine::TensorEngine, conv},
      {kernels::PoolInt::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerPool>},
      {kernels::MatMulInt::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerMatMul>},
      {kernels::Copy::kSymbol, Engine::Dma, lowerWith<&Lowering::lowerCopy>},
      {kernels::Split::kSymbol, Engine::Dma, lowerWith<&Lowering::lowerSplit>},
      {kernels::Pad::kSymbol, Engine::Dma, lowerWith<&Lowering::lowerPad>},
  };
  auto has = [&](const EngineForm &form) { return form.kernel == kernel; };
  const EngineForm *first = llvm::find_if(forms, has);
  return {first, std::find_if_not(first, std::end(forms), has)};
}
