//===- FenceWatcher.h - File descriptors as fences --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Waits with poll(2), in one thread for all, until descriptors can be read, and
// calls back. So executions can depend on descriptors without a thread each.
//
//   FenceWatcher::get().watch(fd, [](bool isSignalled) { ... });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_FENCEWATCHER_H
#define YARROW_API_NNAPI_FENCEWATCHER_H

#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace yarrow::nnapi {

/// Blocks until \p fd can be read. False if that will never be.
bool waitForDescriptor(int fd);

class FenceWatcher {
public:
  using Callback = std::function<void(bool isSignalled)>;

  /// The process's. Throws std::system_error if there is no thread.
  static FenceWatcher &get();

  FenceWatcher();
  /// What was not signalled by then is dropped: its callbacks are not called.
  ~FenceWatcher();
  FenceWatcher(const FenceWatcher &) = delete;
  FenceWatcher &operator=(const FenceWatcher &) = delete;

  /// \p fd stays open until \p callback is called, once, from the thread of the
  /// watcher; it does not throw.
  void watch(int fd, Callback callback);

private:
  struct Fence {
    int fd;
    Callback callback;
  };

  void work();
  void wake();
  /// Adds what is new; false: the end.
  bool takeNew(std::vector<Fence> &fences);

  int wakeDescriptor;
  std::mutex mutex;
  bool isEnding = false;
  std::vector<Fence> added;
  std::thread thread;
};

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_FENCEWATCHER_H
