//===- WindowProducts.h - Windows times filters on the host -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The sums of convolutions: some windows of a padded input against a block of
// filters, each an output lane of a vector. Four products of bytes of a filter
// are added at a time, or two products of words (VNNI).
//
// A window consists of runs of neighbours. Runs are cut into pieces, and pieces
// are combined into batches whose sums fit 32 bits.
//
//   Filters filters(Products::Bytes, DType::I8, weights, filterPitch, runs);
//   filters.pack(/*first=*/0, /*count=*/64);
//   addWindows(filters, firstWindow, pitchBytes, /*windows=*/8, sums);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_HOST_WINDOWPRODUCTS_H
#define YARROW_KERNELS_HOST_WINDOWPRODUCTS_H

#include "kernels/Elements.h"

#include <cstddef>
#include <vector>

namespace yarrow::kernels {

/// How inputs and weights are multiplied.
enum class Products : uint32_t {
  Bytes,     ///< uint8 by int8
  Words,     ///< int16 by int8, or 9 bits by int16
  WordHalves ///< int16 by the upper and by the lower bytes of int16
};

/// Neighbours in the input, and in the weights of a filter.
struct WindowRun {
  int64_t input;  ///< Elements from the window's first.
  int64_t weight; ///< The same of a filter.
  uint32_t length;
};

constexpr uint32_t kFilterLanes = 16;
constexpr uint32_t kMostFilters = 64, kMostWindows = 8;

/// Filters as the instructions want them.
class Filters {
public:
  /// \p weights are [filter][filterPitch], of \p type.
  Filters(Products products, DType type, const void *weights,
          int64_t filterPitch, const std::vector<WindowRun> &runs);

  /// Takes those from \p first on, at most kMostFilters.
  void pack(uint32_t first, uint32_t count);

  /// The sum of filter \p i of those that were packed.
  int64_t sumOf(uint32_t i) const { return sums[i]; }
  uint32_t vectors() const { return numVectors; }
  Products products() const { return how; }
  uint32_t elementBytes() const { return how == Products::Bytes ? 1 : 2; }

  struct Piece {
    int64_t input;
    uint32_t steps; ///< Of four bytes.
  };
  struct Batch {
    std::size_t firstPiece, endPiece;
    std::size_t firstStep;
  };
  const std::vector<Batch> &batches() const { return allBatches; }
  const Piece *piece(std::size_t i) const { return pieces.data() + i; }
  /// [step][vector][lane] of four bytes.
  const uint32_t *lanes(std::size_t step, bool isUpper) const {
    const std::vector<uint32_t> &from = isUpper ? upper : packed;
    return from.data() + step * numVectors * kFilterLanes;
  }

private:
  int32_t weightAt(int64_t index) const;
  void packRun(const WindowRun &run, int64_t filter, std::size_t step,
               uint32_t lane);

  Products how;
  DType type;
  const void *weights;
  int64_t filterPitch;
  const std::vector<WindowRun> &runs;
  std::vector<Piece> pieces;
  std::vector<Batch> allBatches;
  std::size_t numSteps = 0;
  uint32_t numVectors = 0;
  std::vector<uint32_t> packed, upper;
  int64_t sums[kMostFilters] = {};
};

/// Whether the host has the instructions.
bool hostAddsProducts();

/// sums[window * kMostFilters + filter] += the products of the windows that are
/// \p pitchBytes apart, from \p first on. Up to three bytes behind a run are
/// read as well. Sums of lanes without a filter are overwritten.
void addWindows(const Filters &filters, const uint8_t *first,
                int64_t pitchBytes, uint32_t windows, int64_t *sums);

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_HOST_WINDOWPRODUCTS_H
