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

#include "runtime/SessionPool.h"
#include "support/Npy.h"

#include <atomic>
#include <memory>
#include <vector>

namespace yarrow {

/// Bytes of each input or output, in the executable's order.
using IoBytes = std::vector<std::vector<char>>;

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
  bool run(const IoBytes &inputs, IoBytes &outputs, DiagnosticEngine &diags);

private:
  runtime::SessionPool sessions;
  std::atomic<bool> hasFailed = false;
};

bool setInputs(runtime::Session &session, const IoBytes &inputs,
               DiagnosticEngine &diags, uint32_t frame = 0);
IoBytes outputsOf(const runtime::Session &session, uint32_t frame = 0);

} // namespace yarrow

#endif // YARROW_COMPILER_RUN_NPURUNNER_H
