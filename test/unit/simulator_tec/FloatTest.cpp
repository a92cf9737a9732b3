//===- FloatTest.cpp - Scalar floating point against LLVM's APFloat -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Results and flags of every operation that rounds, in every mode, on operands
// near the edges of the formats, beside APFloat, which computes with integers.
// What does not round is compared with its definition.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/Decode.h"
#include "test/unit/simulator_tec/TecFixture.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include <cfenv>
#include <gtest/gtest.h>
#include <random>

using namespace yarrow::sim;
using llvm::APFloat;
using llvm::APInt;

namespace {
enum : uint32_t { NX = 1, UF = 2, OF = 4, DZ = 8, NV = 16 };
constexpr APFloat::roundingMode kModes[] = {
    APFloat::rmNearestTiesToEven, APFloat::rmTowardZero,
    APFloat::rmTowardNegative, APFloat::rmTowardPositive,
    APFloat::rmNearestTiesToAway};
constexpr unsigned kNumModes = 5, kDynamic = 7;

/// A format of numbers in f registers.
struct Type {
  const char *suffix;
  unsigned bits, sigBits;
  const llvm::fltSemantics &semantics;

  uint64_t sign() const { return uint64_t(1) << (bits - 1); }
  uint64_t inf() const { return sign() - (uint64_t(1) << sigBits); }
  uint64_t quiet() const { return uint64_t(1) << (sigBits - 1); }
  uint64_t nan() const { return inf() | quiet(); }
  uint64_t leastNormal() const { return uint64_t(1) << sigBits; }
  uint64_t box(uint64_t value) const {
    return bits == 64 ? value : value | 0xffffffff00000000;
  }
  bool isNaN(uint64_t x) const { return (x & ~sign()) > inf(); }
  bool isSignaling(uint64_t x) const { return isNaN(x) && !(x & quiet()); }
  APFloat number(uint64_t x) const {
    return APFloat(semantics, APInt(bits, x));
  }
  /// As RISC-V has it: NaNs are canonical.
  uint64_t word(const APFloat &x) const {
    return x.isNaN() ? nan() : x.bitcastToAPInt().getZExtValue();
  }
};
const Type kSingle{".s", 32, 23, APFloat::IEEEsingle()};
const Type kDouble{".d", 64, 52, APFloat::IEEEdouble()};

uint32_t matchOf(const std::string &mnemonic) {
  for (unsigned id = 0; id < tec::kNumInsts; ++id)
    if (tec::instInfo(tec::InstId(id)).mnemonic == mnemonic)
      return tec::instInfo(tec::InstId(id)).match;
  ADD_FAILURE() << "no instruction " << mnemonic;
  return 0;
}

struct Result {
  uint64_t value;
  uint32_t flags;
};
uint32_t flagsOf(APFloat::opStatus status) {
  return (status & APFloat::opInvalidOp ? NV : 0) |
         (status & APFloat::opDivByZero ? DZ : 0) |
         (status & APFloat::opOverflow ? OF : 0) |
         (status & APFloat::opUnderflow ? UF : 0) |
         (status & APFloat::opInexact ? NX : 0);
}

/// Executes one instruction over and over: a0 or fa0 from fa1, fa2, fa3 or a1.
class OneInstruction {
public:
  /// \p mode goes into frm if the instruction's own is dynamic.
  OneInstruction(const std::string &mnemonic, unsigned mode, unsigned rm) {
    uint32_t match = matchOf(mnemonic);
    auto format = tec::formatInfo(tec::instInfo(*tec::findInst(match)).format);
    uint32_t word = match | 10 << 7 | 11 << 15;
    std::string_view operands = format.operands;
    if (operands.find("ft") != operands.npos)
      word |= 12 << 20;
    if (operands.find("fq") != operands.npos)
      word |= uint32_t(13) << 27;
    if (format.hasRounding)
      word |= rm << 12;
    // fsflags zero; the instruction; frflags a2; npu.end; back to the start.
    EXPECT_TRUE(
        m.load({0x00101073, word, 0x00102673, matchOf("npu.end"), 0xff1ff06f}));
    EXPECT_TRUE(
        m.memory->write(Machine::kTextAddress - 8, kSetMode, sizeof kSetMode));
    m.tec.reset(Machine::kTextAddress - 8);
    m.tec.setX(5, mode);
  }
  Result f(uint64_t a, uint64_t b, uint64_t d) {
    run(a, b, d, 0);
    return {m.tec.f(10), m.tec.x(12)};
  }
  Result x(uint64_t a, uint64_t b = 0) {
    run(a, b, 0, 0);
    return {m.tec.x(10), m.tec.x(12)};
  }
  Result fromX(uint32_t a) {
    run(0, 0, 0, a);
    return {m.tec.f(10), m.tec.x(12)};
  }

private:
  Machine m;
  /// csrw frm, t0; nop
  static constexpr uint32_t kSetMode[] = {0x00229073, 0x00000013};

