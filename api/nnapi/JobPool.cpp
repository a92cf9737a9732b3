//===- JobPool.cpp - Threads for executions that nobody waits for ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/JobPool.h"
#include <system_error>

using namespace yarrow::nnapi;

/// One can run while another compiles; kernels have threads of their own.
static constexpr unsigned kNumThreads = 2;

JobPool &JobPool::get() {
  static JobPool pool(kNumThreads);
  return pool;
}

JobPool::JobPool(unsigned numThreads) {
  for (unsigned i = 0; i != numThreads; ++i) {
    try {
      threads.emplace_back([this] { work(); });
    } catch (const std::system_error &) {
      if (threads.empty())
        throw;
      return; // fewer will do
    }
  }
}

JobPool::~JobPool() {
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void JobPool::submit(std::int32_t priority, Job job) {
  {
    std::lock_guard lock(mutex);
    jobs[priority].push_back(std::move(job));
  }
  changed.notify_one();
}

/// Of the highest priority. There is one.
JobPool::Job JobPool::next(std::unique_lock<std::mutex> &) {
  auto queue = jobs.begin();
  Job job = std::move(queue->second.front());
  queue->second.pop_front();
  if (queue->second.empty())
    jobs.erase(queue);
  return job;
}

void JobPool::work() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return isEnding || !jobs.empty(); });
    if (jobs.empty())
      return;
    Job job = next(lock);
    lock.unlock();
    job();
    job = nullptr; // what it holds ends outside of the lock
    lock.lock();
  }
}
