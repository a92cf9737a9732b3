//===- Widen.cpp - Vector integer arithmetic of two widths ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/vector/Lanes.h"

namespace yarrow::sim::tec::YARROW_TEC_SIMD {

namespace {
// a is of vs2 and b of vs1 or rs1, both already extended to the wide type D.
struct Add {
  template <class D> static D of(D a, D b, D) {
    return D(Wrapping<D>(a) + Wrapping<D>(b));
  }
};
struct Sub {
  template <class D> static D of(D a, D b, D) {
    return D(Wrapping<D>(a) - Wrapping<D>(b));
  }
};
struct Mul {
  template <class D> static D of(D a, D b, D) {
    return D(Wrapping<D>(a) * Wrapping<D>(b));
  }
};
struct MulAcc {
  template <class D> static D of(D a, D b, D d) {
    return D(Wrapping<D>(d) + Wrapping<D>(a) * Wrapping<D>(b));
  }
};
} // namespace

/// Wide = Op(narrow a, narrow b), extended by ASigned and BSigned.
template <class Op, bool ASigned, bool BSigned>
static bool wideVV(Core *c, const Inst *i) {
  return alignedWide(c, i->rd) && aligned(c, i->rs1 | i->rs2) &&
         mayWiden(i, i->rs1) && mayWiden(i, i->rs2) &&
         byNarrowSew(c, [&]<class U>() {
           using A = Lane<U, ASigned>;
           using B = Lane<U, BSigned>;
           using D = Lane<Wider<U>, ASigned>;
           mapLanes<D>(c, i, i->rd, Reg<A>(c, i->rs2), Reg<B>(c, i->rs1),
                       [](A a, B b, D d) { return Op::of(D(a), D(b), d); });
         });
}
template <class Op, bool ASigned, bool BSigned>
static bool wideVX(Core *c, const Inst *i) {
  return alignedWide(c, i->rd) && aligned(c, i->rs2) && mayWiden(i, i->rs2) &&
         byNarrowSew(c, [&]<class U>() {
           using A = Lane<U, ASigned>;
           using B = Lane<U, BSigned>;
           using D = Lane<Wider<U>, ASigned>;
           mapLanes<D>(c, i, i->rd, Reg<A>(c, i->rs2),
                       Splat<D>(D(B(scalarX(c, i)))),
                       [](A a, D b, D d) { return Op::of(D(a), b, d); });
         });
}
/// Wide = Op(wide a, narrow b).
template <class Op, bool Signed> static bool wideWV(Core *c, const Inst *i) {
  return alignedWide(c, i->rd | i->rs2) && aligned(c, i->rs1) &&
         mayWiden(i, i->rs1) && byNarrowSew(c, [&]<class U>() {
           using B = Lane<U, Signed>;
           using D = Lane<Wider<U>, Signed>;
           mapLanes<D>(c, i, i->rd, Reg<D>(c, i->rs2), Reg<B>(c, i->rs1),
                       [](D a, B b, D d) { return Op::of(a, D(b), d); });
         });
}
template <class Op, bool Signed> static bool wideWX(Core *c, const Inst *i) {
  return alignedWide(c, i->rd | i->rs2) && !i->overwritesMask() &&
         byNarrowSew(c, [&]<class U>() {
           using B = Lane<U, Signed>;
           using D = Lane<Wider<U>, Signed>;
           mapLanes<D>(c, i, i->rd, Reg<D>(c, i->rs2),
                       Splat<D>(D(B(scalarX(c, i)))),
                       [](D a, D b, D d) { return Op::of(a, b, d); });
         });
}

#define TEC_WIDEN_ADD(NAME, OP, SIGNED)                                        \
  TEC_VECTOR(NAME##_vv, wideVV<OP, SIGNED, SIGNED>(c, i))                      \
  TEC_VECTOR(NAME##_vx, wideVX<OP, SIGNED, SIGNED>(c, i))                      \
  TEC_VECTOR(NAME##_wv, wideWV<OP, SIGNED>(c, i))                              \
  TEC_VECTOR(NAME##_wx, wideWX<OP, SIGNED>(c, i))
TEC_WIDEN_ADD(vwaddu, Add, false)
TEC_WIDEN_ADD(vwadd, Add, true)
TEC_WIDEN_ADD(vwsubu, Sub, false)
TEC_WIDEN_ADD(vwsub, Sub, true)

// In vwmulsu vs2 is signed; in vwmaccsu vs1 is, in vwmaccus vs2.
TEC_VECTOR(vwmulu_vv, wideVV<Mul, false, false>(c, i))
TEC_VECTOR(vwmulu_vx, wideVX<Mul, false, false>(c, i))
TEC_VECTOR(vwmul_vv, wideVV<Mul, true, true>(c, i))
TEC_VECTOR(vwmul_vx, wideVX<Mul, true, true>(c, i))
TEC_VECTOR(vwmulsu_vv, wideVV<Mul, true, false>(c, i))
TEC_VECTOR(vwmulsu_vx, wideVX<Mul, true, false>(c, i))
TEC_VECTOR(vwmaccu_vv, wideVV<MulAcc, false, false>(c, i))
TEC_VECTOR(vwmaccu_vx, wideVX<MulAcc, false, false>(c, i))
TEC_VECTOR(vwmacc_vv, wideVV<MulAcc, true, true>(c, i))
TEC_VECTOR(vwmacc_vx, wideVX<MulAcc, true, true>(c, i))
TEC_VECTOR(vwmaccsu_vv, wideVV<MulAcc, false, true>(c, i))
TEC_VECTOR(vwmaccsu_vx, wideVX<MulAcc, false, true>(c, i))
TEC_VECTOR(vwmaccus_vx, wideVX<MulAcc, true, false>(c, i))

// Narrowing shifts: the amount is modulo the wide width.
template <bool Signed> static bool narrowV(Core *c, const Inst *i) {
  return aligned(c, i->rd | i->rs1) && alignedWide(c, i->rs2) &&
         mayNarrow(c, i) && byNarrowSew(c, [&]<class U>() {
           using A = Lane<Wider<U>, Signed>;
           mapLanes<U>(
               c, i, i->rd, Reg<A>(c, i->rs2), Reg<U>(c, i->rs1),
               [](A a, U b, U) { return U(a >> (b & (sizeof(A) * 8 - 1))); });
         });
}
template <bool Signed>
static bool narrowS(Core *c, const Inst *i, uint32_t amount) {
  return aligned(c, i->rd) && alignedWide(c, i->rs2) && mayNarrow(c, i) &&
         byNarrowSew(c, [&]<class U>() {
           using A = Lane<Wider<U>, Signed>;
           unsigned shift = amount & (sizeof(A) * 8 - 1);
           mapLanes<U>(c, i, i->rd, Reg<A>(c, i->rs2),
                       [shift](A a, U) { return U(a >> shift); });
         });
}
TEC_VECTOR(vnsrl_wv, narrowV<false>(c, i))
TEC_VECTOR(vnsrl_wx, narrowS<false>(c, i, c->x[i->rs1]))
TEC_VECTOR(vnsrl_wi, narrowS<false>(c, i, i->imm))
TEC_VECTOR(vnsra_wv, narrowV<true>(c, i))
TEC_VECTOR(vnsra_wx, narrowS<true>(c, i, c->x[i->rs1]))
TEC_VECTOR(vnsra_wi, narrowS<true>(c, i, i->imm))

} // namespace yarrow::sim::tec::YARROW_TEC_SIMD
