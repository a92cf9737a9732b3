//===- HessianScales.cpp - Weight ranges by the inputs' strength ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// At few bits the largest weight of a channel costs all others their
// resolution. The range is narrowed where the error falls that a channel's
// output has in the mean: sum over j of E[x_j^2] (w_j - Q(w_j))^2, the diagonal
// of the second moments (docs/quantization.md, Methods).
//
//===----------------------------------------------------------------------===//
#include "quantizer/math/EvenSteps.h"
#include "quantizer/math/QuantParams.h"
#include "quantizer/methods/ApplyMethods.h"
#include "support/ThreadPool.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;

/// E[x_j^2] by group.
static std::vector<std::vector<float>> strengthsOf(const LayerRows &rows) {
  std::vector<std::vector<float>> result(rows.groups());
  for (TermRange range : rows.ranges()) {
    std::vector<InputMoments> moments = rows.moments(InputsOf::Floats, range);
    for (std::size_t g = 0; g < moments.size(); ++g) {
      const InputMoments &m = moments[g];
      for (std::size_t j = 0; j < range.count; ++j)
        result[g].push_back(m.second.at(j, j) +
                            m.floatMean[j] * m.floatMean[j]);
    }
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
  std::vector<double> factors =
      evenSteps(1, std::max(1.0, input.method.value("most")),
                input.method.value("nsteps"));
  auto atLayer = [&](WeightedLayer &l) {
    const IntegerWeights &w = l.weights;
    std::vector<std::vector<float>> strengths = strengthsOf(l.rows);
    std::vector<std::vector<double>> errors(
        w.outputs, std::vector<double>(factors.size()));
    auto largestIn = [](std::span<const float> weights) {
      float largest = 0;
      for (float x : weights)
        largest = std::max(largest, std::fabs(x));
      return largest;
    };
    float largestOfAll = largestIn(w.weights);
    bool perChannel = l.isPerChannel();
    auto largestOf = [&](std::size_t o) {
      return perChannel ? largestIn(w.weightsOf(o)) : largestOfAll;
    };
    parallelFor(w.outputs, [&](std::size_t o) {
      float largest = largestOf(o);
      for (std::size_t s = 0; s < factors.size(); ++s)
        errors[o][s] =
            errorOf(w.weightsOf(o), strengths[o / l.rows.outputsPerGroup()],
                    float(largest / factors[s]), l.options.weightBits,
                    l.options.weightMethod.mode);
    });
    if (!perChannel) {
      for (std::size_t o = 1; o < w.outputs; ++o)
        for (std::size_t s = 0; s < factors.size(); ++s)
          errors[0][s] += errors[o][s];
      errors.resize(1);
    }
    std::vector<FloatRange> ranges;
    for (std::size_t o = 0; o < errors.size(); ++o) {
      auto best =
          std::size_t(std::min_element(errors[o].begin(), errors[o].end()) -
                      errors[o].begin());
      auto bound = float(largestOf(o) / factors[best]);
      ranges.push_back({-bound, bound});
    }
    input.calibration.setWeightRanges(l.layer.floatOp, std::move(ranges));
  };
  return forWeightedLayers(input.joint(), kSamples, atLayer);
}
