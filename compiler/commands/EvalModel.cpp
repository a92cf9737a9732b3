//===- EvalModel.cpp - yarrow eval MODEL ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/EvalModel.h"
#include "compiler/commands/Commands.h"
#include "compiler/driver/ImportSettings.h"
#include "compiler/driver/Models.h"
#include "compiler/driver/ReportJson.h"
#include "compiler/eval/Comparison.h"
#include "compiler/eval/LayerFiles.h"
#include "dialects/compass/network/Evaluator.h"
#include "quantizer/calibrate/Calibrate.h"
#include "support/Format.h"
#include "support/OrderedLoop.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

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
  void say();
  bool report();
  std::string outputPath(std::size_t k) const;

  /// What a run leaves until its turn comes.
  struct Slot {
    std::vector<compass::TensorBytes> outputs;
    std::vector<compass::TensorBytes> tensors; ///< Empty of unwanted ones.
  };

  const EvalModelFlags &flags;
  Driver &driver;
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<NetworkTensor> tensors;
  llvm::DenseMap<mlir::Value, std::size_t> placeOf;
  std::unique_ptr<SampleSet> samples;
  std::unique_ptr<Evaluator> evaluator;
  std::vector<std::unique_ptr<AtomicFile>> outputs;
  std::optional<LayerFiles> layers;
  std::optional<Comparison> comparison;
  std::vector<Slot> slots;
};

} // namespace

/// Of several outputs "out.npy", "out1.npy" and so on, or those given.
std::string ModelRun::outputPath(std::size_t k) const {
  std::vector<std::string> given = splitList(flags.outputs);
  if (k < given.size())
    return given[k];
  std::filesystem::path base(given.front());
  return (base.parent_path() /
          (base.stem().string() + std::to_string(k) + ".npy"))
      .string();
}

bool ModelRun::read() {
  driver.files.reads({flags.model, flags.bin});
  driver.files.reads(splitList(flags.inputs));
  driver.files.reads(flags.references);
  driver.files.writes(flags.report);
  if (!driver.files.canBeWritten(driver.diags))
    return false;
  auto import = importOptions(flags.inputShapes, driver.diags);
  if (!import)
    return false;
  std::vector<graph::ImportedTensor> imported;
  import->names = &imported;
  module = readModel(*context, flags.model, flags.bin, driver.diags,
                     compass::ReadFor::Execution, *import, flags.given);
  if (!module)
    return false;
  tensors = tensorsOf(*module, imported);
  for (std::size_t i = 0; i < tensors.size(); ++i)
    placeOf[tensors[i].value] = i;
  return bool(evaluator = Evaluator::create(*module, driver.diags));
}

/// Integers of the files are what an input stores.
bool ModelRun::readSamples() {
  std::vector<NpyView> arrays;
  std::vector<std::string> paths = splitList(flags.inputs);
  for (const std::string &path : paths)
    if (auto array = readNpy(path, driver.diags))
      arrays.push_back(std::move(*array));
  if (arrays.size() != paths.size())
    return false;
  samples = SampleSet::create(*module, arrays, driver.diags,
                              {DiagId::TensorMismatch});
  return bool(samples);
}

