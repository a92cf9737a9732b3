//===- ColumnLoss.cpp - Columns of an output that differ in size ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/ColumnLoss.h"
#include "support/Format.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace yarrow;

/// Longer axes are places in a picture or boxes, not columns.
static constexpr int64_t kMostColumns = 512;
/// Ratios of energies: of a group's neighbours, and of both groups. Classes
/// that are rarer than others lie closer together than that.
static constexpr double kLeastGap = 16, kLeastRatio = 256;
/// Runs of neighbours that are one thing, such as boxes. Classes that samples
/// have lie among those that they have not.
static constexpr std::size_t kMostRuns = 2;
/// Of the largest column's peak: values that 16 bits beside it, with twice its
/// range, store as 0, such as the depth of the point that depths are counted
/// from. What is left of one in floats is rounding, and says nothing.
static constexpr double kLeastPeak = 0x1p-15;

double ColumnGroup::sqnrDb() const {
  return noiseSquares > 0 ? 10 * std::log10(signalSquares / noiseSquares)
                          : std::numeric_limits<double>::infinity();
}

std::string ColumnGroup::sqnrText(int digits) const {
  return noiseSquares > 0 ? formatFixed(sqnrDb(), digits) : "exact";
}

std::string ColumnGroup::str() const {
  constexpr std::size_t kMostRanges = 3;
  std::string text;
  std::size_t ranges = 0;
  for (std::size_t i = 0, last = 0; i < indices.size(); i = last + 1) {
    last = i;
    while (last + 1 < indices.size() && indices[last + 1] == indices[last] + 1)
      ++last;
    if (ranges++ == kMostRanges) {
      text += ", ...";
      break;
    }
    text += (text.empty() ? "" : ",") + std::to_string(indices[i]);
    if (last > i)
      text += "-" + std::to_string(indices[last]);
  }
  return (indices.size() == 1 ? "column " : "columns ") + text + " of axis " +
         std::to_string(axis);
}

ColumnLoss::ColumnLoss(llvm::ArrayRef<int64_t> shape) {
  std::size_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    // The first axis has samples.
    bool isBatch = i == 0 && shape.size() > 1;
    auto size = std::size_t(shape[i]);
    if (!isBatch && shape[i] > 1 && shape[i] <= kMostColumns)
      axes.push_back({i, size, stride, std::vector<Column>(size)});
    stride *= size;
  }
}

void ColumnLoss::add(std::span<const float> reference,
                     std::span<const float> values) {
  for (Axis &axis : axes)
    for (std::size_t i = 0; i < reference.size(); ++i) {
      Column &column = axis.columns[i / axis.stride % axis.size];
      double signal = reference[i], noise = signal - values[i];
      column.signal += signal * signal;
      column.noise += noise * noise;
      column.peak = std::max(column.peak, std::fabs(signal));
    }
}

void ColumnLoss::merge(const ColumnLoss &other) {
  if (axes.empty()) {
    *this = other;
    return;
  }
  for (std::size_t a = 0; a < other.axes.size(); ++a)
    for (std::size_t i = 0; i < axes[a].size; ++i) {
      axes[a].columns[i].signal += other.axes[a].columns[i].signal;
      axes[a].columns[i].noise += other.axes[a].columns[i].noise;
      axes[a].columns[i].peak =
          std::max(axes[a].columns[i].peak, other.axes[a].columns[i].peak);
    }
}

/// Few runs, or one of every so many.
static bool isOneQuantity(const std::vector<std::size_t> &indices) {
  std::size_t runs = 1;
  bool isEven = true;
  for (std::size_t i = 1; i < indices.size(); ++i) {
    runs += indices[i] != indices[i - 1] + 1;
    isEven &= indices[i] - indices[i - 1] == indices[1] - indices[0];
  }
  return runs <= kMostRuns || isEven;
}

/// By falling size, where the step from one to the next is largest.
std::vector<ColumnGroup> ColumnLoss::split(const Axis &axis, double &gap) {
  double peak = 0;
  for (const Column &column : axis.columns)
    peak = std::max(peak, column.peak);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < axis.size; ++i)
    // A column of zeros is not a part.
    if (axis.columns[i].peak > kLeastPeak * peak)
      order.push_back(i);
  auto signal = [&](std::size_t i) { return axis.columns[i].signal; };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return signal(a) > signal(b);
  });
  std::size_t at = 0;
  gap = 0;
  for (std::size_t i = 1; i < order.size(); ++i)
    if (double step = signal(order[i - 1]) / signal(order[i]); step > gap)
      gap = step, at = i;
  if (gap < kLeastGap)
    return {};
  std::vector<ColumnGroup> groups(2);
  for (std::size_t i = 0; i < order.size(); ++i) {
    ColumnGroup &group = groups[i < at ? 0 : 1];
    group.axis = axis.number;
    group.indices.push_back(order[i]);
    group.signalSquares += signal(order[i]);
    group.noiseSquares += axis.columns[order[i]].noise;
    group.peak = std::max(group.peak, axis.columns[order[i]].peak);
  }
  auto mean = [](const ColumnGroup &group) {
    return group.signalSquares / double(group.indices.size());
  };
  if (mean(groups[0]) < kLeastRatio * mean(groups[1]))
    return {};
  for (ColumnGroup &group : groups)
    std::ranges::sort(group.indices);
  if (!isOneQuantity(groups[0].indices) && !isOneQuantity(groups[1].indices))
    return {};
  return groups;
}

std::vector<ColumnGroup> ColumnLoss::groups() const {
  std::vector<ColumnGroup> widest;
  double most = 0;
  for (const Axis &axis : axes) {
    double gap = 0;
    std::vector<ColumnGroup> found = split(axis, gap);
    if (!found.empty() && gap > most)
      most = gap, widest = std::move(found);
  }
  return widest;
}
