//===- TecInspector.cpp - Looking into the TECs of a device ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/TecInspector.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::runtime;

/// What is done at each instruction of one TEC.
class TecInspector::Watcher final : public sim::TecWatcher {
public:
  Watcher(TecInspector &owner, uint32_t number) : owner(owner) {
    if (owner.append)
      trace.emplace(owner.fetch, owner.append,
                    "TEC" + std::to_string(number) + " ", &owner.symbols);
  }

  void attach(const sim::Tec &core) {
    tec = &core;
    step = 0;
    if (trace)
      trace->attach(core);
    profile.attach(core);
    profile.countAlsoInto(&owner.countsOf(0));
  }
  void detach() {
    finish();
    tec = nullptr;
  }
  /// The last instruction has had its effects.
  void finish() {
    if (trace)
      trace->finish();
    profile.finish();
  }
  void beginStep(uint32_t next) {
    finish();
    step = next;
    profile.countAlsoInto(&owner.countsOf(step));
  }

  bool before(uint32_t pc, sim::Cost cost) override {
    // A program with blocks tells which step it begins.
    if (uint32_t reported = tec->step(); reported != 0 && reported - 1 != step)
      beginStep(reported - 1);
    if (trace)
      trace->before(pc, cost);
    if (owner.isCounting)
      profile.before(pc, cost);
    return false;
  }

  const sim::Tec *tec = nullptr;
  uint32_t step = 0;
  TecProfile profile;

private:
  TecInspector &owner;
  std::optional<TecTrace> trace;
};

TecInspector::TecInspector(const Executable &executable,
                           uint32_t programAddress)
    : origin(executable.provenance()),
      symbols(TecImage::symbolsOf(executable.tecElf(), programAddress)),
      stepCounts(origin.steps.size() + 1) {}
TecInspector::~TecInspector() = default;

TecCounts &TecInspector::countsOf(uint32_t step) {
  return stepCounts[std::min<size_t>(step, stepCounts.size() - 1)];
}

std::string TecInspector::layerName(int64_t layer) const {
  return layer < 0 ? "(no layer)" : origin.layers[size_t(layer)].name;
}

void TecInspector::engineCommand(const sim::EngineEvent &event) {
  if (recorder)
    recorder->engineCommand(event);
}

void TecInspector::tecStep(const sim::TecEvent &event) {
  if (event.tec < watchers.size() && watchers[event.tec])
    watchers[event.tec]->beginStep(event.step + 1);
  if (recorder)
    recorder->tecStep(event);
}

void TecInspector::groupEnded(uint32_t group, uint64_t cycle) {
  if (recorder)
    recorder->groupEnded(group, cycle);
}

sim::TecWatcher *TecInspector::watchTec(uint32_t number, const sim::Tec &tec) {
  if (watchers.size() <= number)
    watchers.resize(number + 1);
  if (!watchers[number])
    watchers[number] = std::make_unique<Watcher>(*this, number);
  watchers[number]->attach(tec);
  return append || isCounting ? watchers[number].get() : nullptr;
}

void TecInspector::tecDone(uint32_t number) { watchers[number]->detach(); }

std::string TecInspector::profileText(size_t width) const {
  std::map<std::string, TecCounts> functions;
  for (const auto &watcher : watchers)
    for (const TecProfileRow &row : watcher->profile.by([&](uint32_t pc) {
           const TecSymbol *symbol = symbols.find(pc);
           return symbol ? symbol->name : std::string("(no symbol)");
         }))
      functions[row.name] += row.counts;
  std::vector<TecProfileRow> rows;
  rows.reserve(functions.size());
  for (const auto &[name, counts] : functions)
    rows.push_back({name, counts});
  sortByCycles(rows);
  std::string text = runtime::profileText("function", rows, width) + "\n";

  // Layers stay in their order.
  std::vector<TecProfileRow> layers;
  layers.reserve(origin.layers.size() + 1);
  for (const ProvenanceLayer &l : origin.layers)
    layers.push_back({l.name, {}});
  layers.push_back({layerName(-1), {}});
  for (size_t i = 0; i < stepCounts.size(); ++i) {
    int64_t layer = origin.layerOfStep(uint32_t(i));
    layers[layer < 0 ? layers.size() - 1 : size_t(layer)].counts +=
        stepCounts[i];
  }
  std::erase_if(layers, [](const TecProfileRow &row) {
    return row.counts.instructions == 0;
  });
  return text + runtime::profileText("layer", layers, width);
}