  void run(uint64_t a, uint64_t b, uint64_t d, uint32_t x) {
    m.tec.setF(11, a);
    m.tec.setF(12, b);
    m.tec.setF(13, d);
    m.tec.setX(11, x);
    ASSERT_EQ(m.tec.run(100), TecStop::Ended) << m.tec.fault().str();
  }
};

/// Numbers near where things happen: edges of the exponent, few or almost all
/// bits set, neighbours of what the other operands are.
class Operands {
public:
  explicit Operands(const Type &type) : type(type) {}
  uint64_t next() {
    uint64_t sign = random() & 1 ? type.sign() : 0;
    switch (random() % 8) {
    case 0:
      return sign | special();
    case 1:
      return random() >> (64 - type.bits);
    case 2: // near the last
      return last = (last + random() % 5 - 2) &
                    (type.inf() | type.sign() | (type.leastNormal() - 1));
    default:
      return last = sign | exponent() << type.sigBits | fraction();
    }
  }

private:
  const Type &type;
  std::mt19937_64 random{7};
  uint64_t last = 0;

  uint64_t special() {
    const uint64_t kValues[] = {0,
                                1,
                                type.leastNormal(),
                                type.leastNormal() - 1,
                                type.inf(),
                                type.inf() - 1,
                                type.nan(),
                                type.inf() + 1};
    return kValues[random() % 8];
  }
  uint64_t exponent() {
    uint64_t most = (type.inf() >> type.sigBits) - 1, middle = most / 2;
    switch (random() % 6) {
    case 0:
      return random() % 4;
    case 1:
      return most - random() % 4;
    case 2: // half of the range: products and roots meet its ends
      return (random() & 1 ? middle / 2 : middle + middle / 2) + random() % 5 -
             2;
    case 3:
      return random() % (most + 1);
    default:
      return middle + random() % 41 - 20;
    }
  }
  uint64_t fraction() {
    uint64_t all = type.leastNormal() - 1, bits = random() & all;
    switch (random() % 4) {
    case 0: // few bits at the top: exact results and ties
      return bits & ~(all >> random() % 13);
    case 1:
      return all - (bits >> (type.sigBits - 2));
    case 2:
      return bits >> (type.sigBits - 2);
    default:
      return bits;
    }
  }
};

/// APFloat finds tininess and overflow in the rounded result, a TEC in what the
/// result would be if exponents had no end: that can differ if the result is
/// the least normal or the largest number. Tests of their own are below.
void expectEqual(const Type &type, const Result &ours, uint64_t value,
                 uint32_t flags, const std::string &what) {
  uint64_t magnitude = value & ~type.sign();
  uint32_t ignored = magnitude == type.leastNormal() ? UF
                     : magnitude == type.inf() - 1   ? OF
                                                     : 0;
  if (ours.value != type.box(value) || ((ours.flags ^ flags) & ~ignored))
    ADD_FAILURE() << what << std::hex << ": " << ours.value << " flags "
                  << ours.flags << ", not " << type.box(value) << " flags "
                  << flags;
}

using Model = std::function<APFloat::opStatus(
    APFloat &, const APFloat &, const APFloat &, APFloat::roundingMode)>;
struct Operation {
  const char *name;
  Model model;
};
const Operation kOperations[] = {
    {"fadd", [](APFloat &a, auto &b, auto &, auto m) { return a.add(b, m); }},
    {"fsub",
     [](APFloat &a, auto &b, auto &, auto m) { return a.subtract(b, m); }},
    {"fmul",
     [](APFloat &a, auto &b, auto &, auto m) { return a.multiply(b, m); }},
    {"fdiv",
     [](APFloat &a, auto &b, auto &, auto m) { return a.divide(b, m); }},
    {"fmadd", [](APFloat &a, auto &b, auto &d,
                 auto m) { return a.fusedMultiplyAdd(b, d, m); }},
    {"fmsub", [](APFloat &a, auto &b, auto &d,
                 auto m) { return a.fusedMultiplyAdd(b, -d, m); }},
    {"fnmsub",
     [](APFloat &a, auto &b, auto &d, auto m) {
       a.changeSign();
       return a.fusedMultiplyAdd(b, d, m);
     }},
    {"fnmadd",
     [](APFloat &a, auto &b, auto &d, auto m) {
       a.changeSign();
       return a.fusedMultiplyAdd(b, -d, m);
     }},
};

/// The root in twice the bits and what is lost, which quad precision holds.
APFloat::opStatus squareRoot(const Type &type, APFloat &a,
                             APFloat::roundingMode mode) {
  if (a.isNaN())
    return a.isSignaling() ? APFloat::opInvalidOp : APFloat::opOK;
  if (a.isZero())
    return APFloat::opOK;
  if (a.isNegative()) {
    a = APFloat::getNaN(type.semantics);
    return APFloat::opInvalidOp;
  }
  if (a.isInfinity())
    return APFloat::opOK;
  int exponent = llvm::ilogb(a);
  APFloat unit = llvm::scalbn(a, -exponent, APFloat::rmTowardZero);
  uint64_t fraction =
      unit.bitcastToAPInt().getZExtValue() & (type.leastNormal() - 1);
  auto m = static_cast<unsigned __int128>(fraction | type.leastNormal());
  int scale = exponent - int(type.sigBits); // a = m * 2^scale
  // As many bits as two roots of 62 take; what is left of scale is even.
  int shift = (122 - int(type.sigBits)) / 2 * 2 + (scale & 1);
  m <<= shift;
  scale -= shift;
  uint64_t root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    uint64_t more = root | uint64_t(1) << bit;
    if (static_cast<unsigned __int128>(more) * more <= m)
      root = more;
  }
  bool inexact = static_cast<unsigned __int128>(root) * root != m;
  APFloat wide(APFloat::IEEEquad());
  wide.convertFromAPInt(APInt(128, root).shl(1) | APInt(128, inexact), false,
                        APFloat::rmTowardZero);
  a = llvm::scalbn(wide, scale / 2 - 1, APFloat::rmTowardZero);
  bool losesInfo;
  return a.convert(type.semantics, mode, &losesInfo);
}

