//===- ExecutionRun.cpp - One run of a compilation, or many: the run ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/Boundary.h"
#include "api/nnapi/Execution.h"
#include "api/nnapi/JobPool.h"
#include "api/nnapi/Log.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::nnapi;
using Clock = std::chrono::steady_clock;

/// Of a run that did not pass.
static ResultCode resultOf(RunStatus status) {
  switch (status) {
  case RunStatus::Done:
    return ANEURALNETWORKS_NO_ERROR;
  case RunStatus::BadData:
    return ANEURALNETWORKS_BAD_DATA;
  case RunStatus::Failed:
    return ANEURALNETWORKS_OP_FAILED;
  case RunStatus::LoopTimeout:
  case RunStatus::Timeout:
    return ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT;
  }
  return ANEURALNETWORKS_OP_FAILED;
}

ResultCode Execution::checkMayBegin(State now) const {
  if (now == State::Preparing || (now == State::Completed && isReusable))
    return ANEURALNETWORKS_NO_ERROR;
  return refuse(ANEURALNETWORKS_BAD_STATE, "Execution_compute",
                "the execution is running, or has finished");
}

ResultCode Execution::begin() {
  const char *where = "Execution_compute";
  State before = state.load();
  if (ResultCode result = checkMayBegin(before))
    return result;
  if (!state.compare_exchange_strong(before, State::Running))
    return refuse(ANEURALNETWORKS_BAD_STATE, where,
                  "another thread is computing");
  if (std::ranges::all_of(inputs, &Argument::isSet) &&
      std::ranges::all_of(outputs, &Argument::isSet))
    return ANEURALNETWORKS_NO_ERROR;
  state.store(before);
  state.notify_all();
  return refuse(ANEURALNETWORKS_BAD_DATA, where, "an argument is not set");
}

ResultCode Execution::complete(ResultCode result) {
  outcome.result = result;
  bool isDone = result == ANEURALNETWORKS_NO_ERROR ||
                result == ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
  if (!isDone)
    for (const Argument &output : outputs)
      output.invalidate();
  state.store(State::Completed);
  state.notify_all();
  return result;
}

void Execution::waitUntilIdle() const {
  while (state.load() == State::Running)
    state.wait(State::Running);
}

ResultCode Execution::storeOutputs(std::span<const Value> values) {
  ResultCode all = ANEURALNETWORKS_NO_ERROR;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    outcome.dims.push_back(values[i].dims);
    ResultCode result = outputs[i].store(values[i]);
    outcome.isSufficient.push_back(result == ANEURALNETWORKS_NO_ERROR);
    if (result == ANEURALNETWORKS_BAD_DATA)
      return result;
    if (result != ANEURALNETWORKS_NO_ERROR)
      all = result;
  }
  return all;
}

ResultCode Execution::runModel(const Deadline &deadline) {
  const NnModel &model = *compiled->model;
  std::vector<Value> arguments;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    ResultCode result;
    arguments.push_back(
        inputs[i].input(model.operands[model.inputs[i]], result));
    if (result != ANEURALNETWORKS_NO_ERROR)
      return result;
  }
  RunOptions options;
  options.deadline = deadline;
  options.loopTimeout = std::chrono::nanoseconds(
      std::int64_t(loopTimeout ? loopTimeout : kDefaultLoopTimeout));
  RunNumbers numbers;
  DiagnosticEngine diags;
  std::vector<Value> results;
  RunStatus status =
      compiled->runner->run(arguments, results, options, numbers, diags);
  notify("Execution_compute", diags);
  if (status != RunStatus::Done)
    return resultOf(status);
  outcome.hardwareTime = numbers.nanoseconds;
  return storeOutputs(results);
}

