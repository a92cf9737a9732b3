//===- EvalModel.cpp - yarrow eval MODEL ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/EvalModel.h"
#include "compiler/commands/Commands.h"
#include "compiler/data/pictures/PictureSamples.h"
#include "compiler/eval/Comparison.h"
#include "compiler/eval/LayerFiles.h"
#include "compiler/model/ImportSettings.h"
#include "compiler/model/Models.h"
#include "compiler/report/PictureReport.h"
#include "compiler/report/ReportJson.h"
#include "compiler/run/OutputFiles.h"
#include "compiler/session/Network.h"
#include "compiler/work/NewFolders.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/ModelNames.h"
#include "dialects/compass/graph/States.h"
#include "dialects/compass/network/Evaluator.h"
#include "quantizer/calibrate/Calibrate.h"
#include "quantizer/calibrate/TensorValues.h"
#include "support/Format.h"
#include "support/OrderedLoop.h"
#include "support/diagnostics/Files.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cmath>

using namespace yarrow;
using compass::Evaluator;

namespace {

/// A network with its samples, and where its values go.
class ModelRun {
public:
  ModelRun(const EvalModelFlags &flags, Driver &driver)
      : flags(flags), driver(driver) {}

  bool run();

private:
  bool read();
  bool readSamples();
  bool prepareComparison();
  bool prepareOutputs();
  bool compute();
  /// All samples once; the values of the layer files' next pass.
  bool runPass(bool isFirst);
  bool take(std::size_t run, bool isFirst);
  void printLine();
  bool report();
  std::vector<OutputArray> outputArrays();
  IoBytes outputBytes(std::vector<compass::TensorBytes> stored) const;
  mlir::ModuleOp module() const { return network->module(); }
  mlir::Value outputValue(std::size_t k) const {
    return evaluator->outputs()[outputPlaces[k]];
  }

  /// What a run leaves until its turn comes.
  struct Slot {
    std::vector<compass::TensorBytes> outputs;
    std::vector<compass::TensorBytes> tensors; ///< Empty of unwanted ones.
  };

  const EvalModelFlags &flags;
  Driver &driver;
  std::shared_ptr<const session::Network> network;
  std::vector<NetworkTensor> tensors;
  llvm::DenseMap<mlir::Value, std::size_t> placeOf;
  PictureOptions pictures;
  std::unique_ptr<SampleSet> samples;
  std::unique_ptr<Evaluator> evaluator;
  std::vector<std::size_t> outputPlaces; ///< Of what a caller gets.
  OutputNumbers numbers = OutputNumbers::Stored;
  std::vector<std::string> paths; ///< Of the outputs; none if none are written.
  std::vector<OutputArray> arrays; ///< What is in them.
  std::optional<OutputFiles> outputs;
  std::optional<LayerFiles> layers;
  std::optional<Comparison> comparison;
  std::vector<Slot> slots;
};

} // namespace

bool ModelRun::read() {
  driver.files.reads({flags.model, flags.bin});
  driver.files.reads(splitPaths(flags.inputs));
  driver.files.reads(flags.references);
  driver.files.writes(flags.report);
  if (!canBeWrittenAs(splitPaths(flags.outputs), driver.diags) ||
      !driver.files.canBeWritten(driver.diags))
    return false;
  session::ModelSource source{flags.model, flags.bin};
  source.shapes = flags.reading.shapes;
  source.states = flags.reading.states;
  source.given = flags.given;
  source.use = session::LoadFor::Execution;
  network = session::load(source, driver.call());
  if (!network)
    return false;
  if (compass::cameInFloats(module()) && !flags.isStored)
    numbers = OutputNumbers::Real;
  tensors = tensorsOf(module(), network->imported());
  for (std::size_t i = 0; i < tensors.size(); ++i)
    placeOf[tensors[i].value] = i;
  for (unsigned k : compass::callerOutputs(compass::mainGraph(module())))
    outputPlaces.push_back(k);
  return bool(evaluator = Evaluator::create(module(), driver.diags));
}

/// Integers of the files are what an input stores.
bool ModelRun::readSamples() {
  auto options = pictureOptions(flags.pictures, driver.diags);
  if (!options)
    return false;
  pictures = *options;
  warnOfPictureFlags(flags.pictures, splitPaths(flags.inputs), driver.diags);
  DataSetTask data = dataFor(module(), flags.inputs, pictures);
  data.sequenceRuns = flags.resetEvery;
  auto read = readArrays(data, driver.diags);
  if (!read)
    return false;
  samples =
      SampleSet::create(module(), *read, driver.diags, {diag::TensorMismatch});
  return bool(samples);
}

static bool meansReal(const NetworkTensor &tensor) {
  return yarrow::meansReal(npyTypeOf(tensor.info.dtype),
                           tensor.info.isQuantized(), tensor.info.scale,
                           tensor.info.zp);
}

