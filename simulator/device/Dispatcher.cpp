//===- Dispatcher.cpp - Groups of tasks onto cores ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/device/Dispatcher.h"

#include "isa/ElfLayout.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::sim;

Dispatcher::Dispatcher(std::span<CoreState> cores, ChainState &chain,
                       ExecutionObserver *observer)
    : cores(cores), chain(chain), observer(observer), running(cores.size()) {}

Fault Dispatcher::begin(const TaskBlock &init) {
  if (mirror)
    return mirror->enterSpace(init.space0);
  if (init.space0 == 0)
    return std::nullopt;
  return faultText("address space 0 starts at ", hex(init.space0),
                   "; this device has it at 0");
}

/// Who wants to know the cycles of a run gets a timed one, if its first group
/// says so: clocks do not start in the middle.
void Dispatcher::noteProfile(const Group &group) {
  uint32_t address = group.tasks[0].profileBuffer;
  if (address == 0 || std::count(profiles.begin(), profiles.end(), address))
    return;
  profiles.push_back(address);
  if (group.number == 0)
    for (CoreState &core : cores)
      core.isTimed = true;
}

/// Nothing waits and nothing runs.
Fault Dispatcher::end() {
  isa::ProfileRecord record;
  record.cycles = lastEnd;
  record.instructions = chain.instructions;
  record.groups = numEnded;
  record.clockMhz = machine().clockMhz;
  for (uint32_t address : profiles)
    if (!cores[0].memory.write(address, &record, sizeof record))
      return faultText("the profile buffer at ", hex(address),
                       " is outside of memory");
  return mirror ? mirror->writeBack() : std::nullopt;
}

/// The tasks up to the end of a group, as the one that waits; none at the end
/// of the chain.
Fault Dispatcher::readGroup() {
  Group group;
  while (!blocks->isAtEnd()) {
    TaskBlock block;
    if (Fault f = blocks->next(block))
      return f;
    if (block.kind == TaskBlock::Grid)
      gridId = block.grid;
    if (block.kind == TaskBlock::Init)
      if (Fault f = begin(block))
        return f;
    if (!block.isTask())
      continue;
    group.tasks.push_back(block);
    if (group.tasks.size() > machine().tecs)
      return faultText("a group has more tasks than the ", machine().tecs,
                       " TECs of a core");
    if (!block.endsGroup())
      continue;
    group.number = numGroups++;
    group.core =
        (blocks->isContiguous() ? group.number : group.tasks[0].group) %
        uint32_t(cores.size());
    noteProfile(group);
    waiting = std::move(group);
    return std::nullopt;
  }
  if (!group.tasks.empty())
    return faultText("the task chain ends within a group");
  return std::nullopt;
}

bool Dispatcher::canDispatch() const {
  if (!waiting || running[waiting->core].group)
    return false;
  const TaskBlock &first = waiting->tasks[0];
  return std::none_of(running.begin(), running.end(), [&](const Running &r) {
    return r.group &&
           (first.waitsForAll() ||
            (first.waitsForPrevious() && r.number + 1 == waiting->number) ||
            std::count(first.awaitedGroups.begin(), first.awaitedGroups.end(),
                       r.id) != 0);
  });
}

Fault Dispatcher::dispatch() {
  Group group = std::move(*waiting);
  waiting.reset();
  CoreState &core = cores[group.core];
  const TaskBlock &first = group.tasks[0];
  core.cycle = std::max(core.cycle, lastStart);
  if (core.isTimed && group.number > 0) {
    uint64_t awaited = first.waitsForAll()        ? lastEnd
                       : first.waitsForPrevious() ? endOfPrevious
                                                  : 0;
    for (uint16_t id : first.awaitedGroups)
      if (auto it = endOf.find(id); it != endOf.end())
        awaited = std::max(awaited, it->second);
    if (awaited)
      core.cycle = std::max(core.cycle, awaited + machine().eventCycles);
  }
  lastStart = core.cycle;
  // No one asks for the bus at an earlier time any more.
  if (std::none_of(running.begin(), running.end(),
                   [](const Running &r) { return r.group != nullptr; }))
    chain.bus.forgetBefore(core.cycle);
  if (observer)
    observer->groupStarted(group.number, core.cycle);
  if (mirror)
    if (Fault f = mirror->fetch(group.tasks))
      return f;
  Running &place = running[group.core];
  place.number = group.number;
  place.id = first.group;
  text = first.startPc - isa::kTextHeaderBytes;
  if (Fault f = TaskGroup::start(group.tasks, core, place.group))
    return f;
  endIfDone(group.core);
  return std::nullopt;
}

void Dispatcher::endIfDone(uint32_t core) {
  Running &place = running[core];
  if (!place.group->isEnded())
    return;
  place.group.reset();
  uint64_t end = cores[core].cycle;
  lastEnd = std::max(lastEnd, end);
  endOf[place.id] = end;
  if (place.number + 1 == numGroups - (waiting ? 1 : 0))
    endOfPrevious = end;
  ++numEnded;
  if (observer)
    observer->groupEnded(place.number, end);
}

Fault Dispatcher::completeFirst() {
  uint32_t first = UINT32_MAX;
  for (uint32_t core = 0; core < running.size(); ++core)
    if (running[core].group &&
        (first == UINT32_MAX ||
         running[core].group->nextCycle() < running[first].group->nextCycle()))
      first = core;
  if (Fault f = running[first].group->completeNext())
    return f;
  endIfDone(first);
  return std::nullopt;
}

Fault Dispatcher::run(TaskChain &chainBlocks, MemoryMirror *itsMirror) {
  blocks = &chainBlocks;
  mirror = itsMirror;
  if (mirror)
    mirror->begin();
  for (;;) {
    if (!waiting)
      if (Fault f = readGroup())
        return f;
    bool isAnyRunning =
        std::any_of(running.begin(), running.end(),
                    [](const Running &r) { return r.group != nullptr; });
    if (canDispatch()) {
      if (Fault f = dispatch())
        return f;
    } else if (isAnyRunning) {
      if (Fault f = completeFirst())
        return f;
    } else {
      return end();
    }
  }
}
