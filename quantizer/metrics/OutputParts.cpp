//===- OutputParts.cpp - What of an output a loss is measured of ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/OutputParts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace yarrow;

/// Of neighbouring groups: so many times as large are other quantities. 8 bits
/// for the larger one leave the smaller one 5.
static constexpr double kOtherSize = 8;
/// A quantity is a block of an axis; what comes in more pieces is a picture.
static constexpr std::size_t kMostGroups = 6;
/// Rows of scores change from sample to sample; of landmarks and other numbers
/// with a place of their own most is the same in all.
static constexpr double kLeastChange = 0.25;
/// A sample without anything behind the sigmoid is as far from one with
/// something as this value is from 0.
static constexpr double kThreshold = 0.5;

static float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

void OutputPart::add(std::span<const float> reference,
                     std::span<const float> values, Similarity &sum) const {
  if (isWhole() && !isBehindSigmoid) {
    sum.add(reference, values);
    return;
  }
  std::vector<float> a, b;
  std::size_t stride = isWhole() ? reference.size() : length * inner,
              from = begin * inner,
              to = isWhole() ? reference.size() : end * inner;
  for (std::size_t at = 0; at < reference.size(); at += stride)
    for (std::size_t i = at + from; i < at + to; ++i) {
      a.push_back(isBehindSigmoid ? sigmoid(reference[i]) : reference[i]);
      b.push_back(isBehindSigmoid ? sigmoid(values[i]) : values[i]);
    }
  sum.add(a, b);
  if (isBehindSigmoid)
    sum.signalSquares += kThreshold * kThreshold;
}

static bool areDistributions(const std::vector<std::span<const float>> &runs,
                             std::size_t classes) {
  for (std::span<const float> run : runs)
    for (std::size_t at = 0; at < run.size(); at += classes) {
      double sum = 0;
      for (float x : run.subspan(at, classes)) {
        if (!(x >= 0))
          return false;
        sum += x;
      }
      if (std::fabs(sum - 1) > 1e-3)
        return false;
    }
  return true;
}

/// How much of the variance is between the rows of one column.
static double shareOfChange(const std::vector<std::span<const float>> &runs,
                            std::size_t classes) {
  std::vector<double> sum(classes), squares(classes);
  std::size_t rows = 0;
  for (std::span<const float> run : runs)
    for (std::size_t i = 0; i < run.size(); ++i) {
      sum[i % classes] += run[i];
      squares[i % classes] += double(run[i]) * run[i];
      rows += i % classes == 0;
    }
  double within = 0, total = 0, mean = 0;
  for (std::size_t c = 0; c < classes; ++c)
    mean += sum[c] / double(rows * classes);
  for (std::size_t c = 0; c < classes; ++c) {
    within += squares[c] - sum[c] * sum[c] / double(rows);
    total += squares[c];
  }
  total -= mean * mean * double(rows * classes);
  return total > 0 ? within / total : 0;
}

/// Scores of one row: the last axis, if no other but the batch is longer
/// than 1.
static std::size_t classesOf(std::span<const int64_t> shape,
                             const std::vector<std::span<const float>> &runs) {
  if (shape.empty() || shape.back() < 2)
    return 0;
  int64_t elements =
      std::accumulate(shape.begin(), shape.end(), int64_t(1),
                      [](int64_t a, int64_t b) { return a * b; });
  int64_t batch = shape.size() > 1 ? shape.front() : 1;
  if (batch * shape.back() != elements)
    return 0;
  auto classes = std::size_t(shape.back());
  std::size_t rows = runs.size() * std::size_t(batch);
  return areDistributions(runs, classes) || rows < 4 ||
                 shareOfChange(runs, classes) >= kLeastChange
             ? classes
             : 0;
}

namespace {

/// Blocks of an axis that are of other sizes.
struct AxisGroups {
  std::vector<std::size_t> ends;
  double contrast = 1; ///< Of the largest step between neighbours.
};

} // namespace

static double rootMeanSquare(double squares, std::size_t count) {
  return count ? std::sqrt(squares / double(count)) : 0;
}

/// Of an axis with \p squares of its indices, each of \p count elements.
static AxisGroups groupsOf(const std::vector<double> &squares,
                           std::size_t count) {
  AxisGroups groups;
  double sum = squares.front();
  std::size_t size = 1;
  for (std::size_t i = 1; i < squares.size(); ++i) {
    double before = rootMeanSquare(sum, size * count),
           now = rootMeanSquare(squares[i], count),
           ratio = before > now ? before / now : now / before;
    // What is always 0 is of any size.
    if (before > 0 && now > 0 && ratio >= kOtherSize) {
      groups.contrast = std::max(groups.contrast, ratio);
      groups.ends.push_back(i);
      sum = 0, size = 0;
    }
    sum += squares[i], ++size;
  }
  groups.ends.push_back(squares.size());
  return groups;
}

static std::string nameOf(std::size_t axis, std::size_t begin,
                          std::size_t end) {
  return std::to_string(begin) + " to " + std::to_string(end - 1) +
         " of axis " + std::to_string(axis);
}

/// The axis whose indices differ most in size.
static void addGroups(std::span<const int64_t> shape,
                      const std::vector<std::span<const float>> &runs,
                      OutputUse &use) {
  AxisGroups best;
  std::size_t bestAxis = 0, bestInner = 1;
  for (std::size_t axis = 1; axis < shape.size(); ++axis) {
    auto length = std::size_t(shape[axis]);
    std::size_t inner = 1;
    for (std::size_t k = axis + 1; k < shape.size(); ++k)
      inner *= std::size_t(shape[k]);
    if (length < 2)
      continue;
    std::vector<double> squares(length);
    for (std::span<const float> run : runs)
      for (std::size_t i = 0; i < run.size(); ++i)
        squares[i / inner % length] += double(run[i]) * run[i];
    AxisGroups groups =
        groupsOf(squares, runs.size() * runs.front().size() / length);
    if (groups.ends.size() > 1 && groups.ends.size() <= kMostGroups &&
        groups.contrast > best.contrast)
      best = groups, bestAxis = axis, bestInner = inner;
  }
  std::size_t begin = 0;
  for (std::size_t end : best.ends) {
    use.parts.push_back({std::size_t(shape[bestAxis]), bestInner, begin, end,
                         false, nameOf(bestAxis, begin, end)});
    begin = end;
  }
}

/// Nearly all of them say no, and some nearly yes.
static bool areLogits(const std::vector<std::span<const float>> &runs) {
  constexpr double kMostAbove = 0.2;
  constexpr float kSureNo = -6, kNearYes = -3;
  float least = 0, most = -std::numeric_limits<float>::infinity();
  std::size_t above = 0, count = 0;
  for (std::span<const float> run : runs)
    for (float x : run) {
      least = std::min(least, x), most = std::max(most, x);
      above += x > 0, ++count;
    }
  return least < kSureNo && most > kNearYes && most < -least &&
         double(above) < kMostAbove * double(count);
}

OutputUse yarrow::outputUse(std::span<const int64_t> shape,
                            const std::vector<std::span<const float>> &runs) {
  OutputUse use;
  use.parts.push_back({});
  if (runs.empty() || runs.front().empty())
    return use;
  use.classes = classesOf(shape, runs);
  if (use.classes)
    return use;
  addGroups(shape, runs, use);
  if (areLogits(runs)) {
    OutputPart part;
    part.isBehindSigmoid = true;
    part.what = "behind a sigmoid";
    use.parts.push_back(part);
  }
  return use;
}
