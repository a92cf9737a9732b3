//===- CommandStream.cpp - The commands of a program, in time -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/CommandStream.h"

#include "isa/CommandRules.h"
#include "isa/ElfLayout.h"
#include <algorithm>
#include <cstring>
#include <iterator>
#include <tuple>

using namespace yarrow;
using namespace yarrow::prove;
using namespace yarrow::isa;
using runtime::Executable;

namespace {

constexpr unsigned kTec = unsigned(Unit::Tec);

void join(Clock &into, const Clock &from) {
  for (unsigned u = 0; u < kNumCounters; ++u)
    into[u] = std::max(into[u], from[u]);
}
void meet(Clock &into, const Clock &from) {
  for (unsigned u = 0; u < kNumCounters; ++u)
    into[u] = std::min(into[u], from[u]);
}

/// One group of commands: a core executes it by itself.
class Group {
public:
  Group(const Executable &e, uint32_t number, uint32_t epoch,
        CommandStream &stream)
      : e(e), number(number), epoch(epoch), stream(stream) {}

  void run(const std::vector<bool> &decisions);

private:
  using Kind = StreamProblem::Kind;
  struct Queue {
    std::vector<uint32_t> commands; ///< Of `own`.
    size_t completed = 0;
  };
  struct Tec {
    size_t at = 0; ///< Of its events.
    uint32_t signals = 0, steps = 0;
    uint32_t mostSignalsAwaited = 0;
    Clock clock = {};
    Clock atCall = {}; ///< When its kernel was called, or a decision read.
    bool isInStep = false;
  };
  /// A signal of all TECs, and what each had awaited.
  struct Step {
    Clock before = {};
    uint32_t command = 0;
  };

  void report(Kind kind, std::string text, int64_t layer = -1,
              std::string found = "", std::string expected = "") {
    stream.problems.push_back(
        {kind, std::move(text), std::move(found), std::move(expected), layer});
  }
  bool decode(const TecEvent &submit);
  bool advanceQueue(unsigned queue);
  bool advanceTec(unsigned tec);
  bool beginStep(unsigned tec, uint32_t index);
  void signal(Tec &tec, unsigned number);
  bool joinReached(unsigned counter, uint32_t count, Clock &clock) const;
  uint32_t counterOf(unsigned counter) const {
    return counter == kTec ? signals : uint32_t(queues[counter].completed);
  }
  bool hasReached(unsigned counter, uint32_t count) const {
    return counterOf(counter) >= count;
  }
  bool endsInOrder(unsigned queue) const {
    return queue != unsigned(Unit::TensorEngine) ||
           e.machine().tensorEngines <= 1;
  }
  void reportDeadlock();
  void checkEnds();

  const Executable &e;
  uint32_t number, epoch;
  CommandStream &stream;
  TecEventsResult program;
  std::array<Queue, kNumQueues> queues;
  std::vector<Tec> tecs;
  std::vector<Step> steps; ///< By number of the signal.
  uint32_t signals = 0;
  /// What TEC 0 has begun: lists that are submitted together, or a decision.
  uint32_t block = 0;
  bool isSubmitting = false;
  std::vector<StreamCommand> own;
  std::vector<Waits> waits; ///< Of `own`, from the counters' beginning on.
  Waits origin = {};
};

} // namespace

