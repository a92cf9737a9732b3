//===- OrderedLoop.cpp - Work in parallel, results in order ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every thread takes the next item, and waits while it lies beyond the window.
// The thread that finishes the oldest item takes it and all finished ones after
// it. The oldest item never waits, so that the loop ends on any number of
// threads, one included.
//
//===----------------------------------------------------------------------===//
#include "support/OrderedLoop.h"
#include "support/Cancellation.h"
#include "support/ThreadPool.h"

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace yarrow {

namespace {
class Loop {
public:
  Loop(std::size_t count, std::size_t window,
       const std::function<bool(std::size_t)> &make,
       const std::function<bool(std::size_t)> &take)
      : count(count), window(window), make(make), take(take), isMade(window) {}

  void work() {
    AbandonedGuard guard{*this};
    std::unique_lock lock(mutex);
    while (next < count && !hasFailed) {
      std::size_t i = next++;
      moved.wait(lock, [&] { return i < taken + window || hasFailed; });
      if (hasFailed)
        break;
      lock.unlock();
      leaveIfCancelled();
      bool isGood = make(i);
      lock.lock();
      isMade[i % window] = true;
      if (!isGood)
        fail();
      takeAll(lock);
    }
    guard.isFinished = true;
  }
  bool isGood() const { return !hasFailed; }

private:
  /// Lets the other threads go when an exception leaves this one.
  struct AbandonedGuard {
    Loop &loop;
    bool isFinished = false;
    ~AbandonedGuard() {
      if (isFinished)
        return;
      std::lock_guard lock(loop.mutex);
      loop.fail();
    }
  };

  void fail() {
    hasFailed = true;
    moved.notify_all();
  }
  /// Unless another thread is at it, which then sees what was made meanwhile.
  void takeAll(std::unique_lock<std::mutex> &lock) {
    if (isTaking)
      return;
    isTaking = true;
    while (taken < count && isMade[taken % window] && !hasFailed) {
      lock.unlock();
      bool isGood = take(taken);
      lock.lock();
      isMade[taken % window] = false;
      ++taken;
      moved.notify_all();
      if (!isGood)
        fail();
    }
    isTaking = false;
  }

  const std::size_t count, window;
  const std::function<bool(std::size_t)> &make, &take;
  std::mutex mutex;
  std::condition_variable moved;
  std::size_t next = 0, taken = 0; ///< The next to make and to take.
  std::vector<bool> isMade;        ///< By item modulo the window.
  bool isTaking = false, hasFailed = false;
};
} // namespace

std::size_t defaultWindow() { return 4 * std::size_t(defaultThreadCount()); }

bool orderedLoop(std::size_t count, std::size_t window,
                 const std::function<bool(std::size_t)> &make,
                 const std::function<bool(std::size_t)> &take) {
  assert(window > 0 && "nothing could ever be made");
  Loop loop(count, window, make, take);
  parallelFor(std::min<std::size_t>(count, defaultThreadCount()),
              [&](std::size_t) { loop.work(); });
  return loop.isGood();
}

} // namespace yarrow
