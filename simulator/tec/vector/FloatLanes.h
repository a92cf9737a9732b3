//===- FloatLanes.h - What vector floating-point handlers share -----*- C++
//-*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   return roundsAsHost(c) && byFloat(c, [&]<class T>() { ...float, double...
//   });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_TEC_VECTOR_FLOATLANES_H
#define YARROW_SIMULATOR_TEC_VECTOR_FLOATLANES_H

#include "simulator/tec/vector/Lanes.h"

namespace yarrow::sim::tec::YARROW_TEC_SIMD {

template <class F> static inline bool byFloat(const Core *c, F f) {
  if (c->sew == 2) {
    f.template operator()<float>();
    return true;
  }
  if (c->sew == 3) {
    f.template operator()<double>();
    return true;
  }
  return false;
}

/// False in RMM, which hosts lack and compilers use for conversions to
/// integers only, and in the reserved modes: arithmetic is illegal then.
static inline bool roundsAsHost(const Core *c) { return c->frm == c->hostMode; }

/// The scalar operand of .vf; a float must be NaN-boxed.
template <class T> static inline T scalarF(const Core *c, const Inst *i) {
  uint64_t bits = c->f[i->rs1];
  if constexpr (sizeof(T) == 8)
    return fromBits<T>(bits);
  else
    return bits >> 32 == 0xffffffff ? fromBits<T>(uint32_t(bits))
                                    : canonicalNaN<T>();
}

} // namespace yarrow::sim::tec::YARROW_TEC_SIMD

#endif // YARROW_SIMULATOR_TEC_VECTOR_FLOATLANES_H
