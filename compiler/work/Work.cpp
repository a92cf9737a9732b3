//===- Work.cpp - What a call of the compiler works with ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/work/Work.h"

#include <algorithm>
#include <utility>

using namespace yarrow;

Step::Step(ProgressListener listener, std::string name, std::size_t total)
    : listener(std::move(listener)), what(std::move(name)), numTotal(total) {
  notify({});
}

Step::~Step() { notify({}, /*isOver=*/true); }

void Step::notify(std::string_view detail, bool isOver) {
  if (listener)
    listener({what, numDone, numTotal, detail, isOver});
}

void Step::advance(std::size_t steps, std::string_view detail) {
  std::lock_guard lock(mutex);
  numDone += steps;
  notify(detail);
}

void Step::reach(std::size_t done, std::size_t total) {
  std::lock_guard lock(mutex);
  if (done < numDone)
    return;
  numDone = done;
  numTotal = total;
  notify({});
}

std::unique_ptr<Step> Work::begin(std::string step, std::size_t total) const {
  return std::make_unique<Step>(listener, std::move(step), total);
}

namespace {
/// The step that a function without an end tells of.
struct Reported {
  explicit Reported(ProgressListener listener)
      : listener(std::move(listener)) {}

  void reach(const std::string &name, std::size_t done, std::size_t total) {
    std::lock_guard lock(mutex);
    if (!step || step->name() != name) {
      step.reset(); // before the next one begins
      step = std::make_unique<Step>(listener, name, total);
    }
    step->reach(done, total);
    if (done == total)
      step.reset();
  }

private:
  const ProgressListener listener;
  std::mutex mutex;
  std::unique_ptr<Step> step;
};
} // namespace

std::function<void(std::size_t, std::size_t)>
Work::progressOf(std::string step) const {
  return [reported = std::make_shared<Reported>(listener),
          step = std::move(step)](std::size_t done, std::size_t total) {
    reported->reach(step, done, total);
  };
}

std::function<void(const char *, std::size_t, std::size_t)>
Work::progressOfSteps() const {
  return [reported = std::make_shared<Reported>(listener)](
             const char *step, std::size_t done, std::size_t total) {
    reported->reach(step, done, total);
  };
}
