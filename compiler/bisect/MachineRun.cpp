//===- MachineRun.cpp - An executable's run, command by command -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/bisect/MachineRun.h"

#include "support/Digest.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::runtime;

namespace {

class Watch final : public sim::ExecutionObserver {
public:
  Watch(const MachineRun &run, const MachineQuestions &questions,
        MachineLog &log)
      : run(run), origin(run.provenance()), ask(questions), log(log) {
    for (std::size_t i = 0; i < origin.results.size(); ++i) {
      const ProvenanceResult &result = origin.results[i];
      completes[{result.unit, result.command}].push_back(i);
    }
  }

  bool looks() const override { return true; }

  void engineCommand(const sim::EngineEvent &event) override {
    pending.reset();
    auto id = origin.commandAt(event.descriptorOffset);
    if (!id)
      return;
    ExecutedCommand command{.id = *id, .core = event.core};
    std::visit(
        [&](const auto &descriptor) {
          command.mnemonic = descriptor.kMnemonic;
          descriptor.forEachAccess([&](const isa::FieldAccess &access) {
            (access.isWrite ? command.writes : command.reads)
                .push_back(
                    {access.region,
                     uint64_t(int64_t(access.offset) + access.extent.begin),
                     access.extent.sizeBytes()});
          });
        },
        *event.descriptor);
    pending = std::move(command);
  }

  /// A step is done when all TECs of its core are.
  void tecStep(const sim::TecEvent &event) override {
    pending.reset();
    if (event.step >= origin.steps.size() ||
        ++signals[{event.core, event.step}] % run.executable().machine().tecs)
      return;
    const ProvenanceStep &step = origin.steps[event.step];
    pending = ExecutedCommand{.id = {isa::Unit::Tec, event.step},
                              .core = event.core,
                              .mnemonic = step.kernel,
                              .reads = step.reads,
                              .writes = step.writes};
  }

  void lookAt(const sim::CoreView &view) override {
    if (!pending)
      return;
    ExecutedCommand &command = *pending;
    command.repetition = repetitions[command.id]++;
    const ByteRanges *places = &command.writes;
    if (ask.places)
      if (auto it = ask.places->find(command.id); it != ask.places->end())
        places = &it->second;
    bool isWanted =
        ask.wanted && *ask.wanted == std::pair(command.id, command.repetition);
    Digest digest;
    for (const ProvenanceRange &place : *places) {
      std::string_view bytes = read(view, place);
      digest.add(bytes);
      if (isWanted)
        ask.bytes->emplace_back(bytes.begin(), bytes.end());
    }
    command.digest = digest.value();
    if (auto it = completes.find(command.id); it != completes.end())
      for (std::size_t i : it->second) {
        std::string_view bytes = read(view, origin.results[i].place);
        log.results.results[i].bytes.emplace(bytes.begin(), bytes.end());
        log.completedBy[i] = log.commands.size();
      }
    if (ask.result)
      lookForWrong(view, command.id);
    log.commands.push_back(std::move(command));
    pending.reset();
  }

  std::optional<std::pair<std::size_t, uint64_t>> firstWrong;

private:
  std::string_view read(const sim::CoreView &view,
                        const ProvenanceRange &range) const {
    if (range.region >= view.bases.size() || !view.bases[range.region])
      return {};
    uint64_t address = *view.bases[range.region] + range.offset;
    const uint8_t *bytes =
        address <= UINT32_MAX
            ? view.memory.at(uint32_t(address), range.sizeBytes)
            : nullptr;
    return {reinterpret_cast<const char *>(bytes), bytes ? range.sizeBytes : 0};
  }

  /// Bytes that did not change say nothing of the command.
  void lookForWrong(const sim::CoreView &view, CommandId id) {
    std::string_view now = read(view, ask.result->place);
    int64_t layer = run.layerOf(id);
    if (!firstWrong && layer >= 0 && (*ask.isSuspect)[std::size_t(layer)])
      for (std::size_t i = 0; i < now.size() && i < ask.expected.size(); ++i)
        if (now[i] != ask.expected[i] &&
            (i >= before.size() || now[i] != before[i])) {
          firstWrong = {log.commands.size(), i};
          break;
        }
    before.assign(now);
  }

