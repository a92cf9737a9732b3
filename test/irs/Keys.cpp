//===- Keys.cpp - yarrow-keys: keys of our IRs against the reference's ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// For every reference pack below a folder: the float IR and the integer IR,
// read and written again, and the float IR quantized as the pack's
// configuration says, have every key that the reference tools wrote, with a
// value of the same kind (KeySets.h). Our integers are as near to the floats
// as the reference's (Noise.h), on the recorded sample or on many others that
// are drawn like it (Draws.h).
//
//   yarrow-keys ../shared/packs
//
// Ranges decide no key, so the sample of the pack calibrates the network. One
// that our quantizer refuses, or takes otherwise than the configuration says,
// is not compared: why it may be is listed below, with the number of packs, and
// any other reason or number fails.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/BuildConfig.h"
#include "compiler/model/Models.h"
#include "compiler/quantize/Settings.h"
#include "dialects/compass/Execution.h"
#include "parser/compass/CompassReader.h"
#include "passes/cleanup/Cleanup.h"
#include "quantizer/Quantizer.h"
#include "support/MappedFile.h"
#include "support/ThreadPool.h"
#include "support/diagnostics/Settings.h"
#include "test/TemporaryFile.h"
#include "test/conformance/Packs.h"
#include "test/irs/Draws.h"
#include "test/irs/KeySets.h"
#include "test/irs/Noise.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

using namespace yarrow;
using namespace yarrow::testing;
using conformance::Pack;
namespace fs = std::filesystem;

