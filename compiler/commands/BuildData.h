//===- BuildData.h - The samples of a build ---------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a configuration says of them: files, or a set that makes its own.
//
//   BuildData data(config);
//   if (!data.hasSamples()) ...
//   auto inputs = data.runInputs(executable.inputs(), model, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_BUILDDATA_H
#define YARROW_COMPILER_COMMANDS_BUILDDATA_H

#include "compiler/config/BuildConfig.h"
#include "compiler/data/DataSet.h"
#include "compiler/run/IoFiles.h"
#include "compiler/session/Quantize.h"

#include <optional>
#include <string>
#include <vector>

namespace yarrow {

class BuildData {
public:
  explicit BuildData(const config::BuildConfig &config) : config(config) {}

  /// Those to be evaluated, else those of the calibration.
  const std::string &files() const {
    return config.data.empty() ? config.calibrationData : config.data;
  }
  bool hasFiles() const { return !files().empty(); }
  /// Files, or a data set that makes its own.
  bool hasSamples() const;

  /// As the quantizer reads its samples.
  DataSetTask set(std::vector<std::string> data,
                  std::vector<std::string> labels,
                  mlir::ModuleOp network) const;

  /// The inputs of [GBuilder], or the first samples there are.
  std::optional<SampleArrays>
  runInputs(const std::vector<runtime::IoDescription> &inputs,
            const session::Quantized &made, DiagnosticEngine &diags) const;

  /// As options of a command that takes the files; none where none of them is a
  /// picture.
  std::string pictureOptionsText(bool isOfRun = false) const;

  PictureOptions pictures;

private:
  const config::BuildConfig &config;
};

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_BUILDDATA_H
