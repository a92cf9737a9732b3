//===- Bisect.cpp - Where two executions begin to differ ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/bisect/Bisect.h"

#include "compiler/data/RandomSamples.h"
#include "compiler/model/Models.h"
#include "compiler/run/IoFiles.h"
#include "compiler/session/Compile.h"
#include "support/FileKind.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Executables.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Settings.h"
#include "support/diagnostics/Simulator.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::runtime;

/// What is right, before what is doubted.
int Bisector::Side::rank() const {
  return isRecorded ? 0 : machine ? 3 : network->isInteger() ? 2 : 1;
}

std::size_t Bisector::Side::count() const {
  return samples ? samples->count() : machineInputs->count();
}

std::vector<std::vector<char>>
Bisector::Side::inputsOf(std::size_t sample) const {
  return samples ? samples->inputsOf(sample) : machineInputs->inputsOf(sample);
}

bool Bisector::open(const std::string &path, Side &side) {
  side.path = path;
  auto [txt, bin] = splitModelPaths(path);
  auto file = MappedFile::open(txt, diags);
  if (!file)
    return false;
  FileKind kind = fileKindOf(file->bytes());
  if (kind == FileKind::Npz) {
    side.isRecorded = true;
    return true;
  }
  if (kind != FileKind::Elf) {
    session::ModelSource source{txt, bin};
    source.imports = {options.import};
    source.given = options.given;
    source.use = session::LoadFor::Execution;
    side.network = NetworkRun::open(source, call);
    return bool(side.network);
  }
  auto model = Executable::open(txt, diags);
  if (!model)
    return false;
  if (model->provenance().results.empty()) {
    diags
        .report(diag::ExecutableMalformed, {txt},
                "the executable does not record where its layers' results are")
        .hint("build it again: versions before `yarrow bisect` did not record "
              "this");
    return false;
  }
  side.machine = std::make_unique<MachineRun>(std::move(model), options.budget);
  return true;
}

std::vector<NpyView> Bisector::readArrays() {
  std::vector<NpyView> read;
  for (const std::string &path : options.inputs)
    if (auto array = readNpy(path, diags))
      read.push_back(std::move(*array));
  if (!options.inputs.empty())
    return read.size() == options.inputs.size() ? read : std::vector<NpyView>();
  std::vector<std::vector<int64_t>> shapes;
  const Side &side = expected.isRecorded ? found : expected;
  if (side.network)
    shapes = inputShapesOf(side.network->module());
  else
    for (const IoDescription &input : side.machine->executable().inputs())
      shapes.push_back(input.shape);
  return randomSamples("RandomDataset(num_sample=1)", shapes);
}

bool Bisector::readSamples(Side &side) {
  if (side.isRecorded)
    return true;
  if (side.network) {
    side.samples = SampleSet::create(side.network->module(), arrays, diags,
                                     {diag::TensorMismatch});
    return bool(side.samples);
  }
  side.machineInputs =
      makeRunInputs(arrays, side.machine->executable().inputs(), diags);
  return side.machineInputs.has_value();
}

bool Bisector::open() {
  if (!open(options.expected, expected) || !open(options.found, found) ||
      (!options.model.empty() && !open(options.model, model)))
    return false;
  if (expected.isRecorded && found.isRecorded)
    misused =
        "two recordings cannot be bisected: neither can be executed again";
  else if (!options.model.empty() && !model.network)
    misused = "--model must be an IR or a model of another format";
  if (!misused.empty())
    return false;
  if (expected.rank() > found.rank())
    std::swap(expected, found);
  arrays = readArrays();
  return !arrays.empty() && readSamples(expected) && readSamples(found) &&
         (!model.network || readSamples(model));
}

/// Executables that were compiled for several samples have the results of one
/// of them at a time.
static bool isForOneSample(const MachineRun &run) {
  for (const IoDescription &output : run.executable().outputs())
    for (const ProvenanceResult &result : run.provenance().results)
      if (result.name == output.tensor && result.layer >= 0 &&
          run.executable().hasLayer(std::size_t(result.layer)) &&
          result.place.sizeBytes != output.sizeBytes)
        return false;
  return true;
}