namespace {

/// Of a layer that is of floats here, and has none of the integers' keys.
constexpr const char *kAnyKey = "";

/// Differences that are right, in packs whose name begins so.
struct Explained {
  const char *pack, *key, *reason;
};
constexpr Explained kExplained[] = {
    {"", "layer_top_zp",
     "an integer, which the reference prints as 0.0 in the "
     "layers that it quantizes by hand"},
    {"opzoo/Gemm/", "scale_value",
     "whole numbers that the packs which were "
     "corrected by hand have as 237.0"},
    {"opzoo/Gemm/", "shift_value", "the same"},
    {"opzoo/CropAndResize_", "scale_type",
     "a multiplier of 15 bits: with 8, the last pixel may lie outside"},
    // A Cast from float32 to float16 keeps its integers, which lose nothing by
    // it. The reference makes whole numbers of them and needs a scale.
    {"opzoo/Cast/c5__", "scale_value", "float to float"},
    {"opzoo/Cast/c5__", "scale_type", "the same"},
    {"opzoo/Cast/c5__", "shift_value", "the same"},
    {"opzoo/Cast/c5__", "shift_type", "the same"},
    {"opzoo/LRN_WITHIN_CHANNEL/", kAnyKey,
     "floats: integers count cells beyond the border (docs/operators/norm.md)"},
};

/// Scales may differ in their last bit.
constexpr double kSameNoise = 0.1;

/// Packs whose name begins so, where our integers may be further from the
/// floats on other samples too, in dB. None is for a worse form: the
/// reference's scales, which come of other samples, suit these values better.
struct Noisier {
  const char *pack;
  double decibels;
  const char *reason;
};
constexpr Noisier kNoisier[] = {
    {"", kSameNoise, "another last bit of a scale"},
    {"opzoo/Acos/", 0.4,
     "steep at -1 and 1: the greatest input, at 127.5 steps, is cut to 127"},
    {"opzoo/Acosh/", 1, "steep at 1, which is nearer to a step of theirs"},
    {"opzoo/Activation_PRELU/", 0.6,
     "the greatest input is at 127.5 steps, theirs within a wider range"},
    {"opzoo/Activation_SOFTSIGN/", 1.4,
     "our range holds the recorded values, theirs 9/10 of it: finer, and what "
     "it cuts is next to 1 anyway"},
    {"opzoo/DecodeBox/", 43,
     "a score that falls on another side of the threshold moves all boxes "
     "behind it"},
    {"opzoo/Erosion/", 0.9,
     "our range of the input holds the recorded values, theirs 9/10 of it"},
    {"opzoo/Logical_LESS/", 1.1, "truth values turn where inputs are equal"},
    {"opzoo/Mod/", 0.5, "remainders jump where a quotient does"},
    {"opzoo/NormalizedMoments/", 0.6,
     "ranges of six results a sample, for which theirs are wider"},
    {"opzoo/Round/", 4.4,
     "values turn at .5, which is 7.9 and 9.2 of our steps, and 6.5 and 7.5 of "
     "theirs: halfway between two of them"},
    {"opzoo/Sinh/", 1,
     "the greatest input is at 127.5 steps, and there the result is steep"},
};

/// Why packs are not quantized as their configuration says, and how many.
struct Refusal {
  const char *reason; ///< Code and message.
  size_t packs;
};
constexpr Refusal kRefusals[] = {
    {"W0508 an integer GRU has only 8 bits: with 16, its integer form would "
     "shift the biases away step by step: op is computed in float16",
     2},
};
/// Operators that cannot be executed yet: the conformance test lists them and
/// their packs (refusals.txt).
constexpr const char *kNotExecutable = "E0308";

bool isExplained(const std::string &pack, const MissingKey &m) {
  return std::ranges::any_of(kExplained, [&](const Explained &e) {
    return pack.starts_with(e.pack) &&
           (m.key == e.key || std::string_view(e.key) == kAnyKey);
  });
}

double allowedNoise(const std::string &pack) {
  double allowed = 0;
  for (const Noisier &n : kNoisier)
    if (pack.starts_with(n.pack))
      allowed = std::max(allowed, n.decibels);
  return allowed;
}

/// What came of one pack.
struct Result {
  std::vector<std::string> problems;
  bool isQuantized = false;
  std::set<std::string> theirTypes, ourTypes; ///< of layers after quantization
  std::string refusal; ///< why it was not quantized as configured, or ""
};

std::string firstError(const DiagnosticEngine &diags) {
  for (const Diagnostic &d : diags.all())
    if (d.isError())
      return d.headline();
  return "";
}

std::optional<compass::IrDocument> readText(const std::string &txt,
                                            DiagnosticEngine &diags) {
  auto file = MappedFile::open(txt, diags);
  return file ? compass::parseIrText(file->text(), txt, diags) : std::nullopt;
}

/// \p module as text.
std::optional<compass::IrDocument> written(mlir::ModuleOp module,
                                           DiagnosticEngine &diags) {
  TemporaryFile txt, bin;
  if (!compass::writeCompassIr(module, txt.path(), bin.path(), diags))
    return std::nullopt;
  return readText(txt.path(), diags);
}

/// The configuration of a pack; those of single operators are told by the
/// suffix of their names alone.
std::optional<config::BuildConfig> configOf(const Pack &pack,
                                            DiagnosticEngine &diags) {
  config::ConfigOptions options{.allowUnknown = true, .needsGraph = false};
  if (!pack.isOpzoo)
    return config::readBuildConfig(pack.dir + "/opt.cfg", options, diags);
  auto has = [&](const char *suffix) { return pack.name.ends_with(suffix); };
  bool isAsymmetric = has("a8") || has("a8t"), isWide = has("s16") || has("t");
  std::string text = "[Common]\ncalibration_strategy_for_activation = extrema\n"
                     "quantize_method_for_activation = per_tensor_";
  text += isAsymmetric ? "asymmetric\n" : "symmetric_full_range\n";
  text += "quantize_method_for_weight = ";
  text += has("s8") || has("t") ? "per_tensor" : "per_channel";
  text += "_symmetric_restricted_range\n";
  if (isWide && !isAsymmetric)
    text += "activation_bits = 16\nlut_items_in_bits = 10\n";
  return config::parseBuildConfig(text, pack.name, options, diags);
}

class PackCheck {
public:
  PackCheck(const Pack &pack, const std::string &packsDir)
      : pack(pack), packsDir(packsDir) {}

  Result run() {
    config = configOf(pack, diags);
    std::string floatTxt = pack.dir + "/float.txt";
    // Large networks share their float IR.
    if (!fs::exists(floatTxt) && config)
      floatTxt = packsDir + "/float_ir/" + config->modelName + ".txt";
    std::string intTxt = pack.dir + "/int.txt";
    if (fs::exists(intTxt))
      roundTrip(intTxt);
    // The packs of "winograd" vary the forms of one layer alone.
    if (fs::exists(floatTxt) && roundTrip(floatTxt) && fs::exists(intTxt) &&
        !pack.name.starts_with("winograd/"))
      compareQuantized(floatTxt, intTxt);
    if (std::string error = firstError(diags); !error.empty())
      result.problems.push_back(error);
    return std::move(result);
  }

private:
  void compare(const std::string &theirsTxt, mlir::ModuleOp module,
               const char *what) {
    auto theirs = readText(theirsTxt, diags), ours = written(module, diags);
    if (!theirs || !ours)
      return;
    for (const compass::IrSection &layer : theirs->layers)
      result.theirTypes.insert(typeOf(layer));
    for (const compass::IrSection &layer : ours->layers)
      result.ourTypes.insert(typeOf(layer));
    for (const MissingKey &m : missingKeys(*theirs, *ours))
      if (!isExplained(pack.name, m))
        result.problems.push_back(std::string(what) + ": " + m.layerType + " " +
                                  m.layer + ": " + m.key + " " + m.what);
  }

