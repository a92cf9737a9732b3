//===- MseRanges.cpp - Ranges of least square error -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A wider range clips less and has coarser steps. With the values of a tensor
// counted in bins over its extrema, the square error of each range can be told:
// of values within, a twelfth of the square of a step, and of those beyond, the
// square of how far they are. The ranges with the least sum are taken, both
// ends on their own where the type is asymmetric.
//
// What other samples reach is not known, but each sample can be asked what the
// others would have clipped of it: the one that reaches furthest is counted by
// the range of the rest. Where few samples decide how wide a tensor is, ranges
// become wider than anything seen. 8 bits, 24 pictures, measured on 8 others:
// selfie segmentation 10.1 to 12.4 dB, full-range face detection 22.3 to 23.2.
// Results of the network stay as they are: BlazeFace's scores, -350 to 3 in 24
// pictures and -500 in another, would lose their steps where faces begin.
//
// They are narrowed by little: other samples have larger values than those of
// the calibration, and one that is cut off in the middle of a network costs its
// result more than finer steps gain. ResNet-20, 8 bits, 1,000 images it has not
// seen, with gptq: extrema 27.3 dB, down to 0.85 of them 29.0, to 0.7 28.6, to
// 0.4 27.4.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/ChannelFactors.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Traits.h"
#include "quantizer/calibrate/NetworkOutputs.h"
#include "quantizer/calibrate/SampleGroups.h"
#include "quantizer/calibrate/TensorValues.h"
#include "quantizer/math/EvenSteps.h"
#include "quantizer/methods/ApplyMethods.h"
#include "quantizer/metrics/SampledNetwork.h"
#include "support/ThreadPool.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

using namespace yarrow;
using namespace yarrow::compass;

namespace {

constexpr std::size_t kBins = 4096;

/// How often values of a tensor lie in each of kBins bins over its extrema.
struct Histogram {
  FloatRange extrema; ///< Of all samples.
  FloatRange seen;    ///< Of those that are counted.
  std::vector<double> counts = std::vector<double>(kBins);

  float width() const { return (extrema.max - extrema.min) / float(kBins); }
  /// \p weights are those of channels: empty if all count as much.
  void add(std::span<const float> values, std::span<const double> weights) {
    // Bins of some values at a time, by vectors.
    constexpr std::size_t kPart = 1024;
    std::array<int32_t, kPart> bins;
    std::size_t channel = 0;
    for (std::size_t begin = 0; begin < values.size(); begin += kPart) {
      std::span<const float> part =
          values.subspan(begin, std::min(kPart, values.size() - begin));
      findBins(part, bins.data());
      for (std::size_t i = 0; i < part.size(); ++i) {
        double weight = 1;
        if (!weights.empty()) {
          weight = weights[channel];
          channel = channel + 1 == weights.size() ? 0 : channel + 1;
        }
        counts[std::size_t(bins[i])] += weight;
      }
    }
    if (values.empty())
      return;
    FloatRange own = extremaOf(values);
    seen.min = std::min(seen.min, own.min);
    seen.max = std::max(seen.max, own.max);
  }
  void add(const Histogram &other) {
    for (std::size_t bin = 0; bin < kBins; ++bin)
      counts[bin] += other.counts[bin];
    seen.min = std::min(seen.min, other.seen.min);
    seen.max = std::max(seen.max, other.seen.max);
  }

private:
  void findBins(std::span<const float> values, int32_t *bins) const {
    float perBin = 1 / width(), min = extrema.min;
    constexpr float kLast = kBins - 1;
    for (std::size_t i = 0; i < values.size(); ++i) {
      float at = (values[i] - min) * perBin;
      at = at < 0 ? 0 : at;
      bins[i] = int32_t(at > kLast ? kLast : at);
    }
  }
};

/// The sample that reaches furthest on one side, and how far others do.
class Furthest {
public:
  /// Samples in their order; \p group is that of what they are copies of.
  void add(const Histogram &sample, std::size_t group, float reach) {
    float &ofGroup = reaches[group];
    ofGroup = std::max(ofGroup, reach);
    if (!histogram || reach > ofSample)
      histogram = sample, ofSample = reach, furthest = group;
  }
  bool isSet() const { return histogram.has_value(); }
  const Histogram &sample() const { return *histogram; }
  /// How far the samples of no other group than its own reach. Its own where
  /// there are no others.
  float reachOfOthers() const {
    float most = 0;
    for (auto [group, reach] : reaches)
      if (group != furthest)
        most = std::max(most, reach);
    return reaches.size() > 1 ? most : ofSample;
  }

private:
  std::optional<Histogram> histogram;
  float ofSample = 0;
  std::size_t furthest = 0;
  std::map<std::size_t, float> reaches;
};

struct TensorValuesSeen {
  Histogram all;
  /// What an error of each channel counts: a channel that was made larger has
  /// readers that make it smaller.
  std::vector<double> weights;
  Furthest low, high; ///< Reaches are magnitudes.

