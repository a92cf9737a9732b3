//===- BuildQuantize.h - The integer network of a build -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The part of `yarrow build` that reads a model and quantizes it, and says what
// became of it.
//
//   BuildQuantize quantization(flags, config, data, driver);
//   auto made = quantization.run(imports, settings, report);
//   if (!made)
//     return false;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_BUILDQUANTIZE_H
#define YARROW_COMPILER_COMMANDS_BUILDQUANTIZE_H

#include "compiler/commands/BuildData.h"
#include "compiler/commands/BuildFlags.h"
#include "compiler/driver/Driver.h"
#include "compiler/session/Quantize.h"
#include "parser/graph/ImportOptions.h"
#include "support/ReportDocument.h"

#include <memory>
#include <vector>

namespace yarrow {

class BuildQuantize {
public:
  BuildQuantize(const BuildFlags &flags, const config::BuildConfig &config,
                const BuildData &data, Driver &driver)
      : flags(flags), config(config), data(data), driver(driver) {}

  /// \p trial is how networks are compiled to choose. Says the first half of
  /// what it tells. Null after errors.
  std::unique_ptr<session::Quantized>
  run(const std::vector<graph::ImportOptions> &imports,
      const session::CompileSettings &trial, ReportDocument &report);
  /// The second half, behind the forms of layers.
  void printRest(const session::Quantized &made);

private:
  void printLine(const QuantizedModel &model);
  void add(const session::Quantized &made, ReportDocument &report) const;

  const BuildFlags &flags;
  const config::BuildConfig &config;
  const BuildData &data;
  Driver &driver;
};

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_BUILDQUANTIZE_H
