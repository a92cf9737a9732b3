//===- InstructionsTest.cpp - What compiled loops do not show -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Programs of single instructions, and how a TEC stops.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/Decode.h"
#include "test/unit/simulator_tec/TecFixture.h"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>

using namespace yarrow::sim;
using ::testing::ElementsAre;

// Encodings. x10 is a0.
static uint32_t rType(uint32_t match, unsigned rd, unsigned rs1, unsigned rs2) {
  return match | rd << 7 | rs1 << 15 | rs2 << 20;
}
static uint32_t npu(unsigned funct3, unsigned id, unsigned rs1, unsigned rs2) {
  return rType(0x0B | funct3 << 12 | id << 25, 0, rs1, rs2);
}
static uint32_t addi(unsigned rd, unsigned rs1, int imm) {
  return 0x13 | rd << 7 | rs1 << 15 | uint32_t(imm) << 20;
}
static uint32_t match(const char *mnemonic) {
  for (unsigned id = 0; id < tec::kNumInsts; ++id)
    if (!std::strcmp(tec::instInfo(tec::InstId(id)).mnemonic, mnemonic))
      return tec::instInfo(tec::InstId(id)).match;
  ADD_FAILURE() << "no instruction " << mnemonic;
  return 0;
}
static uint32_t csrrwi(unsigned csr, unsigned value) {
  return 0x5073 | csr << 20 | value << 15;
}
static uint32_t csrr(unsigned rd, unsigned csr) {
  return 0x2073 | csr << 20 | rd << 7;
}
/// vsetivli x0, avl, e<8 << sew>, m<1 << lmul>
static uint32_t vset(unsigned avl, unsigned sew, unsigned lmul) {
  return match("vsetivli") | avl << 15 | (sew << 3 | lmul) << 20;
}
/// Unmasked vd = op vs2, vs1.
static uint32_t vop(const char *mnemonic, unsigned vd, unsigned vs2,
                    unsigned vs1) {
  return rType(match(mnemonic), vd, vs1, vs2) | 1u << 25;
}
static constexpr uint32_t kData = 0x100000;

namespace {
/// Loads v8 and v16 from kData, does \p body, stores v24 to kData + 0x1000.
class InstructionTest : public ::testing::Test {
protected:
  Machine m;

  TecStop runWords(std::vector<uint32_t> words) {
    words.push_back(kEnd);
    EXPECT_TRUE(m.load(words));
    m.restart();
    m.tec.setX(10, kData);
    m.tec.setX(11, kData + 256);
    m.tec.setX(12, kData + 0x1000);
    return m.tec.run(10000);
  }
  template <class D, class S>
  std::vector<D> runVector(std::vector<uint32_t> body, std::vector<S> a,
                           std::vector<S> b, unsigned results) {
    EXPECT_TRUE(m.memory->fill(kData, 0, 0x2000));
    EXPECT_TRUE(m.memory->write(kData, a.data(), a.size() * sizeof(S)));
    EXPECT_TRUE(m.memory->write(kData + 256, b.data(), b.size() * sizeof(S)));
    std::vector<uint32_t> words = {rType(match("vl8re8.v"), 8, 10, 0),
                                   rType(match("vl8re8.v"), 16, 11, 0)};
    words.insert(words.end(), body.begin(), body.end());
    words.push_back(rType(match("vs8r.v"), 24, 12, 0));
    EXPECT_EQ(runWords(words), TecStop::Ended) << m.tec.fault().str();
    std::vector<D> out(results);
    EXPECT_TRUE(
        m.memory->read(kData + 0x1000, out.data(), results * sizeof(D)));
    return out;
  }
};
} // namespace

TEST_F(InstructionTest, X0StaysZero) {
  ASSERT_EQ(runWords({addi(0, 0, 5), addi(5, 0, 7)}), TecStop::Ended);
  EXPECT_EQ(m.tec.x(0), 0u);
  EXPECT_EQ(m.tec.x(5), 7u);
}

