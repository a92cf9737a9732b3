//===- BuildCompile.h - The executable of a build -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The part of `yarrow build` that compiles, as its configuration and options
// say.
//
//   BuildCompile compilation(flags, config, files, driver);
//   if (!compilation.choosePasses() || !compilation.run(model, machine,
//   report))
//     return false;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_BUILDCOMPILE_H
#define YARROW_COMPILER_COMMANDS_BUILDCOMPILE_H

#include "compiler/commands/BuildFiles.h"
#include "compiler/driver/Driver.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/quantize/QuantizedModel.h"
#include "support/ReportDocument.h"

#include <optional>
#include <vector>

namespace yarrow {

class BuildCompile {
public:
  BuildCompile(const BuildFlags &flags, const config::BuildConfig &config,
               const BuildFiles &files, Driver &driver)
      : flags(flags), config(config), files(files), driver(driver) {}

  /// Before the others. False after errors: names that there are not.
  bool choosePasses();
  /// Also of trials.
  CompileOptions options() const;
  /// Says and reports what was decided of the forms of layers, if anything was.
  void printForms(const std::optional<FormDecision> &decision,
                  ReportDocument &report);
  /// False after errors.
  bool run(QuantizedModel &model, const isa::Machine &machine,
           ReportDocument &report);

private:
  void addForms(QuantizedModel &model, const isa::Machine &machine,
                ReportDocument &report, CompileOptions &options);
  bool compile(QuantizedModel &model, const isa::Machine &machine,
               const CompileOptions &options, CompileResult &result);

  const BuildFlags &flags;
  const config::BuildConfig &config;
  const BuildFiles &files;
  Driver &driver;
  std::vector<npu::Optimization> disabled;
};

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_BUILDCOMPILE_H
