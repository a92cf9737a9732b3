//===- Lanes.h - Loops over the elements of vector registers ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A vector instruction is a function of one lane, applied to chunks of 32 bytes
// (of the widest operand). Trip counts within a chunk are constant, so the host
// compiler generates SIMD code; a chunk that vl or the mask cuts is blended
// with the destination's old values.
//
//   bySew(c, [&]<class T>() {
//     mapLanes<T>(c, i, i->rd, Reg<T>(c, i->rs2), Reg<T>(c, i->rs1),
//                 [](T a, T b, T old) { return T(a + b); });
//   });
//
// A chunk reads its operands before it writes, and chunks go upwards; that
// covers every overlap of registers that V 5.2 permits.
//
// The folder is compiled once for each set of host instructions
// (YARROW_TEC_SIMD names it, and the namespace); nothing here may have a copy
// that the linker could merge with another's.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_TEC_VECTOR_LANES_H
#define YARROW_SIMULATOR_TEC_VECTOR_LANES_H

#include "simulator/tec/Exec.h"
#include "simulator/tec/FloatOps.h"
#include <cstring>
#include <type_traits>

/// Defines a handler whose body is an expression; false: illegal instruction,
/// or one that vstart says to resume.
#define TEC_VECTOR(NAME, ...)                                                  \
  TEC_EXEC(NAME) {                                                             \
    if (!(__VA_ARGS__)) [[unlikely]]                                           \
      [[clang::musttail]] return illegalOrResume(c, i, block, left);           \
    c->work += c->vl;                                                          \
    TEC_NEXT;                                                                  \
  }

/// In front of a loop over the N lanes of a chunk: left alone, the compiler
/// unrolls it and then finds no vectors in what has conditions.
#define TEC_LANES                                                              \
  _Pragma("clang loop vectorize_width(N) interleave_count(1) unroll(disable)")