class FloatTest : public ::testing::TestWithParam<const Type *> {
protected:
  const Type &type = *GetParam();
  static constexpr unsigned kCases = 4000;

  /// Calls f(instruction, mode) for static and dynamic modes.
  template <class F> void inEveryMode(const std::string &mnemonic, F f) {
    for (unsigned mode = 0; mode < kNumModes; ++mode)
      for (unsigned rm : {mode, kDynamic}) {
        // With a static mode frm says something else.
        OneInstruction inst(mnemonic, rm == kDynamic ? mode : (mode + 1) % 5,
                            rm);
        f(inst, kModes[mode], mnemonic + " mode " + std::to_string(mode));
        if (HasFailure())
          return;
      }
  }
};
} // namespace

TEST_P(FloatTest, ArithmeticIsIeee754) {
  for (const Operation &operation : kOperations)
    inEveryMode(operation.name + std::string(type.suffix),
                [&](OneInstruction &inst, auto mode, const std::string &what) {
                  Operands operands(type);
                  for (unsigned k = 0; k < kCases; ++k) {
                    uint64_t a = operands.next(), b = operands.next(),
                             d = operands.next();
                    APFloat result = type.number(a);
                    auto status = operation.model(result, type.number(b),
                                                  type.number(d), mode);
                    expectEqual(type,
                                inst.f(type.box(a), type.box(b), type.box(d)),
                                type.word(result), flagsOf(status), what);
                  }
                });
}

