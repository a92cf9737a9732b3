//===- Profile.h - Samples with cycles counted ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Runs samples, as many at a time as the device has cores, on a timed device
// with the report and trace observers attached and turns what they saw into
// text and files.
//
//   IoBytes outputs[1];
//   auto profile = profileSamples(model, {}, {inputs}, {"trace.json"}, {},
//                                 outputs, diags);
//   driver.say(profile->report.text(driver.tableWidth()));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_RUN_PROFILE_H
#define YARROW_COMPILER_RUN_PROFILE_H

#include "compiler/run/NpuRunner.h"
#include "runtime/Recorder.h"
#include "runtime/Report.h"

#include <span>

namespace yarrow {

/// Where to write what; nothing for an empty path.
struct ProfileFiles {
  std::string trace;
  std::string tecTrace; ///< Every instruction of the TECs.
};

/// Is with a run on its way, as the debugger is (compiler/debug).
class RunCompanion {
public:
  virtual ~RunCompanion() = default;
  /// What observes the next run of \p session, and lets \p other see it, too.
  virtual sim::ExecutionObserver &attach(runtime::Session &session,
                                         sim::ExecutionObserver &other) = 0;
  /// While the session is still there.
  virtual void runEnded(const runtime::Session &session, bool isDone) = 0;
};

/// What else to look at.
struct InspectRequest {
  bool profilesTecs = false;
  RunCompanion *companion = nullptr; ///< It may stop the run.
  std::size_t tableWidth = SIZE_MAX; ///< Of the TECs' profile.

  bool isEmpty() const { return !profilesTecs && !companion; }
};

struct Profile {
  runtime::Report report;
  runtime::RecordedRun run; ///< What the report was made of.
  std::string tecProfile;   ///< If asked for.
  /// The companion ended the run; there are no outputs then, and nothing else
  /// but the trace of the TECs.
  bool isStopped = false;
};

/// \p outputs has a place for those of each of \p inputs.
std::optional<Profile>
profileSamples(const std::shared_ptr<const runtime::Executable> &model,
               runtime::SimulationOptions options,
               std::span<const IoBytes> inputs, const ProfileFiles &files,
               const InspectRequest &request, std::span<IoBytes> outputs,
               DiagnosticEngine &diags);

/// Of one sample of zeros, as data hardly change cycles.
std::optional<Profile>
profileZeros(const std::shared_ptr<const runtime::Executable> &model,
             DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_RUN_PROFILE_H
