//===- Stepper.cpp - A run that can be looked at between its steps --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/Stepper.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::runtime;

/// What is done at each instruction of one TEC.
class Stepper::Watcher final : public sim::TecWatcher {
public:
  Watcher(Stepper &owner, uint32_t number)
      : number(number), core(number / std::max(1u, owner.model.machine().tecs)),
        owner(owner) {}

  void attach(const sim::Tec &tec, sim::TecWatcher *inner) {
    running = &tec;
    next = inner;
    step.reset();
    isArmed = hasLast = false;
  }
  void detach() {
    rest = TecRegisters::of(*running);
    restPc = running->pc();
    running = nullptr;
    next = nullptr;
  }

  bool before(uint32_t pc, sim::Cost cost) override {
    // An npu.wait that has to wait is tried again.
    bool isRetry = hasLast && pc == lastPc && cost == sim::Cost::Npu;
    hasLast = true;
    lastPc = pc;
    if (!isRetry && owner.stopsAt(pointAt(pc)))
      return true;
    return next && next->before(pc, cost);
  }

  const uint32_t number, core;
  const sim::Tec *running = nullptr;
  uint32_t lastPc = 0;
  std::optional<uint64_t> step;
  std::optional<TecRegisters> rest; ///< When its last task was over.
  uint32_t restPc = 0;

private:
  RunPoint pointAt(uint32_t pc) {
    RunPoint point;
    point.isInstruction = true;
    point.core = core;
    point.tec = number;
    point.pc = pc;
    point.stackPointer = running->x(2);
    point.cycle = running->cycles();
    if (auto it = owner.stepAt.find(pc); it != owner.stepAt.end()) {
      step = it->second;
      isArmed = true;
    }
    if (step) {
      point.command = CommandId{isa::Unit::Tec, *step};
      point.beginsCommand = isArmed && leavesStep(pc) && isFirst();
    }
    owner.setLayer(point);
    return point;
  }

  /// A step's function calls helpers that wait for counters, and then what
  /// computes it (codegen/TecMainSteps.cpp).
  bool leavesStep(uint32_t pc) {
    const ProvenanceStep &range = owner.origin.steps[*step];
    uint32_t offset = pc - owner.textAddress;
    if (offset >= range.pcBegin && offset < range.pcEnd)
      return false;
    const TecSymbol *symbol = owner.symbolTable.find(pc);
    if (symbol && symbol->name.starts_with("wait."))
      return false;
    isArmed = false;
    return true;
  }

  /// Of the TECs of its core.
  bool isFirst() {
    uint64_t &begun = owner.coreOf(core).stepBegins[*step];
    if (++begins[*step] <= begun)
      return false;
    begun = begins[*step];
    return true;
  }

  Stepper &owner;
  sim::TecWatcher *next = nullptr;
  bool hasLast = false;
  bool isArmed = false;                ///< In a step that was not left yet.
  std::map<uint64_t, uint64_t> begins; ///< By step, how often.
};

Stepper::Stepper(const Executable &executable, uint32_t programAddress,
                 StopConditions &conditions, StopFn stopFn)
    : model(executable), origin(executable.provenance()),
      textAddress(programAddress), conditions(conditions),
      stop(std::move(stopFn)),
      symbolTable(TecImage::symbolsOf(executable.tecElf(), programAddress)),
      places(executable), layers(origin.layers.size()) {
  auto count = [&](int64_t layer, isa::Unit unit) {
    if (layer < 0)
      return;
    ++layers[size_t(layer)].commands;
    layers[size_t(layer)].hasEngineOrTec |=
        unit == isa::Unit::Tec || engineOf(unit) != isa::Engine::Dma;
  };
  for (unsigned q = 0; q < isa::kNumQueues; ++q)
    for (int64_t layer : origin.queueLayers[q])
      count(layer, isa::Unit(q));
  for (size_t i = 0; i < origin.steps.size(); ++i) {
    const ProvenanceStep &step = origin.steps[i];
    count(step.layer, isa::Unit::Tec);
    if (step.pcBegin < step.pcEnd)
      stepAt.try_emplace(programAddress + uint32_t(step.pcBegin), i);
  }
}

Stepper::~Stepper() = default;

//===--- What comes next --------------------------------------------------===//

/// Loads of constants come long before a layer: it begins with what computes.
bool Stepper::isComputed(int64_t layer, isa::Unit unit) const {
  return !layers[size_t(layer)].hasEngineOrTec || unit == isa::Unit::Tec ||
         engineOf(unit) != isa::Engine::Dma;
}

void Stepper::setLayer(RunPoint &point) {
  if (!point.command)
    return;
  point.layer = origin.layerOf(*point.command);
  if (!point.beginsCommand || point.layer < 0 ||
      !isComputed(point.layer, point.command->unit))
    return;
  std::optional<CommandId> &first = layers[size_t(point.layer)].first;
  if (!first)
    first = point.command;
  point.beginsLayer = first == point.command;
}

bool Stepper::stopsAt(const RunPoint &point) {
  std::optional<StopReason> reason = conditions.check(point);
  return reason && !stop(point, *reason);
}

