//===- TaskGroup.cpp - The tasks of a group, run together -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/device/TaskGroup.h"

#include "isa/ElfLayout.h"
#include "simulator/device/TecTimingOf.h"
#include <cstring>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

/// A TEC that spins on memory lets others run after this many instructions.
static constexpr uint64_t kSliceInstructions = 1 << 20;

namespace {

class TaskGroup;

/// A TEC with the task it runs.
class Runner final : public TecPort {
public:
  Runner(TaskGroup &group, uint32_t number, const TaskBlock &task);

  void submit(uint32_t engine, uint32_t address, uint32_t sizeBytes) override;
  void setBase(uint32_t region, uint32_t address) override;
  bool wait(uint32_t counter, uint32_t count) override;
  void signal() override;

  bool isEnded() const { return ended; }
  bool canRun() const;
  /// False if the TEC could not do anything.
  Fault run(bool &progress);
  std::string describeWait() const;
  Tec &core() { return tec; }
  uint32_t tecNumber() const { return number; }
  uint32_t stepNumber() const { return step; }

private:
  struct Mark {
    uint64_t cycle = 0, instructions = 0;
    TecTraffic traffic;
  };
  Mark mark() const;
  void chargeBus(const Mark &before);
  void keep(Fault f) {
    if (f && !portFault)
      portFault = std::move(f);
  }

  TaskGroup &group;
  uint32_t number;
  Tec tec;
  bool ended = false, waiting = false;
  uint32_t waitCounter = 0, waitCount = 0;
  uint32_t step = 0;
  Mark stepStart;
  Fault portFault;
};

class TaskGroup {
public:
  TaskGroup(std::span<const TaskBlock> tasks, CoreState &core);
  Fault run();

  CoreState &core;
  Counters counters;
  Engines engines;

private:
  Fault deadlock() const;
  std::vector<std::unique_ptr<Runner>> runners;
};

} // namespace

Runner::Runner(TaskGroup &group, uint32_t number, const TaskBlock &task)
    : group(group), number(number),
      tec(group.core.memory, *this,
          {group.core.isTimed, tecTimingOf(group.core.machine)}) {
  tec.reset(task.startPc);
  tec.setX(2, task.stack);
  const uint32_t arguments[] = {
      task.parameters, task.rodata,      task.privateData,      task.taskId,
      task.taskCount,  task.printBuffer, task.globalParameters, task.address};
  for (unsigned i = 0; i < 8; ++i)
    tec.setX(10 + i, arguments[i]);
  tec.setCycles(group.core.cycle);
  stepStart = mark();
}

Runner::Mark Runner::mark() const {
  Mark m;
  m.cycle = tec.cycles();
  m.traffic = tec.traffic();
  for (uint64_t count : tec.retiredByClass())
    m.instructions += count;
  return m;
}

void Runner::submit(uint32_t engine, uint32_t address, uint32_t sizeBytes) {
  keep(group.engines.submit(engine, address, sizeBytes, tec.cycles()));
}
void Runner::setBase(uint32_t region, uint32_t address) {
  keep(group.engines.setBase(region, address));
}

bool Runner::wait(uint32_t counter, uint32_t count) {
  if (counter >= kNumCounters) {
    keep(faultText("npu.wait on counter ", counter));
    counter = kTecCounter;
    count = UINT32_MAX;
  }
  waitCounter = counter;
  waitCount = count;
  waiting = !group.counters.hasReached(counter, count);
  if (waiting)
    return false;
  if (!group.core.isTimed)
    return true;
  uint64_t reached = group.counters.cycleOf(counter, count);
  if (count != 0 && reached + group.core.machine.eventCycles > tec.cycles())
    tec.setCycles(reached + group.core.machine.eventCycles);
  stepStart = mark();
  return true;
}

void Runner::signal() {
  if (group.core.isTimed)
    chargeBus(stepStart);
  Mark now = mark();
  if (group.core.observer) {
    TecEvent event{};
    event.tec = number;
    event.step = step;
    event.startCycle = stepStart.cycle;
    event.endCycle = now.cycle;
    event.instructions = now.instructions - stepStart.instructions;
    const TecTraffic &a = stepStart.traffic, &b = now.traffic;
    event.ddrReadBytes = b.ddrReadBytes - a.ddrReadBytes;
    event.ddrWrittenBytes = b.ddrWrittenBytes - a.ddrWrittenBytes;
    event.sramReadBytes = b.sramReadBytes - a.sramReadBytes;
    event.sramWrittenBytes = b.sramWrittenBytes - a.sramWrittenBytes;
    group.core.observer->tecStep(event);
  }
  ++step;
  stepStart = now;
  group.counters.increment(kTecCounter, now.cycle);
}

