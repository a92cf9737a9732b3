//===- TecTimingTest.cpp - Cycles of loops, counted by hand ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every expectation is derived here, from the tables of docs/machine.md for
// the target X2_1204: integer 1, multiply 3, divide 16, float 4 (divide and
// square root 16), 2 more for a taken branch or jump; a load from SRAM 4, from
// DDR 100 or with a line buffer; a datapath of 32 bytes; 4 elements a cycle of
// what goes element by element; 32 / 4 = 8 bytes a cycle of DDR; npu.* 4.
//
//===----------------------------------------------------------------------===//
#include "isa/Machine.h"
#include "simulator/Memory.h"
#include "simulator/device/TecTimingOf.h"
#include "simulator/tec/Tec.h"
#include "support/Diagnostics.h"
#include "test/TecEncode.h"

#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::sim;
using yarrow::isa::tec::InstId;
using yarrow::testing::encode;
using yarrow::testing::Operands;

namespace {

constexpr uint32_t kText = 0x10000, kDdr = 0x100000, kTecBytes = 0x200000;

struct NoEngines : TecPort {
  void submit(uint32_t, uint32_t, uint32_t) override {}
  void setBase(uint32_t, uint32_t) override {}
  void setOrigin(uint32_t, uint32_t) override {}
  bool wait(uint32_t, uint32_t) override { return true; }
  void signal() override {}
};

struct Inst {
  InstId id;
  Operands operands;
};

/// Cycles of a program on a TEC of X2_1204. x10 is in DDR, x11 in SRAM; x5
/// starts as \p count. npu.end, which is not in \p program, adds 4.
uint64_t cyclesOf(const std::vector<Inst> &program, uint32_t count = 0) {
  DiagnosticEngine diags;
  auto machine = isa::findTarget("X2_1204", diags);
  if (!machine)
    return 0;
  std::vector<uint32_t> words;
  for (const Inst &inst : program)
    words.push_back(encode(inst.id, inst.operands));
  words.push_back(encode(InstId::npu_end, {}));
  NoEngines port;
  auto memory = Memory::create(1 << 16);
  memory->growDdr(kTecBytes);
  memory->write(kText, words.data(), words.size() * 4);
  Tec tec(*memory, port, {.timed = true, .timing = tecTimingOf(*machine)});
  tec.reset(kText);
  tec.setX(5, count);
  tec.setX(10, kDdr);
  tec.setX(11, Memory::kSramBase);
  EXPECT_EQ(tec.run(100000), TecStop::Ended) << tec.fault().str();
  return tec.cycles();
}

constexpr uint64_t kEnd = 4;

/// vsetvli x0, x5, e<8 << sew>, m<1 << lmul>
Inst configure(unsigned sew, unsigned lmul) {
  return {InstId::vsetvli, {.s = 5, .imm = int32_t(sew << 3 | lmul)}};
}
Inst loopBack(unsigned instructions) {
  return {InstId::bne, {.s = 5, .imm = -4 * int32_t(instructions)}};
}

} // namespace

TEST(TecTiming, IntegerLoop) {
  // 10 times: addi 1, mul 3, addi 1, bne 1; the branch is taken 9 times.
  EXPECT_EQ(cyclesOf({{InstId::addi, {.d = 6, .s = 6, .imm = 3}},
                      {InstId::mul, {.d = 7, .s = 6, .t = 6}},
                      {InstId::addi, {.d = 5, .s = 5, .imm = -1}},
                      loopBack(3)},
                     10),
            10 * (1 + 3 + 1 + 1) + 9 * 2 + kEnd);
}

