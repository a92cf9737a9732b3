//===- Float.cpp - Vector floating point of one width ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/vector/FloatLanes.h"

namespace yarrow::sim::tec::YARROW_TEC_SIMD {

namespace {
// Functions of one lane: a is of vs2, b of vs1 or rs1, d of vd.
#define TEC_OP(NAME, EXPRESSION)                                               \
  struct NAME {                                                                \
    template <class T> static T of(T a, T b, [[maybe_unused]] T d) {           \
      return EXPRESSION;                                                       \
    }                                                                          \
  };
TEC_OP(Add, canonical(a + b))
TEC_OP(Sub, canonical(a - b))
TEC_OP(ReverseSub, canonical(b - a))
TEC_OP(Mul, canonical(a *b))
TEC_OP(Div, canonical(a / b))
TEC_OP(ReverseDiv, canonical(b / a))
TEC_OP(Min, minNumber(a, b))
TEC_OP(Max, maxNumber(a, b))
TEC_OP(Sign, copySign(a, bitsOf(b)))
TEC_OP(SignNot, copySign(a, ~bitsOf(b)))
TEC_OP(SignXor, copySign(a, bitsOf(a) ^ bitsOf(b)))
TEC_OP(MulAcc, canonical(fusedMulAdd(a, b, d)))
TEC_OP(NegMulAcc, canonical(fusedMulAdd(-a, b, -d)))
TEC_OP(MulSubAcc, canonical(fusedMulAdd(a, b, -d)))
TEC_OP(NegMulSubAcc, canonical(fusedMulAdd(-a, b, d)))
TEC_OP(MulAdd, canonical(fusedMulAdd(d, b, a)))
TEC_OP(NegMulAdd, canonical(fusedMulAdd(-d, b, -a)))
TEC_OP(MulSub, canonical(fusedMulAdd(d, b, -a)))
TEC_OP(NegMulSub, canonical(fusedMulAdd(-d, b, a)))
} // namespace

template <class Op> static bool vectorVector(Core *c, const Inst *i) {
  return aligned(c, i->rd | i->rs1 | i->rs2) && byFloat(c, [&]<class T>() {
           mapLanes<T>(c, i, i->rd, Reg<T>(c, i->rs2), Reg<T>(c, i->rs1),
                       [](T a, T b, T d) { return Op::of(a, b, d); });
         });
}
template <class Op> static bool vectorScalar(Core *c, const Inst *i) {
  return aligned(c, i->rd | i->rs2) && byFloat(c, [&]<class T>() {
           mapLanes<T>(c, i, i->rd, Reg<T>(c, i->rs2),
                       Splat<T>(scalarF<T>(c, i)),
                       [](T a, T b, T d) { return Op::of(a, b, d); });
         });
}

/// Operations that do not round work in every mode.
#define TEC_EXACT(NAME, OP)                                                    \
  TEC_VECTOR(NAME##_vv, vectorVector<OP>(c, i))                                \
  TEC_VECTOR(NAME##_vf, vectorScalar<OP>(c, i))
#define TEC_VF(NAME, OP)                                                       \
  TEC_VECTOR(NAME##_vf, roundsAsHost(c) && vectorScalar<OP>(c, i))
#define TEC_ROUNDED(NAME, OP)                                                  \
  TEC_VECTOR(NAME##_vv, roundsAsHost(c) && vectorVector<OP>(c, i))             \
  TEC_VF(NAME, OP)
TEC_ROUNDED(vfadd, Add)
TEC_ROUNDED(vfsub, Sub)
TEC_VF(vfrsub, ReverseSub)
TEC_ROUNDED(vfmul, Mul)
TEC_ROUNDED(vfdiv, Div)
TEC_VF(vfrdiv, ReverseDiv)
TEC_EXACT(vfmin, Min)
TEC_EXACT(vfmax, Max)
TEC_EXACT(vfsgnj, Sign)
TEC_EXACT(vfsgnjn, SignNot)
TEC_EXACT(vfsgnjx, SignXor)
TEC_ROUNDED(vfmacc, MulAcc)
TEC_ROUNDED(vfnmacc, NegMulAcc)
TEC_ROUNDED(vfmsac, MulSubAcc)
TEC_ROUNDED(vfnmsac, NegMulSubAcc)
TEC_ROUNDED(vfmadd, MulAdd)
TEC_ROUNDED(vfnmadd, NegMulAdd)
TEC_ROUNDED(vfmsub, MulSub)
TEC_ROUNDED(vfnmsub, NegMulSub)

/// vd[k] = f(vs2[k]), where lanes are T in and D<T> out.
template <class F> static bool unary(Core *c, const Inst *i, F f) {
  return aligned(c, i->rd | i->rs2) && byFloat(c, [&]<class T>() {
           using D = decltype(f(T()));
           mapLanes<D>(c, i, i->rd, Reg<T>(c, i->rs2),
                       [f](T a, D) { return f(a); });
         });
}
TEC_VECTOR(vfsqrt_v, roundsAsHost(c) && unary(c, i, []<class T>(T a) {
                       return canonical(squareRoot(a));
                     }))
TEC_VECTOR(vfclass_v,
           unary(c, i, []<class T>(T a) { return BitsOf<T>(classify(a)); }))

TEC_VECTOR(vfmv_v_f, aligned(c, i->rd) && byFloat(c, [&]<class T>() {
                       mapLanes<T>(c, i, i->rd, Splat<T>(scalarF<T>(c, i)),
                                   [](T a, T) { return a; });
                     }))

/// vd[k] = v0[k] ? rs1 : vs2[k]; all lanes below vl are written.
template <class T> static void mergeLanes(Core *c, const Inst *i) {
  // As bits, so that a NaN's payload survives.
  using U = BitsOf<T>;
  constexpr unsigned N = kChunkBytes / sizeof(U);
  U scalar = bitsOf(scalarF<T>(c, i));
  Reg<U> a(c, i->rs2);
  for (unsigned k = 0; k < c->vl; k += N) {
    U lanes[N];
    a.template load<N>(lanes, k);
    uint32_t bits = maskBits<N>(c, 0, k);
    TEC_LANES
    for (unsigned j = 0; j < N; ++j)
      lanes[j] = bits >> j & 1 ? scalar : lanes[j];
    storeLanes(c, false, reg(c, i->rd), lanes, k);
  }
}
TEC_VECTOR(vfmerge_vfm, aligned(c, i->rd | i->rs2) &&
                            byFloat(c, [&]<class T>() { mergeLanes<T>(c, i); }))

// Conversions to integers round, then saturate. All modes are supported:
// compilers build floor, ceil and round from them.

template <class F> static bool byRounding(const Core *c, F f) {
  if (roundsAsHost(c)) {
    f([]<class T>(T x) { return roundAsHost(x); });
    return true;
  }
  if (c->frm == 4) {
    f([]<class T>(T x) { return roundTiesAway(x); });
    return true;
  }
  return false;
}
template <bool Signed, class R>
static bool toInteger(Core *c, const Inst *i, R round) {
  return unary(c, i, [round]<class T>(T a) {
    return saturateTo<Lane<BitsOf<T>, Signed>>(round(a));
  });
}
template <bool Signed> static bool toIntegerByFrm(Core *c, const Inst *i) {
  bool legal = false;
  return byRounding(
             c, [&](auto round) { legal = toInteger<Signed>(c, i, round); }) &&
         legal;
}
static constexpr auto keep = []<class T>(T x) { return x; };
TEC_VECTOR(vfcvt_x_f_v, toIntegerByFrm<true>(c, i))
TEC_VECTOR(vfcvt_xu_f_v, toIntegerByFrm<false>(c, i))
TEC_VECTOR(vfcvt_rtz_x_f_v, toInteger<true>(c, i, keep))
TEC_VECTOR(vfcvt_rtz_xu_f_v, toInteger<false>(c, i, keep))

template <bool Signed> static bool fromInteger(Core *c, const Inst *i) {
  return roundsAsHost(c) && aligned(c, i->rd | i->rs2) &&
         byFloat(c, [&]<class T>() {
           using S = Lane<BitsOf<T>, Signed>;
           mapLanes<T>(c, i, i->rd, Reg<S>(c, i->rs2),
                       [](S a, T) { return toFloat<T>(a); });
         });
}
TEC_VECTOR(vfcvt_f_x_v, fromInteger<true>(c, i))
TEC_VECTOR(vfcvt_f_xu_v, fromInteger<false>(c, i))

} // namespace yarrow::sim::tec::YARROW_TEC_SIMD
