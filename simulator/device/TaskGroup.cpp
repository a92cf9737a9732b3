//===- TaskGroup.cpp - The tasks of a group, run together -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/device/TaskGroup.h"

#include "simulator/device/ProgramMap.h"
#include "simulator/device/TecRunner.h"
#include <algorithm>
#include <cstring>
#include <memory>
#include <random>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

/// Commands and signals of a run. A network of a thousand layers has some ten
/// thousand.
static constexpr uint64_t kMaxEvents = 1 << 20;

namespace {
class TaskGroup {
public:
  TaskGroup(std::span<const TaskBlock> tasks, const TextHeader &header,
            CoreState &core);
  Fault run();

private:
  Fault runTecs();
  Fault completeFirst(bool &progress);
  Fault completeCommand(unsigned queue);
  Fault countEvent();
  Fault deadlock();
  bool canAnyRun() const;

  CoreState &core;
  Counters counters;
  Engines engines;
  std::vector<std::unique_ptr<TecRunner>> runners;
  std::vector<TecRunner *> order;
  std::mt19937_64 random;
};
} // namespace

TaskGroup::TaskGroup(std::span<const TaskBlock> tasks, const TextHeader &header,
                     CoreState &core)
    : core(core), counters(core.isTimed),
      engines(core.machine, core.memory, core.tensor, counters, core.bus,
              core.budget, core.isTimed, core.observer),
      random(core.schedule.seed) {
  engines.start(core.cycle);
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
  core.faultSite = engines.siteOf(queue);
  core.faultSite.cause = cause;
  return fault;
}

/// Each takes memory in counters, reports and traces.
Fault TaskGroup::countEvent() {
  if (core.events++ < kMaxEvents)
    return std::nullopt;
  return faultText("the program executes more than ", kMaxEvents,
                   " commands and signals in one run");
}

Fault TaskGroup::completeFirst(bool &progress) {
  std::optional<Engines::ReadyCommand> command;
  if (Fault f = engines.firstReady(command)) {
    core.faultSite = engines.faultSite();
    return f;
  }
  TecRunner *signaller = nullptr;
  for (auto &runner : runners)
    if (runner->hasSignal() &&
        (!signaller || runner->stepStartCycle() < signaller->stepStartCycle()))
      signaller = runner.get();
  progress = command || signaller;
  if (command &&
      (!signaller || command->startCycle <= signaller->stepStartCycle()))
    return completeCommand(command->queue);
  if (!signaller)
    return std::nullopt;
  if (Fault f = countEvent())
    return signaller->fail(FaultSite::Limit, *f);
  signaller->commitSignal();
  return std::nullopt;
}

Fault TaskGroup::deadlock() {
  Deadlock &d = core.deadlock;
  d = {};
  for (const auto &runner : runners)
    if (!runner->isEnded())
      d.tecs.push_back(runner->blocked());
  d.commands = engines.blocked();
  for (unsigned i = 0; i < kNumCounters; ++i)
    d.values[i] = counters.value(i);
  core.faultSite = {};
  core.faultSite.cause = FaultSite::Deadlock;
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

Fault TaskGroup::run() {
  for (;;) {
    if (Fault f = runTecs())
      return f;
    bool progress = false;
    if (Fault f = completeFirst(progress))
      return f;
    // A TEC that spins goes on until its budget is used up.
    if (progress || canAnyRun())
      continue;
    bool allEnded = std::all_of(runners.begin(), runners.end(),
                                [](auto &r) { return r->isEnded(); });
    if (!allEnded || !engines.isIdle())
      return deadlock();
    break;
  }
  core.cycle = std::max(core.cycle, engines.lastCycle());
  for (auto &runner : runners)
    core.cycle = std::max(core.cycle, runner->cycles());
  return std::nullopt;
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

Fault sim::runTaskGroup(std::span<const TaskBlock> tasks, CoreState &core) {
  TextHeader header = {}; // also without a task
  for (const TaskBlock &task : tasks)
    if (Fault f = readHeader(core.memory, task.startPc, header))
      return f;
  return TaskGroup(tasks, header, core).run();
}
