//===- Search.cpp - The bits of each layer within a budget --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Search.h"
#include "compiler/config/PictureSettings.h"
#include "compiler/model/Models.h"
#include "compiler/pipeline/Quantize.h"
#include "compiler/quantize/PrecisionStep.h"
#include "compiler/quantize/Settings.h"
#include "quantizer/Quantizer.h"

using namespace yarrow;
using mlir::ModuleOp;
using mlir::OwningOpRef;
using session::Call;
using session::FoundPrecisions;
using session::SearchTask;

namespace {

/// A network whose bits are to be found.
class Search {
public:
  Search(const SearchTask &task, const Call &call)
      : task(task), work(call.work()), diags(call.diags) {}

  std::optional<FoundPrecisions> run(OwningOpRef<ModuleOp> network);

private:
  bool readSamples(ModuleOp network);
  void setGoal();
  /// A task.quantize that plans first.
  OwningOpRef<ModuleOp> planAndQuantize(ModuleOp cleaned,
                                        const Calibration &calibration,
                                        QuantizerOptions &options);

  const SearchTask &task;
  const Work work;
  yarrow::DiagnosticEngine &diags;
  std::optional<std::vector<NpyView>> calibrationData, held;
  std::optional<NpyView> labels;
  std::optional<AccuracyDrop> drop;
  PrecisionStep step;
  std::optional<FoundPrecisions> found;
};

} // namespace

bool Search::readSamples(ModuleOp network) {
  auto pictures = config::pictureOptions(task.config, diags);
  if (!pictures)
    return false;
  calibrationData = readArrays(
      dataFor(network, task.config.calibrationData, *pictures), diags);
  held = readArrays(dataFor(network, task.data, *pictures), diags);
  if (!calibrationData || !held)
    return false;
  if (!task.maxDrop)
    return true;
  labels = readNpy(task.label, diags);
  if (labels)
    drop.emplace(*held, *labels, 1, 0);
  return labels.has_value();
}

void Search::setGoal() {
  step.precisions = task.precisions;
  step.goal = task.goal;
  step.data = held->empty() ? &*calibrationData : &*held;
  step.maxSamples = task.maxSamples;
  if (drop)
    step.goal.isGoodEnough = [&](ModuleOp candidate) -> std::optional<bool> {
      std::optional<double> lost = drop->of(candidate, diags);
      return lost ? std::optional(100 * *lost <= *task.maxDrop) : std::nullopt;
    };
}

OwningOpRef<ModuleOp> Search::planAndQuantize(ModuleOp cleaned,
                                              const Calibration &calibration,
                                              QuantizerOptions &options) {
  QuantizerOptions given = options;
  if (drop && !drop->measureFloat(cleaned, diags))
    return nullptr;
  auto plan =
      planPrecision(step, {cleaned, calibration, options, *calibrationData},
                    task.machine, {}, work);
  if (!plan)
    return nullptr;
  options = plan->quantizerOptions(options);
  found = {std::move(*plan), std::move(given)};
  return quantizedCopy(cleaned, calibration, options, diags);
}

std::optional<FoundPrecisions> Search::run(OwningOpRef<ModuleOp> network) {
  if (!canBeQuantized(*network, task.config.graph, diags) ||
      !readSamples(*network))
    return std::nullopt;
  recordLayerIds(*network);
  setGoal();
  QuantizeTask quantization;
  quantization.samples = &*calibrationData;
  quantization.progress = work.progressOf("calibrate");
  quantization.options = [&](ModuleOp, ModuleOp cleaned) {
    return quantizerOptions(task.config, cleaned, diags);
  };
  quantization.quantize = [&](ModuleOp cleaned, const Calibration &calibration,
                              QuantizerOptions &options) {
    return planAndQuantize(cleaned, calibration, options);
  };
  return quantizeNetwork(std::move(network), quantization, diags)
             ? std::move(found)
             : std::nullopt;
}

std::optional<FoundPrecisions>
session::search(std::shared_ptr<const Network> network, const SearchTask &task,
                const Call &call) {
  std::optional<FoundPrecisions> found;
  bool isDone = call.run([&] {
    OwnNetwork own(std::move(network));
    found = Search(task, call).run(std::move(own.variants.back()));
  });
  return isDone ? std::move(found) : std::nullopt;
}
