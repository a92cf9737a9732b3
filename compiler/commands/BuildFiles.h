//===- BuildFiles.h - Where the files of a build go -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The files that a configuration names, and those next to them in the folder of
// outputs. The quantizer names the files of the integer IR.
//
//   BuildFiles files(flags, config);
//   files.plan(driver.files);
//   session::compileToFiles(network, settings, {files.executable()}, call);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_BUILDFILES_H
#define YARROW_COMPILER_COMMANDS_BUILDFILES_H

#include "compiler/commands/BuildFlags.h"
#include "compiler/config/BuildConfig.h"
#include "compiler/work/FilePlan.h"

#include <string>
#include <vector>

namespace yarrow {

class BuildFiles {
public:
  BuildFiles(const BuildFlags &flags, const config::BuildConfig &config)
      : flags(flags), config(config) {}

  /// All that is read and written.
  void plan(FilePlan &files) const;

  /// Whether the executable is run.
  bool runs() const {
    return !config.target.empty() && config.mode == config::BuildMode::Run;
  }
  std::string inFolder(const std::string &name) const;
  std::string executable() const;
  std::string report() const { return inFolder("report.json"); }
  std::string npuDump() const {
    return inFolder(config.modelName + "_npu.mlir");
  }
  /// "" if the run leaves no trace.
  std::string trace() const {
    return config.profile ? inFolder("trace.json") : "";
  }
  /// Of the run; one, or one for each.
  std::vector<std::string> outputs() const;
  /// Of record_debug_acc_info.
  std::string accuracyRecord() const {
    return inFolder(config.modelName + "_record_model_acc.txt");
  }

private:
  const BuildFlags &flags;
  const config::BuildConfig &config;
};

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_BUILDFILES_H
