//===- FenceWatcher.h - File descriptors as fences --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Waits with poll(2), in one thread for all, until descriptors can be read, and
// calls back. This lets executions depend on descriptors without a thread each.
//
//   FenceWatcher::get().watch(fd, [](bool isSignalled) { ... });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_FENCEWATCHER_H
#define YARROW_API_NNAPI_FENCEWATCHER_H

#include <functional>
#include <map>
#include <mutex>
#include <sys/types.h>
#include <thread>

namespace yarrow::nnapi {

/// Blocks until \p fd can be read. False if that will never be.
bool waitForDescriptor(int fd);

class FenceWatcher {
public:
  using Callback = std::function<void(bool isSignalled)>;

  /// The process's, which ends with it but is never destroyed. Throws
  /// std::system_error if there is no thread.
  static FenceWatcher &get();

  FenceWatcher();
  ~FenceWatcher() { end(); }
  FenceWatcher(const FenceWatcher &) = delete;
  FenceWatcher &operator=(const FenceWatcher &) = delete;

  /// \p fd stays open until \p callback is called, once, from the thread of the
  /// watcher; it does not throw. Throws std::system_error after end(), and
  /// std::bad_alloc.
  void watch(int fd, Callback callback);
  /// Ends the watcher: callbacks of descriptors that are not signalled get
  /// false. Does nothing in a forked process.
  void end();

private:
  /// By descriptor: many executions can wait for one, and poll(2) accepts only
  /// as many entries as the process can have open files.
  using Fences = std::multimap<int, Callback>;

  void work();
  void wake();
  /// Adds new fences; false: the end.
  bool takeNew(Fences &fences);

  const pid_t process;
  const int wakeDescriptor;
  std::mutex mutex;
  bool isEnding = false;
  Fences added;
  std::thread thread;
};

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_FENCEWATCHER_H