TEST_F(InstructionTest, DivisionCorners) {
  m.load({rType(match("div"), 5, 6, 7), rType(match("rem"), 28, 6, 7),
          rType(match("div"), 29, 6, 0), rType(match("rem"), 30, 6, 0), kEnd});
  m.restart();
  m.tec.setX(6, 0x80000000);
  m.tec.setX(7, ~0u);
  ASSERT_EQ(m.tec.run(100), TecStop::Ended);
  EXPECT_EQ(m.tec.x(5), 0x80000000u);
  EXPECT_EQ(m.tec.x(28), 0u);
  EXPECT_EQ(m.tec.x(29), ~0u);
  EXPECT_EQ(m.tec.x(30), 0x80000000u);
}

TEST_F(InstructionTest, FixedPointRoundingModes) {
  // 5/4, 6/4, 7/4, 10/4, -6/4: up, even, down, to odd.
  const std::vector<int16_t> a = {5, 6, 7, 10, -6}, none;
  auto shifted = [&](unsigned vxrm) {
    return runVector<int16_t>(
        {csrrwi(0x00A, vxrm), vset(5, 1, 0), vop("vssra.vi", 24, 8, 2)}, a,
        none, 5);
  };
  EXPECT_THAT(shifted(0), ElementsAre(1, 2, 2, 3, -1));
  EXPECT_THAT(shifted(1), ElementsAre(1, 2, 2, 2, -2));
  EXPECT_THAT(shifted(2), ElementsAre(1, 1, 1, 2, -2));
  EXPECT_THAT(shifted(3), ElementsAre(1, 1, 1, 3, -1));
}

TEST_F(InstructionTest, ClipsSaturateAndPrintIt) {
  const std::vector<int16_t> a = {500, -500, 100, -100}, none;
  EXPECT_THAT(runVector<int8_t>({csrrwi(0x009, 0), vset(4, 0, 0),
                                 vop("vnclip.wi", 24, 8, 1), csrr(5, 0x009)},
                                a, none, 4),
              ElementsAre(127, -128, 50, -50));
  EXPECT_EQ(m.tec.x(5), 1u);
  // The same, but no lane below vl saturates.
  runVector<int8_t>({csrrwi(0x009, 0), vset(2, 0, 0),
                     vop("vnclip.wi", 24, 8, 3), csrr(5, 0x009)},
                    std::vector<int16_t>{8, -8, 30000}, none, 2);
  EXPECT_EQ(m.tec.x(5), 0u);
}

TEST_F(InstructionTest, FractionProducts) {
  EXPECT_THAT(runVector<int16_t>(
                  {csrrwi(0x00A, 0), vset(3, 1, 0), vop("vsmul.vv", 24, 8, 16)},
                  std::vector<int16_t>{-32768, 16384, 3},
                  std::vector<int16_t>{-32768, -16384, 16384}, 3),
              ElementsAre(32767, -8192, 2));
}

TEST_F(InstructionTest, FloatToIntegerByMode) {
  const std::vector<float> a = {2.5f, -2.5f, 3.5f, -0.5f, 3e9f, NAN}, none;
  auto converted = [&](unsigned frm) {
    return runVector<int32_t>(
        {csrrwi(0x002, frm), vset(6, 2, 0), vop("vfcvt.x.f.v", 24, 8, 1)}, a,
        none, 6);
  };
  EXPECT_THAT(converted(0), ElementsAre(2, -2, 4, 0, INT32_MAX, INT32_MAX));
  EXPECT_THAT(converted(1), ElementsAre(2, -2, 3, 0, INT32_MAX, INT32_MAX));
  EXPECT_THAT(converted(2), ElementsAre(2, -3, 3, -1, INT32_MAX, INT32_MAX));
  EXPECT_THAT(converted(3), ElementsAre(3, -2, 4, 0, INT32_MAX, INT32_MAX));
  EXPECT_THAT(converted(4), ElementsAre(3, -3, 4, -1, INT32_MAX, INT32_MAX));
  EXPECT_THAT(
      runVector<int32_t>({vset(6, 2, 0), vop("vfcvt.rtz.x.f.v", 24, 8, 7)}, a,
                         none, 6),
      ElementsAre(2, -2, 3, 0, INT32_MAX, INT32_MAX));
}

