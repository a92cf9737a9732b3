//===- VerifySchedule.cpp - Whether every hazard is ordered ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Vector clocks: for each command, how many commands of each unit are certainly
// complete when it starts, whatever the interleaving. A command may conflict
// only with those that are. The others of a unit are its last ones, so that
// each access is compared with a window of commands and not with all of them.
//
//===----------------------------------------------------------------------===//
#include "dialects/npu/Commands.h"
#include "dialects/npu/ControlFlow.h"
#include "isa/ElfLayout.h"
#include "passes/schedule/Schedule.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

namespace {

using Clock = std::array<uint64_t, isa::kNumCounters>;

/// What a command touches, in addresses of a region.
struct Range {
  unsigned region;
  uint64_t begin, end;
  bool isWrite;

  bool conflictsWith(const Range &other) const {
    return region == other.region && (isWrite || other.isWrite) &&
           begin < other.end && other.begin < end;
  }
};

struct Command {
  uint64_t index; ///< In program order.
  Clock before;   ///< Complete when it starts.
  SmallVector<Range> ranges;
};

class Verifier {
public:
  /// Of a block, at whose beginning all units are at rest.
  Verifier(const isa::Machine &machine, uint64_t firstCommand)
      : machine(machine), numCommands(firstCommand) {}

  /// "" or what is wrong.
  std::string add(Operation &op) {
    auto unit = unsigned(*unitOf(&op));
    Command command{numCommands++, {}, rangesOf(op)};
    std::string me = "command " + std::to_string(command.index);
    if (!joinUnit(unit, command.before) || !joinWaits(op, command.before))
      return me + " waits for something that comes later";
    for (const Range &range : command.ranges) {
      if (range.region == isa::kSramRegion &&
          range.end > machine.dataSramBytes())
        return me + " leaves the SRAM below the stacks";
      if (const Command *other = findConflict(range, command.before))
        return me + " may overtake command " + std::to_string(other->index);
    }
    commands[unit].push_back(std::move(command));
    return "";
  }

private:
  /// All TECs signal each kernel.
  uint64_t signalsPerCommand(unsigned unit) const {
    return unit == unsigned(Unit::Tec) ? machine.tecs : 1;
  }

  static SmallVector<Range> rangesOf(Operation &op) {
    SmallVector<Range> ranges;
    for (const Access &a : accessesOf(&op)) {
      auto buffer = a.buffer.getDefiningOp<BufferOp>();
      // Nobody writes there.
      if (buffer.getRegion() == isa::kWeightRegion)
        continue;
      uint64_t begin = buffer.getAddress().value_or(0) + a.offsetBytes;
      ranges.push_back({unsigned(buffer.getRegion()), begin,
                        begin + a.sizeBytes, a.isWrite});
    }
    return ranges;
  }

  /// The first \p count commands of a unit are complete. False if there are not
  /// as many: waiting for later ones may be waiting for ever.
  bool join(unsigned unit, uint64_t count, Clock &clock) const {
    if (count > commands[unit].size())
      return false;
    if (count != 0)
      joinClock(commands[unit][count - 1].before, clock);
    clock[unit] = std::max(clock[unit], count);
    return true;
  }
  static void joinClock(const Clock &from, Clock &into) {
    for (unsigned u = 0; u < isa::kNumCounters; ++u)
      into[u] = std::max(into[u], from[u]);
  }

  /// An engine has completed its earlier commands. A TEC has only started them
  /// after its earlier waits; that the others are through with the last kernel,
  /// a wait must say.
  bool joinUnit(unsigned unit, Clock &clock) const {
    if (unit != unsigned(Unit::Tec))
      return join(unit, commands[unit].size(), clock);
    if (!commands[unit].empty())
      joinClock(commands[unit].back().before, clock);
    return true;
  }

  bool joinWaits(Operation &op, Clock &clock) const {
    auto waits = op.getAttrOfType<DenseI64ArrayAttr>("waits");
    for (unsigned u = 0; waits && u < isa::kNumCounters; ++u) {
      auto wait = uint64_t(waits[u]), signals = signalsPerCommand(u);
      if (wait % signals || !join(u, wait / signals, clock))
        return false;
    }
    return true;
  }

  const Command *findConflict(const Range &range, const Clock &before) const {
    for (unsigned u = 0; u < isa::kNumCounters; ++u)
      for (const Command &c : ArrayRef(commands[u]).drop_front(before[u]))
        for (const Range &other : c.ranges)
          if (range.conflictsWith(other))
            return &c;
    return nullptr;
  }

  const isa::Machine &machine;
  uint64_t numCommands; ///< Of earlier blocks, too.
  std::array<std::vector<Command>, isa::kNumCounters> commands; ///< By unit.
};

} // namespace

std::string npu::verifySchedule(ModuleOp module, const isa::Machine &machine) {
  auto func = module.lookupSymbol<func::FuncOp>(kMainFunction);
  uint64_t firstCommand = 0;
  for (const CommandBlock &block : commandBlocks(func)) {
    Verifier verifier(machine, firstCommand);
    for (Operation *op : block)
      if (std::string violation = verifier.add(*op); !violation.empty())
        return violation;
    firstCommand += block.size();
  }
  return "";
}