bool ModelRun::prepareOutputs() {
  std::size_t given = splitList(flags.outputs).size(),
              count = evaluator->outputs().size();
  if (given > 1 && given != count) {
    driver.diags
        .report(DiagId::TensorMismatch, {},
                "the number of output files differs from the network's outputs")
        .found(std::to_string(given))
        .expected("1, or " + std::to_string(count));
    return false;
  }
  for (std::size_t k = 0; given && k < count; ++k)
    driver.files.writes(outputPath(k));
  if (!makeFolder(flags.layers, driver.diags))
    return false;
  if (!flags.layers.empty()) {
    layers.emplace(flags.layers, tensors, samples->count(), driver.diags);
    driver.files.writes(layers->paths());
  }
  if (!driver.files.check(driver.diags) ||
      !driver.files.canBeWritten(driver.diags))
    return false;
  for (std::size_t k = 0; given && k < count; ++k) {
    outputs.push_back(
        std::make_unique<AtomicFile>(outputPath(k), driver.diags));
    outputs.back()->append(stackedHeader(
        tensors[placeOf.at(evaluator->outputs()[k])], samples->count()));
  }
  return true;
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
  for (std::size_t k = 0; isFirst && k < outputs.size(); ++k)
    isGood &= outputs[k]->append(std::as_bytes(std::span(slot.outputs[k])));
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
  document.model = modelNameOf(*module);
  document.read["graph"] = flags.model;
  if (!flags.bin.empty())
    document.read["weights"] = flags.bin;
  document.read["inputs"] = splitList(flags.inputs);
  if (!flags.references.empty())
    document.read["references"] = flags.references;
  if (!outputs.empty()) {
    std::vector<std::string> paths;
    for (std::size_t k = 0; k < outputs.size(); ++k)
      paths.push_back(outputPath(k));
    document.written["outputs"] = paths;
  }
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
  std::vector<AtomicFile *> files;
  for (std::unique_ptr<AtomicFile> &file : outputs)
    files.push_back(file.get());
  return (!layers || layers->writeIndex(modelNameOf(*module))) &&
         commitTogether(files);
}

void ModelRun::say() {
  std::string runs = samples->count() == 1
                         ? ""
                         : ", " + formatCount(samples->count()) + " runs";
  for (std::size_t k = 0; k < outputs.size(); ++k)
    driver.say("wrote " + outputPath(k) + runs + "\n");
  if (layers)
    driver.say("wrote " + flags.layers + ": " + formatCount(tensors.size()) +
               " tensors" + runs + "\n");
  if (comparison)
    driver.say(comparison->text(driver.tableWidth()));
}

bool ModelRun::run() {
  if (!read() || !readSamples() || !prepareComparison() || !prepareOutputs() ||
      !compute())
    return false;
  driver.printNewDiagnostics();
  say();
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
    wrong("-w, -i, -o, --layers and --reference are of one network",
          "name it first: yarrow eval net.txt -i in.npy --layers out");
  else if (flags.inputs.empty())
    wrong("-i is required: what the network is given",
          "-i in.npy, or a.npy,b.npy for several inputs");
  if (flags.outputs.empty() && flags.layers.empty() && flags.references.empty())
    wrong("nothing to evaluate for",
          "-o out.npy writes outputs, --layers DIR all tensors, --reference "
          "FILE.npz compares them");
  if (flags.maxDifference && flags.references.empty())
    wrong("--max-difference has nothing to be compared with",
          "--reference FILE.npz gives recorded values");
  if (flags.maxDifference && !(*flags.maxDifference >= 0))
    wrong("--max-difference is no number from 0 on",
          "--max-difference 1 allows integers that are off by one");
  return isGood;
}

bool yarrow::evalModel(const EvalModelFlags &flags, Driver &driver) {
  return checkFlags(flags, driver) && ModelRun(flags, driver).run();
}

void yarrow::addEvalModelOptions(CLI::App &command, EvalModelFlags &flags) {
  command.add_option("model", flags.model,
                     "One network to run: IR text, or a model that import "
                     "takes");
  command.add_option("-w,--weights", flags.bin,
                     "Its weights (default: model_bin of the header)");
  command.add_option("-i,--inputs", flags.inputs,
                     "Its inputs in the order of input_tensors: a.npy,b.npy. "
                     "Integers are stored values; more samples lie along the "
                     "first axis");
  command.add_option("-o,--output", flags.outputs,
                     "Write its outputs as stored: out.npy, out1.npy ... or a "
                     "list");
  command.add_option("--layers", flags.layers,
                     "Write every tensor of every layer as stored into this "
                     "folder, and layers.json");
  command
      .add_option("--reference", flags.references,
                  "Compare tensors with the arrays of their names in a .npz; "
                  "may be repeated")
      ->allow_extra_args(false);
  command.add_option("--max-difference", flags.maxDifference,
                     "Fail if an element differs by more: integers as "
                     "stored, floats as they are");
  addRoundingOption(command, flags.given);
}
