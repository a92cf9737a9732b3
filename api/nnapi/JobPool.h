//===- JobPool.h - Threads for executions that nobody waits for -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A few threads for all executions of the process, started with the first job.
// Jobs of a higher priority are begun first, others in their order. A job never
// waits for another one: what it depends on calls submit() when it is there
// (Event.h), so the pool cannot block itself.
//
//   JobPool::get().submit(ANEURALNETWORKS_PRIORITY_HIGH, [=] { run(); });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_JOBPOOL_H
#define YARROW_API_NNAPI_JOBPOOL_H

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace yarrow::nnapi {

class JobPool {
public:
  /// Jobs do not throw.
  using Job = std::function<void()>;

  /// The process's, which ends with it but is never destroyed: clients' objects
  /// that are destroyed later still find it. Throws std::system_error if there
  /// are no threads.
  static JobPool &get();

  explicit JobPool(unsigned numThreads);
  ~JobPool() { end(); }
  JobPool(const JobPool &) = delete;
  JobPool &operator=(const JobPool &) = delete;

  /// Throws std::system_error when all threads have ended, and std::bad_alloc.
  void submit(std::int32_t priority, Job job);
  /// Returns when all jobs that were submitted have ended. In a process that
  /// was forked there are none of them: it does nothing.
  void end();

private:
  void work();
  Job next();

  const pid_t process;
  std::mutex mutex;
  std::condition_variable changed;
  bool isEnding = false;
  /// By priority, the highest first; of one priority in their order.
  std::multimap<std::int32_t, Job, std::greater<>> jobs;
  std::vector<std::thread> threads;
  std::size_t numWorking; ///< Of the threads.
};

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_JOBPOOL_H
