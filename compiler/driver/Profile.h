//===- Profile.h - One sample with cycles counted -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Runs a sample on a timed device with the report and trace observers attached
// and turns what they saw into text and files.
//
//   auto profile = profileSample(model, {}, inputs, {"r.json", ""}, outputs,
//                                diags);
//   driver.say(profile->table);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DRIVER_PROFILE_H
#define YARROW_COMPILER_DRIVER_PROFILE_H

#include "compiler/driver/NpuRunner.h"

namespace yarrow {

/// Where to write what; nothing for an empty path.
struct ProfileFiles {
  std::string report, trace;
};

struct Profile {
  uint64_t cycles = 0;
  double milliseconds = 0;
  double utilization = 0; ///< Of the multiplier array, 0 to 1.
  std::string summary;    ///< Of the whole network, one line.
  std::string table;      ///< Per layer, with the summary.
};

std::optional<Profile>
profileSample(std::shared_ptr<const runtime::Executable> model,
              runtime::SessionOptions options, const IoBytes &inputs,
              const ProfileFiles &files, IoBytes &outputs,
              DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_DRIVER_PROFILE_H
