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
  /// If not 0: of every so many bytes, from `begin` on, runBytes alone.
  /// Channels of a tensor are such stripes.
  uint64_t periodBytes = 0, runBytes = 0;

  bool conflictsWith(const Range &other) const {
    return region == other.region && (isWrite || other.isWrite) &&
           begin < other.end && other.begin < end;
  }
  /// The same, but for stripes that lie between one another's.
  bool touches(const Range &other) const {
    if (!conflictsWith(other) || periodBytes == 0 ||
        periodBytes != other.periodBytes)
      return conflictsWith(other);
    uint64_t from = (other.begin + periodBytes - begin % periodBytes) %
                    periodBytes; // from this one's run to the other's
    return from < runBytes || from + other.runBytes > periodBytes;
  }
};

/// Finds the stripes that a copy reads or writes.
void addStripes(const isa::Copy &copy, Range &range) {
  const uint32_t sizes[] = {copy.size2, copy.size3, copy.size4};
  const int32_t strides[2][5] = {
      {copy.srcStride0, copy.srcStride1, copy.srcStride2, copy.srcStride3,
       copy.srcStride4},
      {copy.dstStride0, copy.dstStride1, copy.dstStride2, copy.dstStride3,
       copy.dstStride4}};
  const int32_t *stride = strides[range.isWrite];
  uint64_t runBytes = uint64_t(copy.elementBytes) * copy.size0;
  if (stride[0] != int64_t(copy.elementBytes) || stride[1] <= 0 ||
      runBytes > uint64_t(stride[1]))
    return;
  for (unsigned axis = 0; axis < 3; ++axis)
    if (sizes[axis] > 1 &&
        (stride[2 + axis] < 0 || stride[2 + axis] % stride[1] != 0))
      return;
  range.periodBytes = uint64_t(stride[1]);
  range.runBytes = runBytes;
}

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
        return me + " exceeds the SRAM below the stacks";
      if (const Command *other = findConflict(range, command.before))
        return me + " can overtake command " + std::to_string(other->index);
    }
    if (unit == unsigned(Unit::Tec) && machine.tecs > 1 &&
        command.before[unit] < commands[unit].size())
      return me + " can signal for a TEC that is still at the previous kernel";
    commands[unit].push_back(std::move(command));
    return "";
  }

  /// The first command that conflicts with one of \p other in DDR; the SRAMs
  /// are different ones. Null if there is none.
  const Command *findConflictBeside(const Verifier &other) const {
    for (const auto &unit : commands)
      for (const Command &command : unit)
        for (const Range &range : command.ranges)
          if (range.region != isa::kSramRegion && other.isTouched(range))
            return &command;
    return nullptr;
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
      if (auto copy = dyn_cast<CopyOp>(op))
        addStripes(copy.describe(/*withAddresses=*/true), ranges.back());
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
  /// a wait must say. So it is with tensor engines that share a queue.
  bool joinUnit(unsigned unit, Clock &clock) const {
    bool endsInOrder =
        unit != unsigned(Unit::Tec) &&
        (unit != unsigned(Unit::TensorEngine) || machine.tensorEngines == 1);
    if (endsInOrder)
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

  /// By any command, whenever.
  bool isTouched(const Range &range) const {
    for (const auto &unit : commands)
      for (const Command &command : unit)
        for (const Range &other : command.ranges)
          if (range.touches(other))
            return true;
    return false;
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
  // What runs beside one another, and what holds it.
  std::vector<Verifier> beside;
  Operation *division = nullptr;
  for (const CommandBlock &block : commandBlocks(func)) {
    Verifier verifier(machine, firstCommand);
    for (Operation *op : block)
      if (std::string violation = verifier.add(*op); !violation.empty())
        return violation;
    firstCommand += block.size();
    Operation *parent = block.front()->getParentOp();
    if (parent != division)
      beside.clear();
    division = parent;
    if (!isDivided(parent))
      continue;
    for (const Verifier &other : beside)
      if (const Command *command = verifier.findConflictBeside(other))
        return "command " + std::to_string(command->index) +
               " uses memory that another core writes, or writes memory that "
               "another core uses";
    beside.push_back(std::move(verifier));
  }
  return "";
}