  /// Not on all samples' ways through the network is each tensor.
  bool wasRun() const { return high.isSet(); }
};

/// Sums over all bins up to one, by which the error of any cut is one
/// difference.
class ErrorOfRange {
public:
  explicit ErrorOfRange(const Histogram &h)
      : h(h), count(kBins + 1), sum(kBins + 1), squares(kBins + 1) {
    for (std::size_t i = 0; i < kBins; ++i) {
      double x = h.extrema.min + (double(i) + 0.5) * h.width();
      double n = h.counts[i];
      count[i + 1] = count[i] + n;
      sum[i + 1] = sum[i] + n * x;
      squares[i + 1] = squares[i] + n * x * x;
    }
  }

  double within(FloatRange range, double levels) const {
    double step = (double(range.max) - range.min) / levels;
    return (count[binOf(range.max)] - count[binOf(range.min)]) * step * step /
           12;
  }
  double below(float end) const { return beyond(0, binOf(end), end); }
  double above(float end) const { return beyond(binOf(end), kBins, end); }

private:
  std::size_t binOf(float x) const {
    double bin = (double(x) - h.extrema.min) / h.width();
    return std::size_t(std::clamp(bin, 0.0, double(kBins)));
  }
  /// Of bins begin .. end that become \p x.
  double beyond(std::size_t begin, std::size_t end, double x) const {
    double n = count[end] - count[begin];
    return squares[end] - squares[begin] - 2 * x * (sum[end] - sum[begin]) +
           n * x * x;
  }

  const Histogram &h;
  std::vector<double> count, sum, squares;
};

/// The ends of a tensor's range.
class RangeChoice {
public:
  RangeChoice(const TensorValuesSeen &seen, const LayerOptions &options,
              std::span<const double> factors)
      : seen(seen), options(options), factors(factors), all(seen.all),
        lowest(seen.low.sample()), highest(seen.high.sample()),
        levels(std::ldexp(1.0, int(options.activationBits)) - 1),
        whole{std::min(seen.all.extrema.min, 0.0f),
              std::max(seen.all.extrema.max, 0.0f)} {}

  FloatRange best() {
    bool isSigned = whole.min < 0;
    bool isAsymmetric = options.activationMethod.mode == RangeMode::Asymmetric;
    // Both ends are one.
    if (isSigned && !isAsymmetric)
      return bestSymmetric();
    FloatRange found = whole;
    double least = std::numeric_limits<double>::infinity();
    for (double high : factors)
      for (double low : isSigned ? factors : std::span<const double>(kWhole)) {
        FloatRange range{whole.min * float(low), whole.max * float(high)};
        double error = all.within(range, levels) + below(low) + above(high);
        if (error < least)
          least = error, found = range;
      }
    return found;
  }

private:
  static constexpr double kWhole[] = {1};

