//===- Deadline.h - When something must have ended --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   Deadline deadline = deadlineAfter(1'000'000);   // nanoseconds
//   if (hasPassed(deadline)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_DEADLINE_H
#define YARROW_API_NNAPI_DEADLINE_H

#include <chrono>
#include <cstdint>
#include <optional>

namespace yarrow::nnapi {

/// None: any time.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// 0 is any time, and so is what the clock cannot count to.
inline Deadline deadlineAfter(std::uint64_t nanoseconds) {
  constexpr std::uint64_t kCentury = 3'155'760'000'000'000'000;
  if (nanoseconds == 0 || nanoseconds > kCentury)
    return std::nullopt;
  return std::chrono::steady_clock::now() +
         std::chrono::nanoseconds(std::int64_t(nanoseconds));
}

inline bool hasPassed(const Deadline &deadline) {
  return deadline && std::chrono::steady_clock::now() > *deadline;
}

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_DEADLINE_H
