//===- Compare.cpp - Vector comparisons and carries: mask results ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/vector/FloatLanes.h"
#include "simulator/tec/vector/Lanes.h"

namespace yarrow::sim::tec::YARROW_TEC_SIMD {

namespace {
#define TEC_RELATION(NAME, EXPRESSION)                                         \
  struct NAME {                                                                \
    template <class T> static bool of(T a, T b) { return EXPRESSION; }         \
  };
TEC_RELATION(Equal, a == b)
TEC_RELATION(NotEqual, a != b)
TEC_RELATION(Less, a < b)
TEC_RELATION(LessEqual, a <= b)
TEC_RELATION(Greater, a > b)
TEC_RELATION(GreaterEqual, a >= b)
} // namespace

// The result is one register, whatever LMUL is.
template <class Op, bool Signed>
static bool compareVector(Core *c, const Inst *i) {
  return aligned(c, i->rs1 | i->rs2) && mayMark(c, i, i->rs1) &&
         mayMark(c, i, i->rs2) && bySew(c, [&]<class U>() {
           using T = Lane<U, Signed>;
           compareLanes(c, i, Reg<T>(c, i->rs2), Reg<T>(c, i->rs1),
                        [](T a, T b) { return Op::of(a, b); });
         });
}
template <class Op, bool Signed>
static bool compareScalar(Core *c, const Inst *i, int64_t scalar) {
  return aligned(c, i->rs2) && mayMark(c, i, i->rs2) &&
         bySew(c, [&]<class U>() {
           using T = Lane<U, Signed>;
           compareLanes(c, i, Reg<T>(c, i->rs2), Splat<T>(T(scalar)),
                        [](T a, T b) { return Op::of(a, b); });
         });
}
#define TEC_VV(NAME, OP, SIGNED)                                               \
  TEC_VECTOR(NAME##_vv, compareVector<OP, SIGNED>(c, i))
#define TEC_VX(NAME, OP, SIGNED)                                               \
  TEC_VECTOR(NAME##_vx, compareScalar<OP, SIGNED>(c, i, scalarX(c, i)))
#define TEC_VI(NAME, OP, SIGNED)                                               \
  TEC_VECTOR(NAME##_vi, compareScalar<OP, SIGNED>(c, i, i->imm))
TEC_VV(vmseq, Equal, false)
TEC_VX(vmseq, Equal, false)
TEC_VI(vmseq, Equal, false)
TEC_VV(vmsne, NotEqual, false)
TEC_VX(vmsne, NotEqual, false)
TEC_VI(vmsne, NotEqual, false)
TEC_VV(vmsltu, Less, false)
TEC_VX(vmsltu, Less, false)
TEC_VV(vmslt, Less, true)
TEC_VX(vmslt, Less, true)
TEC_VV(vmsleu, LessEqual, false)
TEC_VX(vmsleu, LessEqual, false)
TEC_VI(vmsleu, LessEqual, false)
TEC_VV(vmsle, LessEqual, true)
TEC_VX(vmsle, LessEqual, true)
TEC_VI(vmsle, LessEqual, true)
TEC_VX(vmsgtu, Greater, false)
TEC_VI(vmsgtu, Greater, false)
TEC_VX(vmsgt, Greater, true)
TEC_VI(vmsgt, Greater, true)

/// Compares by bits. A NaN is not equal to anything; it is invalid where order
/// matters, a signaling one always.
template <class Op, class T, class B>
[[gnu::always_inline]] static inline void compareFloats(Core *c, const Inst *i,
                                                        B b) {
  using U = BitsOf<T>;
  constexpr unsigned N = kChunkBytes / sizeof(U);
  constexpr bool kOrdered =
      !std::is_same_v<Op, Equal> && !std::is_same_v<Op, NotEqual>;
  Reg<U> a(c, i->rs2);
  MaskResult mask;
  uint32_t invalidAny = 0;
  for (unsigned k = 0; k < c->vl; k += N) {
    U la[N], lb[N];
    uint8_t result[N], invalid[N];
    a.template load<N>(la, k);
    b.template load<N>(lb, k);
    TEC_LANES
    for (unsigned j = 0; j < N; ++j) {
      bool unordered = isNaN<T>(la[j]) || isNaN<T>(lb[j]);
      bool relation = Op::of(orderOf<T>(la[j]), orderOf<T>(lb[j]));
      result[j] = unordered ? std::is_same_v<Op, NotEqual> : relation;
      invalid[j] =
          kOrdered ? unordered : isSignaling<T>(la[j]) || isSignaling<T>(lb[j]);
    }
    mask.set<N>(k, packBits<N>(result));
    invalidAny |= packBits<N>(invalid) & activeBits<N>(c, !i->vm, k);
  }
  c->fflags |= invalidAny ? kInvalid : 0;
  writeMask(c, !i->vm, i->rd, mask);
}
template <class Op> static bool compareFloatVector(Core *c, const Inst *i) {
  return aligned(c, i->rs1 | i->rs2) && mayMark(c, i, i->rs1) &&
         mayMark(c, i, i->rs2) && byFloat(c, [&]<class T>() {
           compareFloats<Op, T>(c, i, Reg<BitsOf<T>>(c, i->rs1));
         });
}
template <class Op> static bool compareFloatScalar(Core *c, const Inst *i) {
  return aligned(c, i->rs2) && mayMark(c, i, i->rs2) &&
         byFloat(c, [&]<class T>() {
           compareFloats<Op, T>(c, i,
                                Splat<BitsOf<T>>(bitsOf(scalarF<T>(c, i))));
         });
}
TEC_VECTOR(vmfeq_vv, compareFloatVector<Equal>(c, i))
TEC_VECTOR(vmfeq_vf, compareFloatScalar<Equal>(c, i))
TEC_VECTOR(vmfne_vv, compareFloatVector<NotEqual>(c, i))
TEC_VECTOR(vmfne_vf, compareFloatScalar<NotEqual>(c, i))
TEC_VECTOR(vmflt_vv, compareFloatVector<Less>(c, i))
TEC_VECTOR(vmflt_vf, compareFloatScalar<Less>(c, i))
TEC_VECTOR(vmfle_vv, compareFloatVector<LessEqual>(c, i))
TEC_VECTOR(vmfle_vf, compareFloatScalar<LessEqual>(c, i))
TEC_VECTOR(vmfgt_vf, compareFloatScalar<Greater>(c, i))
TEC_VECTOR(vmfge_vf, compareFloatScalar<GreaterEqual>(c, i))

/// Carry (or borrow) out of each lane; v0 is carry in if vm is 0.
template <class T, bool Subtract, class B>
[[gnu::always_inline]] static inline void carryLanes(Core *c, const Inst *i,
                                                     B b) {
  constexpr unsigned N = kChunkBytes / sizeof(T);
  Reg<T> a(c, i->rs2);
  MaskResult mask;
  for (unsigned k = 0; k < c->vl; k += N) {
    T la[N], lb[N];
    uint8_t result[N];
    a.template load<N>(la, k);
    b.template load<N>(lb, k);
    uint32_t bits = i->vm ? 0 : operandBits<N>(c, k);
    TEC_LANES
    for (unsigned j = 0; j < N; ++j) {
      bool in = bits >> j & 1;
      if (Subtract) {
        result[j] = la[j] < lb[j] || (in && la[j] == lb[j]);
      } else {
        T sum = T(la[j] + lb[j]);
        result[j] = sum < la[j] || (in && sum == T(-1));
      }
    }
    mask.set<N>(k, packBits<N>(result));
  }
  writeMask(c, false, i->rd, mask);
}
template <bool Subtract> static bool carryVector(Core *c, const Inst *i) {
  return aligned(c, i->rs1 | i->rs2) && mayMark(c, i, i->rs1) &&
         mayMark(c, i, i->rs2) && bySew(c, [&]<class T>() {
           carryLanes<T, Subtract>(c, i, Reg<T>(c, i->rs1));
         });
}
template <bool Subtract>
static bool carryScalar(Core *c, const Inst *i, int64_t scalar) {
  return aligned(c, i->rs2) && mayMark(c, i, i->rs2) &&
         bySew(c, [&]<class T>() {
           carryLanes<T, Subtract>(c, i, Splat<T>(T(scalar)));
         });
}
TEC_VECTOR(vmadc_vv, carryVector<false>(c, i))
TEC_VECTOR(vmadc_vvm, carryVector<false>(c, i))
TEC_VECTOR(vmadc_vx, carryScalar<false>(c, i, scalarX(c, i)))
TEC_VECTOR(vmadc_vxm, carryScalar<false>(c, i, scalarX(c, i)))
TEC_VECTOR(vmadc_vi, carryScalar<false>(c, i, i->imm))
TEC_VECTOR(vmadc_vim, carryScalar<false>(c, i, i->imm))
TEC_VECTOR(vmsbc_vv, carryVector<true>(c, i))
TEC_VECTOR(vmsbc_vvm, carryVector<true>(c, i))
TEC_VECTOR(vmsbc_vx, carryScalar<true>(c, i, scalarX(c, i)))
TEC_VECTOR(vmsbc_vxm, carryScalar<true>(c, i, scalarX(c, i)))

} // namespace yarrow::sim::tec::YARROW_TEC_SIMD
