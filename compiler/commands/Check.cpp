//===- Check.cpp - yarrow check -------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Everything that can be said of a model without running it, in one pass.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "compiler/commands/CutOptions.h"
#include "compiler/commands/ProviderCheck.h"
#include "compiler/driver/DiagnosticPrinter.h"
#include "compiler/model/ImportSettings.h"
#include "compiler/model/Models.h"
#include "compiler/page/ModelPicture.h"
#include "compiler/page/Page.h"
#include "compiler/session/Compile.h"
#include "compiler/session/Convert.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/Execution.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/graph/GraphOps.h"
#include "support/AtomicFile.h"
#include "support/Format.h"
#include "support/diagnostics/Operators.h"
#include "support/diagnostics/Quantizer.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>

using namespace yarrow;
using namespace mlir;

namespace {
struct CheckFlags {
  std::string graph, bin, target, html, format = "text";
  std::string provider; ///< "" or kCpuAndNpu.
  ReadingFlags reading;
  CutFlags cut;
};

/// What is known of a model once it was read.
struct CheckResult {
  unsigned layers = 0;
  const char *kind = "float"; ///< integer, or compat (Compat.h)
  std::string model;          ///< Its name.
  // For a page:
  std::optional<PagePicture> picture;
  std::vector<LayerFacts> facts;
};

/// The value of --provider.
constexpr const char *kCpuAndNpu = "cpu+npu";

/// Where a page without --target shows layers.
constexpr const char *kShownTarget = "X2_1204";
} // namespace

static const char *kindOf(ModuleOp module) {
  if (compass::isCompat(module))
    return "compat";
  return isQuantized(module) ? "integer" : "float";
}

/// One note for all layers that have no kernel yet: a model with such layers is
/// a good one, and check says so.
static void noteNotExecutable(const CheckFlags &flags, ModuleOp module,
                              yarrow::DiagnosticEngine &diags) {
  std::map<std::string, unsigned> countOfType;
  for (Operation *op : compass::notExecutable(module))
    ++countOfType[compass::recordOf(op)->layerType.str()];
  if (countOfType.empty())
    return;
  std::string list;
  for (auto &[type, count] : countOfType)
    list += (list.empty() ? "" : ", ") + type +
            (count > 1 ? " (" + std::to_string(count) + " layers)" : "");
  diags
      .report(diag::OpsNotExecutable, {flags.graph},
              "the network has layers that cannot be executed yet: " + list)
      .hint("`yarrow ops` lists which unit runs each operator");
}

/// Masks of -inf are legal in float IR; there is no scale for them.
static void reportInfinities(ModuleOp module, yarrow::DiagnosticEngine &diags) {
  module.walk([&](compass::ConstantOp op) {
    ElementsAttr data = compass::tensorKey(op, compass::keys::weights);
    auto view = data ? compass::viewConstant(data) : std::nullopt;
    if (!view || !compass::dtypeIsFloat(view->dtype))
      return;
    for (int64_t i = 0, e = view->numElements(); i < e; ++i)
      if (std::isinf(view->floatAt(i))) {
        diags.report(
            diag::QuantRange, compass::placeOf(op->getLoc()),
            "the constant holds an infinity, which no scale can represent");
        return;
      }
  });
}

/// What `yarrow quantize` refuses whatever the samples are: quantizes the
/// network, a copy if it is used further, with ranges that were made up. A
/// network that runs in floats is right all the same, so these are notes.
/// Returns the integers; null if they were refused.
static std::shared_ptr<const session::Network>
noteNotQuantizable(std::shared_ptr<const session::Network> network,
                   const session::Call &call) {
  yarrow::DiagnosticEngine found;
  reportInfinities(network->module(), found);
  auto integers =
      session::withMadeUpRanges(std::move(network), call.toldTo(found));
  for (yarrow::Diagnostic d : found.all()) {
    if (d.isError()) {
      d.id = diag::OpFormNotExecutable;
      d.message = "in integers: " + d.message;
    }
    if (d.id == diag::OpFormNotExecutable)
      call.diags.add(std::move(d));
  }
  return integers;
}

/// Where the layers of the page's picture are computed. Where that cannot be
/// found, the check has reported why.
static void
placeOnTarget(const CheckFlags &flags,
              const std::shared_ptr<const session::Network> &integers,
              CheckResult &result, const session::Call &call) {
  yarrow::DiagnosticEngine unheard;
  auto machine = yarrow::isa::findTarget(
      flags.target.empty() ? kShownTarget : flags.target, unheard);
  if (!result.picture || !machine ||
      !compass::checkExecutable(integers->module(), unheard))
    return;
  session::CompileSettings settings;
  settings.machine = machine;
  session::PhaseModule lowered =
      session::compileUntil(integers, settings, "lower", call.toldTo(unheard));
  if (lowered.module)
    placeLayers(*lowered.module, *machine, *result.picture);
}

/// Whether the target can run it: the fit to the machine and the executable's
/// format is seen by compiling it.
static void checkOnTarget(std::shared_ptr<const session::Network> network,
                          const std::optional<yarrow::isa::Machine> &machine,
                          Driver &driver) {
  if (!machine || !compass::checkExecutable(network->module(), driver.diags) ||
      !compass::checkKernels(network->module(), /*mustRun=*/true, driver.diags))
    return;
  session::CompileSettings settings;
  settings.machine = machine;
  session::compileToFiles(std::move(network), settings, {}, driver.call());
}

/// The model, to be looked at; null after errors.
static std::shared_ptr<const session::Network>
loadNetwork(const CheckFlags &flags, Driver &driver) {
  auto import = importOptions(flags.reading, driver.diags);
  if (!import || !takeCut(flags.cut, *import, driver.diags))
    return nullptr;
  session::ModelSource source{flags.graph, flags.bin};
  source.imports = {*import};
  source.use = session::LoadFor::Inspection;
  return session::load(source, driver.call());
}

