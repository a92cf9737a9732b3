//===- Reduce.cpp - Vector reductions -------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// vd[0] = vs1[0] op the active lanes of vs2. With vl = 0 nothing is written.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/vector/FloatBits.h"

namespace yarrow::sim::tec::YARROW_TEC_SIMD {

/// D is the type of the result, A that of the lanes.
template <class D, class A, class F>
[[gnu::always_inline]] static inline void reduceLanes(Core *c, const Inst *i,
                                                      F f) {
  if (c->vl == 0)
    return;
  D sum = getLane<D>(c, i->rs1, 0);
  const uint8_t *from = reg(c, i->rs2);
  auto lane = [from](unsigned k) {
    A a;
    std::memcpy(&a, from + k * sizeof(A), sizeof a);
    return D(a);
  };
  if (i->vm) {
    for (unsigned k = 0; k < c->vl; ++k)
      sum = f(sum, lane(k));
  } else {
    for (unsigned k = 0; k < c->vl; ++k)
      if (isActive(c, i, k))
        sum = f(sum, lane(k));
  }
  setLane(c, i->rd, 0, sum);
}

template <bool Signed, class F>
static bool reduceInt(Core *c, const Inst *i, F f) {
  return aligned(c, i->rs2) && bySew(c, [&]<class U>() {
           using T = Lane<U, Signed>;
           reduceLanes<T, T>(c, i, [f](T a, T b) { return f(a, b); });
         });
}
static constexpr auto sum = []<class T>(T a, T b) {
  return T(Wrapping<T>(a) + Wrapping<T>(b));
};
static constexpr auto least = []<class T>(T a, T b) { return a < b ? a : b; };
static constexpr auto greatest = []<class T>(T a, T b) {
  return a > b ? a : b;
};
TEC_VECTOR(vredsum_vs, reduceInt<false>(c, i, sum))
TEC_VECTOR(vredand_vs,
           reduceInt<false>(c, i, []<class T>(T a, T b) { return T(a & b); }))
TEC_VECTOR(vredor_vs,
           reduceInt<false>(c, i, []<class T>(T a, T b) { return T(a | b); }))
TEC_VECTOR(vredxor_vs,
           reduceInt<false>(c, i, []<class T>(T a, T b) { return T(a ^ b); }))
TEC_VECTOR(vredminu_vs, reduceInt<false>(c, i, least))
TEC_VECTOR(vredmin_vs, reduceInt<true>(c, i, least))
TEC_VECTOR(vredmaxu_vs, reduceInt<false>(c, i, greatest))
TEC_VECTOR(vredmax_vs, reduceInt<true>(c, i, greatest))

template <bool Signed> static bool reduceWide(Core *c, const Inst *i) {
  return aligned(c, i->rs2) && byNarrowSew(c, [&]<class U>() {
           using A = Lane<U, Signed>;
           reduceLanes<Wider<A>, A>(
               c, i, [](Wider<A> a, Wider<A> b) { return sum(a, b); });
         });
}
TEC_VECTOR(vwredsumu_vs, reduceWide<false>(c, i))
TEC_VECTOR(vwredsum_vs, reduceWide<true>(c, i))

// Floats: the host's addition raises the flags, so a lane that is not active
// must not be added at all, not even to be dropped. The empty asm keeps the
// compiler from adding first.
template <class D, class A, class F>
static void reduceActive(Core *c, const Inst *i, F f) {
  if (c->vl == 0)
    return;
  D sum = getLane<D>(c, i->rs1, 0);
  if (i->vm) {
    for (unsigned k = 0; k < c->vl; ++k)
      sum = f(sum, getLane<A>(c, i->rs2, k));
  } else {
    for (unsigned k = 0; k < c->vl; ++k) {
      if (!isActive(c, i, k))
        continue;
      asm volatile("");
      sum = f(sum, getLane<A>(c, i->rs2, k));
    }
  }
  setLane(c, i->rd, 0, sum);
}

namespace {
struct Sum {
  template <class T, class B> static T of(T a, B b, T) { return a + T(b); }
};
} // namespace

/// Both the ordered and the unordered sum go upwards from element 0.
template <class D, class A> static void sumFloats(Core *c, const Inst *i) {
  if (roundsAsHost(c))
    reduceActive<D, A>(c, i, [](D a, A b) { return canonical(a + D(b)); });
  else
    reduceActive<D, A>(c, i, [](D a, A b) {
      return canonical(roundAway<Sum, D>(a, b, D(0)));
    });
}
TEC_VECTOR(vfredosum_vs, aligned(c, i->rs2) && byFloat(c, [&]<class T>() {
                           sumFloats<T, T>(c, i);
                         }))
static bool sumFloatsWide(Core *c, const Inst *i) {
  if (c->sew != 2 || !hasRoundingMode(c) || !aligned(c, i->rs2))
    return false;
  sumFloats<double, float>(c, i);
  return true;
}
TEC_VECTOR(vfwredosum_vs, sumFloatsWide(c, i))

template <bool Max> static bool reduceExtreme(Core *c, const Inst *i) {
  return aligned(c, i->rs2) && byFloat(c, [&]<class T>() {
           using U = BitsOf<T>;
           reduceActive<U, U>(c, i, [c](U a, U b) {
             return extreme<T, Max>(a, b, c->fflags);
           });
         });
}
TEC_VECTOR(vfredmin_vs, reduceExtreme<false>(c, i))
TEC_VECTOR(vfredmax_vs, reduceExtreme<true>(c, i))

} // namespace yarrow::sim::tec::YARROW_TEC_SIMD