bool Stepper::stopsBefore(const sim::StartingCommand &command,
                          const sim::CoreView &view) {
  see(view);
  RunPoint point;
  point.core = view.core;
  point.command = origin.commandAt(command.site.descriptorOffset);
  point.beginsCommand = true;
  point.cycle = command.startCycle;
  point.descriptor = command.descriptor;
  setLayer(point);
  return stopsAt(point) || (next && next->stopsBefore(command, view));
}

//===--- What is done -----------------------------------------------------===//

void Stepper::groupStarted(uint32_t group, uint64_t cycle) {
  if (next)
    next->groupStarted(group, cycle);
}

void Stepper::groupEnded(uint32_t group, uint64_t cycle) {
  if (next)
    next->groupEnded(group, cycle);
}

void Stepper::commandDone(CommandId command) {
  ++done[unsigned(command.unit)];
  pending = command;
  int64_t index = origin.layerOf(command);
  if (index < 0)
    return;
  Layer &layer = layers[size_t(index)];
  layer.done.insert(command);
  if (layer.done.size() < layer.commands)
    return;
  layer.done.clear();
  ++layer.passes;
  conditions.layerDone(index);
}

void Stepper::engineCommand(const sim::EngineEvent &event) {
  pending.reset();
  if (auto command = origin.commandAt(event.descriptorOffset))
    commandDone(*command);
  if (next)
    next->engineCommand(event);
}

/// A step is done when all TECs of its core are.
void Stepper::tecStep(const sim::TecEvent &event) {
  pending.reset();
  if (event.step < origin.steps.size() &&
      ++coreOf(event.core).signals[event.step] % model.machine().tecs == 0)
    commandDone({isa::Unit::Tec, event.step});
  if (next)
    next->tecStep(event);
}

void Stepper::lookAt(const sim::CoreView &view) {
  see(view);
  if (pending)
    places.commandDone(*pending, view);
  pending.reset();
  if (next && next->looks())
    next->lookAt(view);
}

sim::TecWatcher *Stepper::watchTec(uint32_t number, const sim::Tec &tec) {
  while (watchers.size() <= number)
    watchers.push_back(
        std::make_unique<Watcher>(*this, uint32_t(watchers.size())));
  watchers[number]->attach(tec, next ? next->watchTec(number, tec) : nullptr);
  coreOf(watchers[number]->core).memory = &tec.memory();
  return watchers[number].get();
}

void Stepper::tecDone(uint32_t number) {
  watchers[number]->detach();
  if (next)
    next->tecDone(number);
}

//===--- The machine ------------------------------------------------------===//

Stepper::Core &Stepper::coreOf(uint32_t core) { return cores[core]; }

void Stepper::see(const sim::CoreView &view) {
  Core &core = coreOf(view.core);
  core.memory = &view.memory;
  core.bases.assign(view.bases.begin(), view.bases.end());
  places.noteInputs(view);
}

std::optional<TecRegisters> Stepper::registersOf(uint32_t tec) const {
  if (tec >= watchers.size())
    return std::nullopt;
  const Watcher &w = *watchers[tec];
  return w.running ? TecRegisters::of(*w.running) : w.rest;
}

uint32_t Stepper::pcOf(uint32_t tec) const {
  const Watcher &w = *watchers[tec];
  return w.running ? w.lastPc : w.restPc;
}

std::optional<CommandId> Stepper::stepOf(uint32_t tec) const {
  const std::optional<uint64_t> &step = watchers[tec]->step;
  return step ? std::optional(CommandId{isa::Unit::Tec, *step}) : std::nullopt;
}

std::span<const std::byte> Stepper::read(uint32_t core, uint32_t address,
                                         uint64_t sizeBytes) const {
  auto it = cores.find(core);
  const uint8_t *bytes = it != cores.end() && it->second.memory
                             ? it->second.memory->at(address, sizeBytes)
                             : nullptr;
  return {reinterpret_cast<const std::byte *>(bytes),
          bytes ? size_t(sizeBytes) : 0};
}

RunTensors::Contents Stepper::look(size_t tensor, uint32_t core) const {
  auto it = cores.find(core);
  if (it == cores.end() || !it->second.memory)
    return {};
  return places.look(tensor, {core, *it->second.memory, it->second.bases});
}

uint64_t Stepper::commandsOf(isa::Unit unit) const {
  return unit == isa::Unit::Tec ? origin.steps.size()
                                : origin.queueLayers[unsigned(unit)].size();
}

Stepper::Progress Stepper::progressOf(size_t layer) const {
  const Layer &l = layers[layer];
  return {l.done.size(), l.commands, l.passes};
}

std::optional<uint32_t> Stepper::regionBase(uint32_t core,
                                            uint32_t region) const {
  if (region == isa::kSramRegion)
    return isa::kSramBaseAddress;
  auto it = cores.find(core);
  return it != cores.end() && region < it->second.bases.size()
             ? it->second.bases[region]
             : std::nullopt;
}

std::optional<uint32_t> Stepper::regionBase(uint32_t core,
                                            const std::string &name) const {
  for (size_t i = 0; i < origin.regions.size(); ++i)
    if (origin.regions[i].name == name)
      return regionBase(core, uint32_t(i));
  return std::nullopt;
}
