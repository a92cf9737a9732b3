//===- ReservedTest.cpp - Vector encodings that a TEC refuses -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Registers that are read in two element widths (V 5.2).
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/Decode.h"
#include "test/unit/simulator_tec/TecFixture.h"

#include <gtest/gtest.h>

using namespace yarrow::sim;

namespace {
struct Case {
  const char *mnemonic;
  unsigned vd, vs2, vs1;
  bool masked;
  int sewLog2, lmulLog2;
  bool isReserved;
};
/// x10 holds an address, as vs1 where the format has a base there.
const Case kCases[] = {
    // v0 as a mask and as elements.
    {"vadd.vv", 8, 0, 4, true, 2, 0, true},
    {"vadd.vv", 8, 4, 0, true, 2, 0, true},
    {"vadd.vv", 8, 0, 0, false, 2, 0, false},
    {"vmacc.vv", 8, 0, 4, true, 2, 0, true},
    {"vredsum.vs", 8, 4, 0, true, 2, 0, true},
    {"vmerge.vvm", 8, 0, 4, true, 2, 0, true},
    {"vadc.vvm", 8, 4, 0, true, 2, 0, true},
    {"vse32.v", 0, 0, 10, true, 2, 0, true},
    {"vse32.v", 0, 0, 10, false, 2, 0, false},
    {"vzext.vf2", 8, 0, 6, true, 2, 0, true},
    // Of masks there is one width only.
    {"vcpop.m", 5, 0, 16, true, 2, 0, false},
    {"viota.m", 8, 0, 16, true, 2, 0, false},
    {"vmand.mm", 8, 0, 0, false, 2, 0, false},
    // A wide and a narrow source.
    {"vwadd.wv", 8, 12, 12, false, 1, 0, true},
    {"vwadd.wv", 8, 12, 13, false, 1, 0, true},
    {"vwadd.wv", 8, 12, 14, false, 1, 0, false},
    {"vwadd.wv", 8, 12, 13, false, 1, -1, false},
    {"vnsrl.wv", 8, 12, 13, false, 1, 0, true},
    {"vwmacc.vv", 8, 9, 10, false, 1, 0, true},
    {"vwmul.vv", 8, 10, 10, false, 1, 0, false},
    {"vwredsum.vs", 8, 12, 12, false, 1, 0, true},
    // Elements and indices.
    {"vrgatherei16.vv", 8, 12, 12, false, 2, 0, true},
    {"vrgatherei16.vv", 8, 12, 12, false, 1, 0, false},
    {"vsuxei8.v", 12, 12, 10, false, 2, 0, true},
    {"vsuxei32.v", 12, 12, 10, false, 2, 0, false},
    {"vsuxei8.v", 12, 13, 10, false, 1, 1, true},
    // A mask within the elements that it selects.
    {"vcompress.vm", 8, 12, 13, false, 2, 1, true},
    {"vcompress.vm", 8, 12, 13, false, 2, 0, false},
};

uint32_t matchOf(std::string_view mnemonic) {
  for (unsigned id = 0; id < tec::kNumInsts; ++id)
    if (tec::instInfo(tec::InstId(id)).mnemonic == mnemonic)
      return tec::instInfo(tec::InstId(id)).match;
  ADD_FAILURE() << "no instruction " << mnemonic;
  return 0;
}
} // namespace

TEST(Reserved, SourcesInTwoWidths) {
  for (const Case &c : kCases) {
    uint32_t word = matchOf(c.mnemonic);
    const tec::InstInfo &info = tec::instInfo(*tec::findInst(word));
    word |= c.vd << 7;
    word |=
        (c.vs1 << 15 | c.vs2 << 20 | uint32_t(!c.masked) << 25) & ~info.mask;
    // vsetivli zero, 2, e<8 << sew>, m<1 << lmul>
    uint32_t vtype = unsigned(c.sewLog2) << 3 | (unsigned(c.lmulLog2) & 7);
    Machine m;
    m.load({0xc0007057 | 2 << 15 | vtype << 20, word, 0x0000400b});
    m.restart();
    m.tec.setX(10, 0x100000);
    TecStop stop = m.tec.run(100);
    EXPECT_EQ(stop, c.isReserved ? TecStop::Fault : TecStop::Ended)
        << yarrow::isa::tec::disassemble(word, 0) << " SEW " << (8 << c.sewLog2)
        << " LMUL 2^" << c.lmulLog2;
  }
}
