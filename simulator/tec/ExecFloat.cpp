//===- ExecFloat.cpp - F and D --------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The host is kept in the dynamic rounding mode, so an instruction that uses
// it is one host operation. A static mode that differs, and RMM (nearest, ties
// away from zero), which hosts lack, take the slow path.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/Exec.h"
#include "simulator/tec/FloatOps.h"

#include <cstring>

namespace yarrow::sim::tec {

namespace {
constexpr uint8_t kTowardZero = 1, kDown = 2, kUp = 3, kTiesAway = 4;

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

uint8_t roundingMode(const Core *c, const Inst *i) {
  return i->aux == kDynamicRounding ? c->frm : i->aux;
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
  template <class T> static T of(T a, T, T) { return squareRoot(a); }
};
struct MAdd {
  template <class T> static T of(T a, T b, T d) { return fusedMulAdd(a, b, d); }
};
struct MSub {
  template <class T> static T of(T a, T b, T d) {
    return fusedMulAdd(a, b, -d);
  }
};
struct NMSub {
  template <class T> static T of(T a, T b, T d) {
    return fusedMulAdd(-a, b, d);
  }
};
struct NMAdd {
  template <class T> static T of(T a, T b, T d) {
    return fusedMulAdd(-a, b, -d);
  }
};
/// Conversion of a, which is of a type that T may not hold.
template <class From> struct Convert {
  template <class T> static T of(From a, From, From) { return T(a); }
};

/// Op in host rounding mode \p mode. Volatile operands keep the compiler, which
/// takes rounding to be constant, from moving the operation.
template <class T, class Op, class From>
[[gnu::noinline]] T evaluateIn(uint8_t mode, uint8_t hostMode, From a, From b,
                               From d) {
  volatile From va = a, vb = b, vd = d;
  setHostRounding(mode);
  volatile T result = Op::template of<T>(va, vb, vd);
  setHostRounding(hostMode);
  return result;
}

/// Nearest with ties away: as nearest even, but for ties. A tie lies half way
/// between neighbours, which a wider format holds exactly.
template <class T, class Op, class From>
T evaluateTiesAway(uint8_t hostMode, From a, From b, From d) {
  using W = typename FloatTraits<T>::Wider;
  T nearest = evaluateIn<T, Op>(0, hostMode, a, b, d);
  T below = evaluateIn<T, Op>(kDown, hostMode, a, b, d);
  T above = evaluateIn<T, Op>(kUp, hostMode, a, b, d);
  bool exact = !(below < above);
  if (exact || below - below != 0 || above - above != 0)
    return nearest;
  W middle = W(below) / 2 + W(above) / 2;
  bool tie;
  if constexpr (std::is_floating_point_v<From> && sizeof(From) <= sizeof(T)) {
    W wa = a, wb = b, wd = d;
    tie = evaluateIn<W, Op>(kDown, hostMode, wa, wb, wd) == middle &&
          evaluateIn<W, Op>(kUp, hostMode, wa, wb, wd) == middle;
  } else {
    tie = W(a) == middle; // a conversion: W holds the source
  }
  return !tie ? nearest : above > 0 ? above : below;
}

/// False if the rounding mode is reserved.
template <class T, class Op, class From>
inline bool evaluate(Core *c, const Inst *i, From a, From b, From d) {
  uint8_t mode = roundingMode(c, i);
  T result;
  if (mode == c->hostMode) [[likely]]
    result = Op::template of<T>(a, b, d);
  else if (mode < kTiesAway)
    result = evaluateIn<T, Op>(mode, c->hostMode, a, b, d);
  else if (mode == kTiesAway)
    result = evaluateTiesAway<T, Op>(c->hostMode, a, b, d);
  else
    return false;
  writeF(c, i->rd, canonical(result));
  return true;
}

template <class T> bool roundIn(uint8_t mode, T &x) {
  switch (mode) {
  case 0:
    x = roundTiesEven(x);
    return true;
  case kTowardZero:
    return true; // saturateTo truncates
  case kDown:
    x = T(__builtin_floor(x));
    return true;
  case kUp:
    x = T(__builtin_ceil(x));
    return true;
  case kTiesAway:
    x = roundTiesAway(x);
    return true;
  default:
    return false;
  }
}
} // namespace

#define TEC_CHECKED(...)                                                       \
  {                                                                            \
    if (!(__VA_ARGS__)) [[unlikely]]                                           \
      TEC_ILLEGAL;                                                             \
    TEC_NEXT;                                                                  \
  }
#define A readF<T>(c, i->rs1)
#define B readF<T>(c, i->rs2)
#define D readF<T>(c, i->rs3)

template <class T, class Op> static inline bool binary(Core *c, const Inst *i) {
  return evaluate<T, Op, T>(c, i, A, B, T(0));
}
template <class T, class Op> static inline bool unary(Core *c, const Inst *i) {
  return evaluate<T, Op, T>(c, i, A, T(0), T(0));
}
template <class T, class Op> static inline bool fused(Core *c, const Inst *i) {
  return evaluate<T, Op, T>(c, i, A, B, D);
}
template <class T, class From>
static inline bool fromInt(Core *c, const Inst *i) {
  return evaluate<T, Convert<From>, From>(c, i, From(c->x[i->rs1]), 0, 0);
}
template <class T, class To> static inline bool toInt(Core *c, const Inst *i) {
  T x = A;
  if (!roundIn(roundingMode(c, i), x))
    return false;
  c->x[i->rd] = uint32_t(saturateTo<To>(x));
  return true;
}

#define TEC_FLOAT(S, TYPE)                                                     \
  TEC_EXEC(fadd_##S)                                                           \
  TEC_CHECKED(binary<TYPE, Add>(c, i)) TEC_EXEC(fsub_##S) TEC_CHECKED(         \
      binary<TYPE, Sub>(c, i)) TEC_EXEC(fmul_##S)                              \
      TEC_CHECKED(binary<TYPE, Mul>(c, i)) TEC_EXEC(fdiv_##S) TEC_CHECKED(     \
          binary<TYPE, Div>(c, i)) TEC_EXEC(fsqrt_##S)                         \
          TEC_CHECKED(unary<TYPE, Sqrt>(c, i)) TEC_EXEC(fmadd_##S)             \
              TEC_CHECKED(fused<TYPE, MAdd>(c, i)) TEC_EXEC(fmsub_##S)         \
                  TEC_CHECKED(fused<TYPE, MSub>(c, i)) TEC_EXEC(fnmsub_##S)    \
                      TEC_CHECKED(fused<TYPE, NMSub>(c, i)) TEC_EXEC(          \
                          fnmadd_##S) TEC_CHECKED(fused<TYPE, NMAdd>(c, i))    \
                          TEC_EXEC(fcvt_##S##_w)                               \
                              TEC_CHECKED(fromInt<TYPE, int32_t>(c, i))        \
                                  TEC_EXEC(fcvt_##S##_wu) TEC_CHECKED(         \
                                      fromInt<TYPE, uint32_t>(c, i))           \
                                      TEC_EXEC(fcvt_w_##S) TEC_CHECKED(        \
                                          toInt<TYPE, int32_t>(c, i))          \
                                          TEC_EXEC(fcvt_wu_##S) TEC_CHECKED(   \
                                              toInt<TYPE, uint32_t>(c, i))     \
                                              TEC_EXEC(fsgnj_##S) {            \
    using T = TYPE;                                                            \
    writeF(c, i->rd, copySign<T>(A, bitsOf(B)));                               \
    TEC_NEXT;                                                                  \
  }                                                                            \
  TEC_EXEC(fsgnjn_##S) {                                                       \
    using T = TYPE;                                                            \
    writeF(c, i->rd, copySign<T>(A, ~bitsOf(B)));                              \
    TEC_NEXT;                                                                  \
  }                                                                            \
  TEC_EXEC(fsgnjx_##S) {                                                       \
    using T = TYPE;                                                            \
    writeF(c, i->rd, copySign<T>(A, bitsOf(A) ^ bitsOf(B)));                   \
    TEC_NEXT;                                                                  \
  }                                                                            \
  TEC_EXEC(fmin_##S) {                                                         \
    using T = TYPE;                                                            \
    writeF(c, i->rd, minNumber<T>(A, B));                                      \
    TEC_NEXT;                                                                  \
  }                                                                            \
  TEC_EXEC(fmax_##S) {                                                         \
    using T = TYPE;                                                            \
    writeF(c, i->rd, maxNumber<T>(A, B));                                      \
    TEC_NEXT;                                                                  \
  }                                                                            \
  TEC_EXEC(feq_##S) {                                                          \
    using T = TYPE;                                                            \
    c->x[i->rd] = A == B;                                                      \
    TEC_NEXT;                                                                  \
  }                                                                            \
  TEC_EXEC(flt_##S) {                                                          \
    using T = TYPE;                                                            \
    c->x[i->rd] = A < B;                                                       \
    TEC_NEXT;                                                                  \
  }                                                                            \
  TEC_EXEC(fle_##S) {                                                          \
    using T = TYPE;                                                            \
    c->x[i->rd] = A <= B;                                                      \
    TEC_NEXT;                                                                  \
  }                                                                            \
  TEC_EXEC(fclass_##S) {                                                       \
    using T = TYPE;                                                            \
    c->x[i->rd] = classify<T>(A);                                              \
    TEC_NEXT;                                                                  \
  }
TEC_FLOAT(s, float)
TEC_FLOAT(d, double)

TEC_EXEC(fcvt_s_d)
TEC_CHECKED(evaluate<float, Convert<double>, double>(c, i,
                                                     readF<double>(c, i->rs1),
                                                     0, 0))
TEC_EXEC(fcvt_d_s)
TEC_CHECKED(evaluate<double, Convert<float>, float>(c, i,
                                                    readF<float>(c, i->rs1), 0,
                                                    0))

TEC_EXEC(fmv_x_w) {
  c->x[i->rd] = uint32_t(c->f[i->rs1]);
  TEC_NEXT;
}
TEC_EXEC(fmv_w_x) {
  c->f[i->rd] = c->x[i->rs1] | 0xffffffff00000000;
  TEC_NEXT;
}

#define TEC_FLOAT_MEMORY(LOAD, STORE, BITS, BOX)                               \
  TEC_EXEC(LOAD) {                                                             \
    uint32_t address = c->x[i->rs1] + uint32_t(i->imm);                        \
    const uint8_t *from = c->at(address, sizeof(BITS));                        \
    if (!from) [[unlikely]]                                                    \
      TEC_FAULT("load outside of memory", address);                            \
    BITS value;                                                                \
    std::memcpy(&value, from, sizeof value);                                   \
    c->f[i->rd] = value | BOX;                                                 \
    TEC_NEXT;                                                                  \
  }                                                                            \
  TEC_EXEC(STORE) {                                                            \
    uint32_t address = c->x[i->rs1] + uint32_t(i->imm);                        \
    uint8_t *to = c->at(address, sizeof(BITS));                                \
    if (!to) [[unlikely]]                                                      \
      TEC_FAULT("store outside of memory", address);                           \
    BITS value = BITS(c->f[i->rs2]);                                           \
    std::memcpy(to, &value, sizeof value);                                     \
    TEC_NEXT;                                                                  \
  }
TEC_FLOAT_MEMORY(flw, fsw, uint32_t, 0xffffffff00000000)
TEC_FLOAT_MEMORY(fld, fsd, uint64_t, 0)

} // namespace yarrow::sim::tec
