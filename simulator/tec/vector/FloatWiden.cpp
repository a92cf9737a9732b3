//===- FloatWiden.cpp - Vector floating point of two widths ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Arithmetic widens float to double; conversions also pair 16-bit integers
// with float. There is no half precision.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/vector/FloatLanes.h"

namespace yarrow::sim::tec::YARROW_TEC_SIMD {

namespace {
#define TEC_OP(NAME, EXPRESSION)                                               \
  struct NAME {                                                                \
    static double of(double a, double b, [[maybe_unused]] double d) {          \
      return canonical(EXPRESSION);                                            \
    }                                                                          \
  };
TEC_OP(Add, a + b)
TEC_OP(Sub, a - b)
TEC_OP(Mul, a *b)
TEC_OP(MulAcc, fusedMulAdd(a, b, d))
TEC_OP(NegMulAcc, fusedMulAdd(-a, b, -d))
TEC_OP(MulSubAcc, fusedMulAdd(a, b, -d))
TEC_OP(NegMulSubAcc, fusedMulAdd(-a, b, d))
} // namespace

static bool isFloatSew(const Core *c) { return c->sew == 2 && roundsAsHost(c); }

/// A is float or, for .wv and .wf, double.
template <class Op, class A> static bool wideV(Core *c, const Inst *i) {
  unsigned narrow = sizeof(A) == 4 ? i->rs1 | i->rs2 : i->rs1;
  unsigned wide = sizeof(A) == 4 ? i->rd : i->rd | i->rs2;
  if (!isFloatSew(c) || !aligned(c, narrow) || !alignedWide(c, wide))
    return false;
  mapLanes<double>(c, i, i->rd, Reg<A>(c, i->rs2), Reg<float>(c, i->rs1),
                   [](A a, float b, double d) { return Op::of(a, b, d); });
  return true;
}
template <class Op, class A> static bool wideF(Core *c, const Inst *i) {
  unsigned narrow = sizeof(A) == 4 ? i->rs2 : 0;
  unsigned wide = sizeof(A) == 4 ? i->rd : i->rd | i->rs2;
  if (!isFloatSew(c) || !aligned(c, narrow) || !alignedWide(c, wide))
    return false;
  mapLanes<double>(c, i, i->rd, Reg<A>(c, i->rs2),
                   Splat<double>(scalarF<float>(c, i)),
                   [](A a, double b, double d) { return Op::of(a, b, d); });
  return true;
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

template <class D, class S, class F>
static bool widen(Core *c, const Inst *i, F f) {
  if (!alignedWide(c, i->rd) || !aligned(c, i->rs2))
    return false;
  mapLanes<D>(c, i, i->rd, Reg<S>(c, i->rs2), [f](S a, D) { return f(a); });
  return true;
}
template <class D, class S, class F>
static bool narrow(Core *c, const Inst *i, F f) {
  if (!aligned(c, i->rd) || !alignedWide(c, i->rs2))
    return false;
  mapLanes<D>(c, i, i->rd, Reg<S>(c, i->rs2), [f](S a, D) { return f(a); });
  return true;
}

/// f(round) with what frm says; false in a reserved mode.
template <class F> static bool byRounding(const Core *c, F f) {
  if (roundsAsHost(c))
    return f([]<class T>(T x) { return roundAsHost(x); });
  return c->frm == 4 && f([]<class T>(T x) { return roundTiesAway(x); });
}
static constexpr auto keep = []<class T>(T x) { return x; };

// Every source value of a widening conversion from an integer or a float is a
// value of the destination, so no mode matters.
template <class To, class R>
static bool widenToInteger(Core *c, const Inst *i, R round) {
  return c->sew == 2 && widen<To, float>(c, i, [round](float a) {
           return saturateTo<To>(round(a));
         });
}
template <class S16, class S32>
static bool widenFromInteger(Core *c, const Inst *i) {
  if (c->sew == 1)
    return widen<float, S16>(c, i, [](S16 a) { return float(a); });
  return c->sew == 2 &&
         widen<double, S32>(c, i, [](S32 a) { return toFloat<double>(a); });
}
TEC_VECTOR(vfwcvt_x_f_v, byRounding(c, [&](auto round) {
             return widenToInteger<int64_t>(c, i, round);
           }))
TEC_VECTOR(vfwcvt_xu_f_v, byRounding(c, [&](auto round) {
             return widenToInteger<uint64_t>(c, i, round);
           }))
TEC_VECTOR(vfwcvt_rtz_x_f_v, widenToInteger<int64_t>(c, i, keep))
TEC_VECTOR(vfwcvt_rtz_xu_f_v, widenToInteger<uint64_t>(c, i, keep))
TEC_VECTOR(vfwcvt_f_x_v, widenFromInteger<int16_t, int32_t>(c, i))
TEC_VECTOR(vfwcvt_f_xu_v, widenFromInteger<uint16_t, uint32_t>(c, i))
TEC_VECTOR(vfwcvt_f_f_v, c->sew == 2 && widen<double, float>(c, i, [](float a) {
                           return canonical(double(a));
                         }))

template <class To16, class To32, class R>
static bool narrowToInteger(Core *c, const Inst *i, R round) {
  if (c->sew == 1)
    return narrow<To16, float>(
        c, i, [round](float a) { return saturateTo<To16>(round(a)); });
  return c->sew == 2 && narrow<To32, double>(c, i, [round](double a) {
           return saturateTo<To32>(round(a));
         });
}
TEC_VECTOR(vfncvt_x_f_w, byRounding(c, [&](auto round) {
             return narrowToInteger<int16_t, int32_t>(c, i, round);
           }))
TEC_VECTOR(vfncvt_xu_f_w, byRounding(c, [&](auto round) {
             return narrowToInteger<uint16_t, uint32_t>(c, i, round);
           }))
TEC_VECTOR(vfncvt_rtz_x_f_w, narrowToInteger<int16_t, int32_t>(c, i, keep))
TEC_VECTOR(vfncvt_rtz_xu_f_w, narrowToInteger<uint16_t, uint32_t>(c, i, keep))
TEC_VECTOR(vfncvt_f_x_w,
           isFloatSew(c) && narrow<float, int64_t>(c, i, [](int64_t a) {
             return toFloat<float>(a);
           }))
TEC_VECTOR(vfncvt_f_xu_w,
           isFloatSew(c) && narrow<float, uint64_t>(c, i, [](uint64_t a) {
             return toFloat<float>(a);
           }))
TEC_VECTOR(vfncvt_f_f_w,
           isFloatSew(c) && narrow<float, double>(c, i, [](double a) {
             return canonical(float(a));
           }))
TEC_VECTOR(vfncvt_rod_f_f_w,
           c->sew == 2 && narrow<float, double>(c, i, [](double a) {
             return narrowToOdd(a);
           }))

} // namespace yarrow::sim::tec::YARROW_TEC_SIMD
