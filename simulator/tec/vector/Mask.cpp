//===- Mask.cpp - Instructions on mask registers --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/vector/Lanes.h"

namespace yarrow::sim::tec::YARROW_TEC_SIMD {

namespace {
/// A whole mask register.
struct MaskWords {
  uint64_t of[4];
};
} // namespace

static MaskWords readMask(Core *c, unsigned number) {
  MaskWords words;
  std::memcpy(words.of, reg(c, number), sizeof words.of);
  return words;
}
static bool isLegal(const Core *c) { return c->sew != kNoSew; }

/// The bits of vs2 that are below vl and active.
static MaskWords activeSource(Core *c, const Inst *i) {
  MaskWords all = readMask(c, i->rs2), mask = readMask(c, 0);
  for (unsigned w = 0; w < 4; ++w) {
    uint64_t below = c->vl >= w * 64 + 64 ? ~uint64_t(0)
                     : c->vl <= w * 64    ? 0
                                          : (uint64_t(1) << (c->vl % 64)) - 1;
    all.of[w] &= i->vm ? below : below & mask.of[w];
  }
  return all;
}

/// The first set bit, or 256.
static unsigned firstSet(const MaskWords &mask) {
  for (unsigned w = 0; w < 4; ++w)
    if (mask.of[w])
      return w * 64 + __builtin_ctzll(mask.of[w]);
  return 256;
}

template <class F> static bool logical(Core *c, const Inst *i, F f) {
  if (!isLegal(c))
    return false;
  MaskWords a = readMask(c, i->rs2), b = readMask(c, i->rs1);
  MaskResult result;
  for (unsigned w = 0; w < 4; ++w)
    result.words[w] = f(a.of[w], b.of[w]);
  writeMask(c, false, i->rd, result);
  return true;
}
#define TEC_LOGICAL(NAME, EXPRESSION)                                          \
  TEC_VECTOR(NAME##_mm,                                                        \
             logical(c, i, [](uint64_t a, uint64_t b) { return EXPRESSION; }))
TEC_LOGICAL(vmand, a &b)
TEC_LOGICAL(vmnand, ~(a &b))
TEC_LOGICAL(vmandn, a & ~b)
TEC_LOGICAL(vmxor, a ^ b)
TEC_LOGICAL(vmor, a | b)
TEC_LOGICAL(vmnor, ~(a | b))
TEC_LOGICAL(vmorn, a | ~b)
TEC_LOGICAL(vmxnor, ~(a ^ b))

static bool countPopulation(Core *c, const Inst *i) {
  if (!isLegal(c))
    return false;
  MaskWords source = activeSource(c, i);
  unsigned count = 0;
  for (uint64_t word : source.of)
    count += __builtin_popcountll(word);
  c->x[i->rd] = count;
  return true;
}
TEC_VECTOR(vcpop_m, countPopulation(c, i))

static bool findFirst(Core *c, const Inst *i) {
  if (!isLegal(c))
    return false;
  unsigned first = firstSet(activeSource(c, i));
  c->x[i->rd] = first == 256 ? UINT32_MAX : first;
  return true;
}
TEC_VECTOR(vfirst_m, findFirst(c, i))

/// Sets bit k when f(k, the first set bit).
template <class F> static bool setRelative(Core *c, const Inst *i, F f) {
  if (!isLegal(c) || i->rd == i->rs2 || i->overwritesMask())
    return false;
  unsigned first = firstSet(activeSource(c, i));
  MaskResult result;
  for (unsigned k = 0; k < c->vl; ++k)
    result.set<1>(k, f(k, first));
  writeMask(c, !i->vm, i->rd, result);
  return true;
}
TEC_VECTOR(vmsbf_m, setRelative(c, i, [](unsigned k, unsigned first) {
             return k < first;
           }))
TEC_VECTOR(vmsif_m, setRelative(c, i, [](unsigned k, unsigned first) {
             return k <= first;
           }))
TEC_VECTOR(vmsof_m, setRelative(c, i, [](unsigned k, unsigned first) {
             return k == first;
           }))

/// vd[k] = number of active set bits of vs2 below k.
template <class T> static void prefixCount(Core *c, const Inst *i) {
  MaskWords source = activeSource(c, i);
  T count = 0;
  for (unsigned k = 0; k < c->vl; ++k) {
    if (isActive(c, i, k))
      setLane<T>(c, i->rd, k, count);
    count += source.of[k / 64] >> (k % 64) & 1;
  }
}
TEC_VECTOR(viota_m, writable(c, i, i->rd) && !inGroup(c, i->rs2, i->rd) &&
                        bySew(c, [&]<class T>() { prefixCount<T>(c, i); }))

template <class T> static void laneNumbers(Core *c, const Inst *i) {
  constexpr unsigned N = kChunkBytes / sizeof(T);
  for (unsigned k = 0; k < c->vl; k += N) {
    T lanes[N];
    TEC_LANES
    for (unsigned j = 0; j < N; ++j)
      lanes[j] = T(T(k) + T(j));
    storeLanes(c, !i->vm, reg(c, i->rd), lanes, k);
  }
}
TEC_VECTOR(vid_v, writable(c, i, i->rd) &&
                      bySew(c, [&]<class T>() { laneNumbers<T>(c, i); }))

} // namespace yarrow::sim::tec::YARROW_TEC_SIMD
