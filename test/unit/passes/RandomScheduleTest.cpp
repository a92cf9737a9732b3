//===- RandomScheduleTest.cpp - Plans and schedules of random commands ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Whatever a plan moves and a schedule lets run beside one another: each
// command reads what it read in the order in which the commands were made. And
// the verifiers see every fault that is planted, and no other.
//
//===----------------------------------------------------------------------===//
#include "passes/plan/Plan.h"
#include "passes/schedule/Schedule.h"
#include "test/unit/passes/Hazards.h"
#include "test/unit/passes/RandomCommands.h"

#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::npu;
using yarrow::testing::hasHazard;
using yarrow::testing::Random;
using yarrow::testing::RandomCommands;
using yarrow::testing::Symbols;
using yarrow::testing::Values;

namespace {

/// A machine of four TECs or one with so many bytes for data in its SRAM.
isa::Machine machineOf(bool hasFourTecs, uint32_t dataBytes) {
  DiagnosticEngine diags;
  isa::Machine machine =
      isa::findTarget(hasFourTecs ? "Z1_0904" : "Z1_0701", diags).value();
  machine.sramBytes -= machine.dataSramBytes() - dataBytes;
  return machine;
}

/// Where each buffer is in use, by the order of the commands.
struct Use {
  size_t first = SIZE_MAX, last = 0;
  bool overlaps(const Use &other) const {
    return first <= other.last && other.first <= last;
  }
};
std::map<mlir::Operation *, Use> usesOf(RandomCommands &commands) {
  std::map<mlir::Operation *, Use> uses;
  std::vector<mlir::Operation *> ops = commands.inOrder();
  for (size_t i = 0; i < ops.size(); ++i)
    for (const Access &a : accessesOf(ops[i])) {
      Use &use = uses[a.buffer.getDefiningOp()];
      use = {std::min(use.first, i), std::max(use.last, i)};
    }
  return uses;
}

/// Addresses that take no heed of one another.
void placeAnywhere(RandomCommands &commands, Random &random,
                   uint32_t dataBytes) {
  for (BufferOp buffer : commands.buffers) {
    uint64_t limit =
        buffer.getRegion() == isa::kSramRegion ? dataBytes : 1 << 12;
    uint64_t grains = (limit - buffer.getSizeBytes()) / Symbols::kGrain;
    buffer.setAddress(
        int64_t(random.below(uint32_t(grains) + 1) * Symbols::kGrain));
  }
}

/// The units and what they have done: each takes its commands in order when the
/// counters allow. A TEC does all of a kernel.
class Machine {
public:
  Machine(RandomCommands &commands, Random &random)
      : commands(commands), random(random) {
    for (mlir::Operation *op : commands.inOrder()) {
      isa::Unit unit = *unitOf(op);
      uint32_t count = unit == isa::Unit::Tec ? commands.machine.tecs : 1;
      for (uint32_t i = 0; i < count; ++i)
        queues[{unsigned(unit), i}].list.push_back(op);
    }
  }

  /// What the commands read if events come in any order that waits allow;
  /// nothing if they come to no end.
  Values run() {
    std::map<mlir::Operation *, uint64_t> values;
    for (;;) {
      std::vector<Key> ready;
      bool isDone = true;
      for (auto &[key, queue] : queues) {
        isDone &= queue.next == queue.list.size();
        if (queue.next < queue.list.size() &&
            (queue.isStarted || mayStart(queue.list[queue.next])))
          ready.push_back(key);
      }
      if (ready.empty()) {
        Values list;
        for (mlir::Operation *op : commands.commands)
          list.push_back(commands.isUsed(op) ? values[op] : 0);
        return isDone ? list : Values();
      }
      Key key = random.of(ready);
      Queue &queue = queues[key];
      mlir::Operation *op = queue.list[queue.next];
      if (!queue.isStarted) {
        auto [it, isFirst] = values.try_emplace(op, readAll(op));
        // Of several TECs one that reads something else is seen; but not what
        // the others have written in the same kernel.
        if (!isFirst && !readsItsOwn(op) && it->second != readAll(op))
          it->second = 0;
        queue.value = it->second;
        queue.isStarted = true;
        continue;
      }
      for (const Access &a : accessesOf(op))
        if (a.isWrite)
          symbols.write(RandomCommands::placeOf(a), a.sizeBytes, queue.value);
      queue.isStarted = false;
      ++queue.next;
      ++counters[key.first];
    }
  }

private:
  using Key = std::pair<unsigned, uint32_t>; ///< Unit, and which of its kind.
  struct Queue {
    std::vector<mlir::Operation *> list;
    size_t next = 0;
    bool isStarted = false;
    uint64_t value = 0;
  };

