//===- TiesWindowsTest.cpp - Halves in kernels of windows -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/TiesTesting.h"

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;

namespace {
/// Windows of one row, in whose first cell are kOdd * factor.
struct TiesRow {
  DType type;
  uint32_t columns, pad;
  uint32_t countIncludePad;
  int32_t factor;
  float scaleRatio = 1;
};
} // namespace

TEST(Ties, MeansOfWindows) {
  // With padding half of the window is outside. 8 and 16 bits, many cells, a
  // scale that makes a chunk of it.
  constexpr TiesRow kWindows[] = {
      {DType::I8, 2, 0, 0, 1},       {DType::U8, 2, 0, 0, 1},
      {DType::I16, 2, 0, 0, 1},      {DType::I8, 4, 2, 0, 1},
      {DType::I8, 4, 2, 1, 2},       {DType::I16, 4, 2, 1, 2},
      {DType::I16, 64, 0, 0, 32},    {DType::I16, 16384, 0, 0, 8192},
      {DType::I8, 512, 0, 0, 1, 256}};
  for (const TiesRow &w : kWindows)
    for (DType out : {DType::I8, DType::I16}) {
      SCOPED_TRACE(w.columns);
      PoolIntParams p{.inType = w.type, .outType = out};
      uint32_t held = w.columns - w.pad;
      // The second pixel of a padded row has more cells.
      p.shape = {.inW = held, .channels = kCount, .kernelW = w.columns};
      p.shape.padLeft = int32_t(w.pad);
      p.shape.countIncludePad = w.countIncludePad;
      p.inZp = w.factor > 1000 ? 0 : zeroPointOf(w.type);
      p.scaleRatio = w.scaleRatio;
      Requant r = requantOf(out, 1, 0);
      p.zp = r.zp, p.lo = r.lo, p.hi = r.hi;
      constexpr int32_t kNone[] = {0};
      int32_t factor = std::min(w.factor, 4096);
      auto x = stored(w.type, kOdd, factor, p.inZp);
      for (uint32_t cell = 1; cell < held; ++cell) {
        bool isMore = int32_t(cell) < w.factor / factor;
        auto more = isMore ? stored(w.type, kOdd, factor, p.inZp)
                           : stored(w.type, kNone, 1, p.inZp);
        x.insert(x.end(), more.begin(), more.end());
      }
      auto y = room(out);
      runKernel("yk_pool_int", p, {x.data(), y.data()});
      expectValues(out, y, kToEven, p.zp);
      if (w.scaleRatio != 1 || out != w.type || w.countIncludePad)
        continue;
      // TFLite's, of stored integers, too many for 32 bits.
      if (p.inZp != 0)
        continue;
      p.isHalfAway = 1, p.zp = 0;
      runKernel("yk_pool_int", p, {x.data(), y.data()});
      expectValues(out, y, kFromZero);
    }
}

TEST(Ties, MeansOfStoredIntegersByCells) {
  for (DType type : {DType::I8, DType::I16})
    for (uint32_t pad : {0u, 2u}) {
      PoolIntParams p{.inType = type, .outType = type, .isHalfAway = 1};
      p.shape = {.inW = 2, .channels = kCount, .kernelW = 2 + pad};
      p.shape.padLeft = int32_t(pad);
      p.lo = -128, p.hi = 127;
      constexpr int32_t kNone[] = {0};
      auto x = stored(type, kOdd), zero = stored(type, kNone), y = room(type);
      x.insert(x.end(), zero.begin(), zero.end());
      runKernel("yk_pool_int", p, {x.data(), y.data()});
      expectValues(type, y, kFromZero);
    }
}

TEST(Ties, OtherWindows) {
  constexpr int32_t kNone[] = {0};
  auto x = stored(DType::I8, kOdd), zero = stored(DType::I8, kNone),
       y = room(DType::I8);
  x.insert(x.end(), zero.begin(), zero.end());
  // Two planes; dilated ones, in one rounding; half of four columns, as if the
  // others had their mean.
  for (uint32_t dilation : {1u, 2u}) {
    PoolAverage3DIntParams p;
    p.shape = {.inD = 2, .channels = kCount, .kernelD = 2};
    p.shape.dilationH = dilation;
    runKernel("yk_pool_average3d_int", p, {x.data(), y.data()});
    expectValues(DType::I8, y, kToEven);
  }
  PoolAverage3DIntParams padded;
  padded.shape = {.inW = 2, .channels = kCount, .kernelW = 4, .padLeft = 2};
  runKernel("yk_pool_average3d_int", padded, {x.data(), y.data()});
  expectValues(DType::I8, y, kToEven);

  PoolAreasIntParams areas{.shape = {.inW = 2, .channels = kCount}};
  const int32_t bounds[] = {0, 1, 0, 1, 0, 2};
  runKernel("yk_pool_areas_int", areas, {x.data(), bounds, y.data()});
  expectValues(DType::I8, y, kToEven);

  // |x| / 2, and the root's index x^2 / 2: 0.5, 4.5, 12.5, 24.5.
  constexpr int32_t kMagnitudes[] = {4, 2, 2, 0, 0, 2, 2, 4};
  constexpr int32_t kSquares[] = {24, 12, 4, 0, 0, 4, 12, 24};
  PoolNormIntParams norm;
  norm.shape = {.channels = kCount, .method = PoolMethod::L1};
  norm.requant = requantOf(DType::U8, 1, 1), norm.requant.zp = 0;
  auto u = room(DType::U8), wide = room(DType::U16);
  runKernel("yk_pool_norm_int", norm, {x.data(), nullptr, u.data()});
  expectValues(DType::U8, u, kMagnitudes);
  std::vector<uint16_t> table(65536);
  for (uint32_t i = 0; i < table.size(); ++i)
    table[i] = uint16_t(i);
  norm.shape.method = PoolMethod::L2;
  norm.outType = norm.tableType = DType::U16, norm.log2TableSize = 16;
  norm.requant = requantOf(DType::U16, 1, 1), norm.requant.zp = 0;
  runKernel("yk_pool_norm_int", norm, {x.data(), table.data(), wide.data()});
  expectValues(DType::U16, wide, kSquares);

  MorphologyIntParams extreme{.shape = {.channels = kCount}};
  extreme.requant = requantOf(DType::I8, 1, 1);
  runKernel("yk_morphology_int", extreme, {x.data(), zero.data(), y.data()});
  expectValues(DType::I8, y, kToEven, extreme.requant.zp);

  for (int32_t scale : {1, 1 << 24}) {
    FoldIntParams fold;
    fold.shape.axes[2] = {.image = kCount, .windows = kCount};
    fold.requant = requantOf(DType::I8, scale, scale == 1 ? 1 : 25);
    runKernel("yk_fold_int", fold, {x.data(), y.data()});
    expectValues(DType::I8, y, kToEven, fold.requant.zp);
  }
}
