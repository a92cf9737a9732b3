//===- RandomInputs.cpp - Inputs of a run without data --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/run/RandomInputs.h"
#include "compiler/data/RandomSamples.h"
#include "compiler/run/IoFiles.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;

/// Stored integers, spread over their range, from normally distributed numbers.
static NpyView storedIntegers(const NpyView &normal, NpyType type) {
  constexpr double kWidth = 6; // standard deviations that the range is wide
  auto [least, most] = npyTypeRange(type);
  auto integers = std::make_shared<std::vector<int64_t>>();
  for (float value : normal.toFloats()) {
    double share = std::clamp(double(value) / kWidth + 0.5, 0.0, 1.0);
    integers->push_back(least +
                        std::llround(share * (double(most) - double(least))));
  }
  NpyView view = normal;
  view.type = NpyType::Int64;
  view.data = integers->data();
  view.owner = std::move(integers);
  return view;
}

/// Whether an input stands for real numbers. Wide integers with a scale of 1
/// count or choose something, a token or a row: any of them would be out of
/// bounds.
static bool standsForReals(const runtime::IoDescription &input) {
  bool isWhole = input.scale == 1 && input.zeroPoint == 0 &&
                 runtime::dataTypeBytes(input.type) > 1;
  return input.isQuantized && !isWhole;
}

std::vector<NpyView>
yarrow::randomInputs(const std::vector<runtime::IoDescription> &inputs,
                     uint64_t seed) {
  std::vector<std::vector<int64_t>> shapes;
  for (const IoDescription &input : inputs)
    shapes.push_back(input.shape);
  // Larger seeds than RandomDataset has say nothing new.
  constexpr uint64_t kSeeds = 1000000;
  std::vector<NpyView> arrays = randomSamples(
      "RandomDataset(seed=" + std::to_string(seed % kSeeds) + ")", shapes);
  for (std::size_t k = 0; k < inputs.size(); ++k)
    if (!sampleInputOf(inputs[k]).isFloat())
      arrays[k] = standsForReals(inputs[k])
                      ? storedIntegers(arrays[k], npyTypeOf(inputs[k].type))
                      : zerosAndOnes(arrays[k]);
  return arrays;
}
