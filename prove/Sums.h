//===- Sums.h - The possible sums of a convolution --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// From the actual weights of a command and the range of its input's type, by
// interval arithmetic in exact integers: the least and the greatest sum of each
// output channel. As 0 is a value of every type, each partial sum lies between
// them too, in whatever order the engine adds.
//
//   SumBounds bounds = sumBounds(conv, weights);
//   if (bounds.largest > isa::largestSum(conv.inType)) ... // may overflow
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PROVE_SUMS_H
#define YARROW_PROVE_SUMS_H

#include "isa/Descriptors.h"
#include <span>
#include <vector>

namespace yarrow::prove {

/// Both ends are reached, or a little beyond what is.
struct SumRange {
  int64_t least = 0, greatest = 0;

  SumRange operator+(const SumRange &other) const {
    return {least + other.least, greatest + other.greatest};
  }
  SumRange operator+(int64_t more) const {
    return {least + more, greatest + more};
  }
  int64_t magnitude() const { return greatest > -least ? greatest : -least; }
  bool operator==(const SumRange &) const = default;
};

struct SumBounds {
  std::vector<SumRange> channels;
  /// Of all that the engine holds on the way, in the Winograd mode also taps.
  int64_t largest = 0;
};

/// \p weights as the command reads them, tap shifts included.
SumBounds sumBounds(const isa::Conv &conv, std::span<const uint8_t> weights);

/// A weight of those that a command reads, widened.
int64_t weightAt(const isa::Conv &conv, std::span<const uint8_t> weights,
                 size_t index);

/// The integers of a type.
SumRange typeRange(isa::ElementType type);

/// Of a product of operands with values of \p a and \p b.
SumRange sumBounds(const isa::MatMul &product, SumRange a, SumRange b);

} // namespace yarrow::prove

#endif // YARROW_PROVE_SUMS_H