ResultCode Execution::run(const Deadline &deadline, bool isFenced) {
  ResultCode result = guarded([&] {
    outcome = {};
    outcome.isFenced = isFenced;
    if (hasPassed(deadline))
      return ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT;
    Clock::time_point begin = Clock::now();
    ResultCode ran = runModel(deadline);
    auto wall = std::chrono::nanoseconds(Clock::now() - begin).count();
    // The hardware is part of the driver's time, however fast it is simulated.
    outcome.driverTime = std::max(std::uint64_t(wall), outcome.hardwareTime);
    if (ran == ANEURALNETWORKS_NO_ERROR && hasPassed(deadline))
      return ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT;
    return ran;
  });
  return complete(result);
}

ResultCode Execution::compute() {
  Deadline deadline = deadlineAfter(timeout);
  if (ResultCode result = begin())
    return result;
  return run(deadline, false);
}

ResultCode Execution::compute(Burst &burst) {
  const char *where = "Execution_burstCompute";
  if (ResultCode result = checkMayBegin(state.load()))
    return result;
  if (!burst.isOf(*compiled))
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "the burst belongs to another compilation");
  std::unique_lock turn = burst.begin();
  if (!turn)
    return refuse(ANEURALNETWORKS_BAD_STATE, where,
                  "another execution uses the burst");
  return compute();
}

/// An execution that waits for its dependencies, then for a thread.
class Execution::Launch : public std::enable_shared_from_this<Launch> {
public:
  Launch(std::shared_ptr<Execution> execution, const Start &how)
      : execution(std::move(execution)), event(std::make_shared<Event>()),
        deadline(deadlineAfter(this->execution->timeout)), timeout(how.timeout),
        isFenced(how.isFenced), numWaiting(how.dependencies.size() + 1) {}

  const std::shared_ptr<Event> &signalledAtEnd() const { return event; }

  void waitFor(Event &dependency) {
    try {
      dependency.whenDone([self = shared_from_this()](ResultCode result) {
        self->oneIsDone(result == ANEURALNETWORKS_NO_ERROR);
      });
    } catch (...) { // no memory or thread to wait with
      oneIsDone(false);
    }
  }

  /// The last one takes it to the pool.
  void oneIsDone(bool isGood) {
    if (!isGood)
      hasFailed = true;
    if (--numWaiting != 0)
      return;
    ResultCode result = guarded([&] {
      JobPool::get().submit(execution->compiled->priority,
                            [self = shared_from_this()] { self->run(); });
      return ANEURALNETWORKS_NO_ERROR;
    });
    if (result != ANEURALNETWORKS_NO_ERROR)
      event->signal(execution->complete(result));
  }

private:
  void run() {
    Deadline fromNow = deadlineAfter(timeout);
    if (!deadline || (fromNow && *fromNow < *deadline))
      deadline = fromNow;
    event->signal(hasFailed ? execution->complete(ANEURALNETWORKS_OP_FAILED)
                            : execution->run(deadline, isFenced));
  }

  std::shared_ptr<Execution> execution;
  std::shared_ptr<Event> event;
  Deadline deadline;
  std::uint64_t timeout;
  bool isFenced;
  std::atomic<std::size_t> numWaiting;
  std::atomic<bool> hasFailed = false;
};

ResultCode Execution::start(const Start &how, std::shared_ptr<Event> &event) {
  if (ResultCode result = checkMayBegin(state.load()))
    return result;
  if (how.timeout != 0 && !compiled->isForOneDevice)
    return refuse(ANEURALNETWORKS_BAD_DATA, "Execution_startCompute",
                  "the compilation is not for one device");
  JobPool::get(); // before anything is promised; it must outlive the watcher
  auto launch = std::make_shared<Launch>(shared_from_this(), how);
  if (ResultCode result = begin())
    return result;
  event = launch->signalledAtEnd();
  for (const std::shared_ptr<Event> &dependency : how.dependencies)
    launch->waitFor(*dependency);
  launch->oneIsDone(true);
  return ANEURALNETWORKS_NO_ERROR;
}
