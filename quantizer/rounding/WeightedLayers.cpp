//===- WeightedLayers.cpp - A method at layers with weights ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rounding/WeightedLayers.h"

#include <algorithm>

using namespace yarrow;

std::size_t JointTask::wantedSamples() const {
  if (method.record->parameters.starts_with("samples"))
    return std::size_t(std::max(1.0, method.value("samples")));
  return std::size_t(std::max(1.0, method.value("batches"))) *
         std::max(1u, options.calibrationBatchSize);
}

bool yarrow::forWeightedLayers(
    const JointTask &task, std::size_t samples,
    const std::function<void(WeightedLayer &)> &atLayer) {
  JointForward forward;
  if (!forward.create(task.floatModule, task.intModule, task.arrays, samples,
                      task.diags))
    return false;
  std::size_t done = 0;
  bool isAny = false;
  auto visit = [&](const JointLayer &layer) {
    ++done;
    if (task.progress)
      task.progress(done, forward.numLayers());
    if (!task.method.appliesTo(layer.floatOp))
      return;
    LayerOptions options = optionsOf(layer.floatOp, task.options);
    auto weights = IntegerWeights::of(layer.floatOp, layer.intOp, options);
    if (!weights)
      return;
    LayerRows rows(layer);
    WeightedLayer weighted{layer, rows, task.method, options, done, *weights};
    atLayer(weighted);
    isAny = true;
  };
  if (!forward.run(visit, task.diags) || !isAny)
    return false;
  if (task.atEnd)
    task.atEnd(forward);
  return true;
}