  /// The header of a float IR may name the weights otherwise.
  mlir::OwningOpRef<mlir::ModuleOp> read(mlir::MLIRContext &context,
                                         const std::string &txt) {
    return readModel(context, txt,
                     fs::path(txt).replace_extension(".bin").string(), diags,
                     compass::ReadFor::Inspection);
  }

  bool roundTrip(const std::string &txt) {
    auto context = makeContext();
    auto module = read(*context, txt);
    if (module)
      compare(txt, *module, fs::path(txt).stem() == "int" ? "int" : "float");
    return bool(module);
  }

  std::optional<std::vector<NpyView>> samples() {
    auto all = pack.isOpzoo ? pack.floatSamples() : pack.intSamples(diags);
    if (all.empty())
      return std::nullopt;
    return readArrays({.data = all.front().inputs}, diags);
  }

  void compareQuantized(const std::string &floatTxt,
                        const std::string &intTxt) {
    auto context = makeContext();
    auto module = read(*context, floatTxt);
    auto data = samples();
    if (!module || !data || !config)
      return;
    DiagnosticEngine refusals;
    auto options = prepare(*module, refusals);
    auto quantized =
        options ? quantize(*module, *data, *options, refusals) : nullptr;
    for (const Diagnostic &d : refusals.all())
      if ((d.isError() || d.id == diag::ConfigNotApplied) &&
          result.refusal.empty())
        result.refusal = std::string(d.id->code) + " " + d.message;
    if (!quantized || !result.refusal.empty())
      return;
    result.isQuantized = true;
    // Of the integer IR that is compared now, not of those read and written.
    result.theirTypes.clear();
    result.ourTypes.clear();
    compare(intTxt, *quantized, "quantized");
    if (pack.floatSamples().empty())
      return; // networks have none
    auto referenceContext = makeContext();
    if (auto reference = read(*referenceContext, intTxt))
      compareNoise({*module, *quantized, *reference, *data, *options});
  }

  struct Networks {
    mlir::ModuleOp floating, ours, theirs;
    const std::vector<NpyView> &data;
    const QuantizerOptions &options;
  };

  /// Against the recorded floats, and where the reference is nearer to them on
  /// other samples.
  void compareNoise(const Networks &networks) {
    std::vector<double> theirs = recordedNoise(networks.theirs, pack, diags);
    std::vector<double> ours =
        noiseOf(networks.ours, pack.floatSamples().front(), diags);
    ours.resize(theirs.size());
    std::vector<size_t> further;
    for (size_t i = 0; i < theirs.size(); ++i)
      if (ours[i] < theirs[i] - kSameNoise)
        further.push_back(i);
    if (!further.empty())
      compareOnDraws(networks, further);
  }

  /// The reference did not calibrate with the recorded sample: neither do we
  /// here, and with as many others as show what range the values have.
  void compareOnDraws(const Networks &networks,
                      const std::vector<size_t> &outputs) {
    Draws draws(networks.data, /*seed=*/1);
    auto quantized =
        quantize(networks.floating, draws.next(32), networks.options, diags);
    if (!quantized)
      return;
    std::vector<NpyView> samples = draws.next(32);
    std::vector<double> ours = noiseOver(samples, networks.floating, *quantized,
                                         diags),
                        theirs = noiseOver(samples, networks.floating,
                                           networks.theirs, diags);
    for (size_t i : outputs) {
      if (i < ours.size() && i < theirs.size() &&
          ours[i] >= theirs[i] - allowedNoise(pack.name))
        continue;
      char text[96];
      std::snprintf(text, sizeof text,
                    "output %zu: %.1f dB to the floats, the reference %.1f", i,
                    i < ours.size() ? ours[i] : 0,
                    i < theirs.size() ? theirs[i] : 0);
      result.problems.push_back(text);
    }
  }

  /// Cleans the network up. The options of the configuration.
  std::optional<QuantizerOptions> prepare(mlir::ModuleOp module,
                                          DiagnosticEngine &refusals) {
    if (!compass::checkExecutable(module, refusals))
      return std::nullopt;
    recordLayerIds(module);
    if (!runCleanup(module, diags))
      return std::nullopt;
    auto options = quantizerOptions(*config, module, refusals);
    // The form that the reference writes, wherever it can be.
    if (options && config->withWinograd.global)
      options->global.winograd = WinogradTransform::F2_3;
    return options;
  }