TEST_P(FloatTest, RootsAreIeee754) {
  inEveryMode("fsqrt" + std::string(type.suffix),
              [&](OneInstruction &inst, auto mode, const std::string &what) {
                Operands operands(type);
                for (unsigned k = 0; k < kCases; ++k) {
                  uint64_t a = operands.next();
                  APFloat result = type.number(a);
                  auto status = squareRoot(type, result, mode);
                  expectEqual(type, inst.f(type.box(a), 0, 0),
                              type.word(result), flagsOf(status), what);
                }
              });
}

TEST_P(FloatTest, ConversionsBetweenFormats) {
  const Type &other = &type == &kSingle ? kDouble : kSingle;
  inEveryMode("fcvt" + std::string(type.suffix) + other.suffix,
              [&](OneInstruction &inst, auto mode, const std::string &what) {
                Operands operands(other);
                for (unsigned k = 0; k < kCases; ++k) {
                  uint64_t a = operands.next();
                  APFloat result = other.number(a);
                  bool losesInfo;
                  auto status =
                      result.convert(type.semantics, mode, &losesInfo);
                  uint32_t flags = other.isSignaling(a) ? NV : flagsOf(status);
                  expectEqual(type, inst.f(other.box(a), 0, 0),
                              type.word(result), flags, what);
                }
              });
}

TEST_P(FloatTest, ConversionsOfIntegers) {
  for (bool isSigned : {true, false}) {
    std::string integer = isSigned ? ".w" : ".wu", suffix = type.suffix;
    inEveryMode("fcvt" + integer + suffix, [&](OneInstruction &inst, auto mode,
                                               const std::string &what) {
      Operands operands(type);
      for (unsigned k = 0; k < kCases; ++k) {
        uint64_t a = operands.next();
        llvm::APSInt result(32, !isSigned);
        bool isExact;
        auto status = type.number(a).convertToInteger(result, mode, &isExact);
        uint64_t value = type.isNaN(a) ? (isSigned ? INT32_MAX : UINT32_MAX)
                                       : result.getZExtValue();
        Result ours = inst.x(type.box(a));
        ASSERT_EQ(ours.value, value) << what << std::hex << a;
        ASSERT_EQ(ours.flags, flagsOf(status)) << what << std::hex << a;
      }
    });
    inEveryMode("fcvt" + suffix + integer, [&](OneInstruction &inst, auto mode,
                                               const std::string &what) {
      std::mt19937 random(3);
      for (unsigned k = 0; k < kCases; ++k) {
        uint32_t a = uint32_t(random()) >> random() % 32;
        a = k & 1 ? 0 - a : a;
        APFloat result(type.semantics);
        auto status = result.convertFromAPInt(APInt(32, a), isSigned, mode);
        expectEqual(type, inst.fromX(a), type.word(result), flagsOf(status),
                    what);
      }
    });
  }
}

