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
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace yarrow::nnapi {

class JobPool {
public:
  /// Jobs do not throw.
  using Job = std::function<void()>;

  /// The process's. Throws std::system_error if there are no threads.
  static JobPool &get();

  explicit JobPool(unsigned numThreads);
  /// Ends when all jobs that were submitted have.
  ~JobPool();
  JobPool(const JobPool &) = delete;
  JobPool &operator=(const JobPool &) = delete;

  void submit(std::int32_t priority, Job job);

private:
  void work();
  Job next(std::unique_lock<std::mutex> &lock);

  std::mutex mutex;
  std::condition_variable changed;
  bool isEnding = false;
  /// By priority, the highest first.
  std::map<std::int32_t, std::deque<Job>, std::greater<>> jobs;
  std::vector<std::thread> threads;
};

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_JOBPOOL_H
