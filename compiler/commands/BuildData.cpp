//===- BuildData.cpp - The samples of a build -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/BuildData.h"
#include "compiler/config/PictureSettings.h"
#include "compiler/model/Models.h"
#include "compiler/run/RandomInputs.h"

#include "llvm/ADT/STLExtras.h"

using namespace yarrow;

bool BuildData::hasSamples() const {
  const DataSetRecord *record = findDataSet(config.dataset);
  return hasFiles() || config.drawsSamples ||
         (record && record->form == DataForm::Random);
}

std::string BuildData::pictureOptionsText(bool isOfRun) const {
  return hasPictures(splitPaths(files()))
             ? config::pictureOptionsText(config, isOfRun)
             : "";
}

DataSetTask BuildData::set(std::vector<std::string> data,
                           std::vector<std::string> labels,
                           mlir::ModuleOp network) const {
  DataSetTask task{config.dataset, std::move(data), std::move(labels),
                   std::size_t(config.dataBatchDim),
                   std::size_t(config.labelBatchDim)};
  task.inputShapes = inputShapesOf(network);
  task.inputNames = inputNamesOf(network);
  task.pictures = pictures;
  task.sequenceRuns = config.resetEvery;
  return task;
}

std::optional<SampleArrays>
BuildData::runInputs(const std::vector<runtime::IoDescription> &inputs,
                     const session::Quantized &made,
                     DiagnosticEngine &diags) const {
  if (!config.inputs.empty())
    return readRunInputs(config.inputs, inputs, diags, false, pictures);
  std::vector<std::string> paths = splitPaths(files());
  if (paths.empty() && config.drawsSamples)
    return makeRunInputs(randomInputs(inputs, /*seed=*/0), inputs, diags);
  // Data for a network that came in floats are what that one takes.
  bool areReal = bool(made.model.original);
  // Raw tensors are what the executable stores.
  if (!llvm::all_of(paths, isSampleFile))
    return readRunInputs(paths, inputs, diags, areReal);
  std::optional<DataSet> samples =
      readDataSet(set(paths, {}, made.network->module()), diags);
  return samples ? makeRunInputs(samples->data, inputs, diags, areReal)
                 : std::nullopt;
}
