//===- TecInspector.cpp - Looking into the TECs of a device ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/TecInspector.h"

#include "runtime/TecRegisters.h"
#include "simulator/engine/Fault.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::runtime;

/// What is done at each instruction of one TEC.
class TecInspector::Watcher final : public sim::TecWatcher {
public:
  Watcher(TecInspector &owner, uint32_t number) : owner(owner), number(number) {
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
    if (uint32_t told = tec->step(); told != 0 && told - 1 != step)
      beginStep(told - 1);
    if (owner.breakAddresses.count(pc)) {
      finish();
      owner.describeStop("TEC " + std::to_string(number) + " at " +
                             sim::hex(pc),
                         owner.origin.layerOfStep(step), number, pc);
      return true;
    }
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
  uint32_t number;
  std::optional<TecTrace> trace;
};

TecInspector::TecInspector(const Executable &executable,
                           uint32_t programAddress)
    : origin(executable.provenance()), programAddress(programAddress),
      symbols(TecImage::symbolsOf(executable.tecElf(), programAddress)),
      stepCounts(origin.steps.size() + 1) {}
TecInspector::~TecInspector() = default;

void TecInspector::breakAtLayer(size_t layer) {
  for (auto [offset, commandLayer] : origin.commandLayers)
    if (commandLayer == int64_t(layer))
      breakCommands.insert(offset);
  for (const ProvenanceStep &step : origin.steps)
    if (step.layer == int64_t(layer) && step.pcBegin < step.pcEnd)
      breakAddresses.insert(programAddress + uint32_t(step.pcBegin));
}

TecCounts &TecInspector::countsOf(uint32_t step) {
  return stepCounts[std::min<size_t>(step, stepCounts.size() - 1)];
}

std::string TecInspector::layerName(int64_t layer) const {
  return layer < 0 ? "(no layer)" : origin.layers[size_t(layer)].name;
}

void TecInspector::engineCommand(const sim::EngineEvent &event) {
  ++completed[unsigned(event.queue)];
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
  bool isNeeded = append || isCounting || !breakAddresses.empty();
  return isNeeded ? watchers[number].get() : nullptr;
}

void TecInspector::tecDone(uint32_t number) { watchers[number]->detach(); }

bool TecInspector::stopsBefore(const sim::FaultSite &command) {
  if (!breakCommands.count(command.descriptorOffset))
    return false;
  describeStop(std::string(isa::name(command.queue)) + " command " +
                   std::to_string(command.ordinal),
               origin.layerAt(command.descriptorOffset), UINT32_MAX, 0);
  return true;
}

/// "a0=0x00000001 ..." in lines of about 80 columns.
static std::string wrapped(const std::string &words) {
  std::string text, line;
  size_t at = 0;
  while (at < words.size()) {
    size_t begin = words.find_first_not_of(' ', at);
    if (begin == std::string::npos)
      break;
    at = std::min(words.find(' ', begin), words.size());
    std::string word = words.substr(begin, at - begin);
    if (!line.empty() && line.size() + word.size() > 80) {
      text += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "    " : " ") + word;
  }
  return line.empty() ? text : text + line + "\n";
}

/// \p tec is at \p pc; the others, all if there is no such TEC, where they last
/// came to rest.
void TecInspector::describeStop(const std::string &what, int64_t layer,
                                uint32_t tec, uint32_t pc) {
  stopped = "stopped before " + what + ", layer " + layerName(layer);
  if (layer >= 0 && !origin.layers[size_t(layer)].file.empty())
    stopped += " (" + origin.layers[size_t(layer)].file + ":" +
               std::to_string(origin.layers[size_t(layer)].line) + ")";
  stopped += "\n";
  for (unsigned q = 0; q < isa::kNumQueues; ++q)
    stopped += "  " + std::string(isa::name(isa::Unit(q))) + ": " +
               std::to_string(completed[q]) + " of " +
               std::to_string(origin.queueLayers[q].size()) +
               " commands done\n";
  for (uint32_t n = 0; n < watchers.size(); ++n) {
    const Watcher &w = *watchers[n];
    if (!w.tec)
      continue;
    uint32_t at = n == tec ? pc : w.tec->pc();
    std::string symbol = symbols.describe(at);
    stopped += "  TEC " + std::to_string(n) + ": pc " + sim::hex(at) +
               (symbol.empty() ? "" : " in " + symbol) + ", step " +
               std::to_string(w.step) + " of " +
               std::to_string(origin.steps.size()) + "\n" +
               wrapped(TecRegisters::of(*w.tec).changesSince({}));
  }
}

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