/// A TEC's own clock knows the time that its accesses take on an idle bus; what
/// others take of the bus comes on top.
void Runner::chargeBus(const Mark &before) {
  TecTraffic traffic = tec.traffic();
  uint64_t bytes = traffic.ddrReadBytes - before.traffic.ddrReadBytes +
                   traffic.ddrWrittenBytes - before.traffic.ddrWrittenBytes;
  uint64_t width = group.core.machine.ddrBytesPerCycle;
  uint64_t end =
      group.core.bus.reserve(before.cycle, (bytes + width - 1) / width);
  if (end > tec.cycles())
    tec.setCycles(end);
}

bool Runner::canRun() const {
  return !ended &&
         (!waiting || group.counters.hasReached(waitCounter, waitCount));
}

Fault Runner::run(bool &progress) {
  if (!canRun())
    return std::nullopt;
  progress = true;
  CoreState &core = group.core;
  uint64_t before = tec.retired();
  TecStop stop = tec.run(std::min(core.budget, kSliceInstructions));
  uint64_t done = tec.retired() - before;
  core.instructions += done;
  if (portFault)
    return faultText("TEC ", number, ": ", *portFault, " (pc ", hex(tec.pc()),
                     ")");
  if (stop == TecStop::Fault)
    return faultText("TEC ", number, ": ", tec.fault().str());
  ended = stop == TecStop::Ended;
  if (done >= core.budget && !ended)
    return faultText("TEC ", number, ": the instruction budget is used up (pc ",
                     hex(tec.pc()), ")");
  core.budget -= std::min(done, core.budget);
  return std::nullopt;
}

std::string Runner::describeWait() const {
  std::ostringstream os;
  os << "TEC " << number << " waits for " << counterName(waitCounter)
     << " >= " << waitCount << " (pc " << hex(tec.pc()) << ")";
  return os.str();
}

TaskGroup::TaskGroup(std::span<const TaskBlock> tasks, CoreState &core)
    : core(core), counters(core.isTimed),
      engines(core.machine, core.memory, core.tensor, counters, core.bus,
              core.isTimed, core.observer) {
  engines.start(core.cycle);
  for (const TaskBlock &task : tasks)
    runners.push_back(
        std::make_unique<Runner>(*this, uint32_t(runners.size()), task));
}

Fault TaskGroup::deadlock() const {
  std::ostringstream os;
  os << "deadlock: ";
  const char *separator = "";
  for (const auto &runner : runners)
    if (!runner->isEnded()) {
      os << separator << runner->describeWait();
      separator = "; ";
    }
  os << engines.describeHeads() << "; completed:";
  for (unsigned i = 0; i < kNumCounters; ++i)
    os << (i ? ", " : " ") << counterName(i) << ' ' << counters.value(i);
  return os.str();
}

Fault TaskGroup::run() {
  for (;;) {
    bool progress = false;
    for (auto &runner : runners)
      if (Fault f = runner->run(progress)) {
        core.faultSite = {
            FaultSite::Tec, {}, runner->tecNumber(), runner->stepNumber()};
        return f;
      }
    uint64_t effort = engines.effort();
    bool engineProgress = true;
    while (engineProgress) {
      if (Fault f = engines.step(engineProgress)) {
        core.faultSite = engines.faultSite();
        return f;
      }
      progress |= engineProgress;
    }
    effort = engines.effort() - effort;
    if (effort >= core.budget)
      return faultText("the instruction budget is used up by engine commands");
    core.budget -= effort;
    if (progress)
      continue;
    bool allEnded = std::all_of(runners.begin(), runners.end(),
                                [](auto &r) { return r->isEnded(); });
    if (!allEnded || !engines.isIdle())
      return deadlock();
    break;
  }
  core.cycle = std::max(core.cycle, engines.lastCycle());
  for (auto &runner : runners)
    core.cycle = std::max(core.cycle, runner->core().cycles());
  return std::nullopt;
}

/// Execution starts behind a header that tells our programs from others.
static Fault checkProgram(const Memory &memory, uint32_t startPc) {
  char magic[sizeof kTextMagic];
  if (startPc < kTextHeaderBytes ||
      !memory.read(startPc - kTextHeaderBytes, magic, sizeof magic) ||
      std::memcmp(magic, kTextMagic, sizeof magic) != 0)
    return faultText("the program at ", hex(startPc),
                     " was not made by Yarrow; this simulator does not execute "
                     "programs of the Zhouyi instruction set");
  return std::nullopt;
}

Fault sim::runTaskGroup(std::span<const TaskBlock> tasks, CoreState &core) {
  for (const TaskBlock &task : tasks)
    if (Fault f = checkProgram(core.memory, task.startPc))
      return f;
  return TaskGroup(tasks, core).run();
}
