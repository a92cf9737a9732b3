//===- SampleGroups.cpp - Samples that are copies of each other -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/calibrate/SampleGroups.h"

#include "quantizer/calibrate/TensorValues.h"
#include "support/ThreadPool.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <set>

using namespace yarrow;
using namespace yarrow::compass;

/// Sums that the order of values does not change, of each input.
using Moments = std::vector<double>;

/// Resampling a mirrored picture rounds in another order.
static constexpr double kEqual = 1e-5;

static bool isAlike(const Moments &a, const Moments &b) {
  return llvm::all_of_zip(a, b, [](double x, double y) {
    return std::fabs(x - y) <= kEqual * std::max(std::fabs(x), std::fabs(y));
  });
}

std::vector<std::size_t>
yarrow::groupSamples(llvm::ArrayRef<mlir::Value> inputs,
                     const SampleSet &samples, std::size_t some) {
  std::vector<Moments> moments(some);
  parallelFor(some, [&](std::size_t i) {
    std::vector<std::vector<char>> bytes =
        samples.inputsOf(samples.spread(i, some));
    for (const std::vector<float> &values : realTensors(inputs, bytes)) {
      double magnitudes = 0, squares = 0, cubes = 0;
      for (double x : values) {
        magnitudes += std::fabs(x);
        squares += x * x;
        cubes += x * x * x;
      }
      moments[i].insert(moments[i].end(), {magnitudes, squares, cubes});
    }
  });
  std::vector<std::size_t> groups;
  for (std::size_t i = 0; i < some; ++i)
    groups.push_back(std::size_t(llvm::find_if(moments,
                                               [&](const Moments &other) {
                                                 return isAlike(other,
                                                                moments[i]);
                                               }) -
                                 moments.begin()));
  return groups;
}

std::size_t yarrow::countGroups(llvm::ArrayRef<std::size_t> groups) {
  return std::set<std::size_t>(groups.begin(), groups.end()).size();
}