TEST(TecTiming, DivisionAndFloat) {
  EXPECT_EQ(cyclesOf({{InstId::div_, {.d = 6, .s = 5, .t = 11}}}), 16 + kEnd);
  EXPECT_EQ(cyclesOf({{InstId::fadd_s, {.d = 1, .s = 2, .t = 3}},
                      {InstId::fmadd_d, {.d = 1, .s = 2, .t = 3, .q = 4}},
                      {InstId::fdiv_s, {.d = 1, .s = 2, .t = 3}},
                      {InstId::fsqrt_d, {.d = 1, .s = 2}}}),
            4 + 4 + 16 + 16 + kEnd);
}

TEST(TecTiming, CallAndReturn) {
  // jal over one instruction to jalr, which returns to it; then a jump to the
  // end. Each jump is taken: 1 + 2.
  EXPECT_EQ(cyclesOf({{InstId::jal, {.d = 1, .imm = 8}},
                      {InstId::jal, {.d = 0, .imm = 8}},
                      {InstId::jalr, {.d = 0, .s = 1}}}),
            3 * (1 + 2) + kEnd);
}

TEST(TecTiming, SramLoop) {
  // 8 times: lw 4, sw 1 (posted), two additions, bne 1; taken 7 times.
  EXPECT_EQ(cyclesOf({{InstId::lw, {.d = 6, .s = 11}},
                      {InstId::sw, {.s = 11, .t = 6, .imm = 256}},
                      {InstId::addi, {.d = 11, .s = 11, .imm = 4}},
                      {InstId::addi, {.d = 5, .s = 5, .imm = -1}},
                      loopBack(4)},
                     8),
            8 * (4 + 1 + 1 + 1 + 1) + 7 * 2 + kEnd);
}

TEST(TecTiming, DdrStream) {
  // 64 words are 4 lines of 64 bytes. The first word waits for DDR, 100; the
  // first words of the other lines take 4 and the line's transfer, 64 / 8; the
  // other 60 hit a line buffer, 4.
  const uint64_t loads = 100 + 3 * (4 + 64 / 8) + 60 * 4;
  EXPECT_EQ(cyclesOf({{InstId::lw, {.d = 6, .s = 10}},
                      {InstId::addi, {.d = 10, .s = 10, .imm = 4}},
                      {InstId::addi, {.d = 5, .s = 5, .imm = -1}},
                      loopBack(3)},
                     64),
            loads + 64 * 3 + 63 * 2 + kEnd);
}

TEST(TecTiming, VectorArithmeticByWidthAndLength) {
  auto one = [](InstId id, unsigned sew, unsigned lmul, uint32_t length) {
    return cyclesOf({configure(sew, lmul), {id, {.d = 8, .s = 16, .t = 24}}},
                    length) -
           1 - kEnd; // vsetvli is an integer instruction
  };
  EXPECT_EQ(one(InstId::vadd_vv, 0, 0, 32), 1u);   // 32 bytes
  EXPECT_EQ(one(InstId::vadd_vv, 0, 3, 256), 8u);  // 256 bytes
  EXPECT_EQ(one(InstId::vadd_vv, 2, 2, 32), 4u);   // 128 bytes
  EXPECT_EQ(one(InstId::vadd_vv, 2, 2, 9), 2u);    // 36 bytes, rounded up
  EXPECT_EQ(one(InstId::vadd_vv, 2, 2, 0), 1u);    // at least 1
  EXPECT_EQ(one(InstId::vwmacc_vv, 0, 0, 32), 2u); // 32 results of 2 bytes
  EXPECT_EQ(one(InstId::vnsra_wv, 1, 1, 32), 4u);  // 32 operands of 4 bytes
  EXPECT_EQ(one(InstId::vfmacc_vv, 2, 1, 16), 2u); // 64 bytes
  // 8 cycles an element in each of 4 lanes of 64 bits.
  EXPECT_EQ(one(InstId::vdiv_vv, 2, 0, 8), 8u * 8 / 4);
  EXPECT_EQ(one(InstId::vfdiv_vv, 2, 1, 16), 8u * 16 / 4);
  // A pass of 128 bytes is 4; the tree over 8 lanes of 32 bits adds 3.
  EXPECT_EQ(one(InstId::vredsum_vs, 2, 2, 32), 4u + 3);
  EXPECT_EQ(one(InstId::vfredosum_vs, 2, 0, 8), 8u * 4);
  // Two passes squared.
  EXPECT_EQ(one(InstId::vrgather_vv, 0, 1, 64), 4u);
  EXPECT_EQ(one(InstId::vslidedown_vi, 0, 1, 64), 2u);
}

