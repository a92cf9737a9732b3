//===- Remedies.cpp - What would make an integer network more exact -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/diagnose/Remedies.h"
#include "support/Format.h"

#include <algorithm>
#include <iterator>
#include <limits>

using namespace yarrow;

namespace {

/// What a remedy must gain at the outputs to be worth a line.
constexpr double kLeastGainDb = 0.5;
/// Layers of which remedies of their own are tried, and how many of those that
/// help are taken at most.
constexpr std::size_t kWorstLayers = 4, kMostTaken = 12;
/// Rarer values are outliers that a range may leave out.
constexpr double kOutlierShare = 0.001;
/// Cycles that nobody would miss.
constexpr double kFreeShare = 0.01;
constexpr const char kActivationStrategy[] =
    "calibration_strategy_for_activation";

class Proposals {
public:
  Proposals(const Settings &settings, const std::vector<TensorMetric> &layers,
            std::size_t samples)
      : settings(settings), layers(layers), samples(samples) {}

  std::vector<Remedy> make() {
    proposeRanges();
    proposeScales();
    for (const TensorMetric *loss : worstLayers())
      proposeFor(*loss);
    return std::move(proposed);
  }

private:
  void proposeRanges() {
    config::PerLayerText strategy = partsOf(settings, kActivationStrategy);
    bool isMean = strategy.global == "mean";
    if (isMean && samples >= 32 &&
        settingOf(settings, "calibration_batch_size") == "1")
      add("calibration in batches of 32",
          "mean averages the batches' ranges: with single samples, it clips "
          "every larger one",
          {{"calibration_batch_size", "32"}});
    for (const char *other : {"extrema", "0.9percentile", "mean"})
      if (strategy.global != other)
        add(std::string("ranges of activations by ") + other,
            std::string(other) == "extrema" ? "nothing is clipped"
            : isMean                        ? "another range"
                                            : "narrower ranges, finer steps",
            {{kActivationStrategy,
              withGlobal(settings, kActivationStrategy, other)}});
  }

  void proposeScales() {
    const char *key = "quantize_method_for_weight";
    config::PerLayerText method = partsOf(settings, key);
    if (method.global.starts_with("per_tensor"))
      add("a scale for each channel of weights",
          "channels with small weights are coarse at the largest channel's "
          "scale",
          {{key, withGlobal(settings, key,
                            "per_channel_symmetric_restricted_range")}});
    key = "quantize_method_for_activation";
    method = partsOf(settings, key);
    if (method.global.starts_with("per_tensor_symmetric"))
      add("asymmetric activations",
          "ranges that are not around 0 use all of the integers",
          {{key, withGlobal(settings, key, "per_tensor_asymmetric")}});
  }

  std::vector<const TensorMetric *> worstLayers() const {
    std::vector<const TensorMetric *> worst;
    for (const TensorMetric &loss : layers)
      if (loss.own.count && loss.layerId >= 0 &&
          loss.own.sqnrDb() < std::numeric_limits<double>::infinity())
        worst.push_back(&loss);
    std::stable_sort(worst.begin(), worst.end(), [](auto *a, auto *b) {
      return a->own.sqnrDb() < b->own.sqnrDb();
    });
    if (worst.size() > kWorstLayers)
      worst.resize(kWorstLayers);
    return worst;
  }

  void proposeFor(const TensorMetric &loss) {
    std::string name = loss.layer + " (" + loss.layerType + ")";
    config::PerLayerText strategy = partsOf(settings, kActivationStrategy);
    if (loss.clippedShare() > kOutlierShare && strategy.global != "extrema")
      add("extrema as the range of " + name,
          formatFixed(100 * loss.clippedShare(), 2) +
              " % of its values are clipped",
          {{kActivationStrategy, withRule(settings, kActivationStrategy,
                                          {loss.layerId}, "extrema")}});
    config::PerLayerText bits = partsOf(settings, "activation_bits");
    if (bits.global == "8" && loss.dtype.ends_with("int8"))
      add("16 bits for " + name, "alone it has " + loss.own.sqnrText(1) + " dB",
          {{"activation_bits",
            withRule(settings, "activation_bits", {loss.layerId}, "16")},
           {"weight_bits",
            withRule(settings, "weight_bits", {loss.layerId}, "16")}});
  }

  void add(std::string what, std::string why, Settings changed) {
    proposed.push_back({std::move(what), std::move(why), std::move(changed)});
  }

