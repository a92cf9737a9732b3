//===- Stepper.h - A run that can be looked at between its steps -*- C++
//-*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Observes a run, tells what comes next wherever its conditions ask for that,
// and lets look at the machine meanwhile. The device waits in the call, so a
// run that was stepped has the results and cycles of one that was not.
//
//   StopConditions conditions;
//   conditions.step(StepUnit::Command);
//   Stepper stepper(*model, session->programAddress(), conditions,
//                   [&](const RunPoint &point, StopReason reason) {
//                     os << stepper.tensors().all().size();
//                     return true; // goes on
//                   });
//   session->device().observe(&stepper);
//   session->run(diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_STEPPER_H
#define YARROW_RUNTIME_STEPPER_H

#include "runtime/Executable.h"
#include "runtime/RunTensors.h"
#include "runtime/StopConditions.h"
#include "runtime/TecImage.h"
#include "runtime/TecRegisters.h"
#include "simulator/device/Observer.h"

#include <functional>
#include <map>
#include <memory>
#include <set>

namespace yarrow::runtime {

class Stepper final : public sim::ExecutionObserver {
public:
  /// False ends the run.
  using StopFn = std::function<bool(const RunPoint &, StopReason)>;

  /// \p programAddress is where .text was loaded.
  Stepper(const Executable &executable, uint32_t programAddress,
          StopConditions &conditions, StopFn stopFn);
  ~Stepper() override;

  /// What is seen goes to \p other, too.
  void forwardTo(sim::ExecutionObserver *other) { next = other; }

  // To look at, in a call of the function and when the run has ended.
  const RunTensors &tensors() const { return places; }
  const TecSymbols &symbols() const { return symbolTable; }
  uint32_t programAddress() const { return textAddress; }
  /// Those of all cores are numbered through.
  uint32_t numTecs() const { return uint32_t(watchers.size()); }
  /// None if that TEC had nothing to do.
  std::optional<TecRegisters> registersOf(uint32_t tec) const;
  uint32_t pcOf(uint32_t tec) const;
  std::optional<CommandId> stepOf(uint32_t tec) const;
  /// What a core sees; empty if it was not seen at work.
  std::span<const std::byte> read(uint32_t core, uint32_t address,
                                  uint64_t sizeBytes) const;
  /// Where a region begins, by what the provenance calls it, if it is placed.
  std::optional<uint32_t> regionBase(uint32_t core,
                                     const std::string &name) const;
  /// The same by its number.
  std::optional<uint32_t> regionBase(uint32_t core, uint32_t region) const;
  RunTensors::Contents look(size_t tensor, uint32_t core) const;
  /// Commands of a unit that are done, of how many of the program.
  uint64_t doneBy(isa::Unit unit) const { return done[unsigned(unit)]; }
  uint64_t commandsOf(isa::Unit unit) const;
  struct Progress {
    uint64_t done = 0, commands = 0;
    uint64_t passes = 0; ///< How often all of them were done.
  };
  Progress progressOf(size_t layer) const;

  void groupStarted(uint32_t group, uint64_t cycle) override;
  void groupEnded(uint32_t group, uint64_t cycle) override;
  void engineCommand(const sim::EngineEvent &event) override;
  void tecStep(const sim::TecEvent &event) override;
  bool looks() const override { return true; }
  void lookAt(const sim::CoreView &view) override;
  sim::TecWatcher *watchTec(uint32_t number, const sim::Tec &tec) override;
  void tecDone(uint32_t number) override;
  bool stopsBefore(const sim::StartingCommand &command,
                   const sim::CoreView &view) override;

private:
  class Watcher;
  struct Core {
    const sim::Memory *memory = nullptr;
    std::vector<std::optional<uint32_t>> bases;
    std::map<uint64_t, uint64_t> stepBegins; ///< By step, how often.
    std::map<uint64_t, uint64_t> signals;    ///< By step.
  };
  Core &coreOf(uint32_t core);
  void see(const sim::CoreView &view);
  void setLayer(RunPoint &point);
  bool isComputed(int64_t layer, isa::Unit unit) const;
  void commandDone(CommandId command);
  bool stopsAt(const RunPoint &point);

  const Executable &model;
  const Provenance &origin;
  uint32_t textAddress;
  StopConditions &conditions;
  StopFn stop;
  sim::ExecutionObserver *next = nullptr;

  TecSymbols symbolTable;
  RunTensors places;
  std::map<uint32_t, uint64_t> stepAt; ///< By the address of its first.
  std::map<uint32_t, Core> cores;
  std::vector<std::unique_ptr<Watcher>> watchers; ///< By TEC.
  std::array<uint64_t, isa::kNumCounters> done{};
  std::optional<CommandId> pending; ///< Done; the memory comes next.

  struct Layer {
    uint64_t commands = 0;
    bool hasEngineOrTec = false; ///< Else copies alone compute it.
    std::set<CommandId> done;    ///< In this pass.
    uint64_t passes = 0;
    std::optional<CommandId> first; ///< That was executed and computes.
  };
  std::vector<Layer> layers;
};

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_STEPPER_H
