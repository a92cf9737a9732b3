//===- LearnedRounding.cpp - Integers found by gradients ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// learnRounding is AdaRound (Nagel et al., 2020): a weight is floor(w / step) +
// h(v) with h a stretched sigmoid, and a regularizer that grows sharper drives
// h to 0 or 1. learnWeights is AdaQuant (Hubara et al., 2020): the integers
// themselves change, rounded in the forward and as they are in the backward
// pass.
//
//===----------------------------------------------------------------------===//
#include "quantizer/rounding/LearnedRows.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace yarrow;

namespace {

/// What both count in: samples = batches of the calibration.
struct Schedule {
  std::size_t samples, batchSize;
  uint64_t iterations;
};

/// The stretched sigmoid's ends, so that 0 and 1 are reached.
constexpr float kBelow = -0.1f, kAbove = 1.1f;

float sigmoid(float v) { return 1 / (1 + std::exp(-v)); }
float stretched(float v) {
  return std::clamp(sigmoid(v) * (kAbove - kBelow) + kBelow, 0.0f, 1.0f);
}
/// Its inverse, for \p h within 0 and 1.
float unstretched(float h) {
  float p = (h - kBelow) / (kAbove - kBelow);
  return std::log(p / (1 - p));
}
/// The slope of stretched.
float slopeAt(float v) {
  float s = sigmoid(v), h = s * (kAbove - kBelow) + kBelow;
  return h > 0 && h < 1 ? s * (1 - s) * (kAbove - kBelow) : 0;
}

} // namespace

static Schedule scheduleOf(WeightedLayer &l) {
  Schedule s;
  s.samples = l.layer.numSamples;
  s.batchSize = std::min(
      s.samples, std::size_t(std::max(1.0, l.method.value("batch_size"))));
  double runs = std::max(0.0, l.method.value("epochs"));
  s.iterations =
      uint64_t(std::ceil(runs * double(s.samples) / double(s.batchSize)));
  return s;
}

/// How sharp the regularizer is: none during the warm part, then from a blunt
/// \p start to a sharp \p end, along a cosine.
static double betaAt(double progress, double warm, double start, double end) {
  double u = (progress - warm) / std::max(1e-9, 1 - warm);
  return end + (start - end) / 2 * (1 + std::cos(std::numbers::pi * u));
}

void yarrow::learnRounding(WeightedLayer &l) {
  IntegerWeights &w = l.weights;
  Schedule schedule = scheduleOf(l);
  LearnedRows data(l, schedule.samples);
  auto regularizer = float(l.method.value("reg"));
  double warm = l.method.value("warm"), start = l.method.value("beta_start"),
         end = l.method.value("beta_end");
  std::vector<float> floors(w.weights.size()), v(w.weights.size());
  for (std::size_t i = 0; i < v.size(); ++i) {
    float inSteps = w.weights[i] / w.steps[i / w.terms];
    floors[i] = std::floor(inSteps);
    v[i] = unstretched(inSteps - floors[i]);
  }
  Adam adam(v.size(), l.method.value("lr"));
  auto lowest = float(w.lowest), highest = float(w.highest);
  std::vector<float> inSteps(v.size()), change(v.size()), ignored(w.outputs);
  for (uint64_t iteration = 0; iteration < schedule.iterations; ++iteration) {
    data.nextBatch(schedule.batchSize);
    for (std::size_t i = 0; i < v.size(); ++i)
      inSteps[i] = std::clamp(floors[i] + stretched(v[i]), lowest, highest);
    data.gradient(inSteps, w.biases, change, ignored);
    double progress = double(iteration) / double(schedule.iterations);
    double beta = betaAt(progress, warm, start, end);
    for (std::size_t i = 0; i < v.size(); ++i) {
      float h = stretched(v[i]), q = floors[i] + h;
      bool isFree = q > lowest && q < highest;
      float slope = isFree ? change[i] : 0;
      if (progress >= warm) {
        // d/dh of 1 - |2h - 1|^beta
        float apart = 2 * h - 1;
        slope -=
            regularizer * float(2 * beta) *
            std::copysign(float(std::pow(std::fabs(double(apart)), beta - 1)),
                          apart);
      }
      change[i] = slope * slopeAt(v[i]);
    }
    adam.step(change, v);
  }
  for (std::size_t i = 0; i < v.size(); ++i)
    w.rounded[i] = int16_t(
        std::clamp(floors[i] + (v[i] >= 0 ? 1.0f : 0.0f), lowest, highest));
}

void yarrow::learnWeights(WeightedLayer &l) {
  IntegerWeights &w = l.weights;
  Schedule schedule = scheduleOf(l);
  LearnedRows data(l, schedule.samples);
  auto lowest = float(w.lowest), highest = float(w.highest);
  std::vector<float> inSteps(w.weights.size());
  for (std::size_t i = 0; i < inSteps.size(); ++i)
    inSteps[i] = w.weights[i] / w.steps[i / w.terms];
  std::vector<float> biases = w.biases;
  Adam weightAdam(inSteps.size(), l.method.value("lr_w")),
      biasAdam(biases.size(), l.method.value("lr_b"));
  std::vector<float> rounded(inSteps.size()), change(inSteps.size()),
      biasChange(biases.size());
  auto round = [&] {
    for (std::size_t i = 0; i < inSteps.size(); ++i)
      rounded[i] = std::clamp(std::nearbyint(inSteps[i]), lowest, highest);
  };
  for (uint64_t iteration = 0; iteration < schedule.iterations; ++iteration) {
    data.nextBatch(schedule.batchSize);
    round();
    data.gradient(rounded, biases, change, biasChange);
    weightAdam.step(change, inSteps);
    biasAdam.step(biasChange, biases);
  }
  round();
  w.rounded.assign(rounded.begin(), rounded.end());
  w.setBiases(biases);
}
