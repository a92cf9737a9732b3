//===- Permute.cpp - Slides, gathers, compress, scalar and whole moves ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/vector/FloatLanes.h"

#include <algorithm>

namespace yarrow::sim::tec::YARROW_TEC_SIMD {

// Scalar moves work on lane 0, whatever LMUL is.
static bool moveToX(Core *c, const Inst *i) {
  return bySew(c, [&]<class U>() {
    c->x[i->rd] = uint32_t(int64_t(getLane<Lane<U, true>>(c, i->rs2, 0)));
  });
}
template <class T> static void setFirst(Core *c, const Inst *i, T value) {
  if (c->vl != 0)
    setLane(c, i->rd, 0, value);
}
TEC_VECTOR(vmv_x_s, moveToX(c, i))
TEC_VECTOR(vmv_s_x,
           bySew(c, [&]<class T>() { setFirst(c, i, T(scalarX(c, i))); }))
TEC_VECTOR(vfmv_f_s, byFloat(c, [&]<class T>() {
             uint64_t box = sizeof(T) == 4 ? 0xffffffff00000000 : 0;
             c->f[i->rd] = getLane<BitsOf<T>>(c, i->rs2, 0) | box;
           }))
TEC_VECTOR(vfmv_s_f, byFloat(c, [&]<class T>() {
             setFirst(c, i, bitsOf(scalarF<T>(c, i)));
           }))

/// vmv1r.v and its like. The number of registers is in the field of vs1.
static bool moveRegisters(Core *c, const Inst *i) {
  unsigned count = i->rs1 + 1;
  if ((i->rd | i->rs2) & (count - 1) || c->vtype >> 31)
    return false;
  unsigned skip =
      std::min(c->vstart << (c->vtype >> 3 & 7), count * kVlenBytes);
  std::memmove(reg(c, i->rd) + skip, reg(c, i->rs2) + skip,
               count * kVlenBytes - skip);
  if (c->vstart) [[unlikely]]
    c->setVstart(0);
  return true;
}
TEC_VECTOR(vmvr, moveRegisters(c, i))

/// Lanes [begin, end) of vd, in order, from f(k).
template <class T, class F>
[[gnu::always_inline]] static inline void
setLanes(Core *c, const Inst *i, unsigned begin, unsigned end, F f) {
  for (unsigned k = begin; k < end; ++k)
    if (isActive(c, i, k))
      setLane<T>(c, i->rd, k, f(k));
}

template <class T>
static void slideUp(Core *c, const Inst *i, uint32_t offset) {
  if (offset >= c->vl)
    return;
  if (i->vm)
    std::memmove(reg(c, i->rd) + offset * sizeof(T), reg(c, i->rs2),
                 (c->vl - offset) * sizeof(T));
  else
    setLanes<T>(c, i, offset, c->vl,
                [&](unsigned k) { return getLane<T>(c, i->rs2, k - offset); });
}
template <class T>
static void slideDown(Core *c, const Inst *i, uint32_t offset) {
  // Lanes that come from within the source group; the others are zero.
  unsigned inside = offset < c->vlmax ? c->vlmax - offset : 0;
  if (inside > c->vl)
    inside = c->vl;
  if (i->vm) {
    uint8_t *to = reg(c, i->rd);
    if (inside)
      std::memmove(to, reg(c, i->rs2) + offset * sizeof(T), inside * sizeof(T));
    std::memset(to + inside * sizeof(T), 0, (c->vl - inside) * sizeof(T));
    return;
  }
  setLanes<T>(c, i, 0, inside,
              [&](unsigned k) { return getLane<T>(c, i->rs2, k + offset); });
  setLanes<T>(c, i, inside, c->vl, [](unsigned) { return T(0); });
}
static bool slideUpBy(Core *c, const Inst *i, uint32_t offset) {
  // vd must not overlap vs2 (V 16.3.1): lanes would be read after they were
  // written.
  return writable(c, i, i->rd | i->rs2) && i->rd != i->rs2 &&
         bySew(c, [&]<class T>() { slideUp<T>(c, i, offset); });
}
static bool slideDownBy(Core *c, const Inst *i, uint32_t offset) {
  return writable(c, i, i->rd | i->rs2) &&
         bySew(c, [&]<class T>() { slideDown<T>(c, i, offset); });
}
TEC_VECTOR(vslideup_vx, slideUpBy(c, i, c->x[i->rs1]))
TEC_VECTOR(vslideup_vi, slideUpBy(c, i, i->imm))
TEC_VECTOR(vslidedown_vx, slideDownBy(c, i, c->x[i->rs1]))
TEC_VECTOR(vslidedown_vi, slideDownBy(c, i, i->imm))

template <class T> static void slide1Up(Core *c, const Inst *i, T scalar) {
  setLanes<T>(c, i, 0, c->vl, [&](unsigned k) {
    return k == 0 ? scalar : getLane<T>(c, i->rs2, k - 1);
  });
}
template <class T> static void slide1Down(Core *c, const Inst *i, T scalar) {
  setLanes<T>(c, i, 0, c->vl, [&](unsigned k) {
    return k + 1 == c->vl ? scalar : getLane<T>(c, i->rs2, k + 1);
  });
}
TEC_VECTOR(vslide1up_vx, writable(c, i, i->rd | i->rs2) && i->rd != i->rs2 &&
                             bySew(c, [&]<class T>() {
                               slide1Up<T>(c, i, T(scalarX(c, i)));
                             }))
TEC_VECTOR(vslide1down_vx,
           writable(c, i, i->rd | i->rs2) && bySew(c, [&]<class T>() {
             slide1Down<T>(c, i, T(scalarX(c, i)));
           }))
TEC_VECTOR(vfslide1up_vf, writable(c, i, i->rd | i->rs2) && i->rd != i->rs2 &&
                              byFloat(c, [&]<class T>() {
                                slide1Up(c, i, bitsOf(scalarF<T>(c, i)));
                              }))
TEC_VECTOR(vfslide1down_vf,
           writable(c, i, i->rd | i->rs2) && byFloat(c, [&]<class T>() {
             slide1Down(c, i, bitsOf(scalarF<T>(c, i)));
           }))

/// vd[k] = vs2[index[k]], or 0 past vlmax.
template <class T, class I> static void gatherLanes(Core *c, const Inst *i) {
  setLanes<T>(c, i, 0, c->vl, [&](unsigned k) {
    uint64_t index = getLane<I>(c, i->rs1, k);
    return index < c->vlmax ? getLane<T>(c, i->rs2, unsigned(index)) : T(0);
  });
}
TEC_VECTOR(vrgather_vv,
           writable(c, i, i->rd | i->rs1 | i->rs2) && i->rd != i->rs1 &&
               i->rd != i->rs2 &&
               bySew(c, [&]<class T>() { gatherLanes<T, T>(c, i); }))

static bool gather16(Core *c, const Inst *i) {
  int indexLmul = 1 - int(c->sew) + c->lmul;
  unsigned indexMask = indexLmul > 0 ? (1u << indexLmul) - 1 : 0;
  return c->sew != kNoSew && indexLmul >= -3 && indexLmul <= 3 &&
         (i->rs1 & indexMask) == 0 && writable(c, i, i->rd | i->rs2) &&
         !inGroup(c, i->rs1, i->rd) && (i->rd & ~indexMask) != i->rs1 &&
         i->rd != i->rs2 &&
         bySew(c, [&]<class T>() { gatherLanes<T, uint16_t>(c, i); });
}
TEC_VECTOR(vrgatherei16_vv, gather16(c, i))

template <class T>
static void gatherOne(Core *c, const Inst *i, uint32_t index) {
  T value = index < c->vlmax ? getLane<T>(c, i->rs2, index) : T(0);
  mapLanes<T>(c, i, i->rd, Splat<T>(value), [](T a, T) { return a; });
}
static bool splatLane(Core *c, const Inst *i, uint32_t index) {
  return writable(c, i, i->rd | i->rs2) && i->rd != i->rs2 &&
         bySew(c, [&]<class T>() { gatherOne<T>(c, i, index); });
}
TEC_VECTOR(vrgather_vx, splatLane(c, i, c->x[i->rs1]))
TEC_VECTOR(vrgather_vi, splatLane(c, i, i->imm))

/// The lanes of vs2 whose bit is set in vs1, one after the other.
template <class T> static void compress(Core *c, const Inst *i) {
  unsigned to = 0;
  for (unsigned k = 0; k < c->vl; ++k)
    if (reg(c, i->rs1)[k / 8] >> (k % 8) & 1)
      setLane(c, i->rd, to++, getLane<T>(c, i->rs2, k));
}
TEC_VECTOR(vcompress_vm, aligned(c, i->rd | i->rs2) && i->rd != i->rs2 &&
                             !inGroup(c, i->rs1, i->rd) &&
                             bySew(c, [&]<class T>() { compress<T>(c, i); }))

} // namespace yarrow::sim::tec::YARROW_TEC_SIMD
