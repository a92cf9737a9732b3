//===- CalibrationData.cpp - Samples as a configuration names them ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/quantize/CalibrationData.h"
#include "compiler/config/PictureSettings.h"
#include "compiler/config/SettingEdits.h"
#include "compiler/data/DataSet.h"
#include "compiler/data/RandomSamples.h"
#include "compiler/model/Models.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/States.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Quantizer.h"
#include "support/diagnostics/Settings.h"

#include <filesystem>

using namespace yarrow;
using namespace mlir;
using config::BuildConfig;

/// Numbers for a model that is built without samples.
static std::vector<NpyView> drawnSamples(const BuildConfig &config,
                                         ModuleOp module,
                                         yarrow::DiagnosticEngine &diags) {
  constexpr std::size_t kDrawn = 16;
  std::string count = std::to_string(kDrawn);
  std::vector<NpyView> arrays = randomSamples(
      "RandomDataset(num_sample=" + count + ")", inputShapesOf(module));
  auto inputs = compass::callerInputValues(compass::mainGraph(module));
  for (std::size_t k = 0; k < inputs.size(); ++k)
    if (compass::describe(inputs[k]).isInteger())
      arrays[k] = zerosAndOnes(arrays[k]);
  diags
      .report(diag::CalibrationDrawn, {config.graph},
              "there are no samples: the ranges of tensors come from " + count +
                  " random ones")
      .hint("give real samples with -c samples.npy: accuracy is not known "
            "without them");
  return arrays;
}

std::optional<std::vector<NpyView>>
yarrow::readCalibration(const BuildConfig &config, ModuleOp module,
                        yarrow::DiagnosticEngine &diags) {
  const DataSetRecord *record = findDataSet(config.dataset);
  bool isRandom = record && record->form == DataForm::Random;
  bool isNone = config.calibrationData.empty() && !isRandom;
  if (isNone && (!config.statisticFile.empty() || !config.encodings.empty()))
    return std::vector<NpyView>();
  if (isNone && config.drawsSamples)
    return drawnSamples(config, module, diags);
  if (isNone) {
    diags
        .report(diag::ConfigMissingKey, {config.fileName},
                "no calibration data: the ranges of activations need samples")
        .hint(styleOf(config) == SettingStyle::File
                  ? "give calibration_data or --calibration-data file.npy, or "
                    "encodings that have the ranges"
                  : "give samples with -c samples.npy; " +
                        settingText(styleOf(config), "encodings", "FILE") +
                        " names a file with ranges");
    return std::nullopt;
  }
  std::vector<std::string> paths = splitPaths(config.calibrationData);
  bool ok = true;
  for (const std::string &path : paths)
    if (!std::filesystem::exists(path)) {
      ok = false;
      diags
          .report(diag::FileUnreadable, {path},
                  "the calibration data do not exist")
          .hint("name another file with --calibration-data file.npy");
    }
  if (!ok)
    return std::nullopt;
  auto pictures = config::pictureOptions(config, diags);
  if (!pictures)
    return std::nullopt;
  DataSetTask files = dataFor(module, config.calibrationData, *pictures);
  files.name = config.dataset;
  files.dataBatchDim = std::size_t(config.dataBatchDim);
  files.sequenceRuns = config.resetEvery;
  return readArrays(files, diags);
}
