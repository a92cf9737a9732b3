//===- RunOptions.h - How long a run may take, how it ends ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   RunOptions options;
//   options.deadline = RunOptions::Clock::now() + std::chrono::seconds(1);
//   if (runner.run(inputs, outputs, options, numbers, diags) ==
//       RunStatus::Timeout) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_RUN_RUNOPTIONS_H
#define YARROW_API_NNAPI_RUN_RUNOPTIONS_H

#include <chrono>
#include <optional>

namespace yarrow::nnapi {

enum class RunStatus {
  Done,
  BadData,     ///< Inputs or declared outputs do not fit the model.
  Failed,      ///< An operation cannot be computed, or a fault.
  LoopTimeout, ///< A WHILE ran longer than it may.
  Timeout,     ///< The deadline has passed.
};

struct RunOptions {
  using Clock = std::chrono::steady_clock;
  std::chrono::nanoseconds loopTimeout = std::chrono::seconds(2);
  std::optional<Clock::time_point> deadline = {};
};

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_RUN_RUNOPTIONS_H