  const Settings &settings;
  const std::vector<TensorMetric> &layers;
  std::size_t samples;
  std::vector<Remedy> proposed;
};

} // namespace

std::vector<Remedy>
yarrow::proposeRemedies(const Settings &settings,
                        const std::vector<TensorMetric> &layers,
                        std::size_t samples) {
  return Proposals(settings, layers, samples).make();
}

std::vector<Remedy> yarrow::proposeMethods(const Settings &settings) {
  const char *key = "global_calibration";
  if (settingOf(settings, key) != "none")
    return {};
  return {{"weights that compensate each other's rounding",
           "with rounding to nearest, the errors of a layer's weights add up",
           {{key, "gptq"}}},
          {"ranges of least error, and those weights",
           "rare large values cost all others resolution",
           {{key, "mse_ranges & gptq"}}},
          {"balanced channels, ranges of least error, and those weights",
           "a tensor has one step for channels of very different sizes",
           {{key, "balance_channels & mse_ranges & gptq"}}},
          {"biases that compensate rounding",
           "rounding shifts a channel's sums on average",
           {{key, "bias_correction"}}}};
}

std::optional<Trial> RemedySearch::measureWith(const Remedy &remedy,
                                               CompareDetail detail) {
  Settings changed = settings;
  for (const auto &[key, value] : remedy.settings)
    changed[key] = value;
  ++found.numTrials;
  return measure(changed, detail);
}

std::optional<std::size_t>
RemedySearch::tryAll(const std::vector<Remedy> &proposed,
                     std::vector<TriedRemedy> &tried) {
  const Diagnosis::Figures &now = found.after;
  std::optional<std::size_t> best;
  double bestWorth = 0;
  for (const Remedy &remedy : proposed) {
    if ((found.isOutOfTime = found.isOutOfTime || isOutOfTime()))
      break;
    TriedRemedy &result = tried.emplace_back();
    result.remedy = remedy;
    std::optional<Trial> trial = measureWith(remedy, CompareDetail::Outputs);
    if (!trial)
      continue;
    result.sqnrDb = trial->sqnrDb;
    result.gainDb = trial->sqnrDb - now.sqnrDb;
    // Not a number, where nothing is lost.
    if (!(result.gainDb >= kLeastGainDb))
      continue;
    result.cycles = trial->countCycles();
    if (!result.cycles)
      continue;
    double more = double(*result.cycles) / double(now.cycles) - 1;
    if (now.sqnrDb >= enoughDb && more > kFreeShare)
      continue;
    double worth = result.gainDb / std::max(more, kFreeShare);
    if (worth > bestWorth)
      bestWorth = worth, best = tried.size() - 1;
  }
  return best;
}

bool RemedySearch::takeBest(const std::vector<Remedy> &proposed) {
  std::vector<TriedRemedy> all;
  std::optional<std::size_t> best = tryAll(proposed, all);
  std::optional<Trial> next;
  if (best)
    next = measureWith(all[*best].remedy, CompareDetail::Layers);
  if (next) {
    now = std::move(*next);
    TriedRemedy chosen = std::move(all[*best]);
    all.erase(all.begin() + std::ptrdiff_t(*best));
    chosen.isTaken = true;
    found.after = {now.sqnrDb, *chosen.cycles};
    for (const auto &[key, value] : chosen.remedy.settings)
      settings[key] = found.settings[key] = value;
    taken.push_back(std::move(chosen));
  }
  std::move(all.begin(), all.end(), std::back_inserter(tried));
  return next.has_value();
}

std::optional<Diagnosis> RemedySearch::run(Trial baseline) {
  std::optional<uint64_t> cycles = baseline.countCycles();
  if (!cycles)
    return std::nullopt;
  found = {};
  found.layers = baseline.layers;
  found.before = found.after = {baseline.sqnrDb, *cycles};
  now = std::move(baseline);
  do // Of remedies that were tried again, the last figures count.
    tried.clear();
  while (takeBest(proposeRemedies(settings, now.layers, samples)) &&
         taken.size() < kMostTaken);
  takeBest(proposeMethods(settings));
  std::stable_sort(tried.begin(), tried.end(),
                   [](const TriedRemedy &a, const TriedRemedy &b) {
                     return a.sqnrDb && (!b.sqnrDb || a.gainDb > b.gainDb);
                   });
  found.remedies = std::move(taken);
  found.remedies.insert(found.remedies.end(),
                        std::make_move_iterator(tried.begin()),
                        std::make_move_iterator(tried.end()));
  return std::move(found);
}