  FloatRange bestSymmetric() const {
    float bound = std::max(-whole.min, whole.max);
    FloatRange found{-bound, bound};
    double least = std::numeric_limits<double>::infinity();
    for (double factor : factors) {
      float end = bound * float(factor);
      if (factor > 1)
        continue; // Wide types have headroom (range_headroom_of_16_bits).
      double error =
          all.within({-end, end}, levels) + all.below(-end) + all.above(end);
      if (error < least)
        least = error, found = {-end, end};
    }
    return found;
  }
  /// What the end clips of all samples, the furthest one by the end that the
  /// others alone would have led to.
  double above(double factor) const {
    float end = whole.max * float(factor);
    return all.above(end) - highest.above(end) +
           highest.above(seen.high.reachOfOthers() * float(factor));
  }
  double below(double factor) const {
    float end = whole.min * float(factor);
    return all.below(end) - lowest.below(end) +
           lowest.below(-seen.low.reachOfOthers() * float(factor));
  }

  const TensorValuesSeen &seen;
  const LayerOptions &options;
  std::span<const double> factors;
  ErrorOfRange all, lowest, highest;
  double levels;
  FloatRange whole;
};

} // namespace

static std::vector<double> weightsOf(mlir::Value value) {
  std::vector<double> weights;
  for (double factor : channelFactors(value))
    weights.push_back(1 / (factor * factor));
  return weights;
}

bool yarrow::chooseMseRanges(const MethodInput &input) {
  // Further samples hardly change where a range is cut.
  constexpr std::size_t kSamples = 128, kChunk = 16;
  SampledNetwork network;
  if (!network.create(input.network, input.samples, input.diags))
    return false;
  llvm::MapVector<mlir::Value, TensorValuesSeen> tensors;
  mlir::ModuleOp(input.network).walk([&](mlir::Operation *op) {
    if (!recordOf(op) || !input.method.appliesTo(op))
      return;
    for (mlir::Value v : op->getResults()) {
      FloatRange extrema = input.calibration.extrema(v);
      if (describe(v).isFloat() && !isNetworkOutput(v) &&
          input.calibration.hasSeen(v) &&
          extrema.max - extrema.min > std::numeric_limits<float>::min())
        tensors[v] = {.all = {.extrema = extrema}, .weights = weightsOf(v)};
    }
  });
  std::size_t count = std::min(kSamples, network.samples->count());
  std::vector<std::size_t> groups =
      groupSamples(network.evaluator->inputs(), *network.samples, count);
  for (std::size_t first = 0; first < count; first += kChunk) {
    std::size_t size = std::min(kChunk, count - first);
    std::vector<llvm::MapVector<mlir::Value, Histogram>> own(size);
    parallelFor(size, [&](std::size_t i) {
      std::vector<TensorBytes> outputs;
      network.run(network.samples->spread(first + i, count), outputs,
                  [&](mlir::Value v, TensorBytesRef bytes) {
                    auto it = tensors.find(v);
                    if (it == tensors.end())
                      return;
                    Histogram &h = own[i][v];
                    h.extrema = it->second.all.extrema;
                    h.add(FloatValues(v, bytes).get(), it->second.weights);
                  });
    });
    for (std::size_t i = 0; i < size; ++i)
      for (const auto &[v, h] : own[i]) {
        TensorValuesSeen &seen = tensors[v];
        seen.all.add(h);
        seen.low.add(h, groups[first + i], -h.seen.min);
        seen.high.add(h, groups[first + i], h.seen.max);
      }
  }
  std::vector<double> narrower =
      evenSteps(1, std::clamp(input.method.value("least"), 0.01, 1.0),
                input.method.value("nsteps"));
  std::vector<double> wider =
      evenSteps(1, std::clamp(input.method.value("most"), 1.0, 10.0),
                input.method.value("nsteps"));
  std::vector<double> both = narrower;
  both.insert(both.end(), wider.begin(), wider.end());
  tensors.remove_if([](const auto &entry) { return !entry.second.wasRun(); });
  auto list = tensors.takeVector();
  std::vector<FloatRange> ranges(list.size());
  parallelFor(list.size(), [&](std::size_t i) {
    const auto &[value, seen] = list[i];
    ranges[i] =
        RangeChoice(seen, optionsOf(value.getDefiningOp(), input.options),
                    isNetworkOutput(value) ? wider : both)
            .best();
  });
  for (auto [entry, range] : llvm::zip(list, ranges))
    input.calibration.setRange(entry.first, range);
  return !list.empty();
}
