//===- Execution.h - One run of a compilation, or many ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Prepared by one thread, then running, then completed; a reusable execution
// runs again from there. The state is one atomic flag, so that the second of
// two threads that compute at once gets BAD_STATE.
//
//   auto execution = std::make_shared<Execution>(compiled);
//   execution->setArgument({true, 0, nullptr}, buffer, length);
//   execution->compute();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_EXECUTION_H
#define YARROW_API_NNAPI_EXECUTION_H

#include "api/nnapi/Argument.h"
#include "api/nnapi/Burst.h"
#include "api/nnapi/Compilation.h"
#include "api/nnapi/Deadline.h"
#include "api/nnapi/Event.h"
#include <atomic>

namespace yarrow::nnapi {

/// The argument, and its type from the client (can be null).
struct ArgumentPlace {
  bool isInput;
  std::int32_t index;
  const ANeuralNetworksOperandType *type;
};

class Execution : public std::enable_shared_from_this<Execution> {
public:
  explicit Execution(std::shared_ptr<const Compiled> compiled);

  ResultCode setReusable(bool isReusable);
  ResultCode enablePadding(bool isEnabled);
  ResultCode setMeasureTiming(bool isMeasured);
  ResultCode setTimeout(std::uint64_t nanoseconds);
  ResultCode setLoopTimeout(std::uint64_t nanoseconds);
  ResultCode addExtensionAttribute();
  ResultCode setArgument(const ArgumentPlace &place, void *buffer,
                         std::size_t length);
  ResultCode setArgument(const ArgumentPlace &place,
                         std::shared_ptr<Memory> memory, std::size_t offset,
                         std::size_t length);

  ResultCode compute();
  ResultCode compute(Burst &burst);
  /// Runs on the pool, as soon as all of \p dependencies are signalled. \p
  /// event signals the end.
  struct Start {
    std::span<const std::shared_ptr<Event>> dependencies = {};
    std::uint64_t timeout = 0; ///< From when they are signalled.
    bool isFenced = false;
  };
  ResultCode start(const Start &how, std::shared_ptr<Event> &event);

  ResultCode outputRank(std::int32_t index, std::uint32_t &rank) const;
  ResultCode outputDimensions(std::int32_t index, std::uint32_t *dims) const;
  ResultCode duration(std::int32_t code, std::uint64_t &nanoseconds) const;

  void waitUntilIdle() const;

private:
  enum class State { Preparing, Running, Completed };
  struct Outcome {
    ResultCode result = ANEURALNETWORKS_NO_ERROR;
    std::vector<std::vector<std::uint32_t>> dims = {}; ///< Of the outputs.
    std::vector<bool> isSufficient = {};
    std::uint64_t hardwareTime = 0, driverTime = 0; ///< Nanoseconds.
    bool isFenced = false;
  };
  class Launch;

  ResultCode checkIsPreparing(const char *where) const;
  ResultCode checkNoArgument(const char *where) const;
  ResultCode checkIsForOneDevice(const char *where) const;
  ResultCode checkIsCompleted(const char *where) const;
  ResultCode checkMayBegin(State now) const;
  template <typename... Source>
  ResultCode setWith(const ArgumentPlace &place, const char *where,
                     Source... source);

  ResultCode begin();
  ResultCode run(const Deadline &deadline, bool isFenced);
  ResultCode runModel(const Deadline &deadline);
  ResultCode storeOutputs(std::span<const Value> values);
  ResultCode complete(ResultCode result);
  ResultCode outputAt(std::int32_t index, const char *where) const;

  std::shared_ptr<const Compiled> compiled;
  std::vector<Argument> inputs, outputs;
  bool isReusable = false, isPaddingEnabled = false, isTimed = false;
  std::uint64_t timeout = 0, loopTimeout = 0; ///< Nanoseconds.
  std::atomic<State> state = State::Preparing;
  Outcome outcome;
};

/// Nanoseconds.
inline constexpr std::uint64_t kDefaultLoopTimeout = 2'000'000'000;
inline constexpr std::uint64_t kMaximumLoopTimeout = 15'000'000'000;

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_EXECUTION_H
