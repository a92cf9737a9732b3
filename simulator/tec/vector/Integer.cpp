//===- Integer.cpp - Vector integer arithmetic of one width ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/vector/Lanes.h"

namespace yarrow::sim::tec::YARROW_TEC_SIMD {

namespace {
// Functions of one lane: a is of vs2, b of vs1, rs1 or the immediate, d of vd.
#define TEC_OP(NAME, EXPRESSION)                                               \
  struct NAME {                                                                \
    template <class T>                                                         \
    static T of(T a, [[maybe_unused]] T b, [[maybe_unused]] T d) {             \
      using W [[maybe_unused]] = Wrapping<T>;                                  \
      constexpr unsigned kBits [[maybe_unused]] = sizeof(T) * 8;               \
      return T(EXPRESSION);                                                    \
    }                                                                          \
  };
TEC_OP(Add, W(a) + W(b))
TEC_OP(Sub, W(a) - W(b))
TEC_OP(ReverseSub, W(b) - W(a))
TEC_OP(Min, a < b ? a : b)
TEC_OP(Max, a > b ? a : b)
TEC_OP(And, a &b)
TEC_OP(Or, a | b)
TEC_OP(Xor, a ^ b)
TEC_OP(ShiftLeft, shiftLeft<W>(W(a), b &(kBits - 1)))
TEC_OP(ShiftRight, a >> (b & (kBits - 1)))
TEC_OP(Mul, W(a) * W(b))
TEC_OP(Divide, divide(a, b))
TEC_OP(Remainder, remainder(a, b))
TEC_OP(MulAcc, W(d) + W(a) * W(b))
TEC_OP(NegMulSubAcc, W(d) - W(a) * W(b))
TEC_OP(MulAdd, W(a) + W(d) * W(b))
TEC_OP(NegMulSub, W(a) - W(d) * W(b))
TEC_OP(Second, b)

/// The upper half of a product; T is a's signedness, BSigned b's.
template <bool BSigned> struct MulHigh {
  template <class T> static T of(T a, T b, T) {
    using B = Lane<std::make_unsigned_t<T>, BSigned>;
    // Unsigned: the product of two unsigned lanes exceeds a signed type, and
    // the bits that count are the same.
    using Twice = unsigned __int128;
    if constexpr (sizeof(T) == 8)
      return T((Twice(a) * Twice(B(b))) >> 64);
    else if constexpr (sizeof(T) == 4)
      return T((uint64_t(a) * uint64_t(B(b))) >> 32);
    else
      return T((int64_t(a) * int64_t(B(b))) >> (sizeof(T) * 8));
  }
};
} // namespace

template <class Op, bool Signed>
static bool vectorVector(Core *c, const Inst *i) {
  return writable(c, i, i->rd | i->rs1 | i->rs2) && bySew(c, [&]<class U>() {
           using T = Lane<U, Signed>;
           mapLanes<T>(c, i, i->rd, Reg<T>(c, i->rs2), Reg<T>(c, i->rs1),
                       [](T a, T b, T d) { return Op::of(a, b, d); });
         });
}
template <class Op, bool Signed>
static bool vectorScalar(Core *c, const Inst *i, int64_t scalar) {
  return writable(c, i, i->rd | i->rs2) && bySew(c, [&]<class U>() {
           using T = Lane<U, Signed>;
           mapLanes<T>(c, i, i->rd, Reg<T>(c, i->rs2), Splat<T>(T(scalar)),
                       [](T a, T b, T d) { return Op::of(a, b, d); });
         });
}

#define TEC_VV(NAME, OP, SIGNED)                                               \
  TEC_VECTOR(NAME##_vv, vectorVector<OP, SIGNED>(c, i))
#define TEC_VX(NAME, OP, SIGNED)                                               \
  TEC_VECTOR(NAME##_vx, vectorScalar<OP, SIGNED>(c, i, scalarX(c, i)))
#define TEC_VI(NAME, OP, SIGNED)                                               \
  TEC_VECTOR(NAME##_vi, vectorScalar<OP, SIGNED>(c, i, i->imm))
#define TEC_VV_VX(NAME, OP, SIGNED)                                            \
  TEC_VV(NAME, OP, SIGNED)                                                     \
  TEC_VX(NAME, OP, SIGNED)
#define TEC_VV_VX_VI(NAME, OP, SIGNED)                                         \
  TEC_VV_VX(NAME, OP, SIGNED)                                                  \
  TEC_VI(NAME, OP, SIGNED)

TEC_VV_VX_VI(vadd, Add, false)
TEC_VV_VX(vsub, Sub, false)
TEC_VX(vrsub, ReverseSub, false)
TEC_VI(vrsub, ReverseSub, false)
TEC_VV_VX(vminu, Min, false)
TEC_VV_VX(vmin, Min, true)
TEC_VV_VX(vmaxu, Max, false)
TEC_VV_VX(vmax, Max, true)
TEC_VV_VX_VI(vand, And, false)
TEC_VV_VX_VI(vor, Or, false)
TEC_VV_VX_VI(vxor, Xor, false)
TEC_VV_VX_VI(vsll, ShiftLeft, false)
TEC_VV_VX_VI(vsrl, ShiftRight, false)
TEC_VV_VX_VI(vsra, ShiftRight, true)
TEC_VV_VX(vdivu, Divide, false)
TEC_VV_VX(vdiv, Divide, true)
TEC_VV_VX(vremu, Remainder, false)
TEC_VV_VX(vrem, Remainder, true)
TEC_VV_VX(vmul, Mul, false)
TEC_VV_VX(vmulhu, MulHigh<false>, false)
TEC_VV_VX(vmulh, MulHigh<true>, true)
TEC_VV_VX(vmulhsu, MulHigh<false>, true)
TEC_VV_VX(vmacc, MulAcc, false)
TEC_VV_VX(vnmsac, NegMulSubAcc, false)
TEC_VV_VX(vmadd, MulAdd, false)
TEC_VV_VX(vnmsub, NegMulSub, false)

/// vmv.v.*: b to all lanes. vs2 is v0 in the encoding and is not read.
template <class B, class T> static void moveLanes(Core *c, const Inst *i, B b) {
  mapLanes<T>(c, i, i->rd, b, [](T x, T) { return x; });
}
static bool splatInt(Core *c, const Inst *i, int64_t scalar) {
  return aligned(c, i->rd) && bySew(c, [&]<class T>() {
           moveLanes<Splat<T>, T>(c, i, Splat<T>(T(scalar)));
         });
}
TEC_VECTOR(vmv_v_x, splatInt(c, i, scalarX(c, i)))
TEC_VECTOR(vmv_v_i, splatInt(c, i, i->imm))
TEC_VECTOR(vmv_v_v, aligned(c, i->rd | i->rs1) && bySew(c, [&]<class T>() {
                      moveLanes<Reg<T>, T>(c, i, Reg<T>(c, i->rs1));
                    }))

// Where v0 is an operand rather than a mask: all lanes below vl are written.

/// vd[k] = f(a[k], b[k], v0[k]).
template <class T, class B, class F>
[[gnu::always_inline]] static inline void selectLanes(Core *c, const Inst *i,
                                                      B b, F f) {
  constexpr unsigned N = kChunkBytes / sizeof(T);
  Reg<T> a(c, i->rs2);
  for (unsigned k = 0; k < c->vl; k += N) {
    T la[N], lb[N], result[N];
    a.template load<N>(la, k);
    b.template load<N>(lb, k);
    uint32_t bits = operandBits<N>(c, k);
    TEC_LANES
    for (unsigned j = 0; j < N; ++j)
      result[j] = f(la[j], lb[j], T(bits >> j & 1));
    storeLanes(c, false, reg(c, i->rd), result, k);
  }
}
template <class F> static bool selectVector(Core *c, const Inst *i, F f) {
  return writable(c, i, i->rd | i->rs1 | i->rs2) && bySew(c, [&]<class T>() {
           selectLanes<T>(c, i, Reg<T>(c, i->rs1), f);
         });
}
template <class F>
static bool selectScalar(Core *c, const Inst *i, int64_t scalar, F f) {
  return writable(c, i, i->rd | i->rs2) && bySew(c, [&]<class T>() {
           selectLanes<T>(c, i, Splat<T>(T(scalar)), f);
         });
}

static constexpr auto addCarry = []<class T>(T a, T b, T carry) {
  return T(Wrapping<T>(a) + Wrapping<T>(b) + carry);
};
static constexpr auto subBorrow = []<class T>(T a, T b, T borrow) {
  return T(Wrapping<T>(a) - Wrapping<T>(b) - borrow);
};
static constexpr auto choose = []<class T>(T a, T b, T takeB) {
  return takeB ? b : a;
};
TEC_VECTOR(vadc_vvm, selectVector(c, i, addCarry))
TEC_VECTOR(vadc_vxm, selectScalar(c, i, scalarX(c, i), addCarry))
TEC_VECTOR(vadc_vim, selectScalar(c, i, i->imm, addCarry))
TEC_VECTOR(vsbc_vvm, selectVector(c, i, subBorrow))
TEC_VECTOR(vsbc_vxm, selectScalar(c, i, scalarX(c, i), subBorrow))
TEC_VECTOR(vmerge_vvm, selectVector(c, i, choose))
TEC_VECTOR(vmerge_vxm, selectScalar(c, i, scalarX(c, i), choose))
TEC_VECTOR(vmerge_vim, selectScalar(c, i, i->imm, choose))

// Extensions: the source group is a fraction of LMUL.
template <class D, class S> static void extendLanes(Core *c, const Inst *i) {
  mapLanes<D>(c, i, i->rd, Reg<S>(c, i->rs2), [](S x, D) { return D(x); });
}
template <bool Signed, unsigned FactorLog2>
static bool extend(Core *c, const Inst *i) {
  if (c->sew == kNoSew || c->sew < FactorLog2)
    return false;
  unsigned sourceMask = c->widthMask[c->sew - FactorLog2];
  if (!writable(c, i, i->rd) || !Core::isAligned(i->rs2, sourceMask))
    return false;
  // vd may overlap whole source registers at its end.
  if (inGroup(c, i->rs2, i->rd) &&
      (c->lmul < int(FactorLog2) ||
       i->rs2 + sourceMask != i->rd + c->groupMask))
    return false;
  return bySew(c, [&]<class U>() {
    using D = Lane<U, Signed>;
    if constexpr (FactorLog2 == 1 && sizeof(U) >= 2)
      extendLanes<
          D, Lane<std::conditional_t<
                      sizeof(U) == 2, uint8_t,
                      std::conditional_t<sizeof(U) == 4, uint16_t, uint32_t>>,
                  Signed>>(c, i);
    else if constexpr (FactorLog2 == 2 && sizeof(U) >= 4)
      extendLanes<D, Lane<std::conditional_t<sizeof(U) == 4, uint8_t, uint16_t>,
                          Signed>>(c, i);
    else if constexpr (FactorLog2 == 3 && sizeof(U) == 8)
      extendLanes<D, Lane<uint8_t, Signed>>(c, i);
  });
}
TEC_VECTOR(vzext_vf2, extend<false, 1>(c, i))
TEC_VECTOR(vzext_vf4, extend<false, 2>(c, i))
TEC_VECTOR(vzext_vf8, extend<false, 3>(c, i))
TEC_VECTOR(vsext_vf2, extend<true, 1>(c, i))
TEC_VECTOR(vsext_vf4, extend<true, 2>(c, i))
TEC_VECTOR(vsext_vf8, extend<true, 3>(c, i))

} // namespace yarrow::sim::tec::YARROW_TEC_SIMD
