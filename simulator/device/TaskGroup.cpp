//===- TaskGroup.cpp - The tasks of a group, run together -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/device/TaskGroup.h"

#include "simulator/device/ProgramMap.h"
#include "simulator/device/TecRunner.h"
#include "support/Cancellation.h"
#include <algorithm>
#include <cstring>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

/// Commands and signals of a run. A network of a thousand layers has some ten
/// thousand.
static constexpr uint64_t kMaxEvents = 1 << 20;

TaskGroup::TaskGroup(std::span<const TaskBlock> tasks, const TextHeader &header,
                     CoreState &core)
    : core(core), counters(core.isTimed), engines(core, counters),
      random(core.schedule.seed) {
  if (header.imageBytes != 0 && !tasks.empty())
    engines.setProgram(ProgramMap(core.memory, header, tasks[0]));
  else
    core.tensor.useConstants(0, 0);
  for (const TaskBlock &task : tasks) {
    runners.push_back(std::make_unique<TecRunner>(
        core, counters, engines, uint32_t(runners.size()), task, header));
    order.push_back(runners.back().get());
  }
}

TaskGroup::~TaskGroup() = default;

bool TaskGroup::canAnyRun() const {
  return std::any_of(runners.begin(), runners.end(),
                     [](auto &r) { return r->canRun(); });
}

Fault TaskGroup::runTecs() {
  for (auto &runner : runners)
    runner->forgetRestlessness();
  for (bool isAny = true; isAny;) {
    isAny = false;
    if (core.schedule.seed != 0)
      std::shuffle(order.begin(), order.end(), random);
    for (TecRunner *runner : order) {
      if (!runner->canRun() ||
          runner->restlessInstructions() >= core.schedule.patienceInstructions)
        continue;
      isAny = true;
      leaveIfCancelled();
      if (Fault f = runner->run(core.schedule.sliceInstructions))
        return f;
    }
  }
  return std::nullopt;
}

Fault TaskGroup::completeCommand(unsigned queue) {
  Fault fault = countEvent();
  FaultSite::Cause cause = FaultSite::Limit;
  if (!fault) {
    fault = engines.execute(queue);
    cause = engines.faultSite().cause;
  }
  if (!fault)
    return std::nullopt;
  core.chain.faultSite = engines.siteOf(queue);
  core.chain.faultSite.cause = cause;
  return fault;
}

/// Each takes memory in counters, reports and traces.
Fault TaskGroup::countEvent() {
  if (core.chain.events++ < kMaxEvents)
    return std::nullopt;
  return faultText("the program executes more than ", kMaxEvents,
                   " commands and signals in one run");
}

Fault TaskGroup::findNext() {
  nextSignaller = nullptr;
  if (Fault f = engines.firstReady(nextCommand)) {
    core.chain.faultSite = engines.faultSite();
    return f;
  }
  for (auto &runner : runners)
    if (runner->hasSignal() &&
        (!nextSignaller ||
         runner->stepStartCycle() < nextSignaller->stepStartCycle()))
      nextSignaller = runner.get();
  if (nextCommand && nextSignaller) {
    if (nextCommand->startCycle <= nextSignaller->stepStartCycle())
      nextSignaller = nullptr;
    else
      nextCommand.reset();
  }
  return std::nullopt;
}

Fault TaskGroup::deadlock() {
  Deadlock &d = core.chain.deadlock;
  d = {};
  for (const auto &runner : runners)
    if (!runner->isEnded())
      d.tecs.push_back(runner->blocked());
  d.commands = engines.blocked();
  for (unsigned i = 0; i < kNumCounters; ++i)
    d.values[i] = counters.value(i);
  core.chain.faultSite = {};
  core.chain.faultSite.cause = FaultSite::Deadlock;
  core.chain.faultSite.core = core.number;
  std::string text = "deadlock";
  const char *separator = ": ";
  for (const BlockedTec &t : d.tecs) {
    text += separator + ("TEC " + std::to_string(t.tec)) + " " + waitText(t) +
            " (pc " + hex(t.pc) + ")";
    separator = "; ";
  }
  for (const BlockedCommand &c : d.commands) {
    text += separator + std::string(name(c.queue)) + " command " +
            std::to_string(c.ordinal) + " " + waitText(c, d.values);
    separator = "; ";
  }
  return text;
}

uint64_t TaskGroup::nextCycle() const {
  if (nextCommand)
    return nextCommand->startCycle;
  return nextSignaller ? nextSignaller->stepStartCycle() : 0;
}

Fault TaskGroup::completeNext() {
  leaveIfCancelled();
  if (nextCommand) {
    if (Fault f = completeCommand(nextCommand->queue))
      return f;
  } else if (nextSignaller) {
    if (Fault f = countEvent())
      return nextSignaller->fail(FaultSite::Limit, *f);
    nextSignaller->commitSignal();
  }
  return rest();
}

Fault TaskGroup::rest() {
  if (Fault f = runTecs())
    return f;
  if (Fault f = findNext())
    return f;
  // A TEC that spins goes on until its budget is used up.
  if (nextCommand || nextSignaller || canAnyRun())
    return std::nullopt;
  bool allEnded = std::all_of(runners.begin(), runners.end(),
                              [](auto &r) { return r->isEnded(); });
  if (!allEnded || !engines.isIdle())
    return deadlock();
  end();
  return std::nullopt;
}

void TaskGroup::end() {
  hasEnded = true;
  core.cycle = std::max(core.cycle, engines.lastCycle());
  for (auto &runner : runners)
    core.cycle = std::max(core.cycle, runner->cycles());
}

/// Execution starts behind a header that tells our programs from others.
static Fault readHeader(const Memory &memory, uint32_t startPc,
                        TextHeader &header) {
  if (startPc < kTextHeaderBytes ||
      !memory.read(startPc - kTextHeaderBytes, &header, sizeof header) ||
      std::memcmp(header.magic, kTextMagic, sizeof kTextMagic) != 0)
    return faultText("the program at ", hex(startPc),
                     " was not made by Yarrow; this simulator does not execute "
                     "programs of the Zhouyi instruction set");
  return std::nullopt;
}

Fault TaskGroup::start(std::span<const TaskBlock> tasks, CoreState &core,
                       std::unique_ptr<TaskGroup> &group) {
  TextHeader header = {}; // also without a task
  for (const TaskBlock &task : tasks)
    if (Fault f = readHeader(core.memory, task.startPc, header))
      return f;
  group.reset(new TaskGroup(tasks, header, core));
  return group->rest();
}
