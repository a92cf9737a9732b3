//===- DepthwiseMoments.cpp - Moments of many small sums ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rounding/DepthwiseMoments.h"

#include "support/ThreadPool.h"

#include <algorithm>

using namespace yarrow;

DepthwiseMoments::DepthwiseMoments(std::size_t taps, std::size_t channels,
                                   bool isCross)
    : taps(taps), channels(channels), isCross(isCross),
      numBlocks((channels + kLanes - 1) / kLanes) {
  floatSums.resize(numBlocks * taps * kLanes);
  second.resize(floatSums.size() * taps);
  if (isCross) {
    intSums.resize(floatSums.size());
    cross.resize(second.size());
  }
}

void DepthwiseMoments::add(std::span<const float> floats,
                           std::span<const float> integers) {
  parallelFor(numBlocks,
              [&](std::size_t block) { addBlock(floats, integers, block); });
  count += floats.size() / (taps * channels);
}

/// Rows whose products are added in float, which leaves them exact enough, and
/// then in double.
static constexpr std::size_t kRowsOfSum = 256;
/// DepthwiseMoments::kLanes.
static constexpr std::size_t kVector = 16;

/// Rows of taps, each a vector.
struct PackedRows {
  const float *values;
  std::size_t taps, count;

  const float *at(std::size_t row, std::size_t tap) const {
    return values + (row * taps + tap) * kVector;
  }
};

/// to[lane] += the sum over rows of a's tap i times b's tap j; a null b is 1.
/// The host's vectors do not change the order of a lane's sums.
static inline __attribute__((always_inline)) void
addProducts(const PackedRows &a, std::size_t i, const PackedRows *b,
            std::size_t j, double *to) {
  float sums[kVector] = {};
  for (std::size_t row = 0; row < a.count; ++row) {
    const float *x = a.at(row, i);
    if (b) {
      const float *y = b->at(row, j);
      for (std::size_t l = 0; l < kVector; ++l)
        sums[l] += x[l] * y[l];
    } else {
      for (std::size_t l = 0; l < kVector; ++l)
        sums[l] += x[l];
    }
  }
  for (std::size_t l = 0; l < kVector; ++l)
    to[l] += double(sums[l]);
}

/// All that some rows add to the sums of a block.
struct BlockSums {
  double *floats, *ints, *second, *cross; ///< ints and cross may be null.
};
static inline __attribute__((always_inline)) void
addRowsIn(const PackedRows &floats, const PackedRows *integers,
          const BlockSums &to) {
  const PackedRows &own = integers ? *integers : floats;
  std::size_t taps = floats.taps;
  for (std::size_t i = 0; i < taps; ++i) {
    addProducts(floats, i, nullptr, 0, to.floats + i * kVector);
    for (std::size_t j = i; j < taps; ++j)
      addProducts(own, i, &own, j, to.second + (i * taps + j) * kVector);
    if (!integers)
      continue;
    addProducts(*integers, i, nullptr, 0, to.ints + i * kVector);
    for (std::size_t j = 0; j < taps; ++j)
      addProducts(floats, i, integers, j, to.cross + (i * taps + j) * kVector);
  }
}

using AddRows = void(const PackedRows &floats, const PackedRows *integers,
                     const BlockSums &to);
static void addRowsV2(const PackedRows &floats, const PackedRows *integers,
                      const BlockSums &to) {
  addRowsIn(floats, integers, to);
}
#ifdef __x86_64__
__attribute__((target("arch=x86-64-v4"), min_vector_width(512))) static void
addRowsV4(const PackedRows &floats, const PackedRows *integers,
          const BlockSums &to) {
  addRowsIn(floats, integers, to);
}
#endif

static AddRows *addRowsOfHost() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("x86-64-v4"))
    return addRowsV4;
#endif
  return addRowsV2;
}

/// The lanes of a row, packed; what lies behind the last channel is 0.
static void pack(const float *row, std::size_t taps, std::size_t channels,
                 std::size_t lanes, float *to) {
  for (std::size_t t = 0; t < taps; ++t)
    std::copy_n(row + t * channels, lanes, to + t * kVector);
}

void DepthwiseMoments::addBlock(std::span<const float> floats,
                                std::span<const float> integers,
                                std::size_t block) {
  static_assert(kLanes == kVector);
  static AddRows *const addRows = addRowsOfHost();
  std::size_t first = block * kLanes,
              lanes = std::min(kLanes, channels - first),
              width = taps * channels, rows = floats.size() / width;
  std::size_t atSums = block * taps * kLanes, atProducts = atSums * taps;
  BlockSums sums{floatSums.data() + atSums,
                 isCross ? intSums.data() + atSums : nullptr,
                 second.data() + atProducts,
                 isCross ? cross.data() + atProducts : nullptr};
  std::size_t together = std::min(rows, kRowsOfSum);
  std::vector<float> f(together * taps * kLanes),
      x(isCross ? f.size() : std::size_t(0));
  for (std::size_t begin = 0; begin < rows; begin += kRowsOfSum) {
    std::size_t part = std::min(kRowsOfSum, rows - begin);
    for (std::size_t i = 0; i < part; ++i) {
      std::size_t at = (begin + i) * width + first, to = i * taps * kLanes;
      pack(floats.data() + at, taps, channels, lanes, f.data() + to);
      if (isCross)
        pack(integers.data() + at, taps, channels, lanes, x.data() + to);
    }
    PackedRows ofFloats{f.data(), taps, part}, ofIntegers{x.data(), taps, part};
    addRows(ofFloats, isCross ? &ofIntegers : nullptr, sums);
  }
}

std::vector<InputMoments> DepthwiseMoments::finish() const {
  std::vector<InputMoments> result(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    InputMoments &m = result[c];
    std::size_t block = c / kLanes, lane = c % kLanes;
    auto sumOf = [&](const std::vector<double> &sums, std::size_t t) {
      return sums[(block * taps + t) * kLanes + lane] / double(count);
    };
    auto productOf = [&](const std::vector<double> &sums, std::size_t i,
                         std::size_t j) {
      return sums[((block * taps + i) * taps + j) * kLanes + lane] /
             double(count);
    };
    m.count = count;
    for (std::size_t t = 0; t < taps; ++t) {
      m.floatMean.push_back(float(sumOf(floatSums, t)));
      m.intMean.push_back(float(sumOf(isCross ? intSums : floatSums, t)));
    }
    const std::vector<double> &ownSums = isCross ? intSums : floatSums;
    m.second = Matrix(taps, taps);
    if (isCross)
      m.cross = Matrix(taps, taps);
    for (std::size_t i = 0; i < taps; ++i)
      for (std::size_t j = 0; j < taps; ++j) {
        m.second.at(i, j) =
            float(productOf(second, std::min(i, j), std::max(i, j)) -
                  sumOf(ownSums, i) * sumOf(ownSums, j));
        if (isCross)
          m.cross.at(i, j) = float(productOf(cross, i, j) -
                                   sumOf(floatSums, i) * sumOf(intSums, j));
      }
  }
  return result;
}
