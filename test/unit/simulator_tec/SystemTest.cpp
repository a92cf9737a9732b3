//===- SystemTest.cpp - CSRs, fence.i, jumps and reservations of a TEC ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator_tec/TecFixture.h"

#include <gtest/gtest.h>

using namespace yarrow::sim;

namespace {

class SystemTest : public ::testing::Test {
protected:
  Machine m;

  TecStop runWords(std::vector<uint32_t> words) {
    words.push_back(kEnd);
    EXPECT_TRUE(m.load(words));
    m.restart();
    m.tec.setX(11, 0xffffffff);
    return m.tec.run(1000);
  }
};

/// csr<op> a0, csr, source; funct3 as the manual numbers them.
uint32_t csr(unsigned funct3, uint32_t number, unsigned source,
             unsigned rd = 10) {
  return 0x73 | rd << 7 | funct3 << 12 | source << 15 | number << 20;
}
enum { Csrrw = 1, Csrrs, Csrrc, Csrrwi = 5, Csrrsi, Csrrci };

bool exists(uint32_t number) {
  switch (number) {
#define RISCV_CSR(ID, NAME, NUMBER, MEANING)                                   \
  case NUMBER:                                                                 \
    return true;
#include "isa/RiscvCsrs.def"
  default:
    return false;
  }
}
} // namespace

TEST_F(SystemTest, EveryCsrNumber) {
  for (uint32_t number = 0; number < 4096; ++number) {
    bool isReadable = exists(number), isWritable = isReadable && number < 0xc00;
    auto stop = [](bool works) {
      return works ? TecStop::Ended : TecStop::Fault;
    };
    // Zero as x0 or as an immediate of csrrs and csrrc does not write.
    for (unsigned op : {Csrrs, Csrrc, Csrrsi, Csrrci})
      ASSERT_EQ(runWords({csr(op, number, 0)}), stop(isReadable)) << number;
    // A register that holds zero does, and so does any csrrw.
    for (unsigned op : {Csrrs, Csrrc, Csrrw})
      ASSERT_EQ(runWords({csr(op, number, 12)}), stop(isWritable)) << number;
    for (unsigned op : {Csrrwi, Csrrw})
      ASSERT_EQ(runWords({csr(op, number, 0, 0)}), stop(isWritable)) << number;
    for (unsigned op : {Csrrsi, Csrrci})
      ASSERT_EQ(runWords({csr(op, number, 1)}), stop(isWritable)) << number;
  }
}

TEST_F(SystemTest, CsrsKeepTheBitsTheyHave) {
  struct {
    uint32_t number, kept;
  } const kCsrs[] = {{0x001, 0x1f}, {0x002, 7}, {0x003, 0xff}, {0x008, 0xff},
                     {0x009, 1},    {0x00a, 3}, {0x00f, 7}};
  for (auto [number, kept] : kCsrs) {
    ASSERT_EQ(runWords({csr(Csrrw, number, 11), csr(Csrrc, number, 11)}),
              TecStop::Ended);
    EXPECT_EQ(m.tec.x(10), kept) << number;
  }
}

TEST_F(SystemTest, CountersCountWhatRetiredBefore) {
  ASSERT_EQ(runWords({0x13, csr(Csrrs, 0xc02, 0, 12), 0x13, 0x13,
                      csr(Csrrs, 0xc02, 0, 13), csr(Csrrs, 0xc82, 0, 14),
                      csr(Csrrs, 0xc00, 0, 15)}),
            TecStop::Ended);
  EXPECT_EQ(m.tec.x(12), 1u);
  EXPECT_EQ(m.tec.x(13), 4u);
  EXPECT_EQ(m.tec.x(14), 0u);
  EXPECT_EQ(m.tec.x(15), 6u);
}

TEST_F(SystemTest, FenceIMakesNewTextVisible) {
  // addi a0, zero, 1 is replaced by addi a0, zero, 2 when all of the page has
  // been decoded:
  // auipc t0, 0; lw t1, 28(t0); sw t1, 16(t0); fence.i
  ASSERT_TRUE(m.load({0x00000297, 0x01c2a303, 0x0062a823, 0x0000100f,
                      0x00100513, kEnd, 0, 0x00200513}));
  m.restart();
  ASSERT_EQ(m.tec.run(100), TecStop::Ended) << m.tec.fault().str();
  EXPECT_EQ(m.tec.x(10), 2u);
  EXPECT_EQ(m.tec.retired(), 6u);
}

TEST_F(SystemTest, MisalignedJumpsLeaveTheLink) {
  // jalr ra, 2(a2)
  ASSERT_EQ(runWords({0x002600e7}), TecStop::Fault);
  EXPECT_EQ(m.tec.x(1), 0u);
  EXPECT_EQ(m.tec.fault().pc, Machine::kTextAddress);
  EXPECT_EQ(m.tec.fault().word, 0x002600e7u);
  // jal ra, 2
  ASSERT_EQ(runWords({0x002000ef}), TecStop::Fault);
  EXPECT_EQ(m.tec.x(1), 0u);
  // beq zero, a1, 2: not taken, so no fault
  ASSERT_EQ(runWords({0x00b00163}), TecStop::Ended);
}

TEST_F(SystemTest, ReservationsServeOnce) {
  // lui a2, 0x100; sc without lr; lr; sc; sc again; lr; sc elsewhere
  const uint32_t kLr = 0x100626af, kSc = 0x18b6262f;
  auto sc = [&](unsigned rd, unsigned rs1) {
    return (kSc & ~0xf8f80u) | rd << 7 | rs1 << 15;
  };
  ASSERT_EQ(runWords({0x00100637, 0x00460713, sc(16, 12), kLr, sc(17, 12),
                      sc(18, 12), kLr, sc(19, 14), sc(20, 12)}),
            TecStop::Ended)
      << m.tec.fault().str();
  EXPECT_EQ(m.tec.x(16), 1u);
  EXPECT_EQ(m.tec.x(17), 0u);
  EXPECT_EQ(m.tec.x(18), 1u);
  EXPECT_EQ(m.tec.x(19), 1u);
  EXPECT_EQ(m.tec.x(20), 1u);
}

TEST_F(SystemTest, VectorLengthsThatMayNotChangeVlmax) {
  const uint32_t kVtype = csr(Csrrs, 0xc21, 0), kVl = csr(Csrrs, 0xc20, 0, 12);
  const uint32_t kSet = 0xc1007057 | 5 << 15; // vsetivli zero, 5, e32, m1
  // vsetvli zero, zero, e16, mf2: the same ratio keeps vl.
  ASSERT_EQ(runWords({kSet, 0x00f07057, kVtype, kVl}), TecStop::Ended);
  EXPECT_EQ(m.tec.x(10), 0x0fu);
  EXPECT_EQ(m.tec.x(12), 5u);
  // e16, m1 has twice the elements: reserved.
  ASSERT_EQ(runWords({kSet, 0x00807057, kVtype, kVl}), TecStop::Ended);
  EXPECT_EQ(m.tec.x(10), 0x80000000u);
  EXPECT_EQ(m.tec.x(12), 0u);
  // After reset vtype is vill: reserved, too.
  ASSERT_EQ(runWords({0x00807057, kVtype}), TecStop::Ended);
  EXPECT_EQ(m.tec.x(10), 0x80000000u);
}

TEST_F(SystemTest, UnknownWordsAreNamed) {
  ASSERT_EQ(runWords({0x0000007f}), TecStop::Fault);
  EXPECT_EQ(m.tec.fault().str(),
            "illegal instruction (pc 0x00010000, word 0x0000007f, address "
            "0x00010000): .word 0x7f");
}
