//===- Cancellation.h - Work that somebody no longer wants ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// For programs that go on when a computation is given up, such as an
// interpreter at Ctrl-C. Loops ask at each item (parallelFor), and leave by an
// exception, which takes all that was begun with it. Who does not cancel pays
// for one test of a pointer.
//
//   Cancellation cancellation;
//   std::thread worker([&] {
//     CancellationScope scope(cancellation);
//     try { compute(); } catch (const Cancelled &) {}
//   });
//   cancellation.request();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_CANCELLATION_H
#define YARROW_SUPPORT_CANCELLATION_H

#include <atomic>
#include <exception>
#include <functional>

namespace yarrow {

class Cancellation {
public:
  void request() { isWanted = true; }
  bool isRequested() const { return isWanted; }

  /// That of the work of this thread; null if nobody can cancel it.
  static const Cancellation *current();

private:
  std::atomic<bool> isWanted{false};
};

/// What this thread does from here on can be cancelled, by threads that help it
/// as well; a null pointer: cannot.
class CancellationScope {
public:
  explicit CancellationScope(const Cancellation *cancellation);
  explicit CancellationScope(const Cancellation &cancellation)
      : CancellationScope(&cancellation) {}
  ~CancellationScope();
  CancellationScope(const CancellationScope &) = delete;
  CancellationScope &operator=(const CancellationScope &) = delete;

private:
  const Cancellation *outer;
};

/// Frames of a library without exceptions begin here: nothing is left in them,
/// but in what runWithinPause runs.
class CancellationPause {
public:
  CancellationPause();
  ~CancellationPause();
  CancellationPause(const CancellationPause &) = delete;
  CancellationPause &operator=(const CancellationPause &) = delete;

private:
  const Cancellation *current, *outer;
};

/// Runs \p work, which a library without exceptions has called, so that it can
/// be cancelled as before the CancellationPause; as ever without one. False if
/// it was: the library is to be told of a failure.
bool runWithinPause(const std::function<void()> &work);

class Cancelled : public std::exception {
public:
  const char *what() const noexcept override { return "cancelled"; }
};

/// Throws Cancelled if the work of this thread is no longer wanted.
void leaveIfCancelled();

} // namespace yarrow

#endif // YARROW_SUPPORT_CANCELLATION_H
