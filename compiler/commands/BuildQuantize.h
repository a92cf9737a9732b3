//===- BuildQuantize.h - The integer network of a build -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The part of `yarrow build` that reads a model and quantizes it, and says what
// became of it.
//
//   BuildQuantize quantization(flags, config, data, driver);
//   if (!quantization.run(*context, imports, options, model, report))
//     return false;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_BUILDQUANTIZE_H
#define YARROW_COMPILER_COMMANDS_BUILDQUANTIZE_H

#include "compiler/commands/BuildData.h"
#include "compiler/commands/BuildFlags.h"
#include "compiler/driver/Driver.h"
#include "compiler/pipeline/Compile.h"
#include "parser/graph/ImportOptions.h"
#include "support/ReportDocument.h"

#include <vector>

namespace yarrow {

class BuildQuantize {
public:
  BuildQuantize(const BuildFlags &flags, const config::BuildConfig &config,
                const BuildData &data, Driver &driver)
      : flags(flags), config(config), data(data), driver(driver) {}

  /// \p compile is of trials. Says the first half of what it tells. False after
  /// errors.
  bool run(mlir::MLIRContext &context,
           const std::vector<graph::ImportOptions> &imports,
           const CompileOptions &compile, QuantizedModel &model,
           ReportDocument &report);
  /// The second half, behind the forms of layers. \p leavesMethodsOut: those
  /// of the recipe.
  void printRest(const QuantizedModel &model, bool leavesMethodsOut);

private:
  void printLine(const QuantizedModel &model);
  void add(const QuantizedModel &model, ReportDocument &report) const;

  const BuildFlags &flags;
  const config::BuildConfig &config;
  const BuildData &data;
  Driver &driver;
};

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_BUILDQUANTIZE_H
