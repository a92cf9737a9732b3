//===- StatisticsFile.cpp - Statistics of an earlier calibration ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/calibrate/StatisticsFile.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/network/Evaluator.h"
#include "support/AtomicFile.h"
#include "support/Digest.h"
#include "support/Format.h"
#include "support/JsonFile.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Quantizer.h"
#include "support/diagnostics/Settings.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

using namespace yarrow::compass;
using nlohmann::json;

namespace yarrow {

static constexpr const char *kFormat = "yarrow-statistics";
static constexpr int kVersion = 1;

//===----------------------------------------------------------------------===//
// Digests
//===----------------------------------------------------------------------===//

static void addAttribute(Digest &digest, mlir::Attribute attr) {
  if (auto elements = mlir::dyn_cast<mlir::ElementsAttr>(attr))
    if (auto view = viewConstant(elements)) {
      digest.add({view->bytes.data(), view->bytes.size()});
      return;
    }
  std::string text;
  llvm::raw_string_ostream out(text);
  attr.print(out);
  digest.add(text);
}

std::string digestOfNetwork(mlir::ModuleOp module) {
  Digest digest;
  auto add = [&](llvm::StringRef text) {
    digest.add({text.data(), text.size()});
  };
  module.walk([&](mlir::Operation *op) {
    if (!recordOf(op))
      return;
    add(op->getName().getStringRef());
    for (mlir::Value operand : op->getOperands())
      add(tensorNameOf(operand));
    for (mlir::NamedAttribute attr : op->getAttrs()) {
      // Which tool wrote the IR, and what it knew of ranges, is no part of what
      // the network computes.
      if (attr.getName() == kExtraKeysAttr)
        continue;
      add(attr.getName().getValue());
      addAttribute(digest, attr.getValue());
    }
    for (mlir::Value result : op->getResults()) {
      add(tensorNameOf(result));
      std::string text;
      llvm::raw_string_ostream out(text);
      result.getType().print(out);
      add(text);
    }
  });
  return digest.text();
}

std::string digestOfSamples(const std::vector<NpyView> &arrays) {
  Digest digest;
  for (const NpyView &array : arrays) {
    for (int64_t d : array.shape)
      digest.add(std::to_string(d) + ",");
    digest.add({static_cast<const char *>(array.data), array.sizeBytes()});
  }
  return digest.text();
}

//===----------------------------------------------------------------------===//
// Statistics as JSON
//===----------------------------------------------------------------------===//

static json toJson(const ObservedState &s) {
  return {{"batches", s.batches},
          {"extrema", {s.allData.min, s.allData.max}},
          {"running", {s.running.min, s.running.max}},
          {"mean", s.mean},
          {"std", s.deviation},
          {"mad", s.absoluteDeviation},
          {"histogram", s.histogram}};
}

static bool readFloat(const json &value, float &to) {
  if (value.is_number())
    to = value.get<float>();
  return value.is_number();
}

static bool readRange(const json &object, const char *name, FloatRange &to) {
  auto list = object.find(name);
  return list != object.end() && list->is_array() && list->size() == 2 &&
         readFloat((*list)[0], to.min) && readFloat((*list)[1], to.max) &&
         to.min <= to.max;
}

/// Nullopt if \p object lacks something.
static std::optional<ObservedState> stateOf(const json &object) {
  if (!object.is_object())
    return std::nullopt;
  ObservedState s;
  auto number = [&](const char *name, float &to) {
    auto value = object.find(name);
    return value != object.end() && readFloat(*value, to);
  };
  auto batches = object.find("batches");
  auto histogram = object.find("histogram");
  if (batches == object.end() || !batches->is_number_unsigned() ||
      histogram == object.end() || !histogram->is_array() ||
      !readRange(object, "extrema", s.allData) ||
      !readRange(object, "running", s.running) || !number("mean", s.mean) ||
      !number("std", s.deviation) || !number("mad", s.absoluteDeviation))
    return std::nullopt;
  s.batches = batches->get<uint64_t>();
  for (const json &bin : *histogram)
    if (!readFloat(bin, s.histogram.emplace_back()))
      return std::nullopt;
  return s;
}

static json settingsOf(const ObserverOptions &options) {
  return {{"running_statistic_momentum", options.momentum},
          {"histc_bins", options.histogramBins},
          {"trim_infinity_before_statistic", options.trim.str()}};
}

bool writeStatistics(const std::string &path, mlir::ModuleOp module,
                     const Calibration &calibration,
                     const QuantizerOptions &options,
                     const StatisticsOrigin &origin, DiagnosticEngine &diags) {
  json layers = json::object();
  module.walk([&](mlir::Operation *op) {
    if (!recordOf(op))
      return;
    json &layer = layers[layerNameOf(op).str()];
    layer["settings"] = settingsOf(optionsOf(op, options).observer);
    for (mlir::Value value : op->getResults())
      if (const Observer *observer = calibration.observerOf(value))
        layer["tensors"][tensorNameOf(value)] = toJson(observer->state());
  });
  for (const auto &[where, observer] : calibration.intermediates())
    layers[layerNameOf(where.first).str()]["between"][where.second] =
        toJson(observer.state());
  json root = {{"format", kFormat},
               {"version", kVersion},
               {"network", origin.network},
               {"data", origin.data},
               {"samples", calibration.sampleCount()},
               {"calibration_batch_size", options.calibrationBatchSize},
               {"layers", std::move(layers)}};
  AtomicFile file(path, diags);
  file.append(root.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
  return file.commit();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

class StatisticsReader {
public:
  StatisticsReader(const std::string &path, const QuantizerOptions &options,
                   DiagnosticEngine &diags)
      : path(path), options(options), diags(diags) {}

  /// Whether \p file is one of ours for this network.
  bool checkHeader(const json &file, const StatisticsOrigin &origin);
  /// The statistics of all tensors that \p module has.
  std::unique_ptr<Calibration> read(const json &file, mlir::ModuleOp module,
                                    bool ignoreMissing);

private:
  Diagnostic &fail(std::string message) {
    ok = false;
    return diags.report(diag::QuantCalibration, {path}, std::move(message));
  }
  std::optional<Observer> observer(mlir::Operation *op, const json &layer,
                                   const char *kind, const std::string &name);
  void reportMissing();
  void warnOfSettings();

  const std::string &path;
  const QuantizerOptions &options;
  DiagnosticEngine &diags;
  bool ok = true;
  std::vector<std::string> missing, changed; ///< Tensors, and layers.
};

} // namespace

bool StatisticsReader::checkHeader(const json &file,
                                   const StatisticsOrigin &origin) {
  auto is = [&](const char *key, const json &value) {
    return file.is_object() && file.contains(key) && file[key] == value;
  };
  if (!is("format", kFormat)) {
    fail("the file does not have statistics")
        .expected(std::string("\"format\": \"") + kFormat + "\"");
    return false;
  }
  if (!is("version", kVersion)) {
    fail("the statistics come from another version of Yarrow")
        .found("version " + file.value("version", json()).dump())
        .expected("version " + std::to_string(kVersion));
    return false;
  }
  if (!is("network", origin.network)) {
    fail("the statistics belong to another network")
        .found(file.value("network", json()).dump())
        .expected(origin.network)
        .hint("calibrate this one with save_statistic_info = True");
    return false;
  }
  if (!origin.data.empty() && !is("data", origin.data))
    diags
        .report(diag::ConfigNotApplied, {path},
                "calibration_data is not applied to ranges: the statistics "
                "come from other data")
        .hint("without statistic_file, ranges come from calibration_data");
  return true;
}

std::optional<Observer> StatisticsReader::observer(mlir::Operation *op,
                                                   const json &layer,
                                                   const char *kind,
                                                   const std::string &name) {
  LayerOptions own = optionsOf(op, options);
  if (!layer.is_object() || !layer.contains(kind) || !layer[kind].is_object() ||
      !layer[kind].contains(name))
    return std::nullopt;
  std::optional<ObservedState> state = stateOf(layer[kind][name]);
  bool hasAll =
      state && (own.activationStrategy.needs() != StrategyNeeds::Histogram ||
                state->batches == 0 || !state->histogram.empty());
  if (!hasAll)
    return std::nullopt;
  return Observer(own.activationStrategy, own.observer, std::move(*state));
}

void StatisticsReader::reportMissing() {
  if (missing.empty())
    return;
  fail("the statistics of " + formatCount(missing.size()) +
       (missing.size() == 1 ? " tensor are missing" : " tensors are missing"))
      .found("the first one is " + missing.front())
      .hint("use those of a layer's first input with ignore_missing_statistic "
            "= True");
}

void StatisticsReader::warnOfSettings() {
  if (changed.empty())
    return;
  diags
      .report(diag::ConfigNotApplied, {path},
              "running_statistic_momentum, histc_bins and "
              "trim_infinity_before_statistic come from the statistics")
      .found(formatCount(changed.size()) +
             (changed.size() == 1 ? " layer has other values"
                                  : " layers have other values") +
             " now, the first one is " + changed.front())
      .hint("they apply only when samples are run, without statistic_file");
}

std::unique_ptr<Calibration> StatisticsReader::read(const json &file,
                                                    mlir::ModuleOp module,
                                                    bool ignoreMissing) {
  static const json none = json::object();
  auto layers = file.find("layers");
  auto samples = file.find("samples");
  if (layers == file.end() || !layers->is_object() || samples == file.end() ||
      !samples->is_number_unsigned()) {
    fail("the file does not have layers");
    return nullptr;
  }
  auto layerOf = [&](mlir::Operation *op) -> const json & {
    auto layer = layers->find(layerNameOf(op).str());
    return layer == layers->end() ? none : *layer;
  };
  auto calibration = std::make_unique<Calibration>();
  auto firstInput = [&](mlir::Operation *op) -> const Observer * {
    return ignoreMissing && op->getNumOperands()
               ? calibration->observerOf(op->getOperand(0))
               : nullptr;
  };
  module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (!recordOf(op))
      return;
    const json &layer = layerOf(op);
    json settings = settingsOf(optionsOf(op, options).observer);
    if (layer.value("settings", settings) != settings)
      changed.push_back(layerNameOf(op).str());
    for (mlir::Value value : op->getResults()) {
      std::optional<Observer> own =
          observer(op, layer, "tensors", tensorNameOf(value));
      const Observer *first = firstInput(op);
      if (own)
        calibration->set(value, std::move(*own));
      else if (first)
        calibration->set(value, *first);
      else
        missing.push_back(tensorNameOf(value));
    }
  });
  if (auto evaluator = Evaluator::create(module, diags))
    for (auto [op, name] : evaluator->intermediates()) {
      auto own = observer(op, layerOf(op), "between", name.str());
      const Observer *first = firstInput(op);
      if (own)
        calibration->set(op, name.str(), std::move(*own));
      else if (first)
        calibration->set(op, name.str(), *first);
      else
        missing.push_back((layerNameOf(op) + "." + name).str());
    }
  else
    ok = false;
  reportMissing();
  warnOfSettings();
  calibration->setSampleCount(samples->get<std::size_t>());
  return ok ? std::move(calibration) : nullptr;
}

/// A pickle, or a .npy file of Python objects, which is one inside.
static bool isPickle(std::string_view text) {
  return text.starts_with("\x80") || text.starts_with("\x93NUMPY");
}

std::unique_ptr<Calibration>
readStatistics(const std::string &path, mlir::ModuleOp module,
               const QuantizerOptions &options, const StatisticsOrigin &origin,
               bool ignoreMissing, DiagnosticEngine &diags) {
  std::shared_ptr<const MappedFile> file = MappedFile::open(path, diags);
  if (!file)
    return nullptr;
  if (isPickle(file->text())) {
    diags
        .report(diag::QuantUnsupported, {path},
                "the file is a Python pickle, which Yarrow would have to run "
                "as a program")
        .expected("statistics in Yarrow's form, JSON")
        .hint("calibrate once with save_statistic_info = True");
    return nullptr;
  }
  std::optional<json> root = parseJson(file->text(), path, diags);
  StatisticsReader reader(path, options, diags);
  if (!root || !reader.checkHeader(*root, origin))
    return nullptr;
  std::unique_ptr<Calibration> calibration =
      reader.read(*root, module, ignoreMissing);
  if (calibration)
    calibration->takeRangesInIr(module, options, diags);
  return calibration;
}

} // namespace yarrow