/// The commands of a list, when it is submitted.
bool Group::decode(const TecEvent &submit) {
  std::vector<uint32_t> words(submit.value / 4);
  std::memcpy(words.data(), e.descriptors().data() + submit.offset,
              words.size() * 4);
  for (size_t at = 0; at < words.size();) {
    StreamCommand command;
    command.unit = Unit(submit.unit);
    command.group = number;
    command.epoch = epoch;
    command.block = block;
    command.descriptor = isa::decode(
        std::span(words).subspan(at, std::min<size_t>(256, words.size() - at)));
    auto id = e.provenance().commandAt(submit.offset + uint32_t(4 * at));
    if (!command.descriptor || !id || unsigned(id->unit) != submit.unit ||
        engineOf(*command.descriptor) != engineOf(command.unit)) {
      report(Kind::Program, "a list of the " + std::string(name(command.unit)) +
                                " queue has no valid command at byte " +
                                std::to_string(submit.offset + 4 * at) +
                                " of note \"desc\"");
      return false;
    }
    command.index = id->index;
    command.layer = e.provenance().layerOf(*id);
    command.ordinal = uint32_t(queues[submit.unit].commands.size());
    command.before = tecs[0].clock;
    if (Refusal why = refusalOf(*command.descriptor)) {
      command.isRefused = true;
      report(Kind::Refused, nameOf(command) + " cannot be executed",
             command.layer, *why);
    }
    Waits absolute = waitsOf(*command.descriptor);
    for (unsigned c = 0; c < kNumCounters; ++c)
      absolute[c] = absolute[c] ? absolute[c] + origin[c] : 0;
    queues[submit.unit].commands.push_back(uint32_t(own.size()));
    own.push_back(command);
    waits.push_back(absolute);
    at += descriptorWords(words[at]);
  }
  return true;
}

/// What is complete when a counter has reached \p count, which it has in the
/// greedy execution.
bool Group::joinReached(unsigned counter, uint32_t count, Clock &clock) const {
  uint32_t complete = counter == kTec ? count / uint32_t(tecs.size()) : count;
  if (complete == 0)
    return true;
  if (counter == kTec) {
    if (complete > steps.size())
      return false;
    join(clock, steps[complete - 1].before);
  } else {
    join(clock, own[queues[counter].commands[complete - 1]].before);
  }
  clock[counter] = std::max(clock[counter], complete);
  return true;
}

bool Group::advanceQueue(unsigned index) {
  Queue &queue = queues[index];
  bool hasMoved = false;
  while (queue.completed < queue.commands.size()) {
    uint32_t at = queue.commands[queue.completed];
    StreamCommand &command = own[at];
    for (unsigned c = 0; c < kNumCounters; ++c)
      if (!hasReached(c, waits[at][c]))
        return hasMoved;
    for (unsigned c = 0; c < kNumCounters; ++c) {
      stream.numWaits += waits[at][c] != 0;
      joinReached(c, waits[at][c], command.before);
    }
    // Those before have begun, so what they waited for is over; on one engine,
    // and on a DMA queue, they are complete or as good as that.
    if (queue.completed > 0)
      join(command.before, own[queue.commands[queue.completed - 1]].before);
    if (endsInOrder(index))
      command.before[index] = std::max(command.before[index], command.ordinal);
    ++queue.completed;
    hasMoved = true;
  }
  return hasMoved;
}

/// The first TEC to call a kernel makes its command; the others join.
bool Group::beginStep(unsigned number, uint32_t index) {
  Tec &tec = tecs[number];
  const std::string &kernel = e.provenance().steps[index].kernel;
  bool decides = kernel == "if" || kernel == "while";
  block += number == 0 && decides;
  if (tec.isInStep || tec.signals != tec.steps) {
    report(Kind::Program,
           "a TEC begins a step before it has signalled the previous step");
    return false;
  }
  tec.isInStep = true;
  tec.atCall = tec.clock;
  if (tec.steps < steps.size()) {
    StreamCommand &known = own[steps[tec.steps].command];
    if (known.index != index) {
      report(Kind::Program, "TECs execute different steps",
             e.provenance().layerOfStep(index));
      return false;
    }
    if (number == 0)
      known.block = block;
    block += number == 0 && decides;
    return true;
  }
  StreamCommand command;
  command.group = this->number;
  command.epoch = epoch;
  command.block = block;
  command.ordinal = tec.steps;
  command.index = index;
  command.layer = e.provenance().layerOfStep(index);
  command.before.fill(UINT32_MAX);
  steps.push_back({{}, uint32_t(own.size())});
  own.push_back(command);
  waits.push_back({});
  block += number == 0 && decides;
  return true;
}