std::optional<Bisection> Bisector::run() {
  Bisection answer;
  answer.expected = expected.path;
  answer.found = found.path;
  for (const Side *side : {&expected, &found})
    if (side->machine && !isForOneSample(*side->machine)) {
      diags
          .report(diag::TensorMismatch, {side->path},
                  "the executable computes several samples per run")
          .hint("compile the network without --batch to bisect it");
      return std::nullopt;
    }
  std::size_t count = found.count();
  if (!expected.isRecorded)
    count = std::min(count, expected.count());
  if (options.samples)
    count = std::min(count, options.samples);
  // A run of an executable here begins with its first state.
  auto keepsState = [](const Side &side) {
    return side.machine && !side.machine->executable().states().empty();
  };
  if (count > 1 && (keepsState(found) || keepsState(expected))) {
    diags
        .report(diag::SamplesFewer, {found.path},
                "the network keeps a state: only its first step is compared")
        .found(std::to_string(count) + " samples");
    count = 1;
  }
  bool areLossy = expected.network && found.network &&
                  !expected.network->isInteger() && found.network->isInteger();
  if (areLossy && !compareLosses(count, answer))
    return std::nullopt;
  for (std::size_t sample = 0; !areLossy && sample < count && !answer.differs;
       ++sample) {
    auto differs = compare(sample, answer);
    if (!differs)
      return std::nullopt;
    answer.samples = sample + 1;
    answer.differs = *differs;
    answer.sample = sample;
  }
  if (answer.compared == 0) {
    diags
        .report(diag::TensorMismatch, {found.path},
                "nothing to compare: no result has the same name, type and "
                "size in both")
        .hint("bisect the float network with the integer IR, and the integer "
              "IR with the executable");
    return std::nullopt;
  }
  if (answer.differs && !explain(answer.sample, answer))
    return std::nullopt;
  return answer;
}

std::optional<bool> Bisector::compare(std::size_t sample, Bisection &answer) {
  if (found.machine) {
    auto log = found.machine->run(found.inputsOf(sample), {}, diags);
    if (!log)
      return std::nullopt;
    foundRun = std::move(*log);
  } else {
    auto run = found.network->run(found.inputsOf(sample), diags);
    if (!run)
      return std::nullopt;
    foundRun = {{}, std::move(*run), {}};
  }
  std::optional<Execution> right;
  if (expected.isRecorded) {
    right = recordedExecution(expected.path, foundRun.results, sample, diags);
  } else if (expected.network) {
    right = expected.network->run(expected.inputsOf(sample), diags);
  } else if (auto log =
                 expected.machine->run(expected.inputsOf(sample), {}, diags)) {
    right = std::move(log->results);
    if (!right->stop.empty()) {
      diags.report(diag::SimulatorFault, {expected.path},
                   "the reference executable does not run to its end: " +
                       right->stop);
      return std::nullopt;
    }
  }
  if (!right)
    return std::nullopt;
  expectedRun = std::move(*right);
  std::size_t compared = 0;
  auto difference = firstDifference(expectedRun, foundRun.results,
                                    options.mostFloats, &compared);
  answer.compared = std::max(answer.compared, compared);
  answer.stop = foundRun.results.stop;
  if (!difference)
    return !answer.stop.empty();
  answer.expectedResult = *difference->expected;
  answer.foundResult = *difference->found;
  answer.layer = difference->found->layer;
  answer.element = difference->element;
  answer.values = difference->values;
  return true;
}

bool Bisector::compareLosses(std::size_t count, Bisection &answer) {
  std::vector<IsolatedLoss> all;
  for (std::size_t sample = 0; sample < count; ++sample) {
    auto run = expected.network->run(expected.inputsOf(sample), diags);
    auto losses =
        run ? layerLosses(*expected.network, *run, *found.network, diags)
            : std::nullopt;
    if (!losses)
      return false;
    // The first sample's tensors stay.
    if (all.empty())
      all = std::move(*losses);
    else
      for (std::size_t i = 0; i < all.size(); ++i)
        all[i].similarity.merge((*losses)[i].similarity);
  }
  answer.samples = count;
  answer.compared = all.size();
  auto first = firstLossy(all, options.limits);
  answer.differs = first.has_value();
  if (!first)
    return true;
  const IsolatedLoss &loss = all[*first];
  answer.expectedResult = loss.expected;
  answer.foundResult = loss.found;
  answer.layer = loss.found.layer;
  answer.sqnrDb = loss.similarity.sqnrDb();
  answer.medianDb = medianDb(all);
  answer.values.add(0, loss.found.values(), loss.expected.values());
  if (answer.values.first)
    answer.element = answer.values.first->element;
  expectedRun = {};
  for (const auto &[name, bytes] : loss.inputs)
    if (const NetworkTensor *t = found.network->find(name))
      expectedRun.results.push_back({.name = name,
                                     .shape = t->shape(),
                                     .npyType = npyTypeOf(t->info.dtype),
                                     .bytes = bytes});
  return true;
}

