//===- OutputParts.cpp - What of an output a loss is measured of ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/OutputParts.h"
#include "quantizer/metrics/ColumnLoss.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace yarrow;

/// A sample without anything behind the sigmoid is as far from one with
/// something as this value is from 0.
static constexpr double kThreshold = 0.5;

static float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

void OutputPart::add(std::span<const float> reference,
                     std::span<const float> values, Similarity &sum) const {
  if (isWhole() && !isAfterSigmoid) {
    sum.add(reference, values);
    return;
  }
  std::vector<float> a, b;
  auto take = [&](std::size_t i) {
    a.push_back(isAfterSigmoid ? sigmoid(reference[i]) : reference[i]);
    b.push_back(isAfterSigmoid ? sigmoid(values[i]) : values[i]);
  };
  if (isWhole())
    for (std::size_t i = 0; i < reference.size(); ++i)
      take(i);
  for (std::size_t at = 0; at < reference.size() && !isWhole();
       at += length * stride)
    for (std::size_t index : indices)
      for (std::size_t i = 0; i < stride; ++i)
        take(at + index * stride + i);
  sum.add(a, b);
  if (isAfterSigmoid)
    sum.signalSquares += kThreshold * kThreshold;
}

/// Of the axis whose columns differ most in size.
static void addColumns(llvm::ArrayRef<int64_t> shape,
                       const std::vector<std::span<const float>> &runs,
                       std::vector<OutputPart> &parts) {
  ColumnLoss columns(shape);
  for (std::span<const float> run : runs)
    columns.add(run, run);
  for (const ColumnGroup &group : columns.groups()) {
    OutputPart part;
    part.length = std::size_t(shape[group.axis]);
    for (std::size_t k = group.axis + 1; k < shape.size(); ++k)
      part.stride *= std::size_t(shape[k]);
    part.indices = group.indices;
    part.what = group.str();
    parts.push_back(std::move(part));
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

std::vector<OutputPart>
yarrow::outputParts(llvm::ArrayRef<int64_t> shape,
                    const std::vector<std::span<const float>> &runs) {
  std::vector<OutputPart> parts(1);
  if (runs.empty() || runs.front().empty())
    return parts;
  addColumns(shape, runs, parts);
  if (areLogits(runs)) {
    OutputPart part;
    part.isAfterSigmoid = true;
    part.what = "after a sigmoid";
    parts.push_back(part);
  }
  return parts;
}
