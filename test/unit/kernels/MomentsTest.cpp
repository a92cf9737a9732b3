//===- MomentsTest.cpp - Integer moments by index -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"

#include <cmath>
#include <map>

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::Random;

namespace {

ReduceShape randomReduceShape(Random &random) {
  ReduceShape shape;
  shape.rank = 1 + random.below(4);
  for (uint32_t d = 0; d < shape.rank; ++d)
    shape.dims[d] = 1 + random.below(random.oneIn(4) ? 150 : 6);
  shape.reducedMask = 1 + random.below((1u << shape.rank) - 1);
  return shape;
}

/// The elements of each output, in the outputs' order.
std::vector<std::vector<size_t>> membersOf(const ReduceShape &shape) {
  std::map<size_t, std::vector<size_t>> members;
  size_t count = 1;
  for (uint32_t d = 0; d < shape.rank; ++d)
    count *= shape.dims[d];
  for (size_t i = 0; i < count; ++i) {
    size_t rest = i, output = 0, stride = 1;
    for (uint32_t d = shape.rank; d-- > 0; rest /= shape.dims[d])
      if (!(shape.reducedMask >> d & 1)) {
        output += rest % shape.dims[d] * stride;
        stride *= shape.dims[d];
      }
    members[output].push_back(i);
  }
  std::vector<std::vector<size_t>> result;
  for (auto &[output, elements] : members)
    result.push_back(elements);
  return result;
}

int64_t rounded(int64_t x, int shift) {
  return int64_t(std::nearbyint(std::ldexp(double(x), -shift)));
}

template <typename T> void checkMoments(DType type) {
  Random random(11 + uint64_t(type));
  for (int round = 0; round < 200; ++round) {
    MomentsIntParams p{.shape = randomReduceShape(random), .inType = type};
    p.isWide = sizeof(T) > 1;
    p.meanType = type;
    p.meanLo = std::numeric_limits<T>::min();
    p.meanHi = std::numeric_limits<T>::max();
    p.variance = {.outType = DType::U8, .lo = 0, .hi = 255};
    p.variance.scale = 1 + int32_t(random.below(255));
    p.variance.shift = int32_t(random.below(12)) + (p.isWide ? 18 : 4);
    auto members = membersOf(p.shape);
    std::vector<T> x(members.size() * members[0].size()), mean(members.size());
    std::vector<uint8_t> variance(members.size());
    for (T &v : x)
      v = T(random.next());
    runKernel("yk_moments_int", p, {x.data(), mean.data(), variance.data()},
              1 + random.below(5));
    for (size_t k = 0; k < members.size(); ++k) {
      double sum = 0, n = double(members[k].size());
      for (size_t i : members[k])
        sum += x[i];
      auto middle = int64_t(std::nearbyint(sum / n));
      int64_t squares = 0;
      for (size_t i : members[k])
        squares += (x[i] - middle) * (x[i] - middle);
      int64_t v = squares / int64_t(members[k].size());
      const Requant &r = p.variance;
      int64_t want = rounded(v * r.scale, r.shift);
      if (p.isWide)
        want = rounded((v >> 16) * r.scale, r.shift - 16) +
               rounded((v & 0xffff) * r.scale, r.shift);
      ASSERT_EQ(mean[k], middle) << round;
      ASSERT_EQ(variance[k], std::min<int64_t>(want, 255)) << round;
    }
  }
}

TEST(Moments, meanAndVariance) {
  checkMoments<int8_t>(DType::I8);
  checkMoments<uint8_t>(DType::U8);
  checkMoments<int16_t>(DType::I16);
  checkMoments<uint16_t>(DType::U16);
}

TEST(Moments, sumsOfDifferences) {
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    DifferenceSumsIntParams p{.shape = randomReduceShape(random)};
    for (Requant *r : {&p.sum, &p.squareSum}) {
      *r = {.outType = DType::I16, .zp = 7, .lo = -32768, .hi = 32767};
      r->scale = 1 + int32_t(random.below(32767));
      r->shift = int32_t(random.below(30));
    }
    auto members = membersOf(p.shape);
    std::vector<int32_t> d(members.size() * members[0].size());
    for (int32_t &v : d)
      v = int32_t(random.next()) >> (random.oneIn(9) ? 0 : 18);
    std::vector<int16_t> sum(members.size()), squares(members.size());
    runKernel("yk_difference_sums_int", p,
              {d.data(), sum.data(), squares.data()}, 1 + random.below(5));
    for (size_t k = 0; k < members.size(); ++k) {
      int64_t total = 0, high = 0, low = 0;
      for (size_t i : members[k]) {
        total += d[i];
        auto square =
            std::min<uint64_t>(uint64_t(int64_t(d[i]) * d[i]), UINT32_MAX);
        high += int64_t(square >> 16), low += int64_t(square & 0xffff);
      }
      total = std::clamp<int64_t>(total, INT32_MIN, INT32_MAX) * p.sum.scale;
      total /= int64_t(1) << p.sum.shift; // towards zero
      __int128 square = std::min<int64_t>(high, UINT32_MAX);
      square = (square << 16) + std::min<int64_t>(low, UINT32_MAX);
      square = square * p.squareSum.scale >> p.squareSum.shift;
      auto limited = [](__int128 v) {
        return int64_t(v < -32768 ? -32768 : v > 32767 ? 32767 : v);
      };
      ASSERT_EQ(sum[k], limited(total - 7)) << round;
      ASSERT_EQ(squares[k], limited(square - 7)) << round;
    }
  }
}

} // namespace
