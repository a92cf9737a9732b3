//===- Profile.h - Runs of parts in ONNX Runtime's profile ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// While a program profiles a session or a run, each run of a part is an event
// with its cycles beside the events of nodes.
//
//   if (ProfileCollector *profile = ProfileCollector::current())
//     profile->add({"part 0", began, ended, cycles});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_ONNXRUNTIME_PROFILE_H
#define YARROW_API_ONNXRUNTIME_PROFILE_H

#include "api/onnxruntime/Abi.h"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace yarrow::ort {

using Clock = std::chrono::steady_clock;

struct ProfiledRun {
  std::string part;
  Clock::time_point began, ended;
  std::uint64_t cycles = 0, instructions = 0;
};

class ProfileCollector : public Profiler {
public:
  ProfileCollector();

  /// The profile that the node which this thread computes belongs to; null if
  /// nothing is profiled.
  static ProfileCollector *current();
  void add(ProfiledRun run);

private:
  void giveTo(ProfilingEvents *events);

  std::mutex mutex;
  std::vector<ProfiledRun> runs;
  Clock::time_point began;
  std::int64_t offset = 0;
};

} // namespace yarrow::ort

#endif // YARROW_API_ONNXRUNTIME_PROFILE_H