static void check(const CheckFlags &flags, Driver &driver,
                  CheckResult &result) {
  std::optional<yarrow::isa::Machine> machine;
  if (!flags.target.empty())
    machine = yarrow::isa::findTarget(flags.target, driver.diags);
  auto network = loadNetwork(flags, driver);
  if (!network)
    return;
  ModuleOp module = network->module();
  result.layers = numLayers(module);
  result.kind = kindOf(module);
  result.model = network->name();
  if (!flags.html.empty()) {
    result.picture = modelPicture(module);
    result.facts = factsOf(module);
  }
  bool isFloat = std::string_view(result.kind) == "float";
  if (isFloat && compass::notExecutable(module).empty()) {
    // Without a target nothing else needs it: a copy would take as much memory.
    auto floats = flags.target.empty() ? std::move(network) : network;
    if (auto integers = noteNotQuantizable(std::move(floats), driver.call()))
      placeOnTarget(flags, integers, result, driver.call());
    if (!network)
      return;
  }
  // Whether its integers can be taken over is seen by taking them.
  if (compass::isCompat(module))
    network = session::withOwnIntegers(std::move(network), {}, driver.call());
  if (!network)
    return;
  if (!isFloat)
    placeOnTarget(flags, network, result, driver.call());
  if (flags.target.empty())
    noteNotExecutable(flags, network->module(), driver.diags);
  else
    checkOnTarget(std::move(network), machine, driver);
}

static std::string summary(const CheckFlags &flags, const CheckResult &result,
                           const yarrow::DiagnosticEngine &diags) {
  std::size_t warnings = 0;
  for (const yarrow::Diagnostic &d : diags.all())
    warnings += d.id->code[0] == 'W';
  std::string text = flags.graph + ": ";
  if (result.layers)
    text += formatCount(result.layers) + " layers, " + result.kind + " IR, ";
  auto counted = [](std::size_t count, const char *what) {
    return formatCount(count) + " " + what + (count == 1 ? "" : "s");
  };
  return text + counted(diags.numErrors(), "error") + ", " +
         counted(warnings, "warning") + "\n";
}

/// False after errors of its own.
static bool writePage(const CheckFlags &flags, CheckResult &result,
                      Driver &driver) {
  if (flags.html.empty() || !result.picture)
    return true;
  ReportDocument report("check");
  report.model = result.model;
  report.target = result.picture->machine.name;
  report.read["graph"] = flags.graph;
  PageBuild build[] = {pageBuildOf(std::string(result.kind) + " IR",
                                   std::move(report), std::move(result.picture),
                                   driver.diags, std::move(result.facts))};
  return writeFile(flags.html, pageHtml(build), driver.diags);
}

void yarrow::addCheckCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App *command = app.add_subcommand(
      "check", "Find every problem of an IR without running it");
  command
      ->add_option(
          "graph", flags->graph,
          "Float or integer IR, text file, or ONNX, TFLite or GGUF model")
      ->required();
  addReadingOptions(*command, flags->reading);
  addCutOptions(*command, flags->cut);
  command->add_option(
      "-w,--weights", flags->bin,
      "Read the weights from this file (default: the header's model_bin)");
  command->add_option("-t,--target", flags->target,
                      "Also check whether this target can run it");
  command->add_option(
      "--html", flags->html,
      "Write an HTML page of the model before any build: attributes, types, "
      "shapes and constants, and which unit of the target (default: X2_1204) "
      "computes each layer (docs/page.md)");
  command
      ->add_option("--provider", flags->provider,
                   "Divide an ONNX model as the provider of ONNX Runtime does: "
                   "which nodes the NPU takes, in which parts, and why others "
                   "stay on the CPU (docs/howto/from_onnxruntime.md)")
      ->check(CLI::IsMember({kCpuAndNpu}));
  command->add_option("--format", flags->format, "Print text or json")
      ->check(CLI::IsMember({"text", "json"}));
  command->footer(
      std::string(
          "Checks syntax, keys, names, shapes, types, integer parameters, "
          "constants and\ntheir values. `yarrow explain CODE` explains a "
          "problem.\n"
          "Example:\n"
          "  yarrow check net.onnx --html net.html\n\n") +
      kExitCodeHelp);
  command->callback([flags, &driver] {
    if (!flags->provider.empty()) {
      driver.files.reads({flags->graph});
      checkProvider({flags->graph, flags->target, flags->format == "json"},
                    flags->reading, driver);
      return driver.finish();
    }
    CheckResult result;
    driver.files.reads({flags->graph, flags->bin});
    driver.files.writes(flags->html);
    bool isWritten = driver.files.check(driver.diags) &&
                     driver.files.canBeWritten(driver.diags);
    if (isWritten) {
      check(*flags, driver, result);
      isWritten = writePage(*flags, result, driver);
    }
    if (flags->format == "json") {
      nlohmann::ordered_json json = {
          {"file", flags->graph},
          {"layers", result.layers},
          {"ir", result.kind},
          {"errors", driver.diags.numErrors()},
          {"diagnostics", diagnosticsJson(driver.diags)}};
      driver.dropDiagnostics(); // before one about the output itself
      driver.printLine(json.dump(1) + "\n");
    } else {
      driver.printNewDiagnostics();
      driver.printLine(summary(*flags, result, driver.diags));
      if (isWritten && !flags->html.empty() && result.layers)
        driver.printLine("page: " + flags->html + "\n");
    }
    driver.finish();
  });
}
