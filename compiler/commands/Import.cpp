//===- Import.cpp - yarrow import -----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A model of another format as float IR, which this and the Compass tools read.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "compiler/commands/CutOptions.h"
#include "compiler/commands/Numbers.h"
#include "compiler/model/ImportSettings.h"
#include "compiler/model/Models.h"
#include "compiler/run/IoFiles.h"
#include "compiler/session/Network.h"
#include "compiler/work/NewFolders.h"
#include "compiler/work/Preflight.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/ModelNames.h"
#include "dialects/compass/graph/States.h"
#include "parser/graph/Emitter.h"
#include "support/AtomicFile.h"
#include "support/FileName.h"
#include "support/Format.h"
#include "support/diagnostics/Settings.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>

using namespace yarrow;

namespace {
struct ImportFlags {
  std::string model, weights, outputDir = ".", modelName, names;
  bool isFloat = false, hasRandomWeights = false;
  ReadingFlags reading;
  CutFlags cut;
};
} // namespace

void yarrow::addReadingOptions(CLI::App &command, ReadingFlags &flags) {
  command
      .add_option("--input-shape", flags.shapes,
                  "Set the shape of an input whose lengths the model leaves "
                  "open: x=1,3,224,224")
      ->type_name("NAME=SHAPE")
      ->allow_extra_args(false);
  command
      .add_option(
          "--state", flags.states,
          "Keep an output on the device as an input of the next run: h=hn, or "
          "past.*=present.*; can be repeated. none: keep none. Default: pairs "
          "with names that exporters use (docs/state.md)")
      ->type_name("PAST=PRESENT")
      ->allow_extra_args(false);
}

void yarrow::addResetOption(CLI::App &command, std::size_t &runs) {
  command
      .add_option("--reset-every", runs,
                  "Start a new sequence, with the first state, every N samples "
                  "of a network that keeps a state (default: one sequence)")
      ->check(wholeNumber(1));
}

CLI::Option *yarrow::addShapeRangeOption(CLI::App &command,
                                         std::vector<std::string> &ranges) {
  return command
      .add_option("--input-shape-range", ranges,
                  "Compile a program for each of several shapes of an input: "
                  "x=1,3,160..224/32,160..224/32 or x=1,8:64:128. Axes of "
                  "several lengths change together")
      ->type_name("NAME=SHAPES")
      ->allow_extra_args(false);
}

/// "  input   x_0 [1,3,8,8] float32 (x)", with the model's name for it.
static std::string tensorLine(const char *what, mlir::Value value,
                              const std::string &modelName) {
  compass::TensorInfo info = compass::describe(value);
  std::string tensor = compass::tensorNameOf(value);
  return std::string("  ") + what + tensor + " " +
         graph::shapeText({info.shape.begin(), info.shape.end()}) + " " +
         compass::dtypeName(info.storedType()).str() +
         (modelName == tensor ? "" : " (" + modelName + ")") + "\n";
}

/// What a caller gives and gets, and what the network keeps from run to run.
static void printTensors(mlir::ModuleOp module, Driver &driver) {
  auto main = compass::mainGraph(module);
  llvm::SmallVector<mlir::Value> inputs = compass::graphInputs(main),
                                 outputs(compass::graphOutputs(main));
  std::vector<std::string> inputNames = compass::inputNames(module),
                           outputNames = compass::outputNames(module);
  for (unsigned i : compass::callerInputs(main))
    driver.printLine(tensorLine("input   ", inputs[i], inputNames[i]));
  for (unsigned i : compass::callerOutputs(main))
    driver.printLine(tensorLine("output  ", outputs[i], outputNames[i]));
  for (const compass::GraphState &state : compass::graphStates(main)) {
    std::string line =
        tensorLine("state   ", state.past, inputNames[state.input]);
    line.pop_back();
    driver.printLine(line + ", becomes " + outputNames[state.output] + "\n");
  }
}

/// By its name: what it holds is looked at when it is read.
static bool isConfiguration(const std::string &path) {
  return std::filesystem::path(path).extension() == ".cfg";
}

/// What [Parser] says; \p model becomes the model that it names.
static std::optional<graph::ImportOptions>
optionsOfConfiguration(const ImportFlags &flags, std::string &model,
                       DiagnosticEngine &diags) {
  config::ConfigOptions how;
  how.importsModel = true;
  auto config = config::readBuildConfig(flags.model, how, diags);
  if (!config)
    return std::nullopt;
  model = config->graph;
  return importOptions(*config, flags.reading, diags);
}