void Group::signal(Tec &tec, unsigned tecNumber) {
  uint32_t numTecs = uint32_t(tecs.size());
  if (numTecs > 1 && tec.signals > 0 &&
      tec.mostSignalsAwaited < numTecs * tec.signals)
    report(Kind::Signals,
           "TEC " + std::to_string(tecNumber) + " can signal step " +
               std::to_string(tec.signals) +
               " while another TEC is at the previous step",
           own[steps[tec.steps].command].layer,
           "a wait for " + std::to_string(tec.mostSignalsAwaited) + " signals",
           "a wait for " + std::to_string(numTecs * tec.signals));
  Step &step = steps[tec.steps];
  StreamCommand &command = own[step.command];
  meet(command.before, tec.atCall);
  join(step.before, tec.clock);
  ++tec.signals;
  ++tec.steps;
  tec.isInStep = false;
  if (numTecs == 1)
    tec.clock[kTec] = std::max(tec.clock[kTec], tec.steps);
  ++signals;
}

bool Group::advanceTec(unsigned index) {
  Tec &tec = tecs[index];
  bool hasMoved = false;
  for (const auto &events = program.tecs[index]; tec.at < events.size();
       ++tec.at) {
    const TecEvent &event = events[tec.at];
    bool submits = event.kind == TecEvent::Kind::Submit ||
                   event.kind == TecEvent::Kind::SetOrigin;
    if (index == 0) {
      block += submits && !isSubmitting;
      isSubmitting = submits;
    }
    switch (event.kind) {
    case TecEvent::Kind::Wait:
      if (!hasReached(event.unit, event.value))
        return hasMoved;
      stream.numWaits += event.value != 0;
      joinReached(event.unit, event.value, tec.clock);
      if (event.unit == kTec)
        tec.mostSignalsAwaited = std::max(tec.mostSignalsAwaited, event.value);
      break;
    case TecEvent::Kind::Submit:
      if (index != 0) {
        report(Kind::Program,
               "TEC " + std::to_string(index) + " submits a list of commands");
        tec.at = events.size();
        return false;
      }
      if (!decode(event)) {
        tec.at = events.size();
        return false;
      }
      break;
    case TecEvent::Kind::SetOrigin:
      origin[event.unit] = event.value;
      break;
    case TecEvent::Kind::Step:
      if (!beginStep(index, event.value)) {
        tec.at = events.size();
        return false;
      }
      break;
    case TecEvent::Kind::Call:
      tec.atCall = tec.clock;
      break;
    case TecEvent::Kind::Signal:
      if (!tec.isInStep) {
        report(Kind::Program, "TEC " + std::to_string(index) +
                                  " signals without having executed a step");
        tec.at = events.size();
        return false;
      }
      signal(tec, index);
      break;
    }
    hasMoved = true;
  }
  return hasMoved;
}

void Group::reportDeadlock() {
  std::string found;
  int64_t layer = -1;
  auto addWait = [&](const std::string &who, unsigned counter, uint32_t count) {
    if (hasReached(counter, count))
      return;
    found += (found.empty() ? "" : "; ") + who + " waits for " +
             std::to_string(count) + " of the " +
             std::string(name(Unit(counter))) +
             (counter == kTec ? "s' signals" : " queue") + ", but only " +
             std::to_string(counterOf(counter)) + " come";
  };
  for (unsigned q = 0; q < kNumQueues; ++q) {
    if (queues[q].completed == queues[q].commands.size())
      continue;
    uint32_t at = queues[q].commands[queues[q].completed];
    if (layer < 0)
      layer = own[at].layer;
    for (unsigned c = 0; c < kNumCounters; ++c)
      addWait(nameOf(own[at]), c, waits[at][c]);
  }
  for (size_t i = 0; i < tecs.size(); ++i)
    if (tecs[i].at < program.tecs[i].size())
      if (const TecEvent &event = program.tecs[i][tecs[i].at];
          event.kind == TecEvent::Kind::Wait)
        addWait("TEC " + std::to_string(i), event.unit, event.value);
  report(Kind::Endless, "the program waits for events that never come", layer,
         found);
}

/// A TEC that ends says that the core is done.
void Group::checkEnds() {
  for (const Tec &tec : tecs)
    for (unsigned c = 0; c < kNumCounters; ++c) {
      size_t count = c == kTec ? steps.size() : queues[c].commands.size();
      if (tec.clock[c] >= count)
        continue;
      uint32_t at = c == kTec ? steps[tec.clock[c]].command
                              : queues[c].commands[tec.clock[c]];
      report(Kind::Unended,
             "the program can end before " + nameOf(own[at]) + " is complete",
             own[at].layer);
      return;
    }
}

