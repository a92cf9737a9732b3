//===- NpuRunner.h - Many samples through one executable ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Runs an executable on samples, several at a time: each thread takes a session
// from a pool and gives it back. Results do not depend on the number of
// threads.
//
//   auto runner = NpuRunner::open("aipu.bin", {}, diags);
//   parallelFor(n, [&](std::size_t i) { ok[i] = runner->run(in[i], out[i],
//   diags); });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_RUN_NPURUNNER_H
#define YARROW_COMPILER_RUN_NPURUNNER_H

#include "compiler/run/IoBytes.h"
#include "runtime/SessionPool.h"
#include "support/Npy.h"

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

namespace yarrow {

class NpuRunner {
public:
  NpuRunner(std::shared_ptr<const runtime::Executable> model,
            const runtime::SimulationOptions &options)
      : sessions(std::move(model), options) {}
  static std::unique_ptr<NpuRunner>
  open(const std::string &path, const runtime::SimulationOptions &options,
       DiagnosticEngine &diags);
  const runtime::Executable &executable() const {
    return *sessions.executable();
  }
  std::shared_ptr<const runtime::Executable> share() const {
    return sessions.executable();
  }

  /// May be called from several threads. After a first failure no further
  /// sample is run: they would all fail alike.
  /// A network that keeps a state has one session, and is run by one thread at
  /// a time, in the order of its samples.
  bool run(const IoBytes &inputs, IoBytes &outputs, DiagnosticEngine &diags);

  bool keepsState() const { return !executable().states().empty(); }
  /// The next run begins with the first values of all states, or with those
  /// that were given.
  void resetState() { isReset = true; }
  /// By state; what is null stays what the executable says.
  void setFirstStates(std::vector<std::optional<std::vector<char>>> states) {
    firstStates = std::move(states);
  }
  /// What the last run has left; empty without one.
  IoBytes statesNow(DiagnosticEngine &diags);

private:
  bool beginSequence(runtime::Session &session, DiagnosticEngine &diags);

  runtime::SessionPool sessions;
  bool isReset = true;
  std::vector<std::optional<std::vector<char>>> firstStates;
  std::atomic<bool> hasFailed = false;
};

bool setInputs(runtime::Session &session, const IoBytes &inputs,
               DiagnosticEngine &diags, uint32_t frame = 0);
IoBytes outputsOf(const runtime::Session &session, uint32_t frame = 0);

} // namespace yarrow

#endif // YARROW_COMPILER_RUN_NPURUNNER_H
