//===- TecRunner.cpp - A TEC and the task that it runs --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/device/TecRunner.h"

#include "simulator/device/ProgramMap.h"
#include "simulator/device/TecTimingOf.h"
#include "support/BreakCodes.h"

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

static TecOptions tecOptions(const CoreState &core) {
  TecOptions options;
  options.timed = core.isTimed;
  options.timing = tecTimingOf(core.machine);
  options.stopsAtSignal = true;
  return options;
}

TecRunner::TecRunner(CoreState &core, Counters &counters, Engines &engines,
                     uint32_t number, const TaskBlock &task,
                     const TextHeader &header)
    : core(core), counters(counters), engines(engines), number(number),
      tec(core.memory, *this, tecOptions(core)) {
  if (core.observer)
    tec.setWatcher(core.observer->watchTec(numberInChip(), tec));
  tec.reset(task.startPc);
  if (header.imageBytes != 0) {
    ProgramMap map(core.memory, header, task);
    tec.setMap(map.areasFor(number));
    auto [low, high] = map.stackOf(number);
    tec.setStack(low, high);
  }
  tec.setX(2, task.stack);
  const uint32_t arguments[] = {
      task.parameters, task.rodata,      task.privateData,      task.taskId,
      task.taskCount,  task.printBuffer, task.globalParameters, task.address};
  for (unsigned i = 0; i < 8; ++i)
    tec.setX(10 + i, arguments[i]);
  tec.setCycles(core.cycle);
  stepStart = mark();
}

TecRunner::~TecRunner() {
  if (core.observer)
    core.observer->tecDone(numberInChip());
}

TecRunner::Mark TecRunner::mark() const {
  Mark m;
  m.cycle = tec.cycles();
  m.traffic = tec.traffic();
  for (uint64_t count : tec.retiredByClass())
    m.instructions += count;
  return m;
}

void TecRunner::submit(uint32_t engine, uint32_t address, uint32_t sizeBytes) {
  keep(engines.submit(engine, address, sizeBytes, tec.cycles()));
}
void TecRunner::setBase(uint32_t region, uint32_t address) {
  keep(engines.setBase(region, address));
}

void TecRunner::setOrigin(uint32_t counter, uint32_t count) {
  keep(engines.setOrigin(counter, count));
}

bool TecRunner::wait(uint32_t counter, uint32_t count) {
  if (counter >= kNumCounters) {
    keep(faultText("npu.wait on counter ", counter));
    counter = unsigned(Unit::Tec);
    count = UINT32_MAX;
  }
  waitCounter = counter;
  waitCount = count;
  if (!counters.hasReached(counter, count))
    return false;
  if (!core.isTimed)
    return true;
  uint64_t reached = counters.cycleOf(counter, count);
  if (count != 0 && reached + core.machine.eventCycles > tec.cycles())
    tec.setCycles(reached + core.machine.eventCycles);
  stepStart = mark();
  return true;
}

void TecRunner::commitSignal() {
  state = State::Running;
  if (core.isTimed)
    chargeBus(stepStart);
  Mark now = mark();
  if (core.observer) {
    TecEvent event{};
    event.core = core.number;
    event.tec = numberInChip();
    event.step = step();
    event.startCycle = stepStart.cycle;
    event.endCycle = now.cycle;
    event.instructions = now.instructions - stepStart.instructions;
    const TecTraffic &a = stepStart.traffic, &b = now.traffic;
    event.ddrReadBytes = b.ddrReadBytes - a.ddrReadBytes;
    event.ddrWrittenBytes = b.ddrWrittenBytes - a.ddrWrittenBytes;
    event.sramReadBytes = b.sramReadBytes - a.sramReadBytes;
    event.sramWrittenBytes = b.sramWrittenBytes - a.sramWrittenBytes;
    core.observer->tecStep(event);
    engines.showMemory();
  }
  ++signals;
  stepStart = now;
  counters.increment(unsigned(Unit::Tec), now.cycle);
}

/// A TEC's own clock knows the time that its accesses take on an idle bus; what
/// others take of the bus comes on top.
void TecRunner::chargeBus(const Mark &before) {
  TecTraffic traffic = tec.traffic();
  uint64_t bytes = traffic.ddrReadBytes - before.traffic.ddrReadBytes +
                   traffic.ddrWrittenBytes - before.traffic.ddrWrittenBytes;
  uint64_t end =
      core.chain.bus.reserve(before.cycle, ddrCyclesOf(bytes, core.machine));
  if (end > tec.cycles())
    tec.setCycles(end);
}

bool TecRunner::canRun() const {
  return state == State::Running ||
         (state == State::Waiting &&
          counters.hasReached(waitCounter, waitCount));
}

Fault TecRunner::fail(FaultSite::Cause cause, uint32_t pc,
                      const std::string &text) {
  FaultSite &site = core.chain.faultSite;
  site = {};
  site.kind = FaultSite::Tec;
  site.cause = cause;
  site.core = core.number;
  site.tec = numberInChip();
  site.ordinal = step();
  site.pc = pc;
  return faultText("TEC ", numberInChip(), ": ", text);
}

Fault TecRunner::fail(FaultSite::Cause cause, const std::string &text) {
  return fail(cause, tec.pc(), text + " (pc " + hex(tec.pc()) + ")");
}

/// To stop and start a TEC costs the host more than an instruction.
static constexpr uint64_t kSliceEffort = 100;

Fault TecRunner::run(uint64_t maxInstructions) {
  uint64_t before = tec.retired(), effortBefore = tec.effort();
  TecStop stop = tec.run(std::min(core.chain.budget.left(), maxInstructions));
  uint64_t done = tec.retired() - before;
  uint64_t effort = tec.effort() - effortBefore + kSliceEffort;
  core.chain.instructions += done;
  restless += done;
  std::string atPc = " (pc " + hex(tec.pc()) + ")";
  if (portFault)
    return fail(engines.isFull() ? FaultSite::Limit : FaultSite::Program,
                tec.pc(), *portFault + atPc);
  switch (stop) {
  case TecStop::Ended:
    state = State::Ended;
    break;
  case TecStop::Waiting:
    state = State::Waiting;
    restless = 0;
    break;
  case TecStop::Signaled:
    state = State::Signaled;
    restless = 0;
    break;
  case TecStop::Budget:
    state = State::Running;
    break;
  case TecStop::Watch:
    return fail(FaultSite::Stopped, tec.pc(), "stopped" + atPc);
  case TecStop::Fault:
  case TecStop::Call: {
    const TecFault &f = tec.fault();
    if (f.kind == TecFault::Breakpoint && tec.x(17) == kIndexOutOfBounds)
      return fail(FaultSite::Program, f.pc,
                  "index " + std::to_string(int32_t(tec.x(10))) +
                      ", which was read from data, is out of bounds: the axis "
                      "has " +
                      std::to_string(tec.x(11)) + " elements");
    bool isMemory =
        f.kind == TecFault::BadAccess || f.kind == TecFault::BadStack;
    return fail(isMemory ? FaultSite::Memory : FaultSite::Program, f.pc,
                f.str());
  }
  }
  if (effort >= core.chain.budget.left() && state != State::Ended)
    return fail(FaultSite::Budget, tec.pc(),
                "the budget of " + std::to_string(core.chain.budget.given()) +
                    " units of work is used up" + atPc);
  core.chain.budget.spend(effort);
  return std::nullopt;
}

BlockedTec TecRunner::blocked() const {
  return {numberInChip(),
          step(),
          tec.pc(),
          waitCounter,
          counters.value(waitCounter),
          waitCount};
}