TEST_F(InstructionTest, RoundsToOddWhenAsked) {
  // Narrowing 1 + 2^-30 goes up to the odd neighbour of 1.
  EXPECT_THAT(
      runVector<float>({vset(2, 2, 0), vop("vfncvt.rod.f.f.w", 24, 8, 21)},
                       std::vector<double>{1 + 0x1p-30, 1.5}, {}, 2),
      ElementsAre(1 + 0x1p-23f, 1.5f));
}

TEST_F(InstructionTest, MinAndMaxOrderZerosAndDropNaNs) {
  auto out = runVector<uint32_t>({vset(3, 2, 0), vop("vfmin.vv", 24, 8, 16)},
                                 std::vector<float>{0.0f, NAN, NAN},
                                 std::vector<float>{-0.0f, 2, -NAN}, 3);
  EXPECT_THAT(out, ElementsAre(0x80000000u, 0x40000000u, 0x7fc00000u));
}

TEST_F(InstructionTest, NaNResultsAreCanonical) {
  auto out =
      runVector<uint32_t>({vset(2, 2, 0), vop("vfadd.vv", 24, 8, 16)},
                          std::vector<uint32_t>{0xffc12345, 0xff800000},
                          std::vector<uint32_t>{0x3f800000, 0x7f800000}, 2);
  EXPECT_THAT(out, ElementsAre(0x7fc00000u, 0x7fc00000u));
}

TEST_F(InstructionTest, StaticRoundingModeDiffersFromDynamic) {
  // fdiv.s f5 = 1/3 in each mode; f6 by the dynamic mode afterwards.
  auto bits = [&](unsigned rm) {
    m.load({rType(match("fdiv.s"), 5, 10, 11) | rm << 12,
            rType(match("fdiv.s"), 6, 10, 11) | 7 << 12, kEnd});
    m.restart();
    m.tec.setF(10, 0xffffffff3f800000);
    m.tec.setF(11, 0xffffffff40400000);
    EXPECT_EQ(m.tec.run(10), TecStop::Ended) << m.tec.fault().str();
    EXPECT_EQ(uint32_t(m.tec.f(6)), 0x3eaaaaabu);
    return uint32_t(m.tec.f(5));
  };
  EXPECT_EQ(bits(0), 0x3eaaaaabu);
  EXPECT_EQ(bits(1), 0x3eaaaaaau);
  EXPECT_EQ(bits(2), 0x3eaaaaaau);
  EXPECT_EQ(bits(3), 0x3eaaaaabu);
  EXPECT_EQ(bits(4), 0x3eaaaaabu);
}

TEST_F(InstructionTest, CompressTakesMarkedLanes) {
  EXPECT_THAT(
      runVector<uint8_t>({vset(8, 0, 0), vop("vcompress.vm", 24, 8, 16)},
                         std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 7, 8},
                         std::vector<uint8_t>{0b10110010}, 4),
      ElementsAre(2, 5, 6, 8));
}

TEST_F(InstructionTest, TailIsUndisturbed) {
  auto out = runVector<uint8_t>({vset(8, 0, 0), vop("vmv.v.i", 24, 0, 7),
                                 vset(3, 0, 0), vop("vadd.vi", 24, 8, 1)},
                                std::vector<uint8_t>{1, 2, 3, 4}, {}, 5);
  EXPECT_THAT(out, ElementsAre(2, 3, 4, 7, 7));
}

TEST_F(InstructionTest, SegmentsComeApart) {
  std::vector<uint32_t> body = {
      vset(4, 0, 0), rType(match("vlseg3e8.v"), 24, 10, 0) | 1u << 25};
  auto out = runVector<uint8_t>(
      body, std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {},
      96);
  EXPECT_THAT(std::vector<uint8_t>(out.begin(), out.begin() + 4),
              ElementsAre(1, 4, 7, 10));
  EXPECT_THAT(std::vector<uint8_t>(out.begin() + 64, out.begin() + 68),
              ElementsAre(3, 6, 9, 12));
}

