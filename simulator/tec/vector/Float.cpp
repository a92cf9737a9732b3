//===- Float.cpp - Vector floating point of one width ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/vector/FloatBits.h"

namespace yarrow::sim::tec::YARROW_TEC_SIMD {

namespace {
// Functions of one lane: a is of vs2, b of vs1 or rs1, d of vd.
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
TEC_OP(ReverseSub, None, b - a)
TEC_OP(Mul, None, a *b)
TEC_OP(Div, None, a / b)
TEC_OP(ReverseDiv, None, b / a)
TEC_OP(Sqrt, None, squareRoot(a))
TEC_OP(Convert, None, a)
TEC_OP(MulAcc, AB, fusedMulAdd(a, b, d))
TEC_OP(NegMulAcc, AB, fusedMulAdd(-a, b, -d))
TEC_OP(MulSubAcc, AB, fusedMulAdd(a, b, -d))
TEC_OP(NegMulSubAcc, AB, fusedMulAdd(-a, b, d))
TEC_OP(MulAdd, DB, fusedMulAdd(d, b, a))
TEC_OP(NegMulAdd, DB, fusedMulAdd(-d, b, -a))
TEC_OP(MulSub, DB, fusedMulAdd(d, b, -a))
TEC_OP(NegMulSub, DB, fusedMulAdd(-d, b, a))
} // namespace

template <class Op> static bool roundedVector(Core *c, const Inst *i) {
  return writable(c, i, i->rd | i->rs1 | i->rs2) && byFloat(c, [&]<class T>() {
           mapRounded<Op, T>(c, i, Reg<T>(c, i->rs2), Reg<T>(c, i->rs1));
         });
}
template <class Op> static bool roundedScalar(Core *c, const Inst *i) {
  return writable(c, i, i->rd | i->rs2) && byFloat(c, [&]<class T>() {
           mapRounded<Op, T>(c, i, Reg<T>(c, i->rs2),
                             Splat<T>(scalarF<T>(c, i)));
         });
}
#define TEC_VF(NAME, OP) TEC_VECTOR(NAME##_vf, roundedScalar<OP>(c, i))
#define TEC_ROUNDED(NAME, OP)                                                  \
  TEC_VECTOR(NAME##_vv, roundedVector<OP>(c, i))                               \
  TEC_VF(NAME, OP)
TEC_ROUNDED(vfadd, Add)
TEC_ROUNDED(vfsub, Sub)
TEC_VF(vfrsub, ReverseSub)
TEC_ROUNDED(vfmul, Mul)
TEC_ROUNDED(vfdiv, Div)
TEC_VF(vfrdiv, ReverseDiv)
TEC_ROUNDED(vfmacc, MulAcc)
TEC_ROUNDED(vfnmacc, NegMulAcc)
TEC_ROUNDED(vfmsac, MulSubAcc)
TEC_ROUNDED(vfnmsac, NegMulSubAcc)
TEC_ROUNDED(vfmadd, MulAdd)
TEC_ROUNDED(vfnmadd, NegMulAdd)
TEC_ROUNDED(vfmsub, MulSub)
TEC_ROUNDED(vfnmsub, NegMulSub)

// Functions of bits, that do not round: f(a, b, flags).
template <class F> static bool exactVector(Core *c, const Inst *i, F f) {
  return writable(c, i, i->rd | i->rs1 | i->rs2) && byFloat(c, [&]<class T>() {
           using U = BitsOf<T>;
           mapFlagging<U>(c, i, Reg<U>(c, i->rs2), Reg<U>(c, i->rs1),
                          [f](U a, U b, auto &flags) {
                            return f.template operator()<T>(a, b, flags);
                          });
         });
}
template <class F> static bool exactScalar(Core *c, const Inst *i, F f) {
  return writable(c, i, i->rd | i->rs2) && byFloat(c, [&]<class T>() {
           using U = BitsOf<T>;
           mapFlagging<U>(c, i, Reg<U>(c, i->rs2),
                          Splat<U>(bitsOf(scalarF<T>(c, i))),
                          [f](U a, U b, auto &flags) {
                            return f.template operator()<T>(a, b, flags);
                          });
         });
}
#define TEC_EXACT(NAME, F)                                                     \
  TEC_VECTOR(NAME##_vv, exactVector(c, i, F))                                  \
  TEC_VECTOR(NAME##_vf, exactScalar(c, i, F))

template <class T> static BitsOf<T> withSign(BitsOf<T> a, BitsOf<T> sign) {
  return magnitudeOf<T>(a) | (sign & FloatTraits<T>::kSign);
}
static constexpr auto sign = []<class T>(auto a, auto b, auto &) {
  return withSign<T>(a, b);
};
static constexpr auto signNot = []<class T>(auto a, auto b, auto &) {
  return withSign<T>(a, ~b);
};
static constexpr auto signXor = []<class T>(auto a, auto b, auto &) {
  return withSign<T>(a, a ^ b);
};
TEC_EXACT(vfsgnj, sign)
TEC_EXACT(vfsgnjn, signNot)
TEC_EXACT(vfsgnjx, signXor)

// Minimum and maximum: NaNs are rare enough to look for them first.
template <class T, bool Max, class B>
static void extremeLanes(Core *c, const Inst *i, B b) {
  using U = BitsOf<T>;
  constexpr unsigned N = kChunkBytes / sizeof(U);
  Reg<U> a(c, i->rs2);
  for (unsigned k = 0; k < c->vl; k += N) {
    U la[N], lb[N], result[N], someNaN = 0;
    a.template load<N>(la, k);
    b.template load<N>(lb, k);
    TEC_LANES
    for (unsigned j = 0; j < N; ++j) {
      result[j] = extremeOfNumbers<T, Max>(la[j], lb[j]);
      someNaN |= isNaN<T>(la[j]) || isNaN<T>(lb[j]);
    }
    if (someNaN) [[unlikely]] {
      uint32_t active = activeBits<N>(c, !i->vm, k);
      for (unsigned j = 0; j < N; ++j) {
        uint8_t flags = 0;
        result[j] = extreme<T, Max>(la[j], lb[j], flags);
        c->fflags |= active >> j & 1 ? flags : 0;
      }
    }
    storeLanes(c, !i->vm, reg(c, i->rd), result, k);
  }
}
template <bool Max> static bool extremeVector(Core *c, const Inst *i) {
  return writable(c, i, i->rd | i->rs1 | i->rs2) && byFloat(c, [&]<class T>() {
           extremeLanes<T, Max>(c, i, Reg<BitsOf<T>>(c, i->rs1));
         });
}
template <bool Max> static bool extremeScalar(Core *c, const Inst *i) {
  return writable(c, i, i->rd | i->rs2) && byFloat(c, [&]<class T>() {
           extremeLanes<T, Max>(c, i,
                                Splat<BitsOf<T>>(bitsOf(scalarF<T>(c, i))));
         });
}
TEC_VECTOR(vfmin_vv, extremeVector<false>(c, i))
TEC_VECTOR(vfmin_vf, extremeScalar<false>(c, i))
TEC_VECTOR(vfmax_vv, extremeVector<true>(c, i))
TEC_VECTOR(vfmax_vf, extremeScalar<true>(c, i))

TEC_VECTOR(vfsqrt_v,
           writable(c, i, i->rd | i->rs2) && byFloat(c, [&]<class T>() {
             mapRounded<Sqrt, T>(c, i, Reg<T>(c, i->rs2), Nothing());
           }))
TEC_VECTOR(vfclass_v,
           writable(c, i, i->rd | i->rs2) && byFloat(c, [&]<class T>() {
             using U = BitsOf<T>;
             mapLanes<U>(c, i, i->rd, Reg<U>(c, i->rs2),
                         [](U a, U) { return U(classify(fromBits<T>(a))); });
           }))

// As bits, so that a NaN's payload survives.
TEC_VECTOR(vfmv_v_f, aligned(c, i->rd) && byFloat(c, [&]<class T>() {
                       using U = BitsOf<T>;
                       mapLanes<U>(c, i, i->rd,
                                   Splat<U>(bitsOf(scalarF<T>(c, i))),
                                   [](U a, U) { return a; });
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
    uint32_t bits = operandBits<N>(c, k);
    TEC_LANES
    for (unsigned j = 0; j < N; ++j)
      lanes[j] = bits >> j & 1 ? scalar : lanes[j];
    storeLanes(c, false, reg(c, i->rd), lanes, k);
  }
}
TEC_VECTOR(vfmerge_vfm, writable(c, i, i->rd | i->rs2) &&
                            byFloat(c, [&]<class T>() { mergeLanes<T>(c, i); }))

template <bool Signed>
static bool toIntegers(Core *c, const Inst *i, unsigned frm) {
  return writable(c, i, i->rd | i->rs2) && byFloat(c, [&]<class T>() {
           convertToIntegers<Lane<BitsOf<T>, Signed>, T>(c, i, frm);
         });
}
TEC_VECTOR(vfcvt_x_f_v, toIntegers<true>(c, i, c->frm))
TEC_VECTOR(vfcvt_xu_f_v, toIntegers<false>(c, i, c->frm))
TEC_VECTOR(vfcvt_rtz_x_f_v, toIntegers<true>(c, i, 1))
TEC_VECTOR(vfcvt_rtz_xu_f_v, toIntegers<false>(c, i, 1))

template <bool Signed> static bool fromIntegers(Core *c, const Inst *i) {
  return writable(c, i, i->rd | i->rs2) && byFloat(c, [&]<class T>() {
           mapRounded<Convert, T>(c, i, Reg<Lane<BitsOf<T>, Signed>>(c, i->rs2),
                                  Nothing());
         });
}
TEC_VECTOR(vfcvt_f_x_v, fromIntegers<true>(c, i))
TEC_VECTOR(vfcvt_f_xu_v, fromIntegers<false>(c, i))

} // namespace yarrow::sim::tec::YARROW_TEC_SIMD
