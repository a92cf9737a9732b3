//===- ReplayTest.cpp - What the public driver said, said again -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Inputs/ holds exchanges of samples of the public Compass driver with the
// library, recorded by YARROW_DRIVER_RECORD (api/driver/Exchange.h). Each is
// said again without the driver: registers must read as they did, and memory
// must become what it became. test/driver/samples.py runs the driver itself;
// docs/driver.md says how to record again, as one must when programs of old are
// no longer executed.
//
//===----------------------------------------------------------------------===//
#include "test/driver/ExchangeLine.h"
#include "test/unit/driver/Simulator.h"

#include <fstream>
#include <gtest/gtest.h>
#include <memory>

using namespace yarrow::driver_test;

namespace {

class Replay {
public:
  explicit Replay(const std::string &name)
      : file(YARROW_TEST_INPUTS "/" + name) {
    EXPECT_TRUE(file) << name;
  }

  void run() {
    for (std::string text; std::getline(file, text); ++numLines) {
      ExchangeLine line(text);
      SCOPED_TRACE("line " + std::to_string(numLines + 1) + ": " +
                   text.substr(0, 60));
      if (line.kind == "data")
        EXPECT_TRUE(driver.write(line.first, line.bytes));
      else if (line.kind == "expect")
        checkMemory(line.first, line.bytes);
      else
        access(line.kind, line.first, line.second);
    }
    EXPECT_EQ(driver.numBad(), 0u);
  }

  unsigned numExpected = 0, numJobs = 0, numEvents = 0;

private:
  void checkMemory(uint64_t address, const std::vector<std::byte> &expected) {
    ++numExpected;
    std::vector<std::byte> found(expected.size());
    ASSERT_TRUE(driver.read(address, found));
    EXPECT_EQ(found, expected);
  }

  static void countEvent(uint32_t, uint64_t value, void *context) {
    auto &self = *static_cast<Replay *>(context);
    ++self.numEvents;
    self.lastEvent = value;
  }

  void access(const std::string &kind, uint64_t first, uint64_t second) {
    if (kind == "create") {
      simulator = std::make_unique<Simulator>(driver, int32_t(first));
      ASSERT_TRUE(*simulator);
      api().set_event_handler(simulator->handle(), countEvent, this);
    } else if (kind == "buffer") {
      driver.addBuffer(first, second);
    } else if (kind == "read") {
      EXPECT_EQ(simulator->read(uint32_t(first)), second);
    } else if (kind == "write") {
      numJobs += first == 0 && (second & 4);
      simulator->write(uint32_t(first), uint32_t(second));
    } else if (kind == "event") {
      EXPECT_EQ(lastEvent, second);
    } else {
      FAIL() << "no such line";
    }
  }

  std::ifstream file;
  FakeDriver driver;
  std::unique_ptr<Simulator> simulator;
  unsigned numLines = 0;
  uint64_t lastEvent = 0;
};

TEST(Replay, BatchesThatAreAppendedToAChain) {
  Replay replay("x2-batch.txt");
  replay.run();
  EXPECT_EQ(replay.numJobs, 16u);
  EXPECT_EQ(replay.numExpected, 16u);
}

TEST(Replay, ThreeCores) {
  Replay replay("x2-three-cores.txt");
  replay.run();
  EXPECT_EQ(replay.numJobs, 2u);
  EXPECT_EQ(replay.numExpected, 1u); // the second has the first one's buffers
}

// The sample gives the smaller of two shapes, in the global parameters; the
// output and its lengths are written.
TEST(Replay, AShapeThatTheDriverGives) {
  Replay replay("x2-shapes.txt");
  replay.run();
  EXPECT_EQ(replay.numJobs, 1u);
  EXPECT_EQ(replay.numExpected, 2u);
}

// Two lists of buffers; constants are from another file than the program.
TEST(Replay, WeightsInAFileOfTheirOwn) {
  Replay replay("x3p-weight-file.txt");
  replay.run();
  EXPECT_EQ(replay.numJobs, 1u);
  EXPECT_EQ(replay.numExpected, 1u);
}

TEST(Replay, BlocksOfVersion32AndItsEvents) {
  Replay replay("x3p-flush-job.txt");
  replay.run();
  EXPECT_EQ(replay.numJobs, 2u);
  EXPECT_EQ(replay.numEvents, 2u);
  EXPECT_EQ(replay.numExpected, 2u);
}

} // namespace
