//===- Work.h - What a call of the compiler works with ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Diagnostics collect the problems of a call, a listener hears its progress.
// Functions that compute for minutes take both as a Work and never print: the
// caller decides what a terminal shows.
//
//   DiagnosticEngine diags;
//   Work work{diags, [](const StepProgress &p) { show(p.step, p.done); }};
//   auto model = quantizeStep(std::move(module), config, {}, work);
//
// A call is given up through the Cancellation of its thread
// (support/Cancellation.h).
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_WORK_WORK_H
#define YARROW_COMPILER_WORK_WORK_H

#include "support/Diagnostics.h"
#include "support/Ranks.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace yarrow {

class FilePlan;

/// How far a step of the work is.
struct StepProgress {
  std::string_view step;
  std::size_t done = 0, total = 0; ///< total 0: nobody knows how much it is.
  std::string_view detail = {};
  bool isOver = false; ///< Nothing more is told of this step.
};
/// One call at a time for each step, from any thread.
using ProgressListener = std::function<void(const StepProgress &)>;

/// A step, from its begin to its end. Any number of threads tell how far it is.
class Step {
public:
  /// \p listener may be empty. It is told of the begin.
  Step(ProgressListener listener, std::string name, std::size_t total);
  ~Step();
  Step(const Step &) = delete;
  Step &operator=(const Step &) = delete;

  const std::string &name() const { return what; }
  void advance(std::size_t steps, std::string_view detail = {});
  /// Less than before is not told: threads may overtake one another.
  void reach(std::size_t done, std::size_t total);

private:
  void notify(std::string_view detail, bool isOver = false);

  const ProgressListener listener;
  const std::string what;
  std::mutex mutex;
  std::size_t numDone = 0, numTotal;
};

struct Work {
  DiagnosticEngine &diags;
  ProgressListener listener = {};
  /// Processes that do it together; null for one.
  Ranks *ranks = nullptr;
  /// The files that the command reads and writes; may be null.
  FilePlan *files = nullptr;

  std::unique_ptr<Step> begin(std::string step, std::size_t total = 0) const;
  /// For libraries, which tell how much is done and of how much.
  std::function<void(std::size_t, std::size_t)>
  progressOf(std::string step) const;
  /// The same for those that name their steps, one after the other.
  std::function<void(const char *, std::size_t, std::size_t)>
  progressOfSteps() const;
};

} // namespace yarrow

#endif // YARROW_COMPILER_WORK_WORK_H
