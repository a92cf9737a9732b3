//===- Interruptible.cpp - Ctrl-C ends what takes long --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "python/native/Interruptible.h"
#include "support/Cancellation.h"

#include <pybind11/pybind11.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace py = pybind11;
using namespace yarrow;

namespace {

constexpr std::chrono::milliseconds kPatience(100);

/// The work, and how it ended.
struct Job {
  const std::function<void()> &work;
  Cancellation cancellation = {};
  std::mutex mutex = {};
  std::condition_variable ended = {};
  bool isEnded = false;
  std::exception_ptr failure = {};

  void run() {
    try {
      CancellationScope scope(cancellation);
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    std::lock_guard lock(mutex);
    isEnded = true;
    ended.notify_all();
  }
  bool waitAWhile() {
    std::unique_lock lock(mutex);
    return ended.wait_for(lock, kPatience, [&] { return isEnded; });
  }
};

/// Signals have handlers in Python's main thread alone.
bool isMainThread() {
  py::gil_scoped_acquire acquired;
  auto threading = py::module_::import("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

} // namespace

void yarrow::python::runInterruptible(const std::function<void()> &work) {
  if (!isMainThread())
    return work();
  Job job{work};
  std::thread thread([&] { job.run(); });
  std::optional<py::error_already_set> raised;
  while (!job.waitAWhile()) {
    if (raised)
      continue;
    py::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() == 0)
      continue;
    raised.emplace();
    job.cancellation.request();
  }
  thread.join();
  if (raised)
    throw std::move(*raised);
  if (job.failure)
    std::rethrow_exception(job.failure);
}