TEST_F(InstructionTest, FaultOnlyFirstShortensVl) {
  m.load({vset(16, 0, 0), rType(match("vle8ff.v"), 24, 10, 0) | 1u << 25,
          csrr(5, 0xC20), kEnd});
  m.restart();
  m.tec.setX(10, Machine::kDdrBytes - 5);
  ASSERT_EQ(m.tec.run(10), TecStop::Ended) << m.tec.fault().str();
  EXPECT_EQ(m.tec.x(5), 5u);
}

TEST_F(InstructionTest, FaultingStoreResumesAtItsElement) {
  // 5 of 16 elements fit; memory grows, and the same instruction goes on.
  m.load({vset(16, 0, 0), vop("vid.v", 24, 0, 0),
          rType(match("vse8.v"), 24, 10, 0) | 1u << 25, kEnd});
  m.restart();
  m.tec.setX(10, Machine::kDdrBytes - 5);
  ASSERT_EQ(m.tec.run(10), TecStop::Fault);
  EXPECT_EQ(m.tec.vstart(), 5u);
  EXPECT_EQ(m.tec.fault().address, Machine::kDdrBytes);
  ASSERT_TRUE(m.memory->growDdr(Machine::kDdrBytes + 4096));
  m.memory->fill(Machine::kDdrBytes - 5, 0xff, 5);
  ASSERT_EQ(m.tec.run(10), TecStop::Ended) << m.tec.fault().str();
  EXPECT_EQ(m.tec.vstart(), 0u);
  uint8_t bytes[16];
  ASSERT_TRUE(m.memory->read(Machine::kDdrBytes - 5, bytes, sizeof bytes));
  EXPECT_THAT(bytes, ElementsAre(0xff, 0xff, 0xff, 0xff, 0xff, 5, 6, 7, 8, 9,
                                 10, 11, 12, 13, 14, 15));
}

TEST_F(InstructionTest, EngineInstructionsReachThePort) {
  ASSERT_EQ(runWords({addi(5, 0, 64), npu(0, 3, 10, 5), npu(1, 0, 5, 10),
                      npu(3, 0, 0, 0)}),
            TecStop::Ended);
  EXPECT_THAT(m.port.calls, ElementsAre("submit 3 1048576 64",
                                        "setbase 64 1048576 0", "signal"));
}

TEST_F(InstructionTest, WaitIsRetriedAndChargedOnce) {
  Machine timed({.timed = true, .timing = {}});
  timed.load({addi(5, 0, 2), npu(2, 1, 5, 0), kEnd});
  timed.restart();
  ASSERT_EQ(timed.tec.run(100), TecStop::Waiting);
  EXPECT_EQ(timed.tec.pc(), Machine::kTextAddress + 4);
  EXPECT_EQ(timed.tec.retired(), 1u);
  ASSERT_EQ(timed.tec.run(100), TecStop::Waiting);
  timed.port.reached = 2;
  timed.tec.setCycles(1000);
  ASSERT_EQ(timed.tec.run(100), TecStop::Ended);
  EXPECT_EQ(timed.tec.retired(), 3u);
  EXPECT_EQ(timed.tec.cycles(), 1000u + 2 * TecTiming().npu);
  EXPECT_EQ(timed.port.calls.back(), "wait 1 2 0");
}

TEST_F(InstructionTest, BudgetStopsAnEndlessLoop) {
  m.load({0x0000006f}); // jal x0, 0
  m.restart();
  EXPECT_EQ(m.tec.run(1000), TecStop::Budget);
  EXPECT_EQ(m.tec.run(500), TecStop::Budget);
  EXPECT_EQ(m.tec.retired(), 1500u);
}

TEST_F(InstructionTest, ResetForgetsText) {
  ASSERT_EQ(runWords({addi(5, 0, 1)}), TecStop::Ended);
  EXPECT_EQ(m.tec.x(5), 1u);
  ASSERT_EQ(runWords({addi(5, 0, 2)}), TecStop::Ended);
  EXPECT_EQ(m.tec.x(5), 2u);
}

TEST_F(InstructionTest, RunsOverAPageBoundary) {
  std::vector<uint32_t> words(2500, addi(5, 5, 1));
  ASSERT_EQ(runWords(words), TecStop::Ended);
  EXPECT_EQ(m.tec.x(5), 2500u);
}

