//===- RearrangeTest.cpp - Kernels that repeat, reverse or fold -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Against plain loops over the elements of the input.
//
//===----------------------------------------------------------------------===//
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"

#include <cmath>

using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::Random;

namespace {

template <typename T> using V = std::vector<T>;

TEST(Repeat, CutsAndFills) {
  Random random(10);
  for (int round = 0; round < 200; ++round) {
    RepeatParams p;
    p.elemBytes = 2;
    p.repeatType = random.of({DType::I16, DType::U16});
    p.outer = 1 + random.below(3), p.inner = 1 + random.below(5);
    // More than a chunk of slices, too.
    p.slices = 1 + random.below(random.oneIn(4) ? 400 : 8);
    p.length = 1 + random.below(random.oneIn(2) ? 600 : 12);
    p.repeatCount = random.oneIn(4) ? 1 : p.slices;
    V<int16_t> repeats(p.repeatCount);
    for (int16_t &count : repeats) {
      count = int16_t(int32_t(random.below(7)) - 2);
      if (random.oneIn(30))
        count = 30000;
      if (p.repeatType == DType::U16)
        count = std::max<int16_t>(count, 0);
    }
    V<uint16_t> x(p.outer * p.slices * p.inner), expected;
    for (uint16_t &value : x)
      value = uint16_t(random.next());
    for (uint32_t o = 0; o < p.outer; ++o) {
      uint32_t position = 0;
      for (uint32_t s = 0; s < p.slices; ++s)
        for (int32_t r = repeats[p.repeatCount == 1 ? 0 : s];
             r > 0 && position < p.length; --r, ++position)
          for (uint32_t i = 0; i < p.inner; ++i)
            expected.push_back(x[(o * p.slices + s) * p.inner + i]);
      expected.resize((o + 1) * p.length * p.inner, 0);
    }
    expected.push_back(7); // nothing behind the end is written
    V<uint16_t> found(expected.size(), 7);
    runKernel("yk_repeat", p, {x.data(), repeats.data(), found.data()},
              1 + random.below(7));
    ASSERT_EQ(found, expected) << round;
  }
}

TEST(Repeat, LargeUnsignedCounts) {
  V<uint32_t> most = {0xffffffff};
  V<uint8_t> x = {1, 2, 3}, found(5);
  RepeatParams p{1, DType::U32, 1, 3, 5, 1, 1};
  runKernel("yk_repeat", p, {x.data(), most.data(), found.data()}, 2);
  EXPECT_EQ(found, V<uint8_t>(5, 1));
  most[0] = 2;
  runKernel("yk_repeat", p, {x.data(), most.data(), found.data()}, 2);
  EXPECT_EQ(found, (V<uint8_t>{1, 1, 2, 2, 3}));
}

TEST(ReverseSequence, AnyPlaceOfTheAxes) {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    ReverseSequenceParams p;
    p.elemBytes = 2;
    p.lengthType = DType::I8;
    p.isTimeFirst = random.below(2);
    p.outer = 1 + random.below(3), p.sequences = 1 + random.below(4);
    p.middle = 1 + random.below(3), p.time = 1 + random.below(40);
    p.inner = 1 + random.below(random.oneIn(2) ? 2 : 30);
    V<int8_t> lengths(p.sequences);
    for (int8_t &length : lengths)
      length = int8_t(int32_t(random.below(60)) - 10);
    uint32_t front = p.isTimeFirst ? p.time : p.sequences,
             back = p.isTimeFirst ? p.sequences : p.time;
    V<uint16_t> x(p.outer * front * p.middle * back * p.inner);
    for (uint16_t &value : x)
      value = uint16_t(random.next());
    auto at = [&](uint32_t o, uint32_t f, uint32_t m, uint32_t b, uint32_t i) {
      return (((o * front + f) * p.middle + m) * back + b) * p.inner + i;
    };
    V<uint16_t> expected(x.size()), found(x.size());
    for (uint32_t o = 0; o < p.outer; ++o)
      for (uint32_t f = 0; f < front; ++f)
        for (uint32_t m = 0; m < p.middle; ++m)
          for (uint32_t b = 0; b < back; ++b)
            for (uint32_t i = 0; i < p.inner; ++i) {
              int32_t t = int32_t(p.isTimeFirst ? f : b);
              int32_t length = lengths[p.isTimeFirst ? b : f];
              length = std::min(length, int32_t(p.time));
              uint32_t from = uint32_t(t < length ? length - 1 - t : t);
              expected[at(o, f, m, b, i)] =
                  x[p.isTimeFirst ? at(o, from, m, b, i)
                                  : at(o, f, m, from, i)];
            }
    runKernel("yk_reverse_sequence", p,
              {x.data(), lengths.data(), found.data()}, 1 + random.below(7));
    ASSERT_EQ(found, expected) << round;
  }
}