const NetworkRun *Bisector::integerNetwork() const {
  for (const Side *side : {&found, &expected, &model})
    if (side->network)
      return side->network.get();
  return nullptr;
}

bool Bisector::explain(std::size_t sample, Bisection &answer) {
  if (answer.foundResult.name.empty())
    return true; // It stopped when all results were there.
  return (!found.machine || findCommand(sample, answer)) &&
         writeLayer(sample, answer);
}

std::unique_ptr<MachineRun> Bisector::compileTwin() {
  const NetworkRun *network = integerNetwork();
  if (!network)
    return nullptr;
  const Provenance &origin = found.machine->provenance();
  session::CompileSettings settings;
  settings.machine = *origin.machine;
  settings.optimize = origin.options.optimize;
  settings.tiling = origin.options.isFootprintWanted ? "footprint" : "fps";
  for (const std::string &name : origin.options.disabled)
    if (npu::findOptimization(name))
      settings.disabledPasses.push_back(name);
  settings.warnsOfSpeed = false;
  DiagnosticEngine own;
  auto twin = session::compile(*network->loaded(), settings, call.toldTo(own));
  return twin ? std::make_unique<MachineRun>(twin->program(), options.budget)
              : nullptr;
}

bool Bisector::findCommand(std::size_t sample, Bisection &answer) {
  const std::vector<ProvenanceResult> &results =
      found.machine->provenance().results;
  std::size_t index = 0;
  for (; index < results.size(); ++index)
    if (foundRun.results.results[index].name == answer.foundResult.name)
      break;
  std::vector<std::vector<char>> inputs = found.inputsOf(sample);
  CommandSearch search(*found.machine, inputs, index);
  const std::vector<char> &right = *answer.expectedResult.bytes;

  std::unique_ptr<MachineRun> compiled;
  MachineRun *twin = expected.machine.get();
  std::string twinName = expected.path;
  if (!twin) {
    compiled = compileTwin();
    twin = compiled.get();
    twinName = "a program compiled now";
  }
  if (!twin) {
    answer.commandNote =
        "with the expected result only: no second program was compiled";
  } else if (!haveSameCommands(twin->executable(),
                               found.machine->executable())) {
    answer.commandNote = "with the expected result only: the commands of " +
                         twinName + " differ";
  } else {
    auto log = twin->run(inputs, {}, diags);
    if (!log)
      return false;
    const LayerResult *same = log->results.find(answer.foundResult.name);
    if (same && same->bytes == right) {
      answer.commandNote = "with those of " + twinName;
      answer.command = search.against(*twin, *log, diags);
    } else {
      answer.commandNote = "with the expected result only: " + twinName +
                           " has the wrong result as well, so the cause is the "
                           "compiler or the machine";
    }
  }
  if (!answer.command)
    answer.command = search.against(right, diags);
  // The layer before, whose result is nowhere as a whole.
  if (answer.command && answer.command->isOfSuspect)
    answer.layer = answer.command->layer;
  return true;
}

/// What the layer is given: results before it, which are right, and the
/// network's inputs.
bool Bisector::writeLayer(std::size_t sample, Bisection &answer) {
  const NetworkRun *network = integerNetwork();
  if (options.folder.empty() || !network)
    return true;
  Execution known;
  if (answer.sqnrDb) {
    known = expectedRun;
  } else {
    for (const LayerResult &result : foundRun.results.results) {
      if (result.name == answer.foundResult.name)
        break;
      if (const LayerResult *right = expectedRun.find(result.name);
          right && right->bytes && !result.name.empty())
        known.results.push_back(*right);
    }
    Side *side = found.network ? &found : expected.network ? &expected : &model;
    auto run = side->network->run(side->inputsOf(sample), diags);
    if (!run)
      return false;
    for (std::size_t i = 0; i < run->results.size(); ++i)
      if (run->results[i].layerType == "Input" &&
          !known.find(run->results[i].name))
        known.results.push_back(std::move(run->results[i]));
  }
  auto files = writeReplay(*network, answer.expectedResult, answer.foundResult,
                           known, options.folder, diags);
  if (files)
    answer.replay = std::move(*files);
  return files.has_value();
}
