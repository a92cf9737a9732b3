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
#ifndef YARROW_COMPILER_DRIVER_PROFILE_H
#define YARROW_COMPILER_DRIVER_PROFILE_H

#include "compiler/driver/NpuRunner.h"
#include "runtime/Recorder.h"
#include "runtime/Report.h"

#include <span>

namespace yarrow {

/// Where to write what; nothing for an empty path.
struct ProfileFiles {
  std::string trace;
  std::string tecTrace; ///< Every instruction of the TECs.
};

/// What else to look at.
struct InspectRequest {
  bool profilesTecs = false;
  /// What to stop before: addresses of instructions, and layers by their
  /// indices in the provenance.
  std::vector<uint32_t> breakAddresses;
  std::vector<std::size_t> breakLayers;
  std::size_t tableWidth = SIZE_MAX; ///< Of the TECs' profile.

  bool isEmpty() const {
    return !profilesTecs && breakAddresses.empty() && breakLayers.empty();
  }
};

struct Profile {
  runtime::Report report;
  runtime::RecordedRun run; ///< What the report was made of.
  std::string tecProfile;   ///< If asked for.
  /// Where a break stopped the run; there are no outputs then, and nothing
  /// else but the trace of the TECs.
  std::string stopText;
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

#endif // YARROW_COMPILER_DRIVER_PROFILE_H
