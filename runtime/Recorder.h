//===- Recorder.h - The events of one run -----------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Keeps what a device reports while it runs, for a report or a trace:
//
//   Recorder recorder;
//   session->device().observe(&recorder);
//   session->run(diags);
//   Report report = makeReport(*model, machine, recorder.run());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_RECORDER_H
#define YARROW_RUNTIME_RECORDER_H

#include "simulator/device/Observer.h"
#include <algorithm>
#include <string>
#include <vector>

namespace yarrow::runtime {

struct RecordedCommand {
  uint32_t core;
  isa::Unit queue;
  uint32_t ordinal, channel, descriptorOffset;
  std::string_view mnemonic;
  isa::CommandCost cost;
  uint64_t readyCycle, startCycle, endCycle;
};

struct RecordedRun {
  std::vector<RecordedCommand> commands; ///< In the order of execution.
  std::vector<sim::TecEvent> steps;
  uint64_t cycles = 0;
};

/// Those from the first one on that did something; at least one.
inline uint32_t coresOf(const RecordedRun &run) {
  uint32_t cores = 1;
  for (const RecordedCommand &c : run.commands)
    cores = std::max(cores, c.core + 1);
  for (const sim::TecEvent &s : run.steps)
    cores = std::max(cores, s.core + 1);
  return cores;
}

class Recorder final : public sim::ExecutionObserver {
public:
  const RecordedRun &run() const { return recorded; }
  void clear() { recorded = {}; }

  void engineCommand(const sim::EngineEvent &event) override {
    recorded.commands.push_back(
        {event.core, event.queue, event.ordinal, event.channel,
         event.descriptorOffset,
         std::visit([](const auto &d) { return d.kMnemonic; },
                    *event.descriptor),
         event.cost, event.readyCycle, event.startCycle, event.endCycle});
  }
  void tecStep(const sim::TecEvent &event) override {
    recorded.steps.push_back(event);
  }
  void groupEnded(uint32_t group, uint64_t cycle) override {
    recorded.cycles = std::max(recorded.cycles, cycle);
  }

private:
  RecordedRun recorded;
};

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_RECORDER_H
