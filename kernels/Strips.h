//===- Strips.h - Elements that stay in registers ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A chunk (Elements.h) is loaded, computed and stored by separate loops that
// pass it through the stack. For a few operations per element, this takes most
// of the time. A strip of 32 elements is one value: it is loaded, computed and
// stored in vector registers, in one loop. So strips are for common and simple
// cases; chunks are for the rest.
//
//   forEachStrip(begin, end, [&](uint32_t i, auto size) {
//     Strip<int32_t> x;
//     loadStrip<int8_t>(input, i, size, x);
//     x += zp;
//     storeStrip<uint8_t>(x, size, output, i);
//   });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_STRIPS_H
#define YARROW_KERNELS_STRIPS_H

#include "kernels/Elements.h"
#include "kernels/Params.h"
#include "kernels/Signature.h"
#include "support/Numeric.h"

namespace yarrow::kernels {

/// 32-bit elements of four vector registers, as many as LLVM's loops use.
constexpr uint32_t kStrip = 32;

template <typename T, uint32_t Count> struct LanesOf {
  typedef T Type __attribute__((vector_size(Count * sizeof(T))));
};
template <typename T> using Strip = typename LanesOf<T, kStrip>::Type;

/// As many elements T as a vector has.
template <typename T, typename Vector>
using Like = typename LanesOf<T, sizeof(Vector) / sizeof(Vector{}[0])>::Type;

/// How many elements of a strip there are: all of them, or those that are left
/// at an end, where loads give 0 for the others. `lanes` are those of the
/// vectors that hold them.
template <uint32_t Lanes> struct Whole {
  static constexpr uint32_t lanes = Lanes, count = Lanes;
};
template <uint32_t Lanes> struct PartOf {
  static constexpr uint32_t lanes = Lanes;
  uint32_t count;
};
using WholeStrip = Whole<kStrip>;
using PartOfStrip = PartOf<kStrip>;

/// Calls fn(i, size) for the strips of [begin, end).
template <typename Fn>
inline void forEachStrip(uint32_t begin, uint32_t end, Fn fn) {
  uint32_t wholeEnd = begin + (end - begin) / kStrip * kStrip;
  for (uint32_t i = begin; i < wholeEnd; i += kStrip)
    fn(i, WholeStrip());
  if (wholeEnd < end)
    fn(wholeEnd, PartOfStrip{end - wholeEnd});
}

/// The vector of T for a size.
template <typename T, typename Size>
using Fitting = typename LanesOf<T, Size::lanes>::Type;

#ifdef __riscv
/// The lanes of a part as the mask of a load or store, which a TEC has in one
/// instruction, where a copy of so many bytes would be a call.
template <uint32_t Lanes> inline auto maskOf(PartOf<Lanes> size) {
  typedef bool Mask __attribute__((ext_vector_type(Lanes)));
  typename LanesOf<int32_t, Lanes>::Type lanes;
  for (uint32_t i = 0; i < Lanes; ++i)
    lanes[i] = int32_t(i);
  return __builtin_convertvector(lanes < int32_t(size.count), Mask);
}
#endif

/// to = src[index ...], elements of type T.
template <typename T, typename Size, typename Vector>
inline void loadStrip(const void *src, int64_t index, Size size, Vector &to) {
  Like<T, Vector> from{};
  __builtin_memcpy(&from, static_cast<const T *>(src) + index,
                   size.count * sizeof(T));
  to = __builtin_convertvector(from, Vector);
}
#ifdef __riscv
template <typename T, uint32_t Lanes, typename Vector>
inline void loadStrip(const void *src, int64_t index, PartOf<Lanes> size,
                      Vector &to) {
  typedef T From __attribute__((ext_vector_type(Lanes)));
  From from = __builtin_masked_load(
      maskOf(size), static_cast<const T *>(src) + index, From(0));
  to = __builtin_convertvector(
      __builtin_bit_cast(typename LanesOf<T, Lanes>::Type, from), Vector);
}
#endif

/// The same of an operand with a stride of 1 or, one element for all, of 0.
template <typename T, typename Size, typename Vector>
inline void loadStrip(const void *src, int64_t index, int32_t stride, Size size,
                      Vector &to) {
  if (stride == 0)
    to = Vector{} + static_cast<const T *>(src)[index];
  else
    loadStrip<T>(src, index, size, to);
}

/// The same of weights, which have 8 or 16 bits.
template <typename Size>
inline void loadWeights(DType type, const void *src, int64_t index,
                        int32_t stride, Size size, Strip<int32_t> &to) {
  if (type == DType::I8)
    loadStrip<int8_t>(src, index, stride, size, to);
  else
    loadStrip<int16_t>(src, index, stride, size, to);
}

/// 0, 1, 2, ...: the number of each lane.
constexpr Strip<int32_t> kLanes = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                   11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                   22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

/// Sets the lanes beyond the end to `other`.
template <typename Vector, typename T>
inline void fillBeyond(Vector &, WholeStrip, T) {}
template <typename Vector, typename T>
inline void fillBeyond(Vector &v, PartOfStrip size, T other) {
  auto isInside =
      __builtin_convertvector(kLanes < int32_t(size.count), decltype(v == v));
  v = isInside ? v : Vector{} + other;
}

/// to = table[index] of each lane; indices are vectors of int32_t.
template <typename T, typename Index, typename Vector>
inline void gatherStrip(const T *table, const Index &index, Vector &to) {
  constexpr uint32_t kLanesOfIndex = sizeof(Index) / sizeof(int32_t);
  typedef int32_t Places __attribute__((ext_vector_type(kLanesOfIndex)));
  typedef bool Lanes __attribute__((ext_vector_type(kLanesOfIndex)));
  using From = typename LanesOf<T, kLanesOfIndex>::Type;
  From from = __builtin_bit_cast(
      From, __builtin_masked_gather(Lanes(-1),
                                    __builtin_bit_cast(Places, index), table));
  to = __builtin_convertvector(from, Vector);
}

/// to = src[index], src[index + stride], ...; lanes beyond the end have the
/// last value.
template <typename T, typename Size, typename Vector>
inline void loadStrided(const void *src, int64_t index, int32_t stride,
                        Size size, Vector &to) {
  if (stride == 1)
    return loadStrip<T>(src, index, size, to);
  auto last = Strip<int32_t>{} + int32_t(size.count - 1);
  gatherStrip(static_cast<const T *>(src) + index,
              __builtin_elementwise_min(kLanes, last) * stride, to);
}

/// dst[index ...] = v; integers lose their high bits.
template <typename T, typename Size, typename Vector>
inline void storeStrip(const Vector &v, Size size, void *dst, int64_t index) {
  using To = Like<T, Vector>;
  To to = __builtin_convertvector(v, To);
  __builtin_memcpy(static_cast<T *>(dst) + index, &to, size.count * sizeof(T));
}

#ifdef __riscv
template <typename T, uint32_t Lanes, typename Vector>
inline void storeStrip(const Vector &v, PartOf<Lanes> size, void *dst,
                       int64_t index) {
  typedef T To __attribute__((ext_vector_type(Lanes)));
  auto to = __builtin_convertvector(v, typename LanesOf<T, Lanes>::Type);
  __builtin_masked_store(maskOf(size), __builtin_bit_cast(To, to),
                         static_cast<T *>(dst) + index);
}
#endif

/// dst[index], dst[index + stride], ... = v.
template <typename T, typename Size>
inline void storeStrided(const Strip<int32_t> &v, Size size, void *dst,
                         int64_t index, int32_t stride) {
  if (stride == 1)
    return storeStrip<T>(v, size, dst, index);
  T values[kStrip];
  storeStrip<T>(v, WholeStrip(), values, 0);
  auto *__restrict to = static_cast<T *>(dst) + index;
  for (uint32_t i = 0; i < size.count; ++i)
    to[int64_t(i) * stride] = values[i];
}

/// The same of elements of 8, 16 or 32 bits.
template <typename Size>
inline void storeStrip(DType type, const Strip<int32_t> &v, Size size,
                       void *dst, int64_t index) {
  if (dtypeBytes(type) == 1)
    storeStrip<uint8_t>(v, size, dst, index);
  else if (dtypeBytes(type) == 2)
    storeStrip<uint16_t>(v, size, dst, index);
  else
    storeStrip<int32_t>(v, size, dst, index);
}

/// Whether strips take both operands as they lie.
inline bool areStripStrides(const BroadcastShape &shape) {
  uint32_t inner = shape.rank - 1;
  return (shape.strideA[inner] | shape.strideB[inner] | 1) == 1;
}

/// Calls fn(T()) with the type of \p type; for what isByte says so.
template <typename Fn> inline void withByte(DType type, Fn fn) {
  if (type == DType::I8)
    fn(int8_t());
  else
    fn(uint8_t());
}
constexpr bool isByte(DType type) { return dtypeBytes(type) == 1; }

/// The same of types of 16 bits, too.
template <typename Fn> inline void withSmallInt(DType type, Fn fn) {
  if (type == DType::I16)
    fn(int16_t());
  else if (type == DType::U16)
    fn(uint16_t());
  else
    withByte(type, fn);
}
constexpr bool isSmallInt(DType type) {
  return isByte(type) || type == DType::I16 || type == DType::U16;
}

/// Bit i is set if lane i of a comparison holds.
template <typename Mask> inline uint32_t lanesWhere(const Mask &mask) {
  typedef bool Bits __attribute__((ext_vector_type(kStrip)));
  return __builtin_bit_cast(uint32_t, __builtin_convertvector(mask, Bits));
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_STRIPS_H
