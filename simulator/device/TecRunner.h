//===- TecRunner.h - A TEC and the task that it runs ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Runs a task until it waits, signals or ends. What a signal does to others, it
// does when the group says so, in the order of cycles: see TaskGroup.h.
//
//   TecRunner runner(core, counters, engines, number, task, header);
//   while (runner.canRun())
//     if (Fault f = runner.run(sliceInstructions))
//       return f;
//   if (runner.hasSignal())
//     runner.commitSignal();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_DEVICE_TECRUNNER_H
#define YARROW_SIMULATOR_DEVICE_TECRUNNER_H

#include "isa/ElfLayout.h"
#include "simulator/device/CoreState.h"
#include "simulator/device/Engines.h"
#include "simulator/device/TaskChain.h"
#include "simulator/tec/Tec.h"

namespace yarrow::sim {

class TecRunner final : public TecPort {
public:
  TecRunner(CoreState &core, Counters &counters, Engines &engines,
            uint32_t number, const TaskBlock &task,
            const isa::TextHeader &header);
  ~TecRunner() override;

  bool isEnded() const { return state == State::Ended; }
  bool hasSignal() const { return state == State::Signaled; }
  /// Not ended, no signal to be committed, and what it waits for is there.
  bool canRun() const;
  /// About \p maxInstructions. On a fault, `core` has the site.
  Fault run(uint64_t maxInstructions);
  /// Instructions since it last waited, signalled, or was asked to forget.
  uint64_t restlessInstructions() const { return restless; }
  void forgetRestlessness() { restless = 0; }

  /// When the step began whose end the signal is.
  uint64_t stepStartCycle() const { return stepStart.cycle; }
  void commitSignal();

  /// Stops the run at the present instruction; `core` has the site.
  Fault fail(FaultSite::Cause cause, const std::string &text);

  /// Of one that is neither ended nor able to run.
  BlockedTec blocked() const;
  uint64_t cycles() const { return tec.cycles(); }

private:
  enum class State : uint8_t { Running, Waiting, Signaled, Ended };
  struct Mark {
    uint64_t cycle = 0, instructions = 0;
    TecTraffic traffic;
  };

  void submit(uint32_t engine, uint32_t address, uint32_t sizeBytes) override;
  void setBase(uint32_t region, uint32_t address) override;
  void setOrigin(uint32_t counter, uint32_t count) override;
  bool wait(uint32_t counter, uint32_t count) override;
  void signal() override {}
  bool watchesSram() const override { return !engines.loads().isEmpty(); }
  void accessesSram(bool isWrite) override {
    if (isWrite)
      engines.loads().forgetAll();
    else
      engines.loads().readAll();
  }

  /// As TecEvent counts.
  uint32_t step() const { return tec.step() ? tec.step() - 1 : signals; }
  uint32_t numberInChip() const {
    return core.number * core.machine.tecs + number;
  }
  Mark mark() const;
  void chargeBus(const Mark &before);
  void keep(Fault f) {
    if (f && !portFault)
      portFault = std::move(f);
  }
  Fault fail(FaultSite::Cause cause, uint32_t pc, const std::string &text);

  CoreState &core;
  Counters &counters;
  Engines &engines;
  uint32_t number;
  Tec tec;
  State state = State::Running;
  uint32_t waitCounter = 0, waitCount = 0;
  uint32_t signals = 0;
  uint64_t restless = 0;
  Mark stepStart;
  Fault portFault;
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_DEVICE_TECRUNNER_H