TEST_P(FloatTest, ComparisonsMinimumAndMaximum) {
  std::string suffix = type.suffix;
  OneInstruction feq("feq" + suffix, 0, 0), flt("flt" + suffix, 0, 0),
      fle("fle" + suffix, 0, 0), fmin("fmin" + suffix, 0, 0),
      fmax("fmax" + suffix, 0, 0);
  Operands operands(type);
  for (unsigned k = 0; k < 20 * kCases && !HasFailure(); ++k) {
    uint64_t a = operands.next(), b = operands.next();
    auto order = type.number(a).compare(type.number(b));
    bool isNaN = type.isNaN(a) || type.isNaN(b);
    uint32_t quiet = type.isSignaling(a) || type.isSignaling(b) ? NV : 0;
    auto expect = [&](OneInstruction &inst, bool value, uint32_t flags) {
      Result ours = inst.x(type.box(a), type.box(b));
      EXPECT_EQ(ours.value, value) << std::hex << a << " " << b;
      EXPECT_EQ(ours.flags, flags) << std::hex << a << " " << b;
    };
    expect(feq, order == APFloat::cmpEqual, quiet);
    expect(flt, order == APFloat::cmpLessThan, isNaN ? NV : 0);
    expect(fle, order == APFloat::cmpLessThan || order == APFloat::cmpEqual,
           isNaN ? NV : 0);

    bool aIsLess = order == APFloat::cmpLessThan ||
                   (order == APFloat::cmpEqual && (a & type.sign()));
    uint64_t least = type.isNaN(a) ? b : type.isNaN(b) || aIsLess ? a : b;
    uint64_t most = type.isNaN(a) ? b : type.isNaN(b) || !aIsLess ? a : b;
    auto canonical = [&](uint64_t x) { return type.isNaN(x) ? type.nan() : x; };
    expectEqual(type, fmin.f(type.box(a), type.box(b), 0), canonical(least),
                quiet, "fmin");
    expectEqual(type, fmax.f(type.box(a), type.box(b), 0), canonical(most),
                quiet, "fmax");
  }
}

TEST_P(FloatTest, Classes) {
  OneInstruction fclass("fclass" + std::string(type.suffix), 0, 0);
  Operands operands(type);
  for (unsigned k = 0; k < 5 * kCases && !HasFailure(); ++k) {
    uint64_t a = operands.next();
    APFloat x = type.number(a);
    unsigned magnitude = x.isZero()       ? 3
                         : x.isDenormal() ? 2
                         : x.isInfinity() ? 0
                                          : 1;
    unsigned bit = x.isNaN()        ? 8 + !x.isSignaling()
                   : x.isNegative() ? magnitude
                                    : 7 - magnitude;
    Result ours = fclass.x(type.box(a));
    EXPECT_EQ(ours.value, 1u << bit) << std::hex << a;
    EXPECT_EQ(ours.flags, 0u);
  }
}

TEST_P(FloatTest, TininessIsFoundAfterRounding) {
  OneInstruction fmul("fmul" + std::string(type.suffix), 0, 0);
  uint64_t one = (type.inf() >> 1) & ~(type.leastNormal() - 1);
  // 1 - 2^-p with p significant bits: fits, if only the exponent had no end,
  // and lies half way between its subnormal neighbours.
  Result tiny = fmul.f(type.box(type.leastNormal()), type.box(one - 1), 0);
  EXPECT_EQ(tiny.value, type.box(type.leastNormal()));
  EXPECT_EQ(tiny.flags, UF | NX);
  // (1 + 2^-(p-1)) (1 - 2^-(p-1)) rounds to 1: not tiny, though less than 1.
  Result normal =
      fmul.f(type.box(type.leastNormal() + 1), type.box(one - 2), 0);
  EXPECT_EQ(normal.value, type.box(type.leastNormal()));
  EXPECT_EQ(normal.flags, NX);
}

TEST_P(FloatTest, OverflowIsFoundAfterRounding) {
  uint64_t most = type.box(type.inf() - 1);
  uint64_t one = (type.inf() >> 1) & ~(type.leastNormal() - 1);
  OneInstruction fadd("fadd" + std::string(type.suffix), 0, 1);
  Result within = fadd.f(most, type.box(one), 0);
  EXPECT_EQ(within.value, most);
  EXPECT_EQ(within.flags, NX);
  Result beyond = fadd.f(most, most, 0);
  EXPECT_EQ(beyond.value, most);
  EXPECT_EQ(beyond.flags, OF | NX);
}