TEST_F(InstructionTest, CountsTrafficByMemory) {
  Machine timed({.timed = true, .timing = {}});
  timed.load({0x00052283 /* lw t0, 0(a0) */, 0x0055a023 /* sw t0, 0(a1) */,
              vset(8, 2, 0), rType(match("vle32.v"), 8, 11, 0) | 1u << 25,
              kEnd});
  timed.restart();
  timed.tec.setX(10, kData);
  timed.tec.setX(11, Memory::kSramBase);
  ASSERT_EQ(timed.tec.run(100), TecStop::Ended);
  const TecTraffic &traffic = timed.tec.traffic();
  EXPECT_EQ(traffic.ddrReadBytes, 4u);
  EXPECT_EQ(traffic.ddrWrittenBytes, 0u);
  EXPECT_EQ(traffic.sramReadBytes, 32u);
  EXPECT_EQ(traffic.sramWrittenBytes, 4u);
  EXPECT_EQ(timed.tec.retiredByClass()[unsigned(Cost::VLoad)], 1u);
}

// Faults name the instruction and the address.

TEST_F(InstructionTest, UnknownWordFaults) {
  ASSERT_EQ(runWords({addi(5, 0, 1), 0xffffffff}), TecStop::Fault);
  EXPECT_EQ(m.tec.fault().pc, Machine::kTextAddress + 4);
  EXPECT_EQ(m.tec.fault().word, 0xffffffffu);
  EXPECT_EQ(m.tec.fault().reason, "illegal instruction");
}

TEST_F(InstructionTest, AccessOutsideOfMemoryFaults) {
  m.load({0x0055a023, kEnd}); // sw t0, 0(a1)
  m.restart();
  m.tec.setX(11, Machine::kDdrBytes - 2);
  ASSERT_EQ(m.tec.run(10), TecStop::Fault);
  EXPECT_EQ(m.tec.fault().address, Machine::kDdrBytes - 2);

  m.load({vset(8, 0, 0), rType(match("vse8.v"), 24, 11, 0) | 1u << 25, kEnd});
  m.restart();
  m.tec.setX(11, Memory::kSramBase + Machine::kSramBytes - 3);
  ASSERT_EQ(m.tec.run(10), TecStop::Fault);
  EXPECT_EQ(m.tec.fault().address, Memory::kSramBase + Machine::kSramBytes);
}

TEST_F(InstructionTest, JumpOutsideOfMemoryFaults) {
  m.load({0x00058067}); // jalr x0, 0(a1)
  m.restart();
  m.tec.setX(11, Machine::kDdrBytes + 64);
  ASSERT_EQ(m.tec.run(10), TecStop::Fault);
  EXPECT_EQ(m.tec.fault().address, Machine::kDdrBytes + 64);
  EXPECT_EQ(m.tec.fault().pc, Machine::kTextAddress);
  m.restart();
  m.tec.setX(11, Machine::kTextAddress + 2);
  ASSERT_EQ(m.tec.run(10), TecStop::Fault);
  EXPECT_EQ(m.tec.fault().reason, "misaligned instruction fetch");
}

TEST_F(InstructionTest, IllegalVectorStateFaults) {
  // No vtype yet; a group that is not aligned; 8-bit floats; a sum that must
  // begin at element 0.
  for (const std::vector<uint32_t> &words :
       {std::vector<uint32_t>{vop("vadd.vv", 24, 8, 16)},
        {vset(4, 0, 1), vop("vadd.vv", 25, 8, 16)},
        {vset(4, 0, 0), vop("vfadd.vv", 24, 8, 16)},
        {vset(4, 3, 0), vop("vwadd.vv", 24, 8, 16)},
        {vset(4, 0, 3), vop("vwadd.vv", 24, 8, 16)},
        {vset(4, 0, 0), csrrwi(0x008, 1), vop("vredsum.vs", 24, 8, 16)},
        {vset(4, 3, 7), vop("vadd.vv", 24, 8, 16)}}) {
    size_t last = words.size() - 1;
    ASSERT_EQ(runWords(words), TecStop::Fault);
    EXPECT_EQ(m.tec.fault().pc, Machine::kTextAddress + last * 4);
  }
}