FoldShape randomFold(Random &random) {
  FoldShape s;
  s.outer = 1 + random.below(3);
  for (uint32_t d = random.below(kFoldAxes); d < kFoldAxes; ++d) {
    FoldAxis &axis = s.axes[d];
    axis.kernel = 1 + random.below(4), axis.windows = 1 + random.below(6);
    if (d + 1 == kFoldAxes && random.oneIn(2))
      axis.windows = 1 + random.below(200);
    axis.stride = 1 + random.below(3), axis.dilation = 1 + random.below(3);
    axis.pad = random.below(4);
    // Shorter and longer than what windows cover.
    axis.image = 1 + random.below((axis.windows + axis.kernel) * 3);
    if (d + 1 < kFoldAxes)
      axis.image = 1 + random.below(6);
  }
  return s;
}

template <typename T>
V<double> foldOf(const FoldShape &s, const V<T> &x, double zp) {
  auto [az, ay, ax] = s.axes;
  V<double> y(s.outer * az.image * ay.image * ax.image);
  const T *from = x.data();
  auto place = [](const FoldAxis &axis, uint32_t cell, uint32_t window) {
    return int64_t(window) * axis.stride + int64_t(cell) * axis.dilation -
           axis.pad;
  };
  for (uint32_t o = 0; o < s.outer; ++o)
    for (uint32_t kz = 0; kz < az.kernel; ++kz)
      for (uint32_t ky = 0; ky < ay.kernel; ++ky)
        for (uint32_t kx = 0; kx < ax.kernel; ++kx)
          for (uint32_t wz = 0; wz < az.windows; ++wz)
            for (uint32_t wy = 0; wy < ay.windows; ++wy)
              for (uint32_t wx = 0; wx < ax.windows; ++wx, ++from) {
                int64_t pz = place(az, kz, wz), py = place(ay, ky, wy),
                        px = place(ax, kx, wx);
                if (pz < 0 || py < 0 || px < 0 || pz >= az.image ||
                    py >= ay.image || px >= ax.image)
                  continue;
                y[((o * az.image + pz) * ay.image + py) * ax.image + px] +=
                    double(*from) + zp;
              }
  return y;
}

uint32_t inputsOf(const FoldShape &s) {
  uint32_t count = s.outer;
  for (const FoldAxis &axis : s.axes)
    count *= axis.kernel * axis.windows;
  return count;
}

template <typename T> void checkSums(Random &random, DType inType) {
  FoldIntParams p;
  p.shape = randomFold(random);
  // More than there are, which decides in how many bits they are added and
  // requantized.
  p.most = random.of({64u, 1u << 10, 1u << 23});
  p.inType = inType;
  p.inZp = random.oneIn(2) ? 0 : int32_t(random.below(400)) - 200;
  p.requant.outType = DType::I16;
  p.requant.scale = 1 + int32_t(random.below(random.oneIn(2) ? 255 : 65535));
  p.requant.shift = int32_t(random.below(20)) - 1;
  p.requant.zp = int32_t(random.below(200)) - 100;
  p.requant.lo = INT16_MIN, p.requant.hi = INT16_MAX;
  V<T> x(inputsOf(p.shape));
  for (T &value : x)
    value = T(random.next());
  V<double> expected = foldOf(p.shape, x, p.inZp);
  V<int16_t> found(expected.size());
  runKernel("yk_fold_int", p, {x.data(), found.data()}, 1 + random.below(5));
  for (size_t i = 0; i < found.size(); ++i) {
    // Ties go to even, as std::nearbyint has them.
    double y = std::nearbyint(std::ldexp(expected[i] * p.requant.scale,
                                         -p.requant.shift)) -
               p.requant.zp;
    ASSERT_EQ(found[i], std::clamp<double>(y, INT16_MIN, INT16_MAX)) << i;
  }
}

TEST(Fold, IntegersAreRequantizedSums) {
  Random random(12);
  for (int round = 0; round < 60; ++round) {
    checkSums<int8_t>(random, DType::I8);
    checkSums<uint8_t>(random, DType::U8);
    checkSums<int16_t>(random, DType::I16);
    checkSums<uint16_t>(random, DType::U16);
  }
}

TEST(Fold, FloatsAreSums) {
  Random random(13);
  for (int round = 0; round < 50; ++round) {
    FoldFloatParams p;
    p.shape = randomFold(random);
    V<float> x(inputsOf(p.shape));
    for (float &value : x) // exact sums
      value = float(int32_t(random.below(2000)) - 1000);
    V<double> expected = foldOf(p.shape, x, 0);
    V<float> found(expected.size());
    runKernel("yk_fold_float", p, {x.data(), found.data()},
              1 + random.below(5));
    for (size_t i = 0; i < found.size(); ++i)
      ASSERT_EQ(found[i], expected[i]) << i;
  }
}

} // namespace
