//===- GridSampleStripsTest.cpp - Places of strips, and one by one --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Kernels sample images by strips (kernels/image/SampleStrips.h), and volumes
// place by place. A volume of one plane, at its middle, is an image.
//
//===----------------------------------------------------------------------===//
#include "kernels/Elements.h"
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"
#include "test/unit/kernels/TypeLimits.h"

#include <cmath>

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::limitsOf;
using yarrow::testing::Random;

namespace {

constexpr int kGridSampleStripsRounds = 300;

GridSampleShape drawStripsShape(Random &random) {
  GridSampleShape s{.batch = random.between(1, 3),
                    .places = random.between(1, 90),
                    .channels = random.between(1, 80),
                    .method = SampleMethod(random.below(2)),
                    .padding = SamplePadding(random.below(3)),
                    .alignCorners = random.below(2)};
  s.sizes[1] = random.between(1, 40), s.sizes[2] = random.between(1, 40);
  return s;
}

std::vector<uint8_t> drawBytes(Random &random, size_t count) {
  std::vector<uint8_t> bytes(count);
  for (uint8_t &byte : bytes)
    byte = uint8_t(random.next());
  return bytes;
}

/// The grid x, y of elements of \p bytes as x, y, z, with the bytes of 0 for z.
std::vector<uint8_t> withMiddle(const std::vector<uint8_t> &grid,
                                size_t bytes) {
  std::vector<uint8_t> volume;
  for (size_t at = 0; at < grid.size(); at += 2 * bytes) {
    volume.insert(volume.end(), grid.begin() + ptrdiff_t(at),
                  grid.begin() + ptrdiff_t(at + 2 * bytes));
    volume.resize(volume.size() + bytes);
  }
  return volume;
}

TEST(GridSampleStrips, IntegersAreThoseOfAVolume) {
  Random random(5);
  auto drawType = [&] {
    return random.of({DType::I8, DType::U8, DType::I16, DType::U16});
  };
  for (int round = 0; round < kGridSampleStripsRounds; ++round) {
    GridSampleIntParams p{.shape = drawStripsShape(random),
                          .type = drawType(),
                          .gridType = drawType()};
    GridSampleShape &s = p.shape;
    auto [low, high] = limitsOf(p.type);
    p.lo = low, p.hi = high;
    // What counts as 0 is seldom not a value of the type.
    p.zp = random.oneIn(8) ? 70000 : -low - int32_t(random.below(40));
    p.gridZp = random.oneIn(2) ? 0 : int32_t(random.below(90)) - 45;
    for (uint32_t k : {1, 2}) {
      bool isWide = random.oneIn(2);
      p.scale[k] = int32_t(random.below(isWide ? 1 << 30 : 65536));
      p.shift[k] = int32_t(random.between(isWide ? 16 : 4, isWide ? 40 : 20));
      p.fractionBits[k] = int32_t(random.between(1, 16));
    }
    size_t bytes = dtypeBytes(p.type), gridBytes = dtypeBytes(p.gridType);
    auto image = drawBytes(random, size_t(s.batch) * s.sizes[1] * s.sizes[2] *
                                       s.channels * bytes),
         grid = drawBytes(random, size_t(s.batch) * s.places * 2 * gridBytes),
         volumeGrid = withMiddle(grid, gridBytes);
    std::vector<uint8_t> found(size_t(s.batch) * s.places * s.channels * bytes),
        expected(found.size());
    uint32_t tasks = random.between(1, 5);
    runKernel("yk_grid_sample_int", p,
              {image.data(), grid.data(), nullptr, nullptr, nullptr, nullptr,
               found.data()},
              tasks);
    s.axes = 3;
    p.scale[0] = 0;
    runKernel("yk_grid_sample_int", p,
              {image.data(), volumeGrid.data(), nullptr, nullptr, nullptr,
               nullptr, expected.data()});
    ASSERT_EQ(found, expected) << "round " << round;
  }
}

TEST(GridSampleStrips, FloatsAreThoseOfAVolume) {
  Random random(6);
  auto drawType = [&] {
    return random.of({DType::F32, DType::F16, DType::BF16});
  };
  const float strange[] = {NAN, INFINITY, -INFINITY, 3e38f, 1e9f, -1e-40f, 1};
  for (int round = 0; round < kGridSampleStripsRounds; ++round) {
    GridSampleFloatParams p{.shape = drawStripsShape(random),
                            .type = drawType(),
                            .gridType = drawType(),
                            .outType = drawType()};
    GridSampleShape &s = p.shape;
    auto floatsOf = [&](DType type, size_t count, float most, bool isStrange) {
      std::vector<uint8_t> bytes(count * dtypeBytes(type));
      for (size_t i = 0; i < count; ++i) {
        float v = random.real(-most, most);
        if (isStrange && random.oneIn(6))
          v = strange[random.below(7)];
        storeF32(type, bytes.data(), int64_t(i), 1, &v);
      }
      return bytes;
    };
    auto image = floatsOf(
             p.type, size_t(s.batch) * s.sizes[1] * s.sizes[2] * s.channels, 9,
             random.oneIn(4)),
         grid = floatsOf(p.gridType, size_t(s.batch) * s.places * 2, 1.3f,
                         random.oneIn(4)),
         volumeGrid = withMiddle(grid, dtypeBytes(p.gridType));
    std::vector<uint8_t> found(size_t(s.batch) * s.places * s.channels *
                               dtypeBytes(p.outType)),
        expected(found.size());
    runKernel("yk_grid_sample_float", p,
              {image.data(), grid.data(), found.data()}, random.between(1, 5));
    s.axes = 3;
    runKernel("yk_grid_sample_float", p,
              {image.data(), volumeGrid.data(), expected.data()});
    ASSERT_EQ(found, expected) << "round " << round;
  }
}

} // namespace
