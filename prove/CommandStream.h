//===- CommandStream.h - The commands of a program, in time -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Computes the commands of all groups from the events of the TECs (TecEvents.h)
// and the descriptors, and for each command what is complete when it begins
// under every interleaving. docs/prove.md has the argument; in short:
//
// * Counters only grow, and every unit works in a fixed order. So one greedy
//   execution, in which every unit that can continue does, ends if and only if
//   all executions end.
// * A wait for n commands of a queue means that the first n are complete, and
//   what they waited for. A wait for n signals of t TECs means that each TEC
//   has signalled n / t times, if no TEC signals twice before all others have
//   once, which is checked for each signal.
//
//   CommandStream stream = readStream(executable, decisions);
//   if (stream.commands[b].isAfter(stream.commands[a])) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PROVE_COMMANDSTREAM_H
#define YARROW_PROVE_COMMANDSTREAM_H

#include "isa/Descriptors.h"
#include "prove/TecEvents.h"
#include <array>
#include <optional>

namespace yarrow::prove {

/// How many commands of each unit are complete.
using Clock = std::array<uint32_t, isa::kNumCounters>;

struct StreamCommand {
  isa::Unit unit = isa::Unit::Tec;
  uint32_t group = 0;
  /// Between two barriers groups run beside one another.
  uint32_t epoch = 0;
  uint32_t ordinal = 0; ///< Of its unit in the group, as executed.
  uint64_t index = 0;   ///< Of the provenance: in its queue, or a step.
  int64_t layer = -1;
  uint32_t block = 0; ///< Lists that were submitted before, for the order.
  Clock before = {};
  /// Its engine would fault: nothing else is said of it.
  bool isRefused = false;
  /// Of an engine; else the step of the provenance says what it is.
  std::optional<isa::AnyDescriptor> descriptor = {};

  /// Whether \p other is complete whenever this one begins.
  bool isAfter(const StreamCommand &other) const {
    return group == other.group ? before[unsigned(other.unit)] > other.ordinal
                                : epoch > other.epoch;
  }
};

/// Something that does not hold of the commands' order in time.
struct StreamProblem {
  enum class Kind : uint8_t {
    Program, ///< No program of Yarrow does that.
    Endless, ///< Units wait for ever.
    Signals, ///< A signal may stand for that of another TEC.
    Unended, ///< The program may end before a command is complete.
    Refused, ///< An engine would refuse the command.
    Order,   ///< The order of the provenance is not one of these.
  };
  Kind kind = Kind::Program;
  std::string text, found, expected;
  int64_t layer = -1;
};

struct CommandStream {
  /// In the order that the provenance states, which is the network's.
  std::vector<StreamCommand> commands;
  std::vector<StreamProblem> problems;
  size_t numWaits = 0, numOpen = 0, numDecisions = 0, numGroups = 0;
};

/// Of one way through the program (TecEvents.h).
CommandStream readStream(const runtime::Executable &executable,
                         const std::vector<bool> &decisions);

/// "tensor engine command 12", "TEC step 3".
std::string nameOf(const StreamCommand &command);

} // namespace yarrow::prove

#endif // YARROW_PROVE_COMMANDSTREAM_H
