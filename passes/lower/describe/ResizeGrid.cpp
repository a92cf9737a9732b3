//===- ResizeGrid.cpp - A resize of integers as weighted pixels -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/ResizeGrid.h"
#include "isa/Types.h"
#include "kernels/image/ResizePlaces.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <map>

using namespace yarrow;
using namespace yarrow::npu;
using kernels::DType;
using kernels::ResizeMethod;

/// More pairs of kinds than this are not looked at.
static constexpr uint64_t kMostPairs = uint64_t(1) << 20;

namespace {

/// An axis whose places are of one kind where their fractions are equal.
struct FractionAxis {
  FractionAxis(const kernels::ResizeAxis &axis,
               const kernels::ResizeShape &shape) {
    std::map<std::pair<double, uint32_t>, uint32_t> kindOf;
    for (uint32_t i = 0; i < axis.out; ++i) {
      double at = kernels::coordinate(axis, i);
      kernels::Between b =
          shape.method == ResizeMethod::Nearest
              ? kernels::Between{kernels::nearest(shape.nearestMode, at, axis),
                                 0, 0.0}
              : kernels::between(at, axis.in);
      uint32_t span =
          shape.method == ResizeMethod::Nearest ? 0 : b.high - b.low;
      auto [it, isNew] =
          kindOf.try_emplace({b.fraction, span}, uint32_t(fractions.size()));
      if (isNew)
        fractions.push_back(b.fraction), spans.push_back(span);
      places.push_back({b.low, span, it->second});
    }
  }

  std::vector<ResizePlace> places;
  std::vector<double> fractions; ///< By kind, as spans.
  std::vector<uint32_t> spans;
};

/// Kinds that have the same weights with every kind of the other axis are one.
class KindMerger {
public:
  /// Of kind \p i of \p n, whose weights with kind j of the other axis are
  /// weightsOf(i, j).
  template <typename Fn>
  KindMerger(uint32_t n, uint32_t others, llvm::ArrayRef<uint32_t> spans,
             Fn weightsOf) {
    std::map<std::vector<int32_t>, uint32_t> found;
    for (uint32_t i = 0; i < n; ++i) {
      std::vector<int32_t> key = {int32_t(spans[i])};
      for (uint32_t j = 0; j < others; ++j)
        for (const auto &row : weightsOf(i, j))
          key.insert(key.end(), row.begin(), row.end());
      auto [it, isNew] =
          found.try_emplace(std::move(key), uint32_t(firstOf.size()));
      if (isNew)
        firstOf.push_back(i);
      mergedOf.push_back(it->second);
    }
  }

  std::vector<uint32_t> mergedOf; ///< By kind as it was.
  std::vector<uint32_t> firstOf;  ///< One of those that were merged.
};

} // namespace

/// What the kernel multiplies pixels by; of pixels that are the same one the
/// sum.
static PixelWeights weightsOf(double y, uint32_t spanY, double x,
                              uint32_t spanX, bool isNearest, double one) {
  PixelWeights w{};
  if (isNearest) {
    w[0][0] = kernels::integerWeight(1.0, one);
    return w;
  }
  for (uint32_t k = 0; k < 4; ++k) {
    double wy = k & 2 ? y : 1 - y, wx = k & 1 ? x : 1 - x;
    w[spanY & (k >> 1)][spanX & k] += kernels::integerWeight(wy * wx, one);
  }
  return w;
}