/// Outputs as the files have them, as those of `yarrow run`.
std::vector<OutputArray> ModelRun::outputArrays() {
  std::vector<OutputArray> result;
  std::vector<std::string> names = compass::outputNames(module());
  for (std::size_t k = 0; k < outputPlaces.size(); ++k) {
    const NetworkTensor &tensor = tensors[placeOf.at(outputValue(k))];
    OutputArray array{names[outputPlaces[k]], npyTypeOf(tensor.info.dtype),
                      tensor.shape(), ""};
    if (!paths.empty() && isReal(numbers, meansReal(tensor), pathOf(paths, k)))
      array.type = NpyType::Float32;
    array.text = array.name + ": " + std::string(npyTypeName(array.type)) +
                 shapeText(array.shape);
    result.push_back(std::move(array));
  }
  return result;
}

bool ModelRun::prepareOutputs() {
  std::vector<std::string> given = splitPaths(flags.outputs);
  if (!given.empty()) {
    std::vector<std::string> texts;
    for (const OutputArray &array : outputArrays())
      texts.push_back(array.text);
    auto all = outputPaths(given, texts, driver.diags);
    if (!all)
      return false;
    paths = std::move(*all);
    driver.files.writes(paths);
    arrays = outputArrays();
  }
  if (!makeFolder(flags.layers, driver.diags))
    return false;
  if (!flags.layers.empty()) {
    layers.emplace(flags.layers, tensors, samples->count(), driver.diags);
    driver.files.writes(layers->paths());
  }
  if (!driver.files.check(driver.diags) ||
      !driver.files.canBeWritten(driver.diags))
    return false;
  if (!paths.empty())
    outputs.emplace(paths, arrays, samples->count(), driver.diags);
  return true;
}

/// Of a run, as outputArrays() says.
IoBytes ModelRun::outputBytes(std::vector<compass::TensorBytes> stored) const {
  IoBytes bytes;
  for (std::size_t k = 0; k < outputPlaces.size(); ++k) {
    mlir::Value value = outputValue(k);
    const compass::TensorBytes &all = stored[outputPlaces[k]];
    if (!isReal(numbers, meansReal(tensors[placeOf.at(value)]),
                pathOf(paths, k))) {
      bytes.emplace_back(all.begin(), all.end());
      continue;
    }
    FloatValues values(value, all);
    auto *begin = reinterpret_cast<const char *>(values.get().data());
    bytes.emplace_back(begin, begin + values.get().size() * sizeof(float));
  }
  return bytes;
}

bool ModelRun::runPass(bool isFirst) {
  auto isWanted = [&](std::size_t tensor) {
    bool isWritten = layers && tensor >= layers->firstWanted() &&
                     tensor < layers->endWanted();
    return isWritten || (isFirst && comparison && comparison->wants(tensor));
  };
  slots.assign(defaultWindow(), {});
  auto line = driver.progress("eval", samples->count());
  return orderedLoop(
      samples->count(), slots.size(),
      [&](std::size_t run) {
        Slot &slot = slots[run % slots.size()];
        slot.tensors.assign(tensors.size(), {});
        std::vector<std::vector<char>> inputs = samples->inputsOf(run);
        std::vector<compass::TensorBytesRef> refs(inputs.begin(), inputs.end());
        compass::EvaluationStop stop = evaluator->run(
            refs, slot.outputs,
            [&](mlir::Value value, compass::TensorBytesRef bytes) {
              // Those of sub-graphs have no place.
              auto it = placeOf.find(value);
              if (it != placeOf.end() && isWanted(it->second))
                slot.tensors[it->second].assign(bytes.begin(), bytes.end());
            });
        if (stop)
          stop.report(driver.diags);
        return !stop;
      },
      [&](std::size_t run) {
        line->advance();
        return take(run, isFirst);
      });
}

bool ModelRun::take(std::size_t run, bool isFirst) {
  Slot &slot = slots[run % slots.size()];
  bool isGood = true;
  if (isFirst && outputs)
    isGood = outputs->append(outputBytes(std::move(slot.outputs)));
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    auto bytes = std::as_bytes(std::span(slot.tensors[t]));
    if (layers && t >= layers->firstWanted() && t < layers->endWanted())
      layers->append(t, bytes);
    if (isFirst && comparison && comparison->wants(t))
      comparison->add(run, t, bytes);
  }
  return isGood;
}

