//===- TecInspector.h - Looking into the TECs of a device -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Observes a run: writes every instruction to a trace, counts instructions and
// cycles per function and per layer, and stops before a layer or an address.
//
//   TecInspector inspector(*model, session->programAddress());
//   inspector.breakAt(layerIndex);
//   session->device().observe(&inspector);
//   if (!session->run(diags) && session->isStopped())
//     os << inspector.stopText();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_TECINSPECTOR_H
#define YARROW_RUNTIME_TECINSPECTOR_H

#include "runtime/Executable.h"
#include "runtime/Recorder.h"
#include "runtime/TecProfile.h"
#include "runtime/TecTrace.h"
#include <optional>
#include <set>

namespace yarrow::runtime {

class TecInspector final : public sim::ExecutionObserver {
public:
  /// \p programAddress is where .text was loaded.
  TecInspector(const Executable &executable, uint32_t programAddress);
  ~TecInspector() override;

  /// What is seen goes to \p other, too.
  void forwardTo(Recorder *other) { recorder = other; }
  void traceTo(TecTrace::FetchFn fetchFn, TecTrace::AppendFn appendFn) {
    fetch = std::move(fetchFn);
    append = std::move(appendFn);
  }
  /// Needs a timed device.
  void countCycles() { isCounting = true; }
  void breakAtAddress(uint32_t pc) { breakAddresses.insert(pc); }
  /// Before the first command or TEC step of a layer (of the provenance).
  void breakAtLayer(size_t layer);

  /// Where the run stopped: layer, position of every unit, registers. Empty if
  /// it did not.
  const std::string &stopText() const { return stopped; }
  /// Two tables no wider than \p width: functions and layers, of all TECs
  /// together.
  std::string profileText(size_t width) const;

  void engineCommand(const sim::EngineEvent &event) override;
  void tecStep(const sim::TecEvent &event) override;
  void groupEnded(uint32_t group, uint64_t cycle) override;
  sim::TecWatcher *watchTec(uint32_t number, const sim::Tec &tec) override;
  void tecDone(uint32_t number) override;
  bool stopsBefore(const sim::FaultSite &command) override;

private:
  class Watcher;

  TecCounts &countsOf(uint32_t step);
  std::string layerName(int64_t layer) const;
  void describeStop(const std::string &what, int64_t layer, uint32_t tec,
                    uint32_t pc);

  const Provenance &origin;
  uint32_t programAddress;
  TecSymbols symbols;
  Recorder *recorder = nullptr;

  TecTrace::FetchFn fetch;
  TecTrace::AppendFn append;
  bool isCounting = false;
  std::set<uint32_t> breakAddresses;
  std::set<uint32_t> breakCommands; ///< Offsets of their descriptors.
  std::string stopped;

  std::vector<std::unique_ptr<Watcher>> watchers; ///< By TEC.
  std::array<uint32_t, isa::kNumQueues> completed{};
  /// By step; the last one is what follows the steps.
  std::vector<TecCounts> stepCounts;
};

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_TECINSPECTOR_H
