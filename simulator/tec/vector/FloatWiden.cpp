//===- FloatWiden.cpp - Vector floating point of two widths ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Arithmetic widens float to double; conversions also pair 16-bit integers
// with float. There is no half precision.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/vector/FloatBits.h"

namespace yarrow::sim::tec::YARROW_TEC_SIMD {

namespace {
// Functions of one lane, in the wide type.
#define TEC_OP(NAME, FUSED, EXPRESSION)                                        \
  struct NAME {                                                                \
    static constexpr Fused kFused = Fused::FUSED;                              \
    template <class T>                                                         \
    static T of(T a, [[maybe_unused]] T b, [[maybe_unused]] T d) {             \
      return EXPRESSION;                                                       \
    }                                                                          \
  };
TEC_OP(Add, None, a + b)
TEC_OP(Sub, None, a - b)
TEC_OP(Mul, None, a *b)
TEC_OP(Convert, None, a)
TEC_OP(MulAcc, AB, fusedMulAdd(a, b, d))
TEC_OP(NegMulAcc, AB, fusedMulAdd(-a, b, -d))
TEC_OP(MulSubAcc, AB, fusedMulAdd(a, b, -d))
TEC_OP(NegMulSubAcc, AB, fusedMulAdd(-a, b, d))
} // namespace

static bool isFloatSew(const Core *c) {
  return c->sew == 2 && hasRoundingMode(c);
}

/// A is float or, for .wv and .wf, double.
template <class Op, class A> static bool wideV(Core *c, const Inst *i) {
  unsigned narrow = sizeof(A) == 4 ? i->rs1 | i->rs2 : i->rs1;
  unsigned wide = sizeof(A) == 4 ? i->rd : i->rd | i->rs2;
  return isFloatSew(c) && aligned(c, narrow) && alignedWide(c, wide) &&
         mayWiden(i, i->rs1) && (sizeof(A) == 8 || mayWiden(i, i->rs2)) &&
         mapRounded<Op, double>(c, i, Reg<A>(c, i->rs2), Reg<float>(c, i->rs1));
}
template <class Op, class A> static bool wideF(Core *c, const Inst *i) {
  unsigned narrow = sizeof(A) == 4 ? i->rs2 : 0;
  unsigned wide = sizeof(A) == 4 ? i->rd : i->rd | i->rs2;
  return isFloatSew(c) && aligned(c, narrow) && alignedWide(c, wide) &&
         !i->overwritesMask() && (sizeof(A) == 8 || mayWiden(i, i->rs2)) &&
         mapRounded<Op, double>(c, i, Reg<A>(c, i->rs2),
                                Splat<float>(scalarF<float>(c, i)));
}
#define TEC_WIDE(NAME, OP)                                                     \
  TEC_VECTOR(NAME##_vv, wideV<OP, float>(c, i))                                \
  TEC_VECTOR(NAME##_vf, wideF<OP, float>(c, i))
#define TEC_WIDE_WIDE(NAME, OP)                                                \
  TEC_VECTOR(NAME##_wv, wideV<OP, double>(c, i))                               \
  TEC_VECTOR(NAME##_wf, wideF<OP, double>(c, i))
TEC_WIDE(vfwadd, Add)
TEC_WIDE(vfwsub, Sub)
TEC_WIDE(vfwmul, Mul)
TEC_WIDE_WIDE(vfwadd, Add)
TEC_WIDE_WIDE(vfwsub, Sub)
TEC_WIDE(vfwmacc, MulAcc)
TEC_WIDE(vfwnmacc, NegMulAcc)
TEC_WIDE(vfwmsac, MulSubAcc)
TEC_WIDE(vfwnmsac, NegMulSubAcc)

static bool mayWidenUnary(const Core *c, const Inst *i) {
  return hasRoundingMode(c) && alignedWide(c, i->rd) && aligned(c, i->rs2) &&
         mayWiden(i, i->rs2);
}
static bool mayNarrowUnary(const Core *c, const Inst *i) {
  return hasRoundingMode(c) && aligned(c, i->rd) && alignedWide(c, i->rs2) &&
         mayNarrow(c, i);
}

template <class To>
static bool widenToInteger(Core *c, const Inst *i, unsigned frm) {
  if (c->sew != 2 || !mayWidenUnary(c, i))
    return false;
  convertToIntegers<To, float>(c, i, frm);
  return true;
}
// Every source value of a widening conversion from an integer or a float is a
// value of the destination, so no mode matters.
template <class D, class S> static bool convertUp(Core *c, const Inst *i) {
  if (!mayWidenUnary(c, i))
    return false;
  OperandAs<D> operand;
  mapRaising<D>(
      c, i, i->rd, Reg<S>(c, i->rs2), Nothing(),
      [operand](S a, uint8_t, D) { return canonical(operand.of(a)); });
  return true;
}
template <class S16, class S32>
static bool widenFromInteger(Core *c, const Inst *i) {
  return c->sew == 1   ? convertUp<float, S16>(c, i)
         : c->sew == 2 ? convertUp<double, S32>(c, i)
                       : false;
}
TEC_VECTOR(vfwcvt_x_f_v, widenToInteger<int64_t>(c, i, c->frm))
TEC_VECTOR(vfwcvt_xu_f_v, widenToInteger<uint64_t>(c, i, c->frm))
TEC_VECTOR(vfwcvt_rtz_x_f_v, widenToInteger<int64_t>(c, i, 1))
TEC_VECTOR(vfwcvt_rtz_xu_f_v, widenToInteger<uint64_t>(c, i, 1))
TEC_VECTOR(vfwcvt_f_x_v, widenFromInteger<int16_t, int32_t>(c, i))
TEC_VECTOR(vfwcvt_f_xu_v, widenFromInteger<uint16_t, uint32_t>(c, i))
TEC_VECTOR(vfwcvt_f_f_v, c->sew == 2 && convertUp<double, float>(c, i))

template <class To16, class To32>
static bool narrowToInteger(Core *c, const Inst *i, unsigned frm) {
  if (!mayNarrowUnary(c, i))
    return false;
  if (c->sew == 1)
    convertToIntegers<To16, float>(c, i, frm);
  else if (c->sew == 2)
    convertToIntegers<To32, double>(c, i, frm);
  else
    return false;
  return true;
}
TEC_VECTOR(vfncvt_x_f_w, narrowToInteger<int16_t, int32_t>(c, i, c->frm))
TEC_VECTOR(vfncvt_xu_f_w, narrowToInteger<uint16_t, uint32_t>(c, i, c->frm))
TEC_VECTOR(vfncvt_rtz_x_f_w, narrowToInteger<int16_t, int32_t>(c, i, 1))
TEC_VECTOR(vfncvt_rtz_xu_f_w, narrowToInteger<uint16_t, uint32_t>(c, i, 1))

template <class S> static bool narrowToFloat(Core *c, const Inst *i) {
  return c->sew == 2 && mayNarrowUnary(c, i) &&
         mapRounded<Convert, float>(c, i, Reg<S>(c, i->rs2), Nothing());
}
TEC_VECTOR(vfncvt_f_x_w, narrowToFloat<int64_t>(c, i))
TEC_VECTOR(vfncvt_f_xu_w, narrowToFloat<uint64_t>(c, i))
TEC_VECTOR(vfncvt_f_f_w, narrowToFloat<double>(c, i))

static bool narrowOdd(Core *c, const Inst *i) {
  if (c->sew != 2 || !mayNarrowUnary(c, i))
    return false;
  mapFlagging<uint32_t>(
      c, i, Reg<uint64_t>(c, i->rs2), Nothing(),
      [](uint64_t a, uint8_t, auto &flags) { return narrowToOdd(a, flags); });
  return true;
}
TEC_VECTOR(vfncvt_rod_f_f_w, narrowOdd(c, i))

} // namespace yarrow::sim::tec::YARROW_TEC_SIMD
