//===- Runner.h - Many samples through one executable -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An executable on a simulated machine. Samples are streamed: as many as the
// host has cores for are in memory at a time, and their outputs come in order.
//
//   auto runner = session::Runner::make(executable, {}, diags);
//   runner->runEach(samples, [&](const IoBytes &outputs) {
//     return files.append(outputs);
//   }, call);
//   auto profile = runner->profile({.inputs = first}, call);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_SESSION_RUNNER_H
#define YARROW_COMPILER_SESSION_RUNNER_H

#include "compiler/run/NpuRunner.h"
#include "compiler/run/Profile.h"
#include "compiler/session/Call.h"
#include "quantizer/metrics/Accuracy.h"
#include "support/SampleArrays.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace yarrow::session {

struct RunSettings {
  std::string machine = {}; ///< "": what the executable was compiled for.
  uint64_t budget = sim::kDefaultBudget;
  bool isReal = false; ///< Outputs as float32, not as they are stored.
  /// In the place of machine.
  std::optional<isa::Machine> simulated = {};
  std::string library = {};   ///< See runtime/SimulatedDevice.h.
  std::size_t resetEvery = 0; ///< Of a network with state; 0: never.
};

/// What else a profile is asked for.
struct ProfileQuestions {
  ProfileFiles files = {};
  InspectRequest inspect = {};
};

struct ProfiledSamples {
  Profile profile;
  std::vector<IoBytes> outputs; ///< Of each sample; none if it was stopped.
};

class Runner {
public:
  /// \p program has one shape of its inputs. Null after errors: the machine is
  /// not one.
  static std::unique_ptr<Runner>
  make(std::shared_ptr<const runtime::Executable> program,
       const RunSettings &settings, DiagnosticEngine &diags);
  Runner(const Runner &) = delete;
  Runner &operator=(const Runner &) = delete;

  const runtime::Executable &executable() const { return npu->executable(); }
  /// That is simulated.
  const isa::Machine &machine() const {
    return other ? *other : executable().machine();
  }
  bool keepsState() const { return npu->keepsState(); }
  /// What the first run begins with; null: what the executable says.
  void setFirstStates(std::vector<std::optional<std::vector<char>>> states) {
    npu->setFirstStates(std::move(states));
  }
  /// What the last run has left; empty after errors.
  IoBytes statesNow(DiagnosticEngine &diags) { return npu->statesNow(diags); }

  /// \p take gets the outputs of each sample, in their order, and ends it with
  /// false. False after errors, too.
  bool runEach(SampleArrays &samples,
               const std::function<bool(const IoBytes &)> &take,
               const Call &call);
  /// As many samples at a time as \p inputs are, with cycles counted. Nullopt
  /// after errors.
  std::optional<ProfiledSamples> profile(std::span<const IoBytes> inputs,
                                         const ProfileQuestions &questions,
                                         const Call &call) const;

private:
  friend std::optional<AccuracyResult> evaluate(AccuracyTask, Runner *,
                                                const Call &);
  Runner() = default;

  std::size_t resetEvery = 0;
  std::optional<isa::Machine> other;
  runtime::SimulationOptions options;
  std::unique_ptr<NpuRunner> npu;
};

/// The accuracy of networks, and of what \p runner runs if it is not null;
/// ranks and progress of \p task are those of the call. Nullopt after errors.
std::optional<AccuracyResult> evaluate(AccuracyTask task, Runner *runner,
                                       const Call &call);

/// The first sample's cycles, of zeros: data hardly change them.
std::optional<Profile>
profileOnZeros(const std::shared_ptr<const runtime::Executable> &program,
               const Call &call);

} // namespace yarrow::session

#endif // YARROW_COMPILER_SESSION_RUNNER_H
