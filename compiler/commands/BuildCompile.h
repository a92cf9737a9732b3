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
#include "compiler/session/Compile.h"
#include "compiler/session/Quantize.h"
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
  session::CompileSettings settings() const;
  /// Says and reports what was decided of the forms of layers, if anything was.
  void printForms(const std::optional<FormDecision> &decision,
                  ReportDocument &report);
  /// False after errors.
  bool run(const session::Quantized &made, const isa::Machine &machine,
           ReportDocument &report);

private:
  const BuildFlags &flags;
  const config::BuildConfig &config;
  const BuildFiles &files;
  Driver &driver;
};

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_BUILDCOMPILE_H
