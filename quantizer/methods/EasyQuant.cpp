//===- EasyQuant.cpp - Scales that keep a layer's results -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Scales of weights and of the input, tried one after the other: kept are those
// with which the layer's sums have the largest cosine with the float layer's
// (docs/quantization.md, Methods). The reference compares with integers that
// still have their zero points; here they are real numbers.
//
//===----------------------------------------------------------------------===//
#include "quantizer/math/EvenSteps.h"
#include "quantizer/math/Similarity.h"
#include "quantizer/methods/ApplyMethods.h"
#include "quantizer/methods/Unmoved.h"
#include "support/LinearValue.h"
#include "support/ThreadPool.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;

namespace {

/// The search over one layer. Factors are those of scales: 2 halves a range.
class ScaleSearch {
public:
  ScaleSearch(const WeightedLayer &layer, const TensorInfo &in)
      : rows(layer.rows), w(layer.weights), in(in), method(layer.method),
        candidates(evenSteps(method.value("alpha"), method.value("beta"),
                             method.value("nsteps"))),
        factors(w.outputs, 1.0f) {
    auto perSample = std::min<std::size_t>(rows.pixels(), kPixels);
    inputs =
        rows.gather(InputsOf::Floats, 0, layer.layer.numSamples, perSample);
    auto groups = std::size_t(std::max(0.0, method.value("ngroups")));
    if (!layer.isPerChannel())
      chunk = w.outputs;
    else if (groups)
      chunk = (w.outputs + groups - 1) / groups;
    for (std::size_t g = 0; g < rows.groups(); ++g)
      targets.push_back(sumsOf(g, inputs[g], /*isRounded=*/false));
  }

  /// Once through weights and input.
  void improve() {
    improveWeights();
    improveInput();
  }
  const std::vector<float> &weightFactors() const { return factors; }
  float inputFactor() const { return ofInput; }

private:
  static constexpr std::size_t kPixels = 32;

  Matrix sumsOf(std::size_t group, const Matrix &x, bool isRounded) const {
    std::size_t perGroup = rows.outputsPerGroup();
    Matrix transposed(w.terms, perGroup);
    for (std::size_t o = 0; o < perGroup; ++o) {
      std::size_t output = group * perGroup + o;
      float step = w.steps[output] / factors[output];
      for (std::size_t i = 0; i < w.terms; ++i) {
        float real = w.weightsOf(output)[i];
        if (isRounded)
          real = step * std::clamp(std::nearbyint(real / step), float(w.lowest),
                                   float(w.highest));
        transposed.at(i, o) = real;
      }
    }
    Matrix sums(x.rows, perGroup);
    addProduct(x, transposed, sums);
    return sums;
  }

  Matrix roundedInputs(std::size_t group) const {
    Matrix x = inputs[group];
    float scale = in.scale * ofInput;
    for (std::size_t r = 0; r < x.rows; ++r)
      for (float &value : x.rowOf(r))
        value =
            float(quantizeValue(value, scale, in.zp, in.lo, in.hi) + in.zp) /
            scale;
    return x;
  }

  /// By output, against the float sums.
  std::vector<Similarity> compare() const {
    std::vector<Similarity> result(w.outputs);
    std::size_t perGroup = rows.outputsPerGroup();
    parallelFor(rows.groups(), [&](std::size_t g) {
      Matrix now = sumsOf(g, roundedInputs(g), /*isRounded=*/true).transposed();
      Matrix target = targets[g].transposed();
      for (std::size_t o = 0; o < perGroup; ++o)
        result[g * perGroup + o].add(target.rowOf(o), now.rowOf(o));
    });
    return result;
  }

  double cosineOf(const std::vector<Similarity> &all, std::size_t begin,
                  std::size_t end) const {
    Similarity sum;
    for (std::size_t o = begin; o < end; ++o)
      sum.merge(all[o]);
    return sum.cosine();
  }

  void improveWeights() {
    std::vector<float> best = factors;
    std::vector<Similarity> first = compare();
    std::size_t chunks = numRanges(w.outputs, chunk);
    std::vector<double> bestCosine(chunks);
    auto cosineOfChunk = [&](const std::vector<Similarity> &all,
                             std::size_t c) {
      return cosineOf(all, c * chunk, std::min(w.outputs, (c + 1) * chunk));
    };
    for (std::size_t c = 0; c < chunks; ++c)
      bestCosine[c] = cosineOfChunk(first, c);
    for (double candidate : candidates) {
      auto factor = float(candidate);
      std::fill(factors.begin(), factors.end(), factor);
      std::vector<Similarity> tried = compare();
      for (std::size_t c = 0; c < chunks; ++c) {
        double cosine = cosineOfChunk(tried, c);
        if (cosine <= bestCosine[c])
          continue;
        bestCosine[c] = cosine;
        for (std::size_t o = c * chunk;
             o < std::min(w.outputs, (c + 1) * chunk); ++o)
          best[o] = factor;
      }
    }
    factors = std::move(best);
  }

  void improveInput() {
    float best = ofInput;
    double bestCosine = cosineOf(compare(), 0, w.outputs);
    for (double candidate : candidates) {
      ofInput = float(candidate);
      double cosine = cosineOf(compare(), 0, w.outputs);
      if (cosine > bestCosine)
        bestCosine = cosine, best = ofInput;
    }
    ofInput = best;
  }

  const LayerRows &rows;
  const IntegerWeights &w;
  const TensorInfo in;
  const GlobalMethod &method;
  const std::vector<double> candidates;
  std::size_t chunk = 1; ///< Outputs that have one factor.
  std::vector<Matrix> inputs, targets;
  std::vector<float> factors;
  float ofInput = 1;
};

} // namespace

bool yarrow::chooseEasyScales(const MethodInput &input) {
  auto atLayer = [&](WeightedLayer &l) {
    const IntegerWeights &w = l.weights;
    TensorInfo in = describe(l.layer.intOp->getOperand(0));
    ScaleSearch search(l, in);
    auto epochs = std::size_t(std::max(1.0, input.method.value("epochs")));
    for (std::size_t i = 0; i < epochs; ++i)
      search.improve();
    std::vector<FloatRange> ranges;
    for (std::size_t o = 0; o < (l.isPerChannel() ? w.outputs : 1); ++o) {
      float bound = float(w.highest) * w.steps[o] / search.weightFactors()[o];
      ranges.push_back({-bound, bound});
    }
    input.calibration.setWeightRanges(l.layer.floatOp, std::move(ranges));
    if (search.inputFactor() == 1)
      return;
    // Layers that only move choose no scale.
    float scale = in.scale * search.inputFactor();
    input.calibration.setRange(
        unmoved(l.layer.floatOp->getOperand(0)),
        {float(in.lo + in.zp) / scale, float(in.hi + in.zp) / scale});
  };
  JointTask task = input.joint();
  return forWeightedLayers(task, task.wantedSamples(), atLayer);
}