bool ModelRun::report() {
  ReportDocument document("eval");
  document.model = network->name();
  document.read["graph"] = flags.model;
  if (!flags.bin.empty())
    document.read["weights"] = flags.bin;
  document.read["inputs"] = splitPaths(flags.inputs);
  document.pictures = picturesJson(pictures, splitPaths(flags.inputs));
  if (!flags.references.empty())
    document.read["references"] = flags.references;
  if (!paths.empty())
    document.written["outputs"] = paths;
  if (layers)
    document.written["layers"] = flags.layers;
  if (comparison) {
    document.comparison = comparison->json();
    document.comparison["max_difference"] =
        flags.maxDifference ? nlohmann::ordered_json(*flags.maxDifference)
                            : nlohmann::ordered_json();
  }
  return writeReport(flags.report, document, driver.diags);
}

/// Reads what is recorded, before anything is computed.
bool ModelRun::prepareComparison() {
  if (flags.references.empty())
    return true;
  auto recorded =
      readReferences(flags.references, tensors, samples->count(), driver.diags);
  if (recorded)
    comparison.emplace(tensors, std::move(*recorded));
  return recorded.has_value();
}

bool ModelRun::compute() {
  std::size_t passes = layers ? layers->passes() : 1;
  for (std::size_t pass = 0; pass < passes; ++pass) {
    if (layers)
      layers->begin(pass);
    if (!runPass(/*isFirst=*/pass == 0) || (layers && !layers->end()))
      return false;
  }
  return (!layers || layers->writeIndex(network->name())) &&
         (!outputs || outputs->commit());
}

void ModelRun::printLine() {
  std::string runs = samples->count() == 1
                         ? ""
                         : ", " + formatCount(samples->count()) + " runs";
  for (std::size_t k = 0; k < arrays.size(); ++k)
    driver.printLine("wrote " + pathOf(paths, k) + ": " + arrays[k].text +
                     runs + "\n");
  if (layers)
    driver.printLine("wrote " + flags.layers + ": " +
                     formatCount(tensors.size()) + " tensors" + runs + "\n");
  if (comparison)
    driver.printLine(comparison->text(driver.tableWidth()));
}

bool ModelRun::run() {
  if (!read() || !readSamples() || !prepareComparison() || !prepareOutputs() ||
      !compute())
    return false;
  driver.printNewDiagnostics();
  printLine();
  if (flags.maxDifference)
    comparison->checkWorst(*flags.maxDifference, driver.diags);
  return report();
}

static bool checkFlags(const EvalModelFlags &flags, Driver &driver) {
  bool isGood = true;
  auto wrong = [&](const char *message, const char *hint) {
    driver.usageError(message, hint);
    isGood = false;
  };
  if (flags.model.empty())
    wrong("-w, -i, -o, --layers and --reference need one network",
          "name it first: yarrow eval net.txt -i in.npy --layers out");
  else if (flags.inputs.empty())
    wrong("-i is required: the network's inputs",
          "give -i in.npy, or a.npy,b.npy for several inputs");
  if (flags.outputs.empty() && flags.layers.empty() && flags.references.empty())
    wrong("no result is asked for",
          "-o out.npy writes outputs, --layers DIR all tensors, --reference "
          "FILE.npz compares them");
  if (flags.maxDifference && flags.references.empty())
    wrong("--max-difference needs --reference",
          "--reference FILE.npz gives recorded values");
  if (flags.maxDifference && !(*flags.maxDifference >= 0))
    wrong("--max-difference is not a number of at least 0",
          "--max-difference 1 allows integers that are off by one");
  return isGood;
}

bool yarrow::evalModel(const EvalModelFlags &flags, Driver &driver) {
  return checkFlags(flags, driver) && ModelRun(flags, driver).run();
}

void yarrow::addEvalModelOptions(CLI::App &command, EvalModelFlags &flags) {
  command.add_option(
      "model", flags.model,
      "Network to run: IR text, or a model that `yarrow import` reads");
  command.add_option(
      "-w,--weights", flags.bin,
      "Read the weights from this file (default: the header's model_bin)");
  command.add_option("-i,--inputs", flags.inputs,
                     "Read inputs, in the model's order (a.npy,b.npy) or by "
                     "name from a .npz, or pictures. Integers are stored "
                     "values; samples are along the first axis");
  command.add_option("-o,--output", flags.outputs,
                     "Write the outputs: out.npz for all by name; out.npy, "
                     "out1.npy ... or a list; .bin for raw");
  command.add_flag("--stored", flags.isStored,
                   "Write stored integers also for a model that came in floats "
                   "(default: float32)");
  command.add_option("--layers", flags.layers,
                     "Write every tensor of every layer, as stored, and "
                     "layers.json to this folder");
  command
      .add_option("--reference", flags.references,
                  "Compare tensors with the arrays of the same names in a "
                  ".npz; can be repeated")
      ->allow_extra_args(false);
  command.add_option("--max-difference", flags.maxDifference,
                     "Fail if an element differs by more than this: integers "
                     "as stored, floats as they are");
  addRoundingOption(command, flags.given);
}
