//===- ExecFloat.cpp - F and D --------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The host is kept in the dynamic rounding mode, so an instruction that uses
// it is one host operation, which leaves in the host's status the flags that
// RISC-V asks for (x86, like RISC-V, finds tininess after rounding). A static
// mode that differs, and RMM (nearest, ties away from zero), which hosts lack,
// take the slow path. What does not round works on bits and says itself which
// flags it raises.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/Exec.h"
#include "simulator/tec/FloatOps.h"

#include <cfenv>
#include <cfloat>
#include <cstring>

// Operations happen where they are written, as often as they are written, in
// the rounding mode of the host; < and <= are invalid for any NaN.
#pragma STDC FENV_ACCESS ON

namespace yarrow::sim::tec {

namespace {
constexpr uint8_t kNearestEven = 0, kDown = 2, kUp = 3, kTiesAway = 4;

template <class T> T readF(const Core *c, unsigned reg);
template <> double readF<double>(const Core *c, unsigned reg) {
  return fromBits<double>(c->f[reg]);
}
/// A float that is not NaN-boxed reads as the canonical NaN.
template <> float readF<float>(const Core *c, unsigned reg) {
  uint64_t bits = c->f[reg];
  return bits >> 32 == 0xffffffff ? fromBits<float>(uint32_t(bits))
                                  : canonicalNaN<float>();
}
void writeF(Core *c, unsigned reg, double value) { c->f[reg] = bitsOf(value); }
void writeF(Core *c, unsigned reg, float value) {
  c->f[reg] = bitsOf(value) | 0xffffffff00000000;
}

template <class T> bool isNaN(T x) {
  return (bitsOf(x) & ~FloatTraits<T>::kSign) > FloatTraits<T>::kInf;
}
template <class T> bool isSignaling(T x) {
  return isNaN(x) && !(bitsOf(x) & FloatTraits<T>::kQuiet);
}

uint8_t roundingMode(const Core *c, const Inst *i) {
  return i->aux == kDynamicRounding ? c->frm : i->aux;
}

float squareRootOf(float a) { return __builtin_sqrtf(a); }
double squareRootOf(double a) { return __builtin_sqrt(a); }
long double squareRootOf(long double a) { return __builtin_sqrtl(a); }
float fuse(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
double fuse(double a, double b, double c) { return __builtin_fma(a, b, c); }
long double fuse(long double a, long double b, long double c) {
  return __builtin_fmal(a, b, c);
}

struct Add {
  template <class T> static T of(T a, T b, T) { return a + b; }
};
struct Sub {
  template <class T> static T of(T a, T b, T) { return a - b; }
};
struct Mul {
  template <class T> static T of(T a, T b, T) { return a * b; }
};
struct Div {
  template <class T> static T of(T a, T b, T) { return a / b; }
};
struct Sqrt {
  template <class T> static T of(T a, T, T) { return squareRootOf(a); }
};
struct MAdd {
  template <class T> static T of(T a, T b, T d) { return fuse(a, b, d); }
};
struct MSub {
  template <class T> static T of(T a, T b, T d) { return fuse(a, b, -d); }
};
struct NMSub {
  template <class T> static T of(T a, T b, T d) { return fuse(-a, b, d); }
};
struct NMAdd {
  template <class T> static T of(T a, T b, T d) { return fuse(-a, b, -d); }
};
/// Conversion of a, which is of a type that T may not hold.
struct Convert {
  template <class T, class From> static T of(From a, From, From) {
    return T(a);
  }
};

template <class T, class Op, class From>
[[gnu::noinline]] T evaluateIn(uint8_t mode, uint8_t hostMode, From a, From b,
                               From d) {
  setHostRounding(mode);
  T result = Op::template of<T>(a, b, d);
  setHostRounding(hostMode);
  return result;
}

/// Nearest with ties away: as nearest even, but for ties. A tie has one
/// significant bit more than a result, which long double holds; a value that is
/// inexact there is none. The operation to nearest even raises the flags: ties
/// neither overflow nor underflow differently.
template <class T, class Op, class From>
[[gnu::noinline]] T evaluateTiesAway(uint8_t hostMode, From a, From b, From d) {
  using W = long double;
  static_assert(LDBL_MANT_DIG >= 64);
  T nearest = evaluateIn<T, Op>(kNearestEven, hostMode, a, b, d);
  std::fenv_t saved;
  std::feholdexcept(&saved);
  W exact = Op::template of<W>(W(a), W(b), W(d));
  bool isExact = !std::fetestexcept(FE_INEXACT);
  T away = fromBits<T>(bitsOf(nearest) + 1);
  // Both are neighbours of at most 53 bits, so the sum is exact.
  bool isTie = isExact && __builtin_fabsl(exact) > __builtin_fabsl(nearest) &&
               W(nearest) + W(away) == 2 * exact;
  std::fesetenv(&saved);
  return isTie ? away : nearest;
}

/// Op in the host's mode, or with Rare in any other; false if that is reserved.
template <bool Rare, class T, class Op, class From>
bool evaluate(Core *c, const Inst *i, From a, From b, From d) {
  T result;
  if constexpr (!Rare) {
    result = Op::template of<T>(a, b, d);
  } else {
    uint8_t mode = roundingMode(c, i);
    if (mode > kTiesAway)
      return false;
    result = mode == kTiesAway ? evaluateTiesAway<T, Op>(c->hostMode, a, b, d)
                               : evaluateIn<T, Op>(mode, c->hostMode, a, b, d);
  }
  writeF(c, i->rd, canonical(result));
  return true;
}

template <bool Rare, class T, class Op> bool binary(Core *c, const Inst *i) {
  return evaluate<Rare, T, Op>(c, i, readF<T>(c, i->rs1), readF<T>(c, i->rs2),
                               T());
}
template <bool Rare, class T, class Op> bool unary(Core *c, const Inst *i) {
  return evaluate<Rare, T, Op>(c, i, readF<T>(c, i->rs1), T(), T());
}
template <bool Rare, class T, class Op> bool fused(Core *c, const Inst *i) {
  using F = FloatTraits<T>;
  T a = readF<T>(c, i->rs1), b = readF<T>(c, i->rs2), d = readF<T>(c, i->rs3);
  if (isNaN(d)) [[unlikely]] {
    // 0 * inf is invalid even if a quiet NaN is added, where hosts differ.
    BitsOf<T> p = bitsOf(a) & ~F::kSign, q = bitsOf(b) & ~F::kSign;
    if ((p == 0 && q == F::kInf) || (p == F::kInf && q == 0))
      c->fflags |= kInvalid;
  }
  return evaluate<Rare, T, Op>(c, i, a, b, d);
}
template <bool Rare, class T, class From> bool convert(Core *c, const Inst *i) {
  return evaluate<Rare, T, Convert>(c, i, readF<From>(c, i->rs1), From(),
                                    From());
}
/// Through 64 bits, which hold both kinds of integer.
template <bool Rare, class T, class From> bool fromInt(Core *c, const Inst *i) {
  return evaluate<Rare, T, Convert, int64_t>(c, i, From(c->x[i->rs1]), 0, 0);
}

/// True if \p mode adds one to a magnitude whose lost part compares with a half
/// as \p half says (-1, 0, 1).
bool roundsUp(uint8_t mode, bool negative, bool odd, int half) {
  switch (mode) {
  case kNearestEven:
    return half > 0 || (half == 0 && odd);
  case kDown:
    return negative;
  case kUp:
    return !negative;
  case kTiesAway:
    return half >= 0;
  default: // toward zero
    return false;
  }
}

/// Rounded; what does not fit becomes the nearest value that does, NaN the
/// largest.
template <class To, class T> To toInteger(T x, uint8_t mode, uint8_t &flags) {
  using F = FloatTraits<T>;
  using Limits = std::numeric_limits<To>;
  uint64_t bits = bitsOf(x), magnitude = bits & ~uint64_t(F::kSign);
  bool negative = bits & F::kSign;
  int exponent = int(magnitude >> F::kSigBits) - ((1 << (F::kExpBits - 1)) - 1);
  if (exponent >= 32) { // infinity and NaN, too
    flags |= kInvalid;
    return negative && !isNaN(x) ? Limits::min() : Limits::max();
  }
  // The value is significand / 2^shift. Subnormals lack the leading one here,
  // but all are less than a half.
  uint64_t significand = (magnitude & ((uint64_t(1) << F::kSigBits) - 1)) |
                         uint64_t(magnitude != 0) << F::kSigBits;
  int shift = F::kSigBits - exponent;
  uint64_t whole;
  bool inexact = false;
  if (shift <= 0) {
    whole = significand << -shift;
  } else {
    // Past 62 the significand, of at most 53 bits, stays less than a half.
    shift = shift < 62 ? shift : 62;
    whole = significand >> shift;
    uint64_t lost = significand - (whole << shift);
    uint64_t half = uint64_t(1) << (shift - 1);
    inexact = lost != 0;
    whole += inexact && roundsUp(mode, negative, whole & 1,
                                 lost < half ? -1 : lost > half);
  }
  uint64_t limit =
      negative ? 0 - uint64_t(int64_t(Limits::min())) : uint64_t(Limits::max());
  if (whole > limit) {
    flags |= kInvalid;
    return negative ? Limits::min() : Limits::max();
  }
  flags |= inexact ? kInexact : 0;
  return To(negative ? 0 - whole : whole);
}

template <class T, class To> bool toInt(Core *c, const Inst *i) {
  uint8_t mode = roundingMode(c, i);
  if (mode > kTiesAway)
    return false;
  c->x[i->rd] = uint32_t(toInteger<To>(readF<T>(c, i->rs1), mode, c->fflags));
  return true;
}

/// minimumNumber and maximumNumber of IEEE 754-2019: -0 is less than 0, a NaN
/// loses.
template <class T, bool Max> void extreme(Core *c, const Inst *i) {
  T a = readF<T>(c, i->rs1), b = readF<T>(c, i->rs2);
  if (isNaN(a) || isNaN(b)) [[unlikely]] {
    if (isSignaling(a) || isSignaling(b))
      c->fflags |= kInvalid;
    writeF(c, i->rd, canonical(isNaN(a) ? b : a));
    return;
  }
  bool aNegative = bitsOf(a) & FloatTraits<T>::kSign;
  bool aIsLess = a < b || (a == b && aNegative);
  writeF(c, i->rd, aIsLess != Max ? a : b);
}

struct Equal {
  template <class T> static bool of(T a, T b) { return a == b; }
};
struct Less {
  template <class T> static bool of(T a, T b) { return a < b; }
};
struct LessEqual {
  template <class T> static bool of(T a, T b) { return a <= b; }
};
template <class T, class Op> void compare(Core *c, const Inst *i) {
  c->x[i->rd] = Op::of(readF<T>(c, i->rs1), readF<T>(c, i->rs2));
}

enum class Sign { Of, Not, Xor };
template <class T, Sign S> void injectSign(Core *c, const Inst *i) {
  T a = readF<T>(c, i->rs1);
  BitsOf<T> b = bitsOf(readF<T>(c, i->rs2));
  writeF(c, i->rd,
         copySign<T>(a, S == Sign::Of    ? b
                        : S == Sign::Not ? ~b
                                         : b ^ bitsOf(a)));
}
template <class T> void classifyReg(Core *c, const Inst *i) {
  c->x[i->rd] = classify<T>(readF<T>(c, i->rs1));
}

template <class T> void loadF(Core *c, const Inst *i, const uint8_t *host) {
  T value;
  std::memcpy(&value, host, sizeof value);
  c->f[i->rd] = sizeof(T) == 4 ? value | 0xffffffff00000000 : value;
}
template <class T> void storeF(Core *c, const Inst *i, uint8_t *host) {
  T value = T(c->f[i->rs2]);
  std::memcpy(host, &value, sizeof value);
}
} // namespace

// clang-format off
/// Does what DO says, which cannot fail.
#define TEC_PLAIN(NAME, DO)                                                    \
  TEC_EXEC(NAME) {                                                             \
    DO;                                                                        \
    TEC_NEXT;                                                                  \
  }
/// The same, if it is true; else the rounding mode is reserved.
#define TEC_CHECKED(NAME, DO)                                                  \
  TEC_EXEC(NAME) {                                                             \
    if (!(DO)) [[unlikely]]                                                    \
      TEC_ILLEGAL;                                                             \
    TEC_NEXT;                                                                  \
  }
/// The same, for what the host does. Other modes have a handler of their own,
/// lest the frame for its calls is made here, too.
#define TEC_ROUNDED(NAME, DO)                                                  \
  static TEC_HANDLER rare_##NAME(TEC_PARAMS) {                                 \
    constexpr bool Rare = true;                                                \
    if (!(DO)) [[unlikely]]                                                    \
      TEC_ILLEGAL;                                                             \
    TEC_NEXT;                                                                  \
  }                                                                            \
  TEC_EXEC(NAME) {                                                             \
    constexpr bool Rare = false;                                               \
    if (roundingMode(c, i) != c->hostMode) [[unlikely]]                        \
      [[clang::musttail]] return rare_##NAME(c, i, block, left);               \
    (void)(DO);                                                                \
    TEC_NEXT;                                                                  \
  }

#define TEC_FLOAT(S, T)                                                        \
  TEC_ROUNDED(fadd_##S, (binary<Rare, T, Add>(c, i)))                          \
  TEC_ROUNDED(fsub_##S, (binary<Rare, T, Sub>(c, i)))                          \
  TEC_ROUNDED(fmul_##S, (binary<Rare, T, Mul>(c, i)))                          \
  TEC_ROUNDED(fdiv_##S, (binary<Rare, T, Div>(c, i)))                          \
  TEC_ROUNDED(fsqrt_##S, (unary<Rare, T, Sqrt>(c, i)))                         \
  TEC_ROUNDED(fmadd_##S, (fused<Rare, T, MAdd>(c, i)))                         \
  TEC_ROUNDED(fmsub_##S, (fused<Rare, T, MSub>(c, i)))                         \
  TEC_ROUNDED(fnmsub_##S, (fused<Rare, T, NMSub>(c, i)))                       \
  TEC_ROUNDED(fnmadd_##S, (fused<Rare, T, NMAdd>(c, i)))                       \
  TEC_ROUNDED(fcvt_##S##_w, (fromInt<Rare, T, int32_t>(c, i)))                 \
  TEC_ROUNDED(fcvt_##S##_wu, (fromInt<Rare, T, uint32_t>(c, i)))               \
  TEC_CHECKED(fcvt_w_##S, (toInt<T, int32_t>(c, i)))                           \
  TEC_CHECKED(fcvt_wu_##S, (toInt<T, uint32_t>(c, i)))                         \
  TEC_PLAIN(fsgnj_##S, (injectSign<T, Sign::Of>(c, i)))                        \
  TEC_PLAIN(fsgnjn_##S, (injectSign<T, Sign::Not>(c, i)))                      \
  TEC_PLAIN(fsgnjx_##S, (injectSign<T, Sign::Xor>(c, i)))                      \
  TEC_PLAIN(fmin_##S, (extreme<T, false>(c, i)))                               \
  TEC_PLAIN(fmax_##S, (extreme<T, true>(c, i)))                                \
  TEC_PLAIN(feq_##S, (compare<T, Equal>(c, i)))                                \
  TEC_PLAIN(flt_##S, (compare<T, Less>(c, i)))                                 \
  TEC_PLAIN(fle_##S, (compare<T, LessEqual>(c, i)))                            \
  TEC_PLAIN(fclass_##S, classifyReg<T>(c, i))
TEC_FLOAT(s, float)
TEC_FLOAT(d, double)
// clang-format on

TEC_ROUNDED(fcvt_s_d, (convert<Rare, float, double>(c, i)))
TEC_ROUNDED(fcvt_d_s, (convert<Rare, double, float>(c, i)))
TEC_PLAIN(fmv_x_w, c->x[i->rd] = uint32_t(c->f[i->rs1]))
TEC_PLAIN(fmv_w_x, c->f[i->rd] = c->x[i->rs1] | 0xffffffff00000000)
TEC_LOADS(flw, 4, loadF<uint32_t>(c, i, host))
TEC_LOADS(fld, 8, loadF<uint64_t>(c, i, host))
TEC_STORES(fsw, 4, storeF<uint32_t>(c, i, host))
TEC_STORES(fsd, 8, storeF<uint64_t>(c, i, host))

Handler secondWindowFloatHandler(InstId id) {
  switch (id) {
  case InstId::flw:
    return second_flw;
  case InstId::fld:
    return second_fld;
  case InstId::fsw:
    return second_fsw;
  case InstId::fsd:
    return second_fsd;
  default:
    return nullptr;
  }
}

} // namespace yarrow::sim::tec
