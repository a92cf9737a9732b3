//===- ThreadPool.cpp - Loops over all cores ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One process-wide set of workers, grown to what loops ask for. A loop is a
// counter that its caller and some workers draw items from. Since the caller
// draws too, a loop finishes even if no worker ever comes, which is what makes
// nested loops safe, and which is all that happens where the system refuses
// threads.
//
//===----------------------------------------------------------------------===//
#include "support/ThreadPool.h"
#include "support/Cancellation.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace yarrow {

namespace {
constexpr unsigned mostThreads = 256;

struct Loop {
  std::size_t count;
  const std::function<void(std::size_t)> *body; ///< Outlives its last item.
  const Cancellation *cancellation = Cancellation::current(); ///< The caller's.
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> numDone{0};
  std::mutex mutex;
  std::condition_variable finished;
  std::exception_ptr failure; ///< The first, for the caller.
  std::atomic<bool> hasFailed{false};

  void runItem(std::size_t i) {
    if (hasFailed) // the caller will not look at the results
      return;
    try {
      leaveIfCancelled();
      (*body)(i);
    } catch (...) {
      std::lock_guard lock(mutex);
      if (!failure)
        failure = std::current_exception();
      hasFailed = true;
    }
  }

  void run() {
    CancellationScope scope(cancellation);
    std::size_t numMine = 0;
    for (std::size_t i; (i = next.fetch_add(1)) < count; ++numMine)
      runItem(i);
    if (numMine && numDone.fetch_add(numMine) + numMine == count) {
      // Under the lock, or the caller could miss it between test and wait.
      std::lock_guard lock(mutex);
      finished.notify_all();
    }
  }

  void wait() {
    std::unique_lock lock(mutex);
    finished.wait(lock, [&] { return numDone == count; });
    if (failure)
      std::rethrow_exception(failure);
  }
};

class Pool {
public:
  ~Pool() {
    {
      std::lock_guard lock(mutex);
      isStopping = true;
    }
    wake.notify_all();
    for (std::thread &worker : workers)
      worker.join();
  }

  /// Asks for \p numHelpers workers to join the loop.
  void help(const std::shared_ptr<Loop> &loop, std::size_t numHelpers) {
    {
      std::lock_guard lock(mutex);
      numHelpers = std::min(numHelpers, grow(numHelpers));
      tickets.insert(tickets.end(), numHelpers, loop);
    }
    wake.notify_all();
  }

private:
  /// How many workers there are, which may be fewer than are wanted: threads
  /// are refused where there is no memory for their stacks, or by a limit.
  std::size_t grow(std::size_t numWanted) {
    workers.reserve(numWanted); // so that no thread is started and then lost
    try {
      while (workers.size() < numWanted)
        workers.emplace_back([this] { work(); });
    } catch (const std::system_error &) {
      return workers.size();
    }
    return workers.size();
  }

  void work() {
    for (;;) {
      std::shared_ptr<Loop> loop;
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return isStopping || !tickets.empty(); });
        if (isStopping)
          return;
        loop = std::move(tickets.front());
        tickets.pop_front();
      }
      loop->run();
    }
  }

  std::mutex mutex;
  std::condition_variable wake;
  std::deque<std::shared_ptr<Loop>> tickets;
  std::vector<std::thread> workers;
  bool isStopping = false;
};

Pool &sharedPool() {
  static Pool pool;
  return pool;
}

std::atomic<unsigned> chosenThreads{0};
} // namespace

unsigned defaultThreadCount() {
  if (unsigned chosen = chosenThreads)
    return chosen;
  // Read once: the library may ask the system each time, which takes longer
  // than many a loop.
  static const unsigned processors =
      std::max(1u, std::thread::hardware_concurrency());
  return processors;
}

void setDefaultThreadCount(unsigned threads) {
  chosenThreads = std::min(threads, mostThreads);
}

void parallelFor(std::size_t count,
                 const std::function<void(std::size_t)> &body,
                 unsigned threads) {
  if (threads == 0)
    threads = defaultThreadCount();
  std::size_t numThreads = std::min<std::size_t>({threads, mostThreads, count});
  if (numThreads <= 1) {
    for (std::size_t i = 0; i < count; ++i) {
      leaveIfCancelled();
      body(i);
    }
    return;
  }
  auto loop = std::make_shared<Loop>();
  loop->count = count;
  loop->body = &body;
  sharedPool().help(loop, numThreads - 1);
  loop->run();
  loop->wait();
}

} // namespace yarrow