  bool mayStart(mlir::Operation *op) const {
    auto waits = op->getAttrOfType<mlir::DenseI64ArrayAttr>("waits");
    for (unsigned u = 0; waits && u < isa::kNumCounters; ++u)
      if (counters[u] < uint64_t(waits[u]))
        return false;
    return true;
  }
  static bool readsItsOwn(mlir::Operation *op) {
    for (const Access &from : accessesOf(op))
      for (const Access &to : accessesOf(op)) {
        auto [region, begin] = RandomCommands::placeOf(from);
        auto [otherRegion, otherBegin] = RandomCommands::placeOf(to);
        if (!from.isWrite && to.isWrite && region == otherRegion &&
            begin < otherBegin + to.sizeBytes &&
            otherBegin < begin + from.sizeBytes)
          return true;
      }
    return false;
  }
  uint64_t readAll(mlir::Operation *op) const {
    const auto &made = commands.commands;
    uint64_t value =
        uint64_t(std::find(made.begin(), made.end(), op) - made.begin());
    for (const Access &a : accessesOf(op))
      if (!a.isWrite)
        value = Symbols::mix(
            value, symbols.read(RandomCommands::placeOf(a), a.sizeBytes));
    return value;
  }

  RandomCommands &commands;
  Random &random;
  std::map<Key, Queue> queues;
  uint64_t counters[isa::kNumCounters] = {};
  Symbols symbols;
};

PlanOptions randomOptions(Random &random) {
  return {
      random.of({Prefetch::None, Prefetch::WhereRoom, Prefetch::WhenBusIsFree}),
      random.below(4)};
}

} // namespace

// A load before its earliest slot, a life that ends a slot too soon or a store
// that is overtaken would make another value.
TEST(RandomPlans, CommandsReadWhatTheyRead) {
  Random random(1);
  unsigned planned = 0, moved = 0, shared = 0;
  for (int round = 0; round < 1500; ++round) {
    uint32_t dataBytes = 64 * random.between(6, 24);
    RandomCommands commands(random, machineOf(true, dataBytes));
    Values before = commands.valuesOfBuffers();
    auto order = commands.inOrder();
    if (!planMemory(*commands.module, commands.machine, randomOptions(random)))
      continue;
    ++planned;
    EXPECT_EQ(verifyPlan(*commands.module, commands.machine), "");
    ASSERT_EQ(commands.valuesOfBuffers(), before) << "round " << round;
    ASSERT_EQ(commands.valuesOfPlaces(), before) << "round " << round;
    moved += commands.inOrder() != order;
    uint64_t end = 0, sum = 0;
    for (auto &[buffer, use] : usesOf(commands)) {
      auto op = llvm::cast<BufferOp>(buffer);
      if (op.getRegion() != isa::kSramRegion)
        continue;
      end = std::max(end, uint64_t(*op.getAddress()) + op.getSizeBytes());
      sum += op.getSizeBytes();
    }
    EXPECT_LE(end, dataBytes);
    shared += sum > end;
  }
  EXPECT_GT(planned, 1000u);
  EXPECT_GT(moved, 200u);
  EXPECT_GT(shared, 200u);
}

// Write, read, read over three units, and all others: with buffers that lie
// across one another.
TEST(RandomSchedules, AnyOrderOfEventsGivesTheSame) {
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    const uint32_t dataBytes = 512;
    RandomCommands commands(random, machineOf(!random.oneIn(3), dataBytes));
    placeAnywhere(commands, random, dataBytes);
    scheduleWaits(*commands.module, commands.machine);
    EXPECT_EQ(verifySchedule(*commands.module, commands.machine), "");
    EXPECT_FALSE(hasHazard(commands.inOrder(), commands.machine));
    Values expected = commands.valuesOfPlaces();
    for (int order = 0; order < 6; ++order)
      ASSERT_EQ(Machine(commands, random).run(), expected) << "round " << round;
  }
}