  static mlir::OwningOpRef<mlir::ModuleOp>
  quantize(mlir::ModuleOp module, const std::vector<NpyView> &data,
           const QuantizerOptions &options, DiagnosticEngine &refusals) {
    auto calibration = Calibration::run(module, data, options, {}, refusals);
    if (!calibration)
      return nullptr;
    return quantizedCopy(module, *calibration, options, refusals);
  }

  const Pack &pack;
  const std::string &packsDir;
  DiagnosticEngine diags;
  std::optional<config::BuildConfig> config;
  Result result;
};

/// One line for each reason that holds for other packs than the list says.
std::vector<std::string>
unexpectedRefusals(const std::vector<Result> &results) {
  std::map<std::string, size_t> found;
  for (const Result &result : results)
    if (!result.refusal.empty() && !result.refusal.starts_with(kNotExecutable))
      ++found[result.refusal];
  std::map<std::string, size_t> listed;
  for (const Refusal &refusal : kRefusals) {
    listed[refusal.reason] = refusal.packs;
    found.emplace(refusal.reason, 0);
  }
  std::vector<std::string> lines;
  for (const auto &[reason, count] : found)
    if (count != listed[reason])
      lines.push_back(reason + ": refuses " + std::to_string(count) +
                      " packs, on the list " + std::to_string(listed[reason]));
  return lines;
}

void report(const std::vector<Pack> &packs, const std::vector<Result> &results,
            bool isVerbose) {
  // One line per problem, not per pack that has it.
  std::map<std::string, std::vector<std::string>> packsOf;
  std::map<std::string, size_t> refusals;
  size_t quantized = 0;
  std::set<std::string> types, notCompared;
  for (size_t i = 0; i < packs.size(); ++i) {
    if (results[i].isQuantized) {
      ++quantized;
      notCompared.insert(results[i].theirTypes.begin(),
                         results[i].theirTypes.end());
      types.insert(results[i].ourTypes.begin(), results[i].ourTypes.end());
    }
    if (!results[i].refusal.empty())
      ++refusals[results[i].refusal.substr(0, isVerbose ? 200 : 5)];
    for (const std::string &problem : results[i].problems)
      packsOf[problem].push_back(packs[i].name);
  }
  for (const auto &[problem, names] : packsOf)
    std::cout << "FAIL " << problem << " (" << names.front()
              << (names.size() > 1
                      ? " and " + std::to_string(names.size() - 1) + " more)\n"
                      : ")\n");
  for (const std::string &type : types)
    notCompared.erase(type);
  for (const std::string &type : notCompared)
    std::cout << "not compared, as clean-up merges it everywhere: " << type
              << "\n";
  std::cout << packs.size() << " packs read and written, " << quantized
            << " quantized with " << types.size() << " kinds of layers";
  for (const auto &[code, count] : refusals)
    std::cout << ", " << count << " refused with " << code;
  std::cout << ": " << packsOf.size() << " problems\n";
}

} // namespace

int main(int argc, char **argv) {
  std::string packsDir, filter;
  bool isVerbose = false;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "--filter" && i + 1 < argc)
      filter = argv[++i];
    else if (word == "--verbose")
      isVerbose = true;
    else
      packsDir = word;
  }
  if (packsDir.empty()) {
    std::cerr << "usage: yarrow-keys [--filter SUBSTRING] [--verbose] FOLDER\n";
    return 2;
  }
  std::vector<Pack> packs = conformance::findPacks(packsDir);
  // There is no integer IR of ONNX's tests to compare with.
  std::erase_if(packs, [](const Pack &pack) { return pack.isOnnx; });
  std::erase_if(packs, [&](const Pack &pack) {
    return pack.name.find(filter) == std::string::npos;
  });
  if (packs.empty()) {
    std::cout << "skipped: no reference packs\n";
    return 77; // to ctest
  }
  std::vector<Result> results(packs.size());
  parallelFor(packs.size(), [&](size_t i) {
    results[i] = PackCheck(packs[i], packsDir).run();
  });
  report(packs, results, isVerbose);
  std::vector<std::string> unexpected;
  if (filter.empty())
    unexpected = unexpectedRefusals(results);
  for (const std::string &line : unexpected)
    std::cout << "FAIL " << line << "\n";
  return !unexpected.empty() ||
         std::ranges::any_of(
             results, [](const Result &r) { return !r.problems.empty(); });
}