TEST(TecTiming, VectorMemory) {
  auto one = [](InstId id, unsigned base, unsigned sew, unsigned lmul,
                uint32_t length) {
    return cyclesOf({configure(sew, lmul), {id, {.d = 8, .s = base, .t = 16}}},
                    length) -
           1 - kEnd;
  };
  constexpr unsigned kInDdr = 10, kInSram = 11;
  EXPECT_EQ(one(InstId::vle8_v, kInSram, 0, 2, 128), 2u + 128 / 32);
  EXPECT_EQ(one(InstId::vse8_v, kInSram, 0, 2, 128), 2u + 128 / 32);
  EXPECT_EQ(one(InstId::vle8_v, kInDdr, 0, 2, 128), 2u + 128 / 8);
  EXPECT_EQ(one(InstId::vle32_v, kInSram, 2, 1, 9), 2u + 2); // 36 bytes
  // Element by element, 4 a cycle: x16 and v16 are zero.
  EXPECT_EQ(one(InstId::vlse32_v, kInSram, 2, 1, 16), 2u + 16 / 4);
  EXPECT_EQ(one(InstId::vluxei32_v, kInSram, 2, 1, 16), 2u + 16 / 4);
  // On DDR the bytes need the bus: 16 * 4 / 8.
  EXPECT_EQ(one(InstId::vlse32_v, kInDdr, 2, 1, 16), 2u + 16 * 4 / 8);
  // 2 fields of 32 elements are transposed 4 a cycle; streaming the 64 bytes
  // would take 2 + 64 / 32.
  EXPECT_EQ(one(InstId::vlseg2e8_v, kInSram, 0, 0, 32), 2u * 32 / 4);
}

TEST(TecTiming, DotProductLoop) {
  // 256 bytes, 32 at a time: 8 times vsetvli 1, two loads 2 + 32 / 32 each,
  // vwmacc 2 * 32 / 32, two additions of addresses, sub, bne; taken 7 times.
  std::vector<Inst> loop = {configure(0, 0),
                            {InstId::vle8_v, {.d = 8, .s = 11}},
                            {InstId::vle8_v, {.d = 9, .s = 11}},
                            {InstId::vwmacc_vv, {.d = 10, .s = 8, .t = 9}},
                            {InstId::addi, {.d = 11, .s = 11, .imm = 32}},
                            {InstId::addi, {.d = 12, .s = 12, .imm = 32}},
                            {InstId::addi, {.d = 5, .s = 5, .imm = -32}},
                            loopBack(7)};
  EXPECT_EQ(cyclesOf(loop, 256),
            8 * (1 + 3 + 3 + 2 + 1 + 1 + 1 + 1) + 7 * 2 + kEnd);
}

TEST(TecTiming, TheRest) {
  EXPECT_EQ(cyclesOf({{InstId::csrrs, {.d = 6, .imm = 0xC20}}}), 2 + kEnd);
  EXPECT_EQ(cyclesOf({configure(0, 0), {InstId::vmv_x_s, {.d = 6, .t = 8}}}, 9),
            1 + 3 + kEnd);
  EXPECT_EQ(
      cyclesOf({configure(0, 3), {InstId::vmand_mm, {.d = 8, .s = 9, .t = 10}}},
               256),
      1 + 1 + kEnd);
  EXPECT_EQ(cyclesOf({configure(0, 0), {InstId::vmv4r_v, {.d = 8, .t = 16}}}),
            1 + 4 + kEnd);
}
