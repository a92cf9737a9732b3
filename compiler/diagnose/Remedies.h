//===- Remedies.h - What would make an integer network more exact -*- C++ -*-=//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Remedies are other settings of a configuration: of all layers, or of those
// that lose most by themselves. Each is tried, which means that the network is
// quantized with it and measured at its outputs; the one that gains most for
// the cycles that it costs is taken, and the others are tried again beside it,
// until none gains enough.
//
//   RemedySearch search(settings, samples, measure);
//   std::optional<Diagnosis> found = search.run();
//   for (const auto &[key, value] : found->settings) // of a configuration
//     std::cout << key << " = " << value << "\n";
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DIAGNOSE_REMEDIES_H
#define YARROW_COMPILER_DIAGNOSE_REMEDIES_H

#include "compiler/config/SettingEdits.h"
#include "compiler/diagnose/Findings.h"
#include "quantizer/metrics/Metrics.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace yarrow {

/// A network that was quantized with some settings.
struct Trial {
  std::vector<TensorMetric> layers; ///< In as much detail as was asked for.
  double sqnrDb = 0;                ///< Of the output that loses most.
  /// On the target; nullopt after errors.
  std::function<std::optional<uint64_t>()> countCycles;
};

struct Remedy {
  std::string what; ///< "16 bits for /fc/Gemm (FullyConnected)"
  std::string why;
  Settings settings; ///< The keys that change, with their whole values.
};

/// A remedy that was tried; figures are those beside the remedies taken before.
struct TriedRemedy {
  Remedy remedy;
  std::optional<double> sqnrDb; ///< Absent: no network could be made.
  double gainDb = 0;
  std::optional<uint64_t> cycles;
  bool isTaken = false;
};

struct Diagnosis {
  std::vector<TensorMetric> layers; ///< Before.
  std::vector<Finding> findings;
  struct Figures {
    double sqnrDb = 0;
    uint64_t cycles = 0;
  };
  Figures before, after;
  /// Those taken, in their order, and then the others as they were tried last,
  /// by falling gain.
  std::vector<TriedRemedy> remedies;
  /// Of those taken together.
  Settings settings;
  std::size_t numTrials = 0;
  bool isOutOfTime = false;
};

/// What might help a network with such layers: settings for all layers, and
/// others for those that lose most by themselves.
std::vector<Remedy> proposeRemedies(const Settings &settings,
                                    const std::vector<TensorMetric> &layers,
                                    std::size_t samples);

/// Methods that choose weights and biases anew: slower to try, so when settings
/// have no more to give. None if \p settings have such methods.
std::vector<Remedy> proposeMethods(const Settings &settings);

class RemedySearch {
public:
  /// Quantizes with the given settings and measures. Nullopt if that fails.
  using Measure = std::function<std::optional<Trial>(const Settings &settings,
                                                     CompareDetail detail)>;
  /// \p settings are those given; keys without one have their default.
  /// \p samples are there for calibration.
  RemedySearch(Settings settings, std::size_t samples, Measure measure)
      : settings(std::move(settings)), samples(samples),
        measure(std::move(measure)) {}

  /// From this SQNR on, in dB, nothing is taken that costs cycles.
  double enoughDb = 30;
  /// Whether time is up; asked before each trial.
  std::function<bool()> isOutOfTime = [] { return false; };

  /// \p baseline was measured with all layers. Nullopt if its cycles
  /// cannot be counted.
  std::optional<Diagnosis> run(Trial baseline);

private:
  /// Tries \p proposed, and takes what is worth most; whether anything is.
  bool takeBest(const std::vector<Remedy> &proposed);
  /// Tries \p proposed beside what was taken; the best of them, if it gains
  /// enough.
  std::optional<std::size_t> tryAll(const std::vector<Remedy> &proposed,
                                    std::vector<TriedRemedy> &tried);
  std::optional<Trial> measureWith(const Remedy &remedy, CompareDetail detail);

  Settings settings;
  std::size_t samples;
  Measure measure;
  Diagnosis found;
  Trial now; ///< With all remedies that were taken.
  std::vector<TriedRemedy> taken, tried;
};

/// Tables and lines for a terminal; \p isWhole: all layers, not the worst ones.
std::string diagnosisText(const Diagnosis &diagnosis, bool isWhole,
                          std::size_t width);

} // namespace yarrow

#endif // YARROW_COMPILER_DIAGNOSE_REMEDIES_H
