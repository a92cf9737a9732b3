//===- Extent.h - Which bytes around an address are touched -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The vocabulary in which a descriptor's record says what it reads and writes
// (isa/Descriptors.td). Sizes saturate: no field of a made-up descriptor wraps
// around into an extent that fits memory.
//
//   Extent rows = strided(16, {{height, rowStride}, {width, 16}});
//   Extent table = bytes(1u << log2Items, elementBytes(type));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_ISA_EXTENT_H
#define YARROW_ISA_EXTENT_H

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace yarrow::isa {

/// The bytes [begin, end) relative to an address; begin <= 0.
struct Extent {
  int64_t begin = 0, end = 0;
  uint64_t sizeBytes() const { return uint64_t(end) - uint64_t(begin); }
};

/// No memory comes near, and sums of a few of them stay in 64 bits.
constexpr int64_t kMostExtentBytes = int64_t(1) << 56;

constexpr int64_t saturatingProduct(int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || product > kMostExtentBytes)
    return (a < 0) == (b < 0) ? kMostExtentBytes : -kMostExtentBytes;
  return product < -kMostExtentBytes ? -kMostExtentBytes : product;
}

/// So many bytes from the address on.
constexpr Extent bytes(uint64_t count, uint64_t elementBytes = 1) {
  constexpr auto kMost = uint64_t(kMostExtentBytes);
  return {0, saturatingProduct(int64_t(count < kMost ? count : kMost),
                               int64_t(elementBytes))};
}

struct ExtentAxis {
  uint64_t count;
  int64_t strideBytes; ///< May be negative, or 0.
};
/// Runs of \p runBytes bytes along axes; an axis of none or one is where the
/// address is.
constexpr Extent strided(uint64_t runBytes,
                         std::initializer_list<ExtentAxis> axes) {
  Extent extent = bytes(runBytes);
  for (const ExtentAxis &axis : axes) {
    if (axis.count < 2)
      continue;
    int64_t reach =
        saturatingProduct(int64_t(axis.count - 1), axis.strideBytes);
    (reach < 0 ? extent.begin : extent.end) += reach;
  }
  return extent;
}

/// A field that is an address, and the one with its region; "" means SRAM.
struct AddressField {
  std::string_view name, region;
};

/// What a command does at one of its addresses.
struct FieldAccess {
  unsigned field;  ///< Of the descriptor's kAddressFields.
  uint32_t region; ///< kSramRegion, or a part of DDR.
  uint32_t offset; ///< The field's value: where in the region.
  Extent extent;   ///< Relative to it.
  bool isWrite;
};

} // namespace yarrow::isa

#endif // YARROW_ISA_EXTENT_H
