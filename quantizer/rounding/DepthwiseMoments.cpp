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

namespace {

/// Sums of products in float, which a few hundred rows leave exact enough, and
/// then in double.
template <std::size_t kLanes> class LaneSums {
public:
  LaneSums(std::size_t size, double *to) : sums(size * kLanes), to(to) {}

  void addProduct(std::size_t i, const float *a, const float *b) {
    float *sum = sums.data() + i * kLanes;
    for (std::size_t l = 0; l < kLanes; ++l)
      sum[l] += a[l] * b[l];
  }
  void add(std::size_t i, const float *a) {
    float *sum = sums.data() + i * kLanes;
    for (std::size_t l = 0; l < kLanes; ++l)
      sum[l] += a[l];
  }
  void flush() {
    for (std::size_t i = 0; i < sums.size(); ++i)
      to[i] += double(sums[i]);
    std::fill(sums.begin(), sums.end(), 0.0f);
  }

private:
  std::vector<float> sums;
  double *to;
};

} // namespace

/// The lanes of a row, packed; what lies behind the last channel is 0.
static void pack(const float *row, std::size_t taps, std::size_t channels,
                 std::size_t lanes, std::size_t pitch, float *to) {
  for (std::size_t t = 0; t < taps; ++t)
    std::copy_n(row + t * channels, lanes, to + t * pitch);
}

void DepthwiseMoments::addBlock(std::span<const float> floats,
                                std::span<const float> integers,
                                std::size_t block) {
  constexpr std::size_t kRowsOfSum = 256;
  std::size_t first = block * kLanes,
              lanes = std::min(kLanes, channels - first),
              width = taps * channels, rows = floats.size() / width;
  std::size_t atSums = block * taps * kLanes, atProducts = atSums * taps;
  LaneSums<kLanes> ofFloats(taps, floatSums.data() + atSums),
      products(taps * taps, second.data() + atProducts);
  LaneSums<kLanes> ofInts(isCross ? taps : 0,
                          isCross ? intSums.data() + atSums : nullptr),
      byFloats(isCross ? taps * taps : 0,
               isCross ? cross.data() + atProducts : nullptr);
  std::vector<float> f(taps * kLanes), x(taps * kLanes);
  for (std::size_t row = 0; row < rows; ++row) {
    pack(floats.data() + row * width + first, taps, channels, lanes, kLanes,
         f.data());
    if (isCross)
      pack(integers.data() + row * width + first, taps, channels, lanes, kLanes,
           x.data());
    const std::vector<float> &own = isCross ? x : f;
    for (std::size_t i = 0; i < taps; ++i) {
      ofFloats.add(i, &f[i * kLanes]);
      for (std::size_t j = i; j < taps; ++j)
        products.addProduct(i * taps + j, &own[i * kLanes], &own[j * kLanes]);
      if (!isCross)
        continue;
      ofInts.add(i, &x[i * kLanes]);
      for (std::size_t j = 0; j < taps; ++j)
        byFloats.addProduct(i * taps + j, &f[i * kLanes], &x[j * kLanes]);
    }
    if (row % kRowsOfSum == kRowsOfSum - 1 || row + 1 == rows) {
      ofFloats.flush(), products.flush();
      ofInts.flush(), byFloats.flush();
    }
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
