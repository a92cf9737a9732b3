//===- HessianScales.cpp - Weight ranges by the inputs' strength ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// At few bits the largest weight of a channel costs all others their
// resolution. The range is narrowed where the error falls that a channel's
// output has in the mean: sum over j of E[x_j^2] (w_j - Q(w_j))^2, the diagonal
// of the second moments (spec: quantizer 13.2).
//
//===----------------------------------------------------------------------===//
#include "quantizer/math/QuantParams.h"
#include "quantizer/methods/ApplyMethods.h"
#include "support/ThreadPool.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;

/// E[x_j^2] by group.
static std::vector<std::vector<float>> strengthsOf(const LayerRows &rows) {
  std::vector<std::vector<float>> result;
  for (const InputMoments &m : rows.moments(InputsOf::Floats)) {
    std::vector<float> &strengths = result.emplace_back();
    for (std::size_t j = 0; j < rows.terms(); ++j)
      strengths.push_back(m.second.at(j, j) + m.floatMean[j] * m.floatMean[j]);
  }
  return result;
}

/// The error of channel's weights in a range of +-\p bound.
static double errorOf(std::span<const float> weights,
                      std::span<const float> strengths, float bound,
                      unsigned bits, RangeMode mode) {
  LinearParams p = linearParams(-bound, bound, mode, bits, /*isSigned=*/true);
  double error = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    double e = double(quantizeValue(weights[j], p)) / p.scale - weights[j];
    error += strengths[j] * e * e;
  }
  return error;
}

bool yarrow::chooseHessianScales(const MethodInput &input) {
  constexpr std::size_t kSamples = 64;
  JointForward forward;
  if (!forward.create(input.network, input.quantized, input.samples, kSamples,
                      input.diags))
    return false;
  auto steps = std::size_t(std::max(2.0, input.method.value("nsteps")));
  double most = std::max(1.0, input.method.value("most"));
  bool isAny = false;
  std::size_t done = 0;
  auto atLayer = [&](const JointLayer &layer) {
    if (input.progress)
      input.progress(++done, forward.numLayers());
    LayerOptions options = optionsOf(layer.floatOp, input.options);
    if (!input.method.appliesTo(layer.floatOp))
      return;
    auto w = IntegerWeights::of(layer.floatOp, layer.intOp, options);
    if (!w)
      return;
    LayerRows rows(layer);
    std::vector<std::vector<float>> strengths = strengthsOf(rows);
    std::vector<std::vector<double>> errors(w->outputs,
                                            std::vector<double>(steps));
    float largestOfAll = 0;
    for (float x : w->weights)
      largestOfAll = std::max(largestOfAll, std::fabs(x));
    bool perChannel = options.weightMethod.perChannel || rows.groups() > 1;
    auto factorOf = [&](std::size_t step) {
      return 1 + (most - 1) * double(step) / double(steps - 1);
    };
    auto largestOf = [&](std::size_t o) {
      float largest = 0;
      for (float x : w->weightsOf(o))
        largest = std::max(largest, std::fabs(x));
      return largest;
    };
    parallelFor(w->outputs, [&](std::size_t o) {
      float largest = perChannel ? largestOf(o) : largestOfAll;
      for (std::size_t s = 0; s < steps; ++s)
        errors[o][s] =
            errorOf(w->weightsOf(o), strengths[o / rows.outputsPerGroup()],
                    float(largest / factorOf(s)), options.weightBits,
                    options.weightMethod.mode);
    });
    if (!perChannel) {
      for (std::size_t o = 1; o < w->outputs; ++o)
        for (std::size_t s = 0; s < steps; ++s)
          errors[0][s] += errors[o][s];
      errors.resize(1);
    }
    std::vector<FloatRange> ranges;
    for (std::size_t o = 0; o < errors.size(); ++o) {
      auto best =
          std::size_t(std::min_element(errors[o].begin(), errors[o].end()) -
                      errors[o].begin());
      auto bound =
          float((perChannel ? largestOf(o) : largestOfAll) / factorOf(best));
      ranges.push_back({-bound, bound});
    }
    input.calibration.setWeightRanges(layer.floatOp, std::move(ranges));
    isAny = true;
  };
  return forward.run(atLayer, input.diags) && isAny;
}