/// Where the tensors of the model are in the IR, for programs to read.
static bool writeNames(const std::string &path, const std::string &model,
                       const std::vector<graph::ImportedTensor> &names,
                       DiagnosticEngine &diags) {
  nlohmann::ordered_json tensors = nlohmann::ordered_json::array();
  for (const graph::ImportedTensor &name : names)
    tensors.push_back({{"name", name.name},
                       {"node", name.node},
                       {"ir_tensor", name.tensor},
                       {"ir_layer", name.layer},
                       {"channels_last", name.isChannelsLast}});
  nlohmann::ordered_json json = {{"model", model}, {"tensors", tensors}};
  return writeFile(path, json.dump(1) + "\n", diags);
}

static bool import(const ImportFlags &flags, Driver &driver) {
  if (std::string_view why = whyNoFileName(flags.modelName);
      !flags.modelName.empty() && !why.empty()) {
    driver.diags
        .report(diag::ConfigBadValue, {"--model-name"},
                "the model's name is not valid")
        .found("'" + flags.modelName + "'")
        .expected(std::string(why));
    return false;
  }
  std::string model = flags.model;
  auto options = isConfiguration(model)
                     ? optionsOfConfiguration(flags, model, driver.diags)
                     : importOptions(flags.reading, driver.diags);
  if (!options)
    return false;
  options->inFloats |= flags.isFloat;
  options->makesUpWeights = flags.hasRandomWeights;
  if (!takeCut(flags.cut, *options, driver.diags))
    return false;
  if (!flags.modelName.empty())
    options->modelName = flags.modelName;
  else if (model == flags.model)
    options->modelName = nameOfFile(model);
  std::filesystem::path folder = flags.outputDir;
  std::string txt = (folder / (options->modelName + ".txt")).string(),
              bin = (folder / (options->modelName + ".bin")).string();
  driver.files.reads({flags.model, model});
  if (!flags.weights.empty())
    driver.files.reads(flags.weights);
  driver.files.writes({txt, bin});
  if (!flags.names.empty())
    driver.files.writes({flags.names});
  NewFolders folders;
  if (!folders.make(flags.outputDir, driver.diags) ||
      !driver.files.check(driver.diags) ||
      !driver.files.canBeWritten(driver.diags))
    return false;
  session::ModelSource source{model, flags.weights};
  source.imports = {*options};
  source.use = session::LoadFor::Inspection;
  auto network = session::load(source, driver.call());
  if (!network ||
      !compass::writeCompassIr(network->module(), txt, bin, driver.diags))
    return false;
  if (!flags.names.empty() &&
      !writeNames(flags.names, flags.model, network->imported(), driver.diags))
    return false;
  driver.printNewDiagnostics();
  driver.printLine("imported " + model + ": " +
                   formatCount(numLayers(network->module())) +
                   " layers, wrote " + txt + " and " + bin + "\n");
  printTensors(network->module(), driver);
  return true;
}

void yarrow::addImportCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<ImportFlags>();
  CLI::App *command = app.add_subcommand(
      "import", "Convert an ONNX, TFLite, QNN or GGUF model to Compass IR");
  command
      ->add_option("model", flags->model,
                   "ONNX, TFLite or GGUF model, QNN graph (JSON), or a "
                   "configuration whose "
                   "[Parser] names it")
      ->required();
  command->add_option("-w,--weights", flags->weights,
                      "Read a QNN graph's weights from this archive (default: "
                      "next to the graph)");
  command->add_flag(
      "--random-weights", flags->hasRandomWeights,
      "Make up weights that a QNN graph lacks, to look at shapes and cycles");
  command->add_option(
      "-o,--output-dir", flags->outputDir,
      "Write MODEL.txt and MODEL.bin to this folder (default: .)");
  addReadingOptions(*command, flags->reading);
  addCutOptions(*command, flags->cut);
  command->add_flag("--float", flags->isFloat,
                    "Import the float network that a quantized model "
                    "represents (key force_float_ir)");
  command->add_option(
      "--model-name", flags->modelName,
      "Set the name in the IR and of its files (default: the model file's)");
  command->add_option(
      "--names", flags->names,
      "Write where each tensor of the model is in the IR, as JSON");
  command->footer(
      std::string("Example:\n"
                  "  yarrow import net.onnx -o ir --input-shape "
                  "x=1,3,224,224\n"
                  "  yarrow import net.cfg -o ir\n"
                  "docs/onnx.md, docs/tflite.md and docs/qnn.md list what can "
                  "be imported. quantize, check,\neval and build read these "
                  "models, too.\n\n") +
      kExitCodeHelp);
  command->callback(
      [flags, &driver] { driver.finish(import(*flags, driver)); });
}