// Each wait taken away, one too low, a command too low and a command too high.
// What the verifier does not report is none: no order of events is wrong.
TEST(RandomSchedules, EveryPlantedHazardIsFound) {
  Random random(3);
  unsigned planted = 0, hazards = 0, wrong = 0;
  for (int round = 0; round < 60; ++round) {
    const uint32_t dataBytes = 512;
    RandomCommands commands(random, machineOf(!random.oneIn(3), dataBytes));
    placeAnywhere(commands, random, dataBytes);
    scheduleWaits(*commands.module, commands.machine);
    for (mlir::Operation *op : commands.inOrder()) {
      auto waits = op->getAttrOfType<mlir::DenseI64ArrayAttr>("waits");
      for (unsigned u = 0; waits && u < isa::kNumCounters; ++u) {
        int64_t each =
            u == unsigned(isa::Unit::Tec) ? commands.machine.tecs : 1;
        for (int64_t value : {int64_t(0), waits[u] - 1, waits[u] - each,
                              waits[u] + 1, waits[u] + each}) {
          if (waits[u] == 0 || value < 0)
            continue;
          llvm::SmallVector<int64_t> changed(waits.asArrayRef());
          changed[u] = value;
          op->setAttr("waits",
                      mlir::DenseI64ArrayAttr::get(&commands.context, changed));
          bool isHazard = hasHazard(commands.inOrder(), commands.machine);
          bool isFound =
              !verifySchedule(*commands.module, commands.machine).empty();
          EXPECT_EQ(isFound, isHazard) << "round " << round << ", counter " << u
                                       << ": " << value << " for " << waits[u];
          ++planted, hazards += isHazard;
          // And some order of events shows it.
          Values expected = commands.valuesOfPlaces();
          bool isWrong = false;
          for (int order = 0; order < 4; ++order)
            isWrong |= Machine(commands, random).run() != expected;
          EXPECT_LE(isWrong, isHazard);
          wrong += isWrong;
        }
      }
      if (waits)
        op->setAttr("waits", waits);
    }
  }
  EXPECT_GT(hazards, planted / 2);
  EXPECT_GT(wrong, planted / 8);
}

// Every buffer of SRAM on every other, at its first and at its last byte: wrong
// exactly if both are in use at some time.
TEST(RandomPlans, EveryOverlapIsFound) {
  Random random(4);
  unsigned overlaps = 0, shares = 0;
  for (int round = 0; round < 60; ++round) {
    RandomCommands commands(random, machineOf(true, 1 << 16));
    ASSERT_TRUE(
        planMemory(*commands.module, commands.machine, randomOptions(random)));
    auto uses = usesOf(commands);
    std::vector<BufferOp> buffers;
    for (BufferOp buffer : commands.buffers)
      if (buffer.getRegion() == isa::kSramRegion && uses.count(buffer))
        buffers.push_back(buffer);
    // So far apart that a buffer moved meets no third one.
    for (auto [i, buffer] : llvm::enumerate(buffers))
      buffer.setAddress(int64_t(1024 * (i + 1)));
    ASSERT_EQ(verifyPlan(*commands.module, commands.machine), "");
    for (BufferOp moved : buffers)
      for (BufferOp other : buffers) {
        if (moved == other)
          continue;
        auto home = int64_t(*moved.getAddress()),
             begin = int64_t(*other.getAddress()),
             end = begin + int64_t(other.getSizeBytes()),
             sizeBytes = int64_t(moved.getSizeBytes());
        bool isAlive = uses[moved].overlaps(uses[other]);
        for (int64_t address :
             {begin, end - 1, end, begin - sizeBytes, begin - sizeBytes + 1}) {
          moved.setAddress(address);
          bool touches = address < end && begin < address + sizeBytes;
          EXPECT_EQ(!verifyPlan(*commands.module, commands.machine).empty(),
                    isAlive && touches)
              << "round " << round;
          overlaps += isAlive && touches;
          shares += !isAlive && touches;
        }
        moved.setAddress(home);
      }
  }
  EXPECT_GT(overlaps, 500u);
  EXPECT_GT(shares, 100u);
}
