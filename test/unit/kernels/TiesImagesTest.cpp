//===- TiesImagesTest.cpp - Halves in kernels of images -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/TiesTesting.h"

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;

TEST(Ties, Resize) {
  // Two pixels become one between them.
  for (DType type : {DType::I8, DType::I16, DType::I32}) {
    constexpr int32_t kNone[] = {0};
    ResizeIntParams p{.inType = type, .outType = type};
    p.shape = {.inW = 2, .channels = kCount};
    auto x = stored(type, kOdd), zero = stored(type, kNone), y = room(type);
    x.insert(x.end(), zero.begin(), zero.end());
    for (uint32_t antialias : {0u, 1u}) {
      p.shape.antialias = antialias;
      runKernel("yk_resize_int", p, {x.data(), y.data()});
      expectValues(type, y, kToEven);
    }
    // Weights go up: of no bits, both halves are 1.
    p.shape.antialias = 0, p.weightShift = 0;
    runKernel("yk_resize_int", p, {x.data(), y.data()});
    expectValues(type, y, kOdd);
  }
  // Of three pixels two, at 0 and 1.5; of five, at 0 and 2.5.
  constexpr int32_t kPlaces[] = {0, 1, 2, 3, 4};
  struct Row {
    NearestMode mode;
    int32_t of3[2], of5[2];
  };
  constexpr Row kRows[] = {{NearestMode::RoundPreferFloor, {0, 1}, {0, 2}},
                           {NearestMode::RoundPreferCeil, {0, 2}, {0, 3}},
                           {NearestMode::Floor, {0, 1}, {0, 2}},
                           {NearestMode::Ceil, {0, 2}, {0, 3}}};
  for (const Row &row : kRows)
    for (uint32_t length : {3u, 5u}) {
      ResizeIntParams p;
      p.shape = {.inW = length, .outW = 2, .method = ResizeMethod::Nearest};
      p.shape.coordMode = CoordMode::Asymmetric;
      p.shape.nearestMode = row.mode;
      auto x = stored(DType::I8, kPlaces, 1, 0, length), y = room(DType::I8, 2);
      runKernel("yk_resize_int", p, {x.data(), y.data()});
      expectValues(DType::I8, y, length == 3 ? row.of3 : row.of5);
    }
}

TEST(Ties, Grids) {
  // The middle of six pixels, 2.5: the nearest one is 3, what lies between is
  // rounded down.
  GridSampleIntParams p;
  p.shape = {.sizes = {1, 1, 6}};
  const int8_t middle[] = {0, 0};
  auto sample = [&](std::array<int8_t, 6> image) {
    int8_t y = 99;
    runKernel("yk_grid_sample_int", p,
              {image.data(), middle, nullptr, nullptr, nullptr, nullptr, &y});
    return int(y);
  };
  p.shape.method = SampleMethod::Nearest;
  EXPECT_EQ(sample({0, 1, 2, 3, 4, 5}), 3);
  p.shape.method = SampleMethod::Bilinear;
  EXPECT_EQ(sample({0, 0, 0, 1, 0, 0}), 0);
  EXPECT_EQ(sample({0, 0, 0, -1, 0, 0}), -1);
  // 19/32 of each of both: 28.5 of 24, and to even.
  p.shape.method = SampleMethod::Bicubic;
  EXPECT_EQ(sample({0, 0, 24, 24, 0, 0}), 28);
  EXPECT_EQ(sample({0, 0, -24, -24, 0, 0}), -28);

  AffineGridIntParams grid;
  grid.shape = {.sizes = {1, 1, kCount}};
  grid.fractionBits = 0;
  grid.requant = requantOf(DType::I8, 1, 1);
  const int8_t theta[] = {1, 0, 0, 0, 1, 0};
  const int16_t row[] = {3};
  auto x = stored(DType::I16, kOdd), y = room(DType::I8, 2 * kCount);
  runKernel("yk_affine_grid_int", grid,
            {theta, x.data(), row, nullptr, y.data()});
  int32_t want[16];
  for (int i = 0; i < 8; ++i)
    want[2 * i] = kToEven[i], want[2 * i + 1] = 2;
  expectValues(DType::I8, y, want, grid.requant.zp);
}

TEST(Ties, Colours) {
  // Red alone, halved.
  ColourParams p{.batch = 8, .inType = DType::I8, .outType = DType::I8};
  p.matrix[0] = 1, p.shift = 1;
  p.outZp = -4; // from 0 on
  std::vector<int8_t> rgb(8 * 4 * 3), yuv(8 * 6);
  for (int i = 0; i < 8; ++i)
    rgb[size_t(i) * 12] = int8_t(kOdd[i]);
  p.bias[0] = 8;
  runKernel("yk_rgb_to_yuv", p, {rgb.data(), yuv.data()});
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(yuv[size_t(i) * 6] + p.outZp, kToEven[i] + 4) << i;

  // Blue alone is the chroma of a second row, which is half of each one's, or
  // of a second column, 3/4 of the first one's and 1/4 of the next.
  for (bool areRows : {true, false}) {
    ColourParams back{.batch = 8};
    back.height = areRows ? 4 : 2, back.width = areRows ? 2 : 4;
    back.firstU = 8, back.firstV = 10;
    back.inType = DType::I8, back.outType = DType::I8;
    back.matrix[1] = 1;
    back.bias[0] = 4;
    std::vector<int8_t> frame(8 * 12), image(8 * 24);
    for (int i = 0; i < 8; ++i)
      frame[size_t(i) * 12 + 9] = int8_t(areRows ? kOdd[i] : 2 * kOdd[i]);
    runKernel("yk_yuv_to_rgb", back, {frame.data(), image.data()});
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(image[size_t(i) * 24 + (areRows ? 6 : 3)], kToEven[i] + 4) << i;
  }
}
