//===- TecInspector.h - Looking into the TECs of a device -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Observes a run: writes every instruction to a trace, counts instructions and
// cycles per function and per layer.
//
//   TecInspector inspector(*model, session->programAddress());
//   inspector.countCycles();
//   session->device().observe(&inspector);
//   if (session->run(diags))
//     os << inspector.profileText(80);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_TECINSPECTOR_H
#define YARROW_RUNTIME_TECINSPECTOR_H

#include "runtime/Executable.h"
#include "runtime/Recorder.h"
#include "runtime/TecProfile.h"
#include "runtime/TecTrace.h"
#include <optional>

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
  /// Two tables no wider than \p width: functions and layers, of all TECs
  /// together.
  std::string profileText(size_t width) const;

  void engineCommand(const sim::EngineEvent &event) override;
  void tecStep(const sim::TecEvent &event) override;
  void groupEnded(uint32_t group, uint64_t cycle) override;
  sim::TecWatcher *watchTec(uint32_t number, const sim::Tec &tec) override;
  void tecDone(uint32_t number) override;

private:
  class Watcher;

  TecCounts &countsOf(uint32_t step);
  std::string layerName(int64_t layer) const;

  const Provenance &origin;
  TecSymbols symbols;
  Recorder *recorder = nullptr;

  TecTrace::FetchFn fetch;
  TecTrace::AppendFn append;
  bool isCounting = false;

  std::vector<std::unique_ptr<Watcher>> watchers; ///< By TEC.
  /// By step; the last one is what follows the steps.
  std::vector<TecCounts> stepCounts;
};

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_TECINSPECTOR_H
