//===- Fixed.cpp - Vector fixed-point arithmetic --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Saturating, averaging and rounding instructions (V 12). vxrm is a template
// parameter of the loops; vxsat is raised by active lanes only.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/vector/Lanes.h"

namespace yarrow::sim::tec::YARROW_TEC_SIMD {

namespace {
enum class Vxrm { NearestUp, NearestEven, Down, ToOdd };

template <class F> bool byVxrm(const Core *c, F f) {
  switch (c->vxrm) {
  case 0:
    return f.template operator()<Vxrm::NearestUp>();
  case 1:
    return f.template operator()<Vxrm::NearestEven>();
  case 2:
    return f.template operator()<Vxrm::Down>();
  default:
    return f.template operator()<Vxrm::ToOdd>();
  }
}

/// roundoff of V 3.8: v >> amount, and the increment that the lost bits earn.
/// amount is less than the width of T.
template <Vxrm Rm, class T> T roundShift(T v, unsigned amount) {
  using U = std::conditional_t<
      (sizeof(T) < 4), uint32_t,
      std::conditional_t<
          sizeof(T) == 4, uint32_t,
          std::conditional_t<sizeof(T) == 8, uint64_t, unsigned __int128>>>;
  constexpr unsigned kMask = sizeof(T) * 8 - 1;
  T shifted = T(v >> amount);
  U bits = U(v);
  U half = amount ? bits >> ((amount - 1) & kMask) & 1 : 0;
  U lost = bits & (shiftLeft<U>(1, amount) - 1);
  U belowHalf = amount ? bits & (shiftLeft<U>(1, (amount - 1) & kMask) - 1) : 0;
  U odd = U(shifted) & 1;
  U increment = Rm == Vxrm::NearestUp     ? half
                : Rm == Vxrm::NearestEven ? half & U(belowHalf != 0 || odd)
                : Rm == Vxrm::ToOdd       ? U(!odd && lost != 0)
                                          : 0;
  return T(U(shifted) + increment);
}
} // namespace

/// As mapLanes; f also says by its last argument whether the lane saturated.
template <class D, class A, class B, class F>
[[gnu::always_inline]] static inline void mapSaturating(Core *c, const Inst *i,
                                                        A a, B b, F f) {
  constexpr unsigned N = kLanes<D, A, B>;
  uint32_t saturatedAny = 0;
  for (unsigned k = 0; k < c->vl; k += N) {
    typename A::Type la[N];
    typename B::Type lb[N];
    D result[N];
    uint8_t saturated[N];
    a.template load<N>(la, k);
    b.template load<N>(lb, k);
    TEC_LANES
    for (unsigned j = 0; j < N; ++j) {
      bool lane = false;
      result[j] = f(la[j], lb[j], lane);
      saturated[j] = lane;
    }
    saturatedAny |= packBits<N>(saturated) & activeBits<N>(c, !i->vm, k);
    storeLanes(c, !i->vm, reg(c, i->rd), result, k);
  }
  c->vxsat |= saturatedAny != 0;
}

namespace {
struct SatAdd {
  template <class T> static T of(T a, T b, bool &saturated) {
    T r = __builtin_elementwise_add_sat(a, b);
    saturated = r != T(Wrapping<T>(a) + Wrapping<T>(b));
    return r;
  }
};
struct SatSub {
  template <class T> static T of(T a, T b, bool &saturated) {
    T r = __builtin_elementwise_sub_sat(a, b);
    saturated = r != T(Wrapping<T>(a) - Wrapping<T>(b));
    return r;
  }
};
} // namespace

template <class Op, bool Signed>
static bool saturateVV(Core *c, const Inst *i) {
  return writable(c, i, i->rd | i->rs1 | i->rs2) && bySew(c, [&]<class U>() {
           using T = Lane<U, Signed>;
           mapSaturating<T>(c, i, Reg<T>(c, i->rs2), Reg<T>(c, i->rs1),
                            [](T a, T b, bool &s) { return Op::of(a, b, s); });
         });
}
template <class Op, bool Signed>
static bool saturateVS(Core *c, const Inst *i, int64_t scalar) {
  return writable(c, i, i->rd | i->rs2) && bySew(c, [&]<class U>() {
           using T = Lane<U, Signed>;
           mapSaturating<T>(c, i, Reg<T>(c, i->rs2), Splat<T>(T(scalar)),
                            [](T a, T b, bool &s) { return Op::of(a, b, s); });
         });
}
TEC_VECTOR(vsaddu_vv, saturateVV<SatAdd, false>(c, i))
TEC_VECTOR(vsaddu_vx, saturateVS<SatAdd, false>(c, i, scalarX(c, i)))
TEC_VECTOR(vsaddu_vi, saturateVS<SatAdd, false>(c, i, i->imm))
TEC_VECTOR(vsadd_vv, saturateVV<SatAdd, true>(c, i))
TEC_VECTOR(vsadd_vx, saturateVS<SatAdd, true>(c, i, scalarX(c, i)))
TEC_VECTOR(vsadd_vi, saturateVS<SatAdd, true>(c, i, i->imm))
TEC_VECTOR(vssubu_vv, saturateVV<SatSub, false>(c, i))
TEC_VECTOR(vssubu_vx, saturateVS<SatSub, false>(c, i, scalarX(c, i)))
TEC_VECTOR(vssub_vv, saturateVV<SatSub, true>(c, i))
TEC_VECTOR(vssub_vx, saturateVS<SatSub, true>(c, i, scalarX(c, i)))

// Products of fractions: the upper half, rounded; only -1 * -1 saturates.
namespace {
template <class T>
using Product = std::conditional_t<
    sizeof(T) == 1, int16_t,
    std::conditional_t<sizeof(T) == 2, int32_t,
                       std::conditional_t<sizeof(T) == 4, int64_t, __int128>>>;

template <Vxrm Rm, class T> T mulFraction(T a, T b, bool &saturated) {
  constexpr T kLeast = std::numeric_limits<T>::min();
  saturated = a == kLeast && b == kLeast;
  Product<T> product = Product<T>(Product<T>(a) * Product<T>(b));
  T r = T(roundShift<Rm>(product, sizeof(T) * 8 - 1));
  return saturated ? std::numeric_limits<T>::max() : r;
}
} // namespace

static bool mulFractionVV(Core *c, const Inst *i) {
  return writable(c, i, i->rd | i->rs1 | i->rs2) && byVxrm(c, [&]<Vxrm Rm>() {
           return bySew(c, [&]<class U>() {
             using T = Lane<U, true>;
             mapSaturating<T>(
                 c, i, Reg<T>(c, i->rs2), Reg<T>(c, i->rs1),
                 [](T a, T b, bool &s) { return mulFraction<Rm>(a, b, s); });
           });
         });
}
static bool mulFractionVX(Core *c, const Inst *i) {
  return writable(c, i, i->rd | i->rs2) && byVxrm(c, [&]<Vxrm Rm>() {
           return bySew(c, [&]<class U>() {
             using T = Lane<U, true>;
             mapSaturating<T>(
                 c, i, Reg<T>(c, i->rs2), Splat<T>(T(scalarX(c, i))),
                 [](T a, T b, bool &s) { return mulFraction<Rm>(a, b, s); });
           });
         });
}
TEC_VECTOR(vsmul_vv, mulFractionVV(c, i))
TEC_VECTOR(vsmul_vx, mulFractionVX(c, i))

// Rounding shifts.
template <bool Signed> static bool roundShiftVV(Core *c, const Inst *i) {
  return writable(c, i, i->rd | i->rs1 | i->rs2) && byVxrm(c, [&]<Vxrm Rm>() {
           return bySew(c, [&]<class U>() {
             using T = Lane<U, Signed>;
             mapLanes<T>(c, i, i->rd, Reg<T>(c, i->rs2), Reg<U>(c, i->rs1),
                         [](T a, U b, T) {
                           return roundShift<Rm>(a, b & (sizeof(T) * 8 - 1));
                         });
           });
         });
}
template <bool Signed>
static bool roundShiftVS(Core *c, const Inst *i, uint32_t amount) {
  return writable(c, i, i->rd | i->rs2) && byVxrm(c, [&]<Vxrm Rm>() {
           return bySew(c, [&]<class U>() {
             using T = Lane<U, Signed>;
             unsigned shift = amount & (sizeof(T) * 8 - 1);
             mapLanes<T>(c, i, i->rd, Reg<T>(c, i->rs2),
                         [shift](T a, T) { return roundShift<Rm>(a, shift); });
           });
         });
}
TEC_VECTOR(vssrl_vv, roundShiftVV<false>(c, i))
TEC_VECTOR(vssrl_vx, roundShiftVS<false>(c, i, c->x[i->rs1]))
TEC_VECTOR(vssrl_vi, roundShiftVS<false>(c, i, i->imm))
TEC_VECTOR(vssra_vv, roundShiftVV<true>(c, i))
TEC_VECTOR(vssra_vx, roundShiftVS<true>(c, i, c->x[i->rs1]))
TEC_VECTOR(vssra_vi, roundShiftVS<true>(c, i, i->imm))

// Averages: the sum or difference has one bit more, which the shift loses.
namespace {
template <class T> using OneWider = Product<T>;

template <Vxrm Rm, bool Subtract, class T> T average(T a, T b) {
  // Of the 65 bits of a 64-bit sum, __int128 holds all.
  OneWider<T> exact = Subtract ? OneWider<T>(OneWider<T>(a) - OneWider<T>(b))
                               : OneWider<T>(OneWider<T>(a) + OneWider<T>(b));
  return T(roundShift<Rm>(exact, 1));
}
} // namespace

template <bool Signed, bool Subtract>
static bool averageVV(Core *c, const Inst *i) {
  return writable(c, i, i->rd | i->rs1 | i->rs2) && byVxrm(c, [&]<Vxrm Rm>() {
           return bySew(c, [&]<class U>() {
             using T = Lane<U, Signed>;
             mapLanes<T>(
                 c, i, i->rd, Reg<T>(c, i->rs2), Reg<T>(c, i->rs1),
                 [](T a, T b, T) { return average<Rm, Subtract>(a, b); });
           });
         });
}
template <bool Signed, bool Subtract>
static bool averageVX(Core *c, const Inst *i) {
  return writable(c, i, i->rd | i->rs2) && byVxrm(c, [&]<Vxrm Rm>() {
           return bySew(c, [&]<class U>() {
             using T = Lane<U, Signed>;
             mapLanes<T>(
                 c, i, i->rd, Reg<T>(c, i->rs2), Splat<T>(T(scalarX(c, i))),
                 [](T a, T b, T) { return average<Rm, Subtract>(a, b); });
           });
         });
}
TEC_VECTOR(vaaddu_vv, averageVV<false, false>(c, i))
TEC_VECTOR(vaaddu_vx, averageVX<false, false>(c, i))
TEC_VECTOR(vaadd_vv, averageVV<true, false>(c, i))
TEC_VECTOR(vaadd_vx, averageVX<true, false>(c, i))
TEC_VECTOR(vasubu_vv, averageVV<false, true>(c, i))
TEC_VECTOR(vasubu_vx, averageVX<false, true>(c, i))
TEC_VECTOR(vasub_vv, averageVV<true, true>(c, i))
TEC_VECTOR(vasub_vx, averageVX<true, true>(c, i))

// Narrowing clips: a rounding shift of the wide operand, then saturation.
namespace {
template <Vxrm Rm, class D, class A>
D clip(A a, unsigned amount, bool &saturated) {
  using Limits = std::numeric_limits<D>;
  A rounded = roundShift<Rm>(a, amount & (sizeof(A) * 8 - 1));
  A clipped = rounded > A(Limits::max())   ? A(Limits::max())
              : rounded < A(Limits::min()) ? A(Limits::min())
                                           : rounded;
  saturated = clipped != rounded;
  return D(clipped);
}
} // namespace

template <bool Signed> static bool clipV(Core *c, const Inst *i) {
  return aligned(c, i->rd | i->rs1) && alignedWide(c, i->rs2) &&
         mayNarrow(c, i) && byVxrm(c, [&]<Vxrm Rm>() {
           return byNarrowSew(c, [&]<class U>() {
             using D = Lane<U, Signed>;
             using A = Wider<D>;
             mapSaturating<D>(
                 c, i, Reg<A>(c, i->rs2), Reg<U>(c, i->rs1),
                 [](A a, U b, bool &s) { return clip<Rm, D>(a, b, s); });
           });
         });
}
template <bool Signed>
static bool clipS(Core *c, const Inst *i, uint32_t amount) {
  return aligned(c, i->rd) && alignedWide(c, i->rs2) && mayNarrow(c, i) &&
         byVxrm(c, [&]<Vxrm Rm>() {
           return byNarrowSew(c, [&]<class U>() {
             using D = Lane<U, Signed>;
             using A = Wider<D>;
             mapSaturating<D>(c, i, Reg<A>(c, i->rs2), Nothing(),
                              [amount](A a, uint8_t, bool &s) {
                                return clip<Rm, D>(a, amount, s);
                              });
           });
         });
}
TEC_VECTOR(vnclipu_wv, clipV<false>(c, i))
TEC_VECTOR(vnclipu_wx, clipS<false>(c, i, c->x[i->rs1]))
TEC_VECTOR(vnclipu_wi, clipS<false>(c, i, i->imm))
TEC_VECTOR(vnclip_wv, clipV<true>(c, i))
TEC_VECTOR(vnclip_wx, clipS<true>(c, i, c->x[i->rs1]))
TEC_VECTOR(vnclip_wi, clipS<true>(c, i, i->imm))

} // namespace yarrow::sim::tec::YARROW_TEC_SIMD
