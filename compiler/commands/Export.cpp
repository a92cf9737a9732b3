//===- Export.cpp - yarrow export -----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A network as a model of another format, to look at or to run elsewhere.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "compiler/model/Models.h"
#include "compiler/run/IoFiles.h"
#include "compiler/session/Convert.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/ModelNames.h"
#include "dialects/compass/graph/States.h"
#include "parser/onnx/export/OnnxExport.h"
#include "parser/qnn/export/QnnExport.h"
#include "support/Format.h"

#include <CLI/CLI.hpp>

using namespace yarrow;

namespace {
struct ExportFlags {
  std::string model, weights, output;
  bool isOnnx = false, isQnn = false, isExternal = false, isExact = false;

  /// Beside the model, where readers look for it.
  std::string beside() const {
    if (isQnn)
      return qnn::weightsPathOf(output);
    return isExternal ? output + ".data" : "";
  }
};
} // namespace

static bool checkFlags(const ExportFlags &flags, Driver &driver) {
  if (flags.isOnnx == flags.isQnn) {
    driver.usageError("export needs a format",
                      "--onnx writes an ONNX model, --qnn a graph of QNN");
    return false;
  }
  if (flags.isQnn && (flags.isExternal || flags.isExact)) {
    driver.usageError("--external-data and --exact need --onnx",
                      "a QNN graph always has its weights in a separate file");
    return false;
  }
  return true;
}

static std::string bothFiles(const ExportFlags &flags) {
  return flags.output +
         (flags.beside().empty() ? "" : " and " + flags.beside());
}

static bool exportToOnnx(mlir::ModuleOp module, const ExportFlags &flags,
                         Driver &driver) {
  onnx::ExportSummary summary;
  if (!onnx::exportOnnx(module, flags.output, modelNameOf(module), summary,
                        driver.diags, {flags.beside(), flags.isExact}))
    return false;
  driver.printNewDiagnostics();
  driver.printLine(
      "wrote " + bothFiles(flags) + " (" + formatBytes(summary.sizeBytes) +
      "): " + formatCount(summary.layers) + " layers as " +
      formatCount(summary.nodes) + " nodes, " +
      formatCount(summary.transposes) + " of them transposes; " +
      (summary.isQuantized ? "quantized" : "float") +
      (flags.isExact
           ? ", " + formatCount(summary.layersInSteps) + " layers in steps"
           : "") +
      "\n");
  return true;
}

static bool exportToQnn(mlir::ModuleOp module, const ExportFlags &flags,
                        Driver &driver) {
  qnn::ExportSummary summary;
  if (!qnn::exportQnn(module, flags.output, summary, driver.diags))
    return false;
  driver.printNewDiagnostics();
  driver.printLine(
      "wrote " + bothFiles(flags) + " (" + formatBytes(summary.sizeBytes) +
      "): " + formatCount(summary.layers) + " layers as " +
      formatCount(summary.nodes) + " nodes; " +
      (summary.isQuantized ? "quantized" : "float") +
      (summary.otherMultipliers
           ? ", " + formatCount(summary.otherMultipliers) +
                 " layers with multipliers that encodings cannot express"
           : "") +
      "\n");
  return true;
}

/// Neither format has a word for them.
static void printStates(mlir::ModuleOp module, Driver &driver) {
  std::vector<std::string> inputs = compass::inputNames(module),
                           outputs = compass::outputNames(module);
  for (const compass::GraphState &state :
       compass::graphStates(compass::mainGraph(module))) {
    std::string past = inputs[state.input], present = outputs[state.output];
    driver.printLine("  state   " + past + " becomes an input and " + present +
                     " an output: import with --state " + past + "=" + present +
                     " to make them a state again" +
                     (state.initial ? ", which begins with zeros" : "") + "\n");
  }
}

/// The network with integer layers where its tensors are stored, as only those
/// have Compass scales. Null after errors.
static std::shared_ptr<const session::Network>
readNetwork(const ExportFlags &flags, Driver &driver) {
  session::ModelSource source{flags.model, flags.weights};
  source.use = session::LoadFor::Inspection;
  auto network = session::load(source, driver.call());
  return network && compass::isCompat(network->module())
             ? session::withOwnIntegers(std::move(network), {}, driver.call())
             : network;
}

static bool exportModel(const ExportFlags &flags, Driver &driver) {
  if (!checkFlags(flags, driver))
    return false;
  driver.files.reads(flags.model);
  if (!flags.weights.empty())
    driver.files.reads(flags.weights);
  std::vector<std::string> outputs = {flags.output};
  if (std::string beside = flags.beside(); !beside.empty())
    outputs.push_back(beside);
  driver.files.writes(outputs);
  if (!driver.files.check(driver.diags) ||
      !driver.files.canBeWritten(driver.diags))
    return false;
  auto network = readNetwork(flags, driver);
  if (!network)
    return false;
  mlir::ModuleOp module = network->module();
  bool isWritten = flags.isQnn ? exportToQnn(module, flags, driver)
                               : exportToOnnx(module, flags, driver);
  if (isWritten)
    printStates(module, driver);
  return isWritten;
}

void yarrow::addExportCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<ExportFlags>();
  CLI::App *command = app.add_subcommand(
      "export", "Write a network as an ONNX model or a QNN graph");
  command->add_option("model", flags->model, "IR text")->required();
  command->add_option(
      "-w,--weights", flags->weights,
      "Read the weights from this file (default: next to the text)");
  command->add_flag("--onnx", flags->isOnnx,
                    "Write ONNX, operator set 21 of IR version 10");
  command->add_flag("--qnn", flags->isQnn,
                    "Write the JSON of a QNN graph, and its weights next to "
                    "it: net.bin for net_net.json");
  command->add_flag("--external-data", flags->isExternal,
                    "Write the weights to a separate file, OUTPUT.data; "
                    "weights of over 2 GB need it");
  command->add_flag(
      "--exact", flags->isExact,
      "Write integer convolutions, products, sums and averages in a form that "
      "gives exactly the IR's integers, not as QDQ");
  command->add_option("-o,--output", flags->output, "Write to this file")
      ->required();
  command->footer(
      std::string("Example:\n"
                  "  yarrow export out/digits_o.txt --onnx -o digits.onnx\n"
                  "  yarrow export out/digits_o.txt --qnn -o digits_net.json\n"
                  "docs/export.md describes how layers, scales and names are "
                  "written.\n\n") +
      kExitCodeHelp);
  command->callback(
      [flags, &driver] { driver.finish(exportModel(*flags, driver)); });
}