namespace yarrow::sim::tec::YARROW_TEC_SIMD {

template <class T> struct WiderOf;
template <> struct WiderOf<uint8_t> {
  using Type = uint16_t;
};
template <> struct WiderOf<uint16_t> {
  using Type = uint32_t;
};
template <> struct WiderOf<uint32_t> {
  using Type = uint64_t;
};
template <> struct WiderOf<int8_t> {
  using Type = int16_t;
};
template <> struct WiderOf<int16_t> {
  using Type = int32_t;
};
template <> struct WiderOf<int32_t> {
  using Type = int64_t;
};
template <class T> using Wider = typename WiderOf<T>::Type;

template <class U, bool Signed>
using Lane = std::conditional_t<Signed, std::make_signed_t<U>, U>;

/// Unsigned and at least as wide as int: arithmetic in it wraps.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

inline constexpr unsigned kChunkBytes = 32;

template <class F> static inline bool bySew(const Core *c, F f) {
  switch (c->sew) {
  case 0:
    f.template operator()<uint8_t>();
    return true;
  case 1:
    f.template operator()<uint16_t>();
    return true;
  case 2:
    f.template operator()<uint32_t>();
    return true;
  case 3:
    f.template operator()<uint64_t>();
    return true;
  default:
    return false;
  }
}
/// For instructions with an operand of twice SEW.
template <class F> static inline bool byNarrowSew(const Core *c, F f) {
  switch (c->sew) {
  case 0:
    f.template operator()<uint8_t>();
    return true;
  case 1:
    f.template operator()<uint16_t>();
    return true;
  case 2:
    f.template operator()<uint32_t>();
    return true;
  default:
    return false;
  }
}

/// The first register of each group is a multiple of LMUL. \p registers is the
/// OR of their numbers.
static inline bool aligned(const Core *c, unsigned registers) {
  return (registers & c->groupMask) == 0;
}
/// The same for groups of 2 * LMUL, which must not exceed 8.
static inline bool alignedWide(const Core *c, unsigned registers) {
  return Core::isAligned(registers, c->wideMask);
}
/// As aligned, for an instruction that writes a group under v0: vd must not
/// hold the mask.
static inline bool writable(const Core *c, const Inst *i, unsigned registers) {
  return ((registers & c->groupMask) | i->overwritesMask()) == 0;
}

// Overlaps of a destination with a source of another element width (V 5.2).
// The groups are aligned, which leaves few cases.

/// A wide destination may overlap the upper half of its group only.
static inline bool mayWiden(const Inst *i, unsigned narrow) {
  return i->rd != narrow && !i->overwritesMask();
}
/// A narrow destination may overlap the lower half of a wide group only.
static inline bool mayNarrow(const Core *c, const Inst *i) {
  return (c->lmul < 0 || i->rd != i->rs2 + (1u << c->lmul)) &&
         !i->overwritesMask();
}
/// True if \p number is in the group of LMUL registers at \p first.
static inline bool inGroup(const Core *c, unsigned number, unsigned first) {
  return (number & ~unsigned(c->groupMask)) == first;
}
/// A mask result may overlap the first register of a group only.
static inline bool mayMark(const Core *c, const Inst *i, unsigned source) {
  return i->rd == source || !inGroup(c, i->rd, source);
}

static inline uint8_t *reg(Core *c, unsigned number) {
  return c->v + number * kVlenBytes;
}

/// Lanes of a register group.
template <class T> struct Reg {
  using Type = T;
  const uint8_t *from;
  Reg(Core *c, unsigned number) : from(reg(c, number)) {}
  template <unsigned N> void load(T (&to)[N], unsigned k) const {
    std::memcpy(to, from + k * sizeof(T), sizeof to);
  }
};
/// The same value in all lanes.
template <class T> struct Splat {
  using Type = T;
  T value;
  explicit Splat(T value) : value(value) {}
  template <unsigned N> void load(T (&to)[N], unsigned) const {
    for (unsigned j = 0; j < N; ++j)
      to[j] = value;
  }
};
/// For an operation without that operand.
struct Nothing {
  using Type = uint8_t;
  template <unsigned N> void load(uint8_t (&)[N], unsigned) const {}
};

/// Bits k to k + N of a mask.
template <unsigned N>
static inline uint32_t maskBitsAt(const uint8_t *mask, unsigned k) {
  const uint8_t *from = mask + k / 8;
  if constexpr (N < 8) {
    return *from >> (k & 7) & ((1u << N) - 1);
  } else {
    uint32_t bits = 0;
    std::memcpy(&bits, from, N / 8);
    return bits;
  }
}
/// The same of v0 as an operand.
template <unsigned N> static inline uint32_t operandBits(Core *c, unsigned k) {
  return maskBitsAt<N>(c->v, k);
}

/// Bits of the lanes from k on that are below vl and active.
template <unsigned N>
static inline uint32_t activeBits(Core *c, bool masked, unsigned k) {
  uint32_t bits = c->vl - k >= N ? uint32_t((uint64_t(1) << N) - 1)
                                 : (1u << (c->vl - k)) - 1;
  return masked ? bits & maskBitsAt<N>(c->activeMask, k) : bits;
}

/// Of eight bits each, eight bytes 0 or 0xff.
struct ByteMasks {
  uint64_t of[256];
  constexpr ByteMasks() : of() {
    for (unsigned bits = 0; bits < 256; ++bits)
      for (unsigned j = 0; j < 8; ++j)
        of[bits] |= bits >> j & 1 ? uint64_t(0xff) << (8 * j) : 0;
  }
};
static constexpr ByteMasks kByteMasks;

template <unsigned Bytes>
using UnsignedOf = std::conditional_t<
    Bytes == 1, uint8_t,
    std::conditional_t<Bytes == 2, uint16_t,
                       std::conditional_t<Bytes == 4, uint32_t, uint64_t>>>;

/// Replaces the lanes at \p to whose bit is set. In vector types: a loop of
/// selects becomes a loop of selected addresses.
template <class D, unsigned N>
static inline void blendLanes(uint8_t *to, const D (&lanes)[N], uint32_t bits) {
  using U = UnsignedOf<sizeof(D)>;
  typedef int8_t Bytes __attribute__((vector_size(N)));
  typedef std::make_signed_t<U> Masks
      __attribute__((vector_size(sizeof lanes)));
  Bytes bytes;
  for (unsigned j = 0; j < N; j += 8)
    std::memcpy(reinterpret_cast<uint8_t *>(&bytes) + j,
                &kByteMasks.of[bits >> j & 255], N < 8 ? N : 8);
  Masks take = __builtin_convertvector(bytes, Masks), fresh, old;
  std::memcpy(&fresh, lanes, sizeof fresh);
  std::memcpy(&old, to, sizeof old);
  old = (fresh & take) | (old & ~take);
  std::memcpy(to, &old, sizeof old);
}

/// Writes the lanes from k on that are below vl and active.
template <class D, unsigned N>
static inline void storeLanes(Core *c, bool masked, uint8_t *to,
                              const D (&lanes)[N], unsigned k) {
  to += k * sizeof(D);
  if (!masked && k + N <= c->vl) [[likely]]
    std::memcpy(to, lanes, sizeof lanes);
  else
    blendLanes(to, lanes, activeBits<N>(c, masked, k));
}

template <class D, class A, class B>
inline constexpr unsigned kLanes =
    kChunkBytes / (sizeof(D) > sizeof(typename A::Type)
                       ? sizeof(D) > sizeof(typename B::Type)
                             ? sizeof(D)
                             : sizeof(typename B::Type)
                   : sizeof(typename A::Type) > sizeof(typename B::Type)
                       ? sizeof(typename A::Type)
                       : sizeof(typename B::Type));

/// vd[k] = f(a[k], b[k], vd[k]) for the active lanes.
template <class D, class A, class B, class F>
[[gnu::always_inline]] static inline void mapLanes(Core *c, const Inst *i,
                                                   unsigned vd, A a, B b, F f) {
  constexpr unsigned N = kLanes<D, A, B>;
  uint8_t *to = reg(c, vd);
  for (unsigned k = 0; k < c->vl; k += N) {
    typename A::Type la[N];
    typename B::Type lb[N];
    D old[N], result[N];
    a.template load<N>(la, k);
    b.template load<N>(lb, k);
    std::memcpy(old, to + k * sizeof(D), sizeof old);
    TEC_LANES
    for (unsigned j = 0; j < N; ++j)
      result[j] = f(la[j], lb[j], old[j]);
    storeLanes(c, !i->vm, to, result, k);
  }
}
template <class D, class A, class F>
[[gnu::always_inline]] static inline void mapLanes(Core *c, const Inst *i,
                                                   unsigned vd, A a, F f) {
  mapLanes<D>(c, i, vd, a, Nothing(),
              [f](typename A::Type x, uint8_t, D old) { return f(x, old); });
}

/// A mask result, gathered before it is written: the destination may overlap
/// the sources.
struct MaskResult {
  uint64_t words[4] = {};
  template <unsigned N> void set(unsigned k, uint32_t bits) {
    words[k / 64] |= uint64_t(bits) << (k % 64);
  }
};

/// One bit of each lane (0 or 1 in a byte).
template <unsigned N>
static inline uint32_t packBits(const uint8_t (&lanes)[N]) {
  uint32_t bits = 0;
  if constexpr (N < 8) {
    for (unsigned j = 0; j < N; ++j)
      bits |= uint32_t(lanes[j]) << j;
  } else {
    for (unsigned j = 0; j < N; j += 8) {
      uint64_t eight;
      std::memcpy(&eight, lanes + j, 8);
      bits |= uint32_t(eight * 0x0102040810204080 >> 56) << j;
    }
  }
  return bits;
}

/// Writes the bits below vl (and active, if masked) of a mask register.
static inline void writeMask(Core *c, bool masked, unsigned vd,
                             const MaskResult &result) {
  uint64_t old[4], active[4];
  std::memcpy(old, reg(c, vd), sizeof old);
  std::memcpy(active, c->activeMask, sizeof active);
  for (unsigned w = 0; w < 4; ++w) {
    uint64_t below = c->vl >= w * 64 + 64 ? ~uint64_t(0)
                     : c->vl <= w * 64    ? 0
                                          : (uint64_t(1) << (c->vl % 64)) - 1;
    uint64_t take = masked ? below & active[w] : below;
    old[w] = (old[w] & ~take) | (result.words[w] & take);
  }
  std::memcpy(reg(c, vd), old, sizeof old);
}

/// Mask vd: f(a[k], b[k]) for the active lanes.
template <class A, class B, class F>
[[gnu::always_inline]] static inline void compareLanes(Core *c, const Inst *i,
                                                       A a, B b, F f) {
  constexpr unsigned N = kLanes<uint8_t, A, B>;
  MaskResult mask;
  for (unsigned k = 0; k < c->vl; k += N) {
    typename A::Type la[N];
    typename B::Type lb[N];
    uint8_t result[N];
    a.template load<N>(la, k);
    b.template load<N>(lb, k);
    TEC_LANES
    for (unsigned j = 0; j < N; ++j)
      result[j] = f(la[j], lb[j]);
    mask.set<N>(k, packBits<N>(result));
  }
  writeMask(c, !i->vm, i->rd, mask);
}

static inline bool isActive(Core *c, const Inst *i, unsigned k) {
  return i->vm || (c->activeMask[k / 8] >> (k % 8) & 1);
}

template <class T>
static inline T getLane(Core *c, unsigned number, unsigned k) {
  T value;
  std::memcpy(&value, reg(c, number) + k * sizeof(T), sizeof value);
  return value;
}
template <class T>
static inline void setLane(Core *c, unsigned number, unsigned k, T value) {
  std::memcpy(reg(c, number) + k * sizeof(T), &value, sizeof value);
}

/// The scalar operand of .vx, sign-extended as V 10.1 says.
static inline int64_t scalarX(const Core *c, const Inst *i) {
  return int32_t(c->x[i->rs1]);
}

} // namespace yarrow::sim::tec::YARROW_TEC_SIMD

#endif // YARROW_SIMULATOR_TEC_VECTOR_LANES_H