INSTANTIATE_TEST_SUITE_P(Formats, FloatTest,
                         ::testing::Values(&kSingle, &kDouble),
                         [](const auto &info) {
                           return info.param == &kSingle ? "Single" : "Double";
                         });

TEST(FloatState, UnboxedSinglesAreNaN) {
  OneInstruction fadd("fadd.s", 0, 0), fsgnj("fsgnj.s", 0, 0);
  EXPECT_EQ(fadd.f(0x3f800000, kSingle.box(0x3f800000), 0).value,
            kSingle.box(kSingle.nan()));
  EXPECT_EQ(fsgnj.f(0xfffffffe3f800000, kSingle.box(0), 0).value,
            kSingle.box(kSingle.nan()));
}

TEST(FloatState, ProductOfZeroAndInfinityIsInvalid) {
  OneInstruction fmadd("fmadd.s", 0, 0);
  Result r = fmadd.f(kSingle.box(0), kSingle.box(kSingle.inf()),
                     kSingle.box(kSingle.nan()));
  EXPECT_EQ(r.flags, NV);
}

namespace {
/// fdiv.s fa0, fa0, fa1 in the dynamic mode
const uint32_t kDivide =
    matchOf("fdiv.s") | 7 << 12 | 11 << 20 | 10 << 15 | 10 << 7;
} // namespace

TEST(FloatState, FlagsAccrueUntilTheyAreWritten) {
  Machine m;
  // 1/3, read fflags, 1/9, read fcsr, clear NX, read fflags
  m.load(
      {kDivide, 0x001025f3, kDivide, 0x00302673, 0x0010f073, 0x001026f3, kEnd});
  m.restart();
  m.tec.setF(10, kSingle.box(0x3f800000));
  m.tec.setF(11, kSingle.box(0x40400000));
  ASSERT_EQ(m.tec.run(100), TecStop::Ended) << m.tec.fault().str();
  EXPECT_EQ(m.tec.x(11), NX);
  EXPECT_EQ(m.tec.x(12), NX);
  EXPECT_EQ(m.tec.x(13), 0u);
}

/// A TEC that stops in between keeps its flags, and leaves those of the program
/// that runs it alone, with its rounding mode.
TEST(FloatState, HostIsLeftAlone) {
  Machine m, other;
  m.load({0x0021d073, kDivide, kEnd, 0x001025f3, kEnd}); // frm = 3 (up)
  other.load({0x00102673, kEnd});
  m.restart();
  other.restart();
  m.tec.setF(10, kSingle.box(0x3f800000));
  m.tec.setF(11, kSingle.box(0x40400000));
  std::feclearexcept(FE_ALL_EXCEPT);
  std::feraiseexcept(FE_DIVBYZERO);
  std::fesetround(FE_DOWNWARD);
  ASSERT_EQ(m.tec.run(100), TecStop::Ended);
  ASSERT_EQ(other.tec.run(100), TecStop::Ended);
  ASSERT_EQ(m.tec.run(100), TecStop::Ended);
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), FE_DIVBYZERO);
  EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(m.tec.x(11), NX);
  EXPECT_EQ(m.tec.f(10), kSingle.box(0x3eaaaaab));
  EXPECT_EQ(other.tec.x(12), 0u);
}

TEST(FloatState, ReservedModesAreIllegal) {
  for (unsigned mode : {5, 6, 7}) {
    Machine m;
    m.load({0x00205073 | mode << 15, kDivide, kEnd});
    m.restart();
    EXPECT_EQ(m.tec.run(100), TecStop::Fault) << mode;
    EXPECT_EQ(m.tec.fault().pc, Machine::kTextAddress + 4);
  }
  for (unsigned mode : {5, 6}) {
    Machine m;
    m.load({(kDivide & ~0x7000u) | mode << 12, kEnd});
    m.restart();
    EXPECT_EQ(m.tec.run(100), TecStop::Fault) << mode;
  }
}