std::optional<ResizeGrid> ResizeGrid::of(const kernels::ResizeIntParams &p) {
  const kernels::ResizeShape &s = p.shape;
  bool isNearest = s.method == ResizeMethod::Nearest;
  // Fractions beyond a pixel come of given ratios alone.
  if (!isNearest && (s.antialias || s.ratioH != 0 || s.ratioW != 0))
    return std::nullopt;
  FractionAxis rows(rowsOf(s), s), columns(columnsOf(s), s);
  uint32_t rowKinds = rows.spans.size(), columnKinds = columns.spans.size();
  if (uint64_t(rowKinds) * columnKinds > kMostPairs)
    return std::nullopt;
  ResizeGrid grid;
  grid.shift = isNearest ? 0 : p.weightShift;
  double one = std::ldexp(1.0, int(grid.shift));
  std::vector<PixelWeights> pairs;
  for (uint32_t y = 0; y < rowKinds; ++y)
    for (uint32_t x = 0; x < columnKinds; ++x)
      pairs.push_back(weightsOf(rows.fractions[y], rows.spans[y],
                                columns.fractions[x], columns.spans[x],
                                isNearest, one));
  auto at = [&](uint32_t y, uint32_t x) -> const PixelWeights & {
    return pairs[uint64_t(y) * columnKinds + x];
  };
  KindMerger mergedRows(rowKinds, columnKinds, rows.spans, at);
  KindMerger mergedColumns(
      columnKinds, rowKinds, columns.spans,
      [&](uint32_t x, uint32_t y) -> const PixelWeights & { return at(y, x); });
  for (ResizePlace &place : rows.places)
    place.kind = mergedRows.mergedOf[place.kind];
  for (ResizePlace &place : columns.places)
    place.kind = mergedColumns.mergedOf[place.kind];
  for (uint32_t y : mergedRows.firstOf)
    for (uint32_t x : mergedColumns.firstOf)
      grid.all.push_back(at(y, x));
  grid.rows = std::move(rows.places);
  grid.columns = std::move(columns.places);
  grid.columnKinds = mergedColumns.firstOf.size();
  if (!grid.reduce(p))
    return std::nullopt;
  return grid;
}

/// Takes out the common power of two, and finds what type the weights need.
bool ResizeGrid::reduce(const kernels::ResizeIntParams &p) {
  uint32_t bits = uint32_t(1) << shift;
  for (const PixelWeights &w : all)
    for (const auto &row : w)
      for (int32_t weight : row)
        bits |= uint32_t(weight);
  auto common = uint32_t(llvm::countr_zero(bits));
  shift -= common;
  isCopy = true;
  for (PixelWeights &w : all) {
    int64_t magnitude = 0;
    for (auto &row : w)
      for (int32_t &weight : row) {
        weight >>= common;
        if (!llvm::isInt<16>(weight))
          return false;
        if (!llvm::isInt<8>(weight))
          weightType = DType::I16;
        magnitude += std::abs(weight);
      }
    isCopy &= magnitude == 1 && w[0][0] == 1;
    if (magnitude << (8 * elementBytes(p.inType)) > isa::largestSum(p.inType))
      return false;
  }
  isCopy &= shift == 0;
  return true;
}

/// Runs of every \p period th place.
static std::vector<PlaceRun> runsOfPeriod(llvm::ArrayRef<ResizePlace> places,
                                          uint32_t begin, uint32_t end,
                                          uint32_t period) {
  std::vector<PlaceRun> runs;
  for (uint32_t first = begin; first < std::min(end, begin + period); ++first) {
    PlaceRun *run = nullptr;
    for (uint32_t i = first; i < end; i += period) {
      const ResizePlace &place = places[i];
      if (run && run->kind == place.kind && run->span == place.span &&
          place.low >= run->low) {
        uint32_t reach = run->low + (run->count - 1) * run->lowStep;
        uint32_t step = place.low - reach;
        // A window of two cannot be read again and again.
        if (place.low >= reach && (run->count == 1 || step == run->lowStep) &&
            (step > 0 || place.span == 0)) {
          run->lowStep = step;
          ++run->count;
          continue;
        }
      }
      runs.push_back({i, 1, period, place.low, 0, place.span, place.kind});
      run = &runs.back();
    }
  }
  return runs;
}

/// Borders are alike: two places that are alone make a run.
static void joinPairs(std::vector<PlaceRun> &runs) {
  for (size_t i = 0; i < runs.size(); ++i)
    for (size_t j = 0; j < runs.size() && runs[i].count == 1; ++j) {
      const PlaceRun &a = runs[i], &b = runs[j];
      if (b.count != 1 || b.first <= a.first || b.kind != a.kind ||
          b.span != a.span || b.low < a.low || (b.low == a.low && a.span != 0))
        continue;
      runs[i].count = 2;
      runs[i].step = b.first - a.first, runs[i].lowStep = b.low - a.low;
      runs.erase(runs.begin() + j);
      break;
    }
}

std::vector<PlaceRun> npu::runsOf(llvm::ArrayRef<ResizePlace> places,
                                  uint32_t begin, uint32_t end) {
  constexpr uint32_t kMostPeriod = 64;
  std::vector<PlaceRun> best;
  for (uint32_t period = 1; period <= std::min(kMostPeriod, end - begin);
       ++period) {
    std::vector<PlaceRun> runs = runsOfPeriod(places, begin, end, period);
    if (best.empty() || runs.size() < best.size())
      best = std::move(runs);
  }
  joinPairs(best);
  return best;
}