void Group::run(const std::vector<bool> &decisions) {
  program = runTecs(e, number, decisions);
  stream.numOpen += program.numOpen;
  stream.numDecisions += program.numDecisions;
  if (!program.problem.empty())
    return report(Kind::Program, program.problem);
  tecs.resize(program.tecs.size());
  size_t before = stream.problems.size();
  for (bool hasMoved = true; hasMoved;) {
    hasMoved = false;
    for (unsigned t = 0; t < tecs.size(); ++t)
      hasMoved |= advanceTec(t);
    for (unsigned q = 0; q < kNumQueues; ++q)
      hasMoved |= advanceQueue(q);
  }
  auto hasProgramProblem = [&] {
    return std::any_of(
        stream.problems.begin() + ptrdiff_t(before), stream.problems.end(),
        [](const StreamProblem &p) { return p.kind == Kind::Program; });
  };
  if (hasProgramProblem())
    return;
  bool hasEnded = true;
  for (unsigned q = 0; q < kNumQueues; ++q)
    hasEnded &= queues[q].completed == queues[q].commands.size();
  for (size_t t = 0; t < tecs.size(); ++t)
    hasEnded &= tecs[t].at == program.tecs[t].size();
  if (!hasEnded)
    return reportDeadlock();
  checkEnds();
  std::move(own.begin(), own.end(), std::back_inserter(stream.commands));
}

/// Where each command is in the order of the provenance.
static std::array<std::vector<uint32_t>, kNumCounters>
positions(const std::string &order) {
  std::array<std::vector<uint32_t>, kNumCounters> at;
  for (size_t i = 0; i < order.size(); ++i)
    if (order[i] == 't')
      at[kTec].push_back(uint32_t(i));
    else if (order[i] >= '0' && order[i] < char('0' + kNumQueues))
      at[size_t(order[i] - '0')].push_back(uint32_t(i));
  return at;
}

/// Puts commands into the order of the provenance, and sees that it is one in
/// which they may be executed. A file that states none keeps the greedy one.
static void sortByOrder(const Executable &e, CommandStream &stream) {
  if (e.provenance().order.empty())
    return;
  auto at = positions(e.provenance().order);
  auto key = [&](const StreamCommand &c) {
    return std::tuple(c.group, c.block, at[unsigned(c.unit)][c.index]);
  };
  std::stable_sort(stream.commands.begin(), stream.commands.end(),
                   [&](const StreamCommand &a, const StreamCommand &b) {
                     return key(a) < key(b);
                   });
  Clock seen = {};
  uint32_t group = 0;
  for (const StreamCommand &c : stream.commands) {
    if (c.group != group)
      seen = {};
    group = c.group;
    for (unsigned u = 0; u < kNumCounters; ++u)
      if (c.before[u] > seen[u] || c.ordinal != seen[unsigned(c.unit)]) {
        stream.problems.push_back(
            {StreamProblem::Kind::Order,
             nameOf(c) + " precedes commands that it waits for in the order of "
                         "the provenance",
             "", "", c.layer});
        return;
      }
    ++seen[unsigned(c.unit)];
  }
}

CommandStream prove::readStream(const Executable &e,
                                const std::vector<bool> &decisions) {
  CommandStream stream;
  stream.numGroups = e.subgraphs().size() / numSamples(e);
  uint32_t epoch = 0;
  for (uint32_t g = 0; g < stream.numGroups; ++g) {
    epoch += g > 0 && e.subgraphs()[g].precursorCount == kAllBeforePrecede;
    Group(e, g, epoch, stream).run(decisions);
  }
  sortByOrder(e, stream);
  return stream;
}

std::string prove::nameOf(const StreamCommand &command) {
  if (command.unit == Unit::Tec)
    return "TEC step " + std::to_string(command.index);
  return std::string(name(command.unit)) + " command " +
         std::to_string(command.index);
}
