//===- OwnershipTest.cpp - Who wrote which bytes --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/Ownership.h"

#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::prove;

namespace {
/// Loads 0 and 1, and two commands of the tensor engine, of which the second
/// awaits load 1 and with it all before.
class OwnershipTest : public ::testing::Test {
protected:
  static StreamCommand command(isa::Unit unit, uint32_t ordinal,
                               uint32_t loadsBefore, uint32_t group = 0) {
    StreamCommand c;
    c.unit = unit;
    c.ordinal = ordinal;
    c.group = group;
    c.epoch = group;
    c.before[unsigned(isa::Unit::DmaLoad)] = loadsBefore;
    if (unit == isa::Unit::TensorEngine)
      c.before[unsigned(unit)] = ordinal;
    return c;
  }

  std::vector<StreamCommand> commands = {
      command(isa::Unit::DmaLoad, 0, 0), command(isa::Unit::DmaLoad, 1, 1),
      command(isa::Unit::TensorEngine, 0, 1),
      command(isa::Unit::TensorEngine, 1, 2),
      command(isa::Unit::DmaLoad, 0, 0, /*group=*/1)};
  Ownership memory{commands};

  std::string read(int32_t reader, int64_t begin, int64_t end) {
    std::string text;
    memory.read(reader, 0, begin, end, [&](const Ownership::Piece &p) {
      text += std::to_string(p.begin) + "-" + std::to_string(p.end) + ":" +
              std::to_string(p.writer) +
              (p.rival == Ownership::kNoWriter ? " " : "! ");
    });
    return text;
  }
  std::string write(int32_t writer, int64_t begin, int64_t end) {
    std::string text;
    memory.write(writer, 0, begin, end, [&](const Ownership::Piece &p) {
      text += std::to_string(p.begin) + "-" + std::to_string(p.end) + ":" +
              std::to_string(p.rival) + " ";
    });
    return text;
  }
};
} // namespace

TEST_F(OwnershipTest, ReportsWritersAndGaps) {
  memory.hostWrites(0, 0, 10);
  EXPECT_EQ(write(0, 4, 8), "");
  EXPECT_EQ(read(2, 0, 12), "0-4:-2 4-8:0 8-10:-2 10-12:-1 ");
}

TEST_F(OwnershipTest, ReadsBeforeTheWriterIsComplete) {
  write(0, 0, 8);
  write(1, 8, 16);
  EXPECT_EQ(read(2, 4, 12), "4-8:0 8-12:1! ");
  EXPECT_EQ(read(3, 4, 12), "4-8:0 8-12:1 ");
}

TEST_F(OwnershipTest, WritesOverWhatIsStillRead) {
  write(0, 0, 8);
  read(2, 0, 4);
  // Load 1 awaits nobody; what it leaves alone may be read.
  EXPECT_EQ(write(1, 0, 8), "0-4:2 ");
  EXPECT_EQ(read(3, 0, 8), "0-8:1 ");
}

TEST_F(OwnershipTest, LaterEpochIsAfterAll) {
  write(0, 0, 8);
  read(3, 0, 8);
  EXPECT_EQ(write(4, 0, 8), "");
}
