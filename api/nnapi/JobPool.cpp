//===- JobPool.cpp - Threads for executions that nobody waits for ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/JobPool.h"
#include <system_error>
#include <unistd.h>

using namespace yarrow::nnapi;

/// One can run while another compiles; kernels have threads of their own.
static constexpr unsigned kNumThreads = 2;

JobPool &JobPool::get() {
  static JobPool &pool = *new JobPool(kNumThreads);
  static const struct AtExit {
    ~AtExit() { pool.end(); }
  } atExit;
  return pool;
}

JobPool::JobPool(unsigned numThreads) : process(getpid()) {
  threads.reserve(numThreads); // a thread that has begun must be joined
  for (unsigned i = 0; i != numThreads; ++i) {
    try {
      threads.emplace_back([this] { work(); });
    } catch (const std::system_error &) {
      if (threads.empty())
        throw;
      break; // fewer will do
    }
  }
  numWorking = threads.size();
}

void JobPool::end() {
  if (getpid() != process) {
    for (std::thread &thread : threads)
      thread.detach();
    threads.clear();
    return;
  }
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  for (std::thread &thread : threads)
    thread.join();
  threads.clear();
}

void JobPool::submit(std::int32_t priority, Job job) {
  {
    std::lock_guard lock(mutex);
    if (numWorking == 0)
      throw std::system_error(
          std::make_error_code(std::errc::resource_unavailable_try_again));
    jobs.emplace(priority, std::move(job));
  }
  changed.notify_one();
}

/// Of the highest priority. There is one.
JobPool::Job JobPool::next() {
  Job job = std::move(jobs.begin()->second);
  jobs.erase(jobs.begin());
  return job;
}

void JobPool::work() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return isEnding || !jobs.empty(); });
    if (jobs.empty()) {
      --numWorking;
      return;
    }
    Job job = next();
    lock.unlock();
    job();
    job = nullptr; // what it holds ends outside of the lock
    lock.lock();
  }
}
