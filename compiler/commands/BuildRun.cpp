//===- BuildRun.cpp - The run at the end of a build -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/BuildRun.h"
#include "compiler/report/ReportJson.h"
#include "compiler/run/OutputFiles.h"
#include "compiler/session/Compile.h"

using namespace yarrow;

bool BuildRun::open() {
  auto executable = session::Executable::open(files.executable(), driver.diags);
  npu = executable
            ? session::Runner::make(executable->program(),
                                    {.budget = flags.budget}, driver.diags)
            : nullptr;
  return npu != nullptr;
}

bool BuildRun::readInputs(const session::Quantized &made) {
  inputs = data.runInputs(npu->executable().inputs(), made, driver.diags);
  return inputs.has_value();
}

bool BuildRun::run(ReportDocument &report) {
  ProfileFiles written{files.trace()};
  const IoBytes sample[] = {inputs->inputsOf(0)};
  auto profiled = npu->profile(sample, {written}, driver.call());
  if (!profiled)
    return false;
  const Profile &profile = profiled->profile;
  driver.printLine(config.profile && !flags.isBrief
                       ? profile.report.text(driver.tableWidth())
                       : profile.report.summary());
  if (config.inputs.empty() && !data.hasFiles())
    driver.printLine("for random inputs\n");
  take(npu->executable(), profile, report);
  if (!written.trace.empty())
    report.written["trace"] = written.trace;
  return writeOutputs(profiled->outputs.front(), report);
}

void BuildRun::take(const runtime::Executable &executable,
                    const Profile &profile, ReportDocument &report) {
  addPerformance(report, profile.report);
  if (!flags.html.empty())
    picture = makePicture(executable, executable.machine(), profile);
}

bool BuildRun::countForPage(ReportDocument &report) {
  if (picture)
    return true;
  auto compiled = session::Executable::open(files.executable(), driver.diags);
  auto profile =
      compiled ? session::profileOnZeros(compiled->program(), driver.call())
               : std::nullopt;
  if (!profile)
    return false;
  take(*compiled->program(), *profile, report);
  return true;
}

bool BuildRun::writeOutputs(const IoBytes &outputs, ReportDocument &report) {
  const auto &tensors = npu->executable().outputs();
  std::optional<std::vector<std::string>> paths =
      outputPaths(files.outputs(), describeAll(tensors), driver.diags);
  if (!paths)
    return false;
  report.written["outputs"] = *paths;
  // As `yarrow run` writes them.
  OutputNumbers numbers = npu->executable().provenance().cameInFloats()
                              ? OutputNumbers::Real
                              : OutputNumbers::Stored;
  OutputFiles written(*paths, outputArrays(tensors, numbers, *paths),
                      /*runs=*/1, driver.diags);
  return written.append(outputBytes(outputs, tensors, numbers, *paths)) &&
         written.commit();
}