  const MachineRun &run;
  const Provenance &origin;
  const MachineQuestions &ask;
  MachineLog &log;
  std::optional<ExecutedCommand> pending;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> signals;
  std::map<CommandId, std::size_t> repetitions;
  std::map<CommandId, std::vector<std::size_t>> completes;
  std::string before;
};

} // namespace

std::string MachineRun::layerName(int64_t layer) const {
  return layer < 0 ? "" : provenance().layers[std::size_t(layer)].name;
}

/// "uint8" as NumPy has it.
static std::optional<NpyType> npyTypeOfName(std::string_view name) {
  for (unsigned t = 0; t <= unsigned(NpyType::Float64); ++t)
    if (npyTypeName(NpyType(t)) == name)
      return NpyType(t);
  return name == "bfloat16" ? std::optional(NpyType::UInt16) : std::nullopt;
}

std::optional<MachineLog>
MachineRun::run(const std::vector<std::vector<char>> &inputs,
                const MachineQuestions &questions, DiagnosticEngine &diags) {
  SimulationOptions options;
  options.budget = budget;
  auto session = simulatedSession(model, options, diags);
  if (!session)
    return std::nullopt;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!session->setInput(i, std::as_bytes(std::span(inputs[i])), diags))
      return std::nullopt;
  MachineLog log;
  log.completedBy.resize(provenance().results.size());
  for (const ProvenanceResult &result : provenance().results) {
    // Of a program for other shapes: without a name, nothing is compared to it.
    if (result.layer < 0 || !model->hasLayer(std::size_t(result.layer))) {
      log.results.results.emplace_back();
      continue;
    }
    const ProvenanceLayer &layer =
        provenance().layers[std::size_t(result.layer)];
    log.results.results.push_back(
        {.name = result.name,
         .layer = layer.name,
         .layerType = layer.type,
         .place =
             layer.line ? layer.file + ":" + std::to_string(layer.line) : "",
         .type = result.type,
         .shape = result.shape,
         .npyType = npyTypeOfName(result.type).value_or(NpyType::UInt8),
         .isBfloat = result.type == "bfloat16"});
  }
  Watch watch(*this, questions, log);
  session->device().observe(&watch);
  DiagnosticEngine problems;
  session->run(problems);
  session->device().observe(nullptr);
  for (const Diagnostic &d : problems.all())
    if (d.isError() && log.results.stop.empty())
      log.results.stop = std::string(d.id->code) + " " + d.message;
  firstWrong = watch.firstWrong;
  return log;
}

bool yarrow::haveSameCommands(const Executable &a, const Executable &b) {
  const Provenance &p = a.provenance(), &q = b.provenance();
  auto nameOf = [](const Provenance &origin, int64_t layer) {
    return layer < 0 ? std::string_view()
                     : std::string_view(origin.layers[std::size_t(layer)].name);
  };
  if (p.steps.size() != q.steps.size())
    return false;
  for (std::size_t i = 0; i < p.steps.size(); ++i)
    if (p.steps[i].kernel != q.steps[i].kernel ||
        nameOf(p, p.steps[i].layer) != nameOf(q, q.steps[i].layer))
      return false;
  std::size_t numSame = 0, count = p.commandLayers.size();
  if (count != q.commandLayers.size())
    return false;
  for (unsigned i = 0; i < isa::kNumQueues; ++i)
    if (p.queueLayers[i].size() != q.queueLayers[i].size())
      return false;
  auto wordsOf = [](const Executable &e, std::size_t i) {
    const auto &commands = e.provenance().commandLayers;
    std::size_t end = i + 1 < commands.size() ? commands[i + 1].first
                                              : e.descriptors().size();
    return e.descriptors().substr(commands[i].first, end - commands[i].first);
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (nameOf(p, p.commandLayers[i].second) !=
        nameOf(q, q.commandLayers[i].second))
      return false;
    numSame += wordsOf(a, i) == wordsOf(b, i);
  }
  return numSame * 4 >= count * 3;
}
