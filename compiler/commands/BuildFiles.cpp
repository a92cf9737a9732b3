//===- BuildFiles.cpp - Where the files of a build go ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/BuildFiles.h"
#include "compiler/run/IoFiles.h"

#include <filesystem>

using namespace yarrow;

std::string BuildFiles::inFolder(const std::string &name) const {
  return (std::filesystem::path(config.outputDir) / name).string();
}

std::string BuildFiles::executable() const {
  bool isNamed =
      config.mode == config::BuildMode::Build && !config.outputs.empty();
  return isNamed ? config.outputs[0] : inFolder("aipu.bin");
}

std::vector<std::string> BuildFiles::outputs() const {
  if (!config.outputs.empty())
    return config.outputs;
  return {inFolder("output.bin")};
}

void BuildFiles::plan(FilePlan &files) const {
  files.reads({flags.config, config.graph, config.bin});
  for (const std::string &paths :
       {config.calibrationData, config.data, config.label})
    files.reads(splitPaths(paths));
  files.reads(config.inputs);
  files.writes({report(), config.logFile, flags.html});
  if (config.recordDebugAccInfo)
    files.writes(accuracyRecord());
  if (config.target.empty())
    return;
  files.writes(executable());
  if (config.dump)
    files.writes(npuDump());
  if (!runs())
    return;
  files.writes(trace());
  files.writes(outputs());
}
