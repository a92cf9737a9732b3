//===- ThreadRanks.h - Processes played by threads --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   onRanks(3, [&](Ranks &ranks) { results[ranks.rank()] = work(&ranks); });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_SCORES_THREADRANKS_H
#define YARROW_TEST_UNIT_SCORES_THREADRANKS_H

#include "support/Ranks.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace yarrow {

/// What the ranks of a test meet in.
class MeetingPlace {
public:
  explicit MeetingPlace(std::size_t count) : parts(count), count(count) {}

  bool exchange(std::size_t rank, const std::string &own,
                std::vector<std::string> &all) {
    std::unique_lock lock(mutex);
    parts[rank] = own;
    std::size_t round = rounds;
    if (++arrived == count) {
      meet();
    } else {
      changed.wait(lock, [&] { return rounds != round || hasEnded; });
      if (rounds == round)
        return false;
    }
    all = given;
    return true;
  }
  /// A rank whose work is over no longer comes.
  void leave() {
    std::lock_guard lock(mutex);
    hasEnded = true;
    changed.notify_all();
  }

private:
  void meet() {
    given = parts;
    arrived = 0;
    ++rounds;
    changed.notify_all();
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> parts, given;
  std::size_t count, arrived = 0, rounds = 0;
  bool hasEnded = false;
};

class ThreadRank : public Ranks {
public:
  ThreadRank(MeetingPlace &place, std::size_t rank, std::size_t count)
      : place(place), own(rank), total(count) {}
  std::size_t rank() const override { return own; }
  std::size_t count() const override { return total; }
  bool exchange(const std::string &bytes,
                std::vector<std::string> &parts) override {
    return place.exchange(own, bytes, parts);
  }

private:
  MeetingPlace &place;
  std::size_t own, total;
};

inline void onRanks(std::size_t count,
                    const std::function<void(Ranks &)> &work) {
  MeetingPlace place(count);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      ThreadRank rank(place, i, count);
      work(rank);
      place.leave();
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace yarrow

#endif // YARROW_TEST_UNIT_SCORES_THREADRANKS_H
