//===- Export.cpp - yarrow export -----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A network as a model of another format, to look at or to run elsewhere.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "compiler/driver/IoFiles.h"
#include "compiler/driver/Models.h"
#include "parser/onnx/export/OnnxExport.h"
#include "support/Format.h"

#include <CLI/CLI.hpp>

using namespace yarrow;

namespace {
struct ExportFlags {
  std::string model, weights, output;
  bool isOnnx = false, isExternal = false, isExact = false;
};
} // namespace

static bool exportModel(const ExportFlags &flags, Driver &driver) {
  if (!flags.isOnnx) {
    driver.usageError("export does not know into which format",
                      "--onnx writes an ONNX model");
    return false;
  }
  driver.files.reads(flags.model);
  if (!flags.weights.empty())
    driver.files.reads(flags.weights);
  // Beside the model, where readers look for it.
  std::string external = flags.isExternal ? flags.output + ".data" : "";
  std::vector<std::string> outputs = {flags.output};
  if (flags.isExternal)
    outputs.push_back(external);
  driver.files.writes(outputs);
  if (!driver.files.check(driver.diags) ||
      !driver.files.canBeWritten(driver.diags))
    return false;
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  auto module = readModel(*context, flags.model, flags.weights, driver.diags,
                          compass::ReadFor::Inspection);
  onnx::ExportSummary summary;
  if (!module ||
      !onnx::exportOnnx(*module, flags.output, modelNameOf(*module), summary,
                        driver.diags, {external, flags.isExact}))
    return false;
  driver.printNewDiagnostics();
  driver.say(
      "wrote " + flags.output + (flags.isExternal ? " and " + external : "") +
      " (" + formatBytes(summary.sizeBytes) + "): " +
      formatCount(summary.layers) + " layers as " + formatCount(summary.nodes) +
      " nodes, " + formatCount(summary.transposes) + " of them transposes; " +
      (summary.isQuantized ? "quantized" : "float") +
      (flags.isExact
           ? ", " + formatCount(summary.layersInSteps) + " layers in steps"
           : "") +
      "\n");
  return true;
}

void yarrow::addExportCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<ExportFlags>();
  CLI::App *command = app.add_subcommand(
      "export", "Write a network as an ONNX model, quantized or float");
  command->add_option("model", flags->model, "IR text")->required();
  command->add_option("-w,--weights", flags->weights,
                      "Weights (default: beside the text)");
  command->add_flag("--onnx", flags->isOnnx,
                    "As ONNX, operator set 21 of IR version 10");
  command->add_flag("--external-data", flags->isExternal,
                    "Weights into a file beside the model, OUTPUT.data, as "
                    "those of over 2 GB must be");
  command->add_flag("--exact", flags->isExact,
                    "Convolutions, products, sums and averages of integers in "
                    "a form that gives the IR's integers, not between scales");
  command->add_option("-o,--output", flags->output, "File to write")
      ->required();
  command->footer(
      std::string("Example:\n"
                  "  yarrow export out/digits_o.txt --onnx -o digits.onnx\n"
                  "docs/export.md says what becomes of layers, scales and "
                  "names.\n\n") +
      kExitCodeHelp);
  command->callback(
      [flags, &driver] { driver.finish(exportModel(*flags, driver)); });
}
