//===- StressTest.cpp - Many threads on one device ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An application's threads, as the public driver lets them through: buffers
// come and go at any time, the accesses that start a job follow one another,
// and status is asked for by everyone.
//
//===----------------------------------------------------------------------===//
#include "test/unit/driver/CopyJob.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

using namespace yarrow;
using namespace yarrow::driver_test;

TEST(Stress, ThreadsJobsAndFreesInAnyOrder) {
  constexpr unsigned kThreads = 8, kJobs = 125, kAlive = 5;
  FakeDriver driver;
  Simulator simulator(driver, YARROW_SIM_X2_1204);
  ASSERT_TRUE(simulator);
  std::mutex scheduling;
  std::atomic<unsigned> numRight = 0, numFaulty = 0;
  auto work = [&](unsigned thread) {
    std::mt19937 random(thread);
    std::vector<unsigned> places; // of jobs that are alive
    std::vector<CopyJob> jobs;
    for (unsigned place = 0; place < kAlive; ++place)
      jobs.emplace_back(driver, (thread * kAlive + place) * CopyJob::kJobBytes +
                                    CopyJob::kJobBytes);
    for (unsigned n = 0; n < kJobs; ++n) {
      if (places.size() == kAlive) {
        std::shuffle(places.begin(), places.end(), random);
        jobs[places.back()].destroy();
        places.pop_back();
      }
      unsigned place = 0;
      while (std::count(places.begin(), places.end(), place))
        ++place;
      places.push_back(place);
      CopyJob &job = jobs[place];
      bool isFaulty = random() % 10 == 0;
      job.create(uint8_t(random()), !isFaulty);
      {
        std::lock_guard lock(scheduling);
        job.start(simulator);
        uint32_t status = simulator.read(isa::RegPoolStatus);
        EXPECT_EQ((status & isa::kStatusFault) != 0, isFaulty);
      }
      EXPECT_TRUE(simulator.read(isa::RegPoolStatus) & isa::kStatusIdle);
      if (isFaulty) {
        ++numFaulty;
        EXPECT_TRUE(job.isUntouched());
      } else {
        numRight += job.isRight();
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back(work, t);
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(numRight + numFaulty, kThreads * kJobs);
  EXPECT_GT(numFaulty, 50u);
  EXPECT_EQ(driver.numBad(), 0u);
}
