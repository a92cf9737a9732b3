//===- Engines.cpp - The three command queues of a core -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/device/Engines.h"

#include <cstring>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

/// Lists that a queue holds. Programs of ours submit one to each for a block of
/// commands, and the next when that is done.
static constexpr size_t kMaxLists = 1 << 16;

Engines::~Engines() { core.tensor.loads().forgetAll(); }

void Engines::useConstants(uint64_t sramDataEnd) {
  core.tensor.useConstants(regions.constants.begin, regions.constants.end);
  // An address below the SRAM, of a malformed program, leaves none of it.
  core.tensor.loads().setLimit(
      sramDataEnd - std::min<uint64_t>(sramDataEnd, Memory::kSramBase));
}

Engines::Engines(CoreState &core, Counters &counters)
    : core(core), counters(counters), last(core.cycle) {
  for (unsigned i = 0; i < kNumQueues; ++i) {
    uint32_t channels = core.machine.channelsOf(isa::Unit(i));
    queues[i].channelFree.assign(std::max(1u, channels), core.cycle);
    queues[i].lastStart = queues[i].lastCompletion = core.cycle;
  }
}

Fault Engines::submit(uint32_t queue, uint32_t address, uint32_t sizeBytes,
                      uint64_t cycle) {
  if (queue >= kNumQueues)
    return faultText("npu.submit to queue ", queue);
  if (sizeBytes % 4 != 0 || address % 4 != 0 ||
      !core.memory.at(address, sizeBytes))
    return faultText("npu.submit of a list at ", hex(address), " of ",
                     sizeBytes, " bytes, which is not in memory");
  if (queues[queue].lists.size() == kMaxLists) {
    overflows = true;
    return faultText("npu.submit of a list to the ", name(isa::Unit(queue)),
                     " queue, which holds ", kMaxLists, " already");
  }
  if (sizeBytes != 0)
    queues[queue].lists.push_back({address, sizeBytes / 4, cycle, origin});
  return std::nullopt;
}

Fault Engines::setOrigin(uint32_t counter, uint32_t count) {
  if (counter >= kNumCounters)
    return faultText("npu.setorigin of counter ", counter);
  origin[counter] = count;
  return std::nullopt;
}

Fault Engines::setBase(uint32_t region, uint32_t address) {
  if (region >= kMaxRegions || region == kSramRegion)
    return faultText("npu.setbase of region ", region);
  regions.base[region] = address;
  return std::nullopt;
}

Fault Engines::decodeHead(unsigned index) {
  Queue &queue = queues[index];
  const List &list = queue.lists.front();
  // An encoded length has 8 bits.
  uint32_t words[256];
  uint32_t available = std::min<uint32_t>(list.words, 256);
  if (Memory::isSram(list.address))
    core.tensor.loads().readAll();
  if (!core.memory.read(list.address, words, available * 4))
    return faultText("descriptor at ", hex(list.address),
                     " is outside of memory");
  queue.headWords = descriptorWords(words[0]);
  std::optional<AnyDescriptor> head = decode({words, available});
  if (!head || queue.headWords == 0)
    return faultText("illegal descriptor at ", hex(list.address),
                     ", first word ", hex(words[0]));
  if (engineOf(*head) != engineOf(isa::Unit(index)))
    return faultText("descriptor at ", hex(list.address), " is a ",
                     mnemonicOf(*head), " on the ", name(isa::Unit(index)),
                     " queue");
  queue.head = *head;
  // 0 waits for nothing, wherever the count begins.
  for (unsigned i = 0; i < kNumCounters; ++i) {
    uint32_t wait = waitsOf(*head)[i];
    queue.headWaits[i] = wait ? wait + list.origin[i] : 0;
  }
  queue.hasHead = true;
  return std::nullopt;
}

uint64_t Engines::startCycle(const Queue &queue, uint64_t &ready) const {
  const Waits &waits = queue.headWaits;
  ready = queue.lists.front().submitCycle;
  for (unsigned i = 0; i < kNumCounters; ++i)
    if (waits[i])
      ready = std::max(ready, counters.cycleOf(i, waits[i]) +
                                  core.machine.eventCycles);
  uint64_t channelFree =
      *std::min_element(queue.channelFree.begin(), queue.channelFree.end());
  return std::max({ready, channelFree, queue.lastStart});
}

Fault Engines::firstReady(std::optional<ReadyCommand> &command) {
  command.reset();
  for (unsigned i = 0; i < kNumQueues; ++i) {
    Queue &queue = queues[i];
    if (queue.lists.empty())
      continue;
    if (!queue.hasHead)
      if (Fault f = decodeHead(i)) {
        site = siteOf(i);
        return f;
      }
    if (!counters.hasReached(queue.headWaits))
      continue;
    uint64_t ready = 0;
    uint64_t start = core.isTimed ? startCycle(queue, ready) : 0;
    if (!command || start < command->startCycle)
      command = {i, start};
  }
  return std::nullopt;
}

FaultSite Engines::siteOf(unsigned queue) const {
  FaultSite result;
  result.kind = FaultSite::Engine;
  result.core = core.number;
  result.queue = isa::Unit(queue);
  result.ordinal = queues[queue].completed;
  result.descriptorOffset =
      queues[queue].lists.front().address - descriptorsAddress;
  return result;
}

Fault Engines::runHead(unsigned index) {
  return std::visit(
      [&](const auto &command) -> Fault {
        if constexpr (std::decay_t<decltype(command)>::kEngine == Engine::Dma) {
          if (command.streamBytes != 0 && !core.machine.hasWeightDecoder())
            return Fault("copy: a weight stream, and " + core.machine.name +
                         " has no weight decoder");
          return executeCopy(command, regions, core.memory, &core.chain.budget,
                             &core.tensor.loads());
        } else {
          return core.tensor.execute(command, &core.chain.budget);
        }
      },
      queues[index].head);
}

/// The host's work is bounded by the budget, a made-up command's cycles are not
/// (a window far larger than its tensor costs the machine, and the host
/// nothing). Clocks must not overflow, which runs backwards.
static void limitCycles(CommandCost &cost) {
  constexpr uint64_t kMost = uint64_t(1) << 40;
  for (uint64_t *cycles :
       {&cost.startCycles, &cost.computeCycles, &cost.sramCycles,
        &cost.exposedCycles, &cost.ddrCycles})
    *cycles = std::min(*cycles, kMost);
}

void Engines::account(unsigned index) {
  Queue &queue = queues[index];
  EngineEvent event{};
  event.cost = costOf(queue.head, core.machine);
  limitCycles(event.cost);
  if (core.isTimed) {
    event.startCycle = startCycle(queue, event.readyCycle);
    auto channel =
        std::min_element(queue.channelFree.begin(), queue.channelFree.end());
    event.channel = uint32_t(channel - queue.channelFree.begin());
    uint64_t first = event.startCycle + event.cost.startCycles;
    event.endCycle =
        std::max(first + event.cost.busyCycles(),
                 core.chain.bus.reserve(first, event.cost.ddrCycles));
    *channel = event.endCycle;
    queue.lastStart = event.startCycle;
    queue.lastCompletion = std::max(queue.lastCompletion, event.endCycle);
    last = std::max(last, event.endCycle);
  }
  if (!core.observer)
    return;
  event.core = core.number;
  event.queue = isa::Unit(index);
  event.ordinal = queue.completed;
  event.descriptorOffset = queue.lists.front().address - descriptorsAddress;
  event.descriptor = &queue.head;
  core.observer->engineCommand(event);
  showMemory();
}

void Engines::showMemory() {
  if (!core.observer->looks())
    return;
  core.tensor.loads().readAll();
  core.observer->lookAt({core.number, core.memory, regions.base});
}

bool Engines::isStoppedBefore(unsigned index) {
  if (core.observer->looks())
    core.tensor.loads().readAll();
  uint64_t ready = 0;
  uint64_t start = core.isTimed ? startCycle(queues[index], ready) : 0;
  return core.observer->stopsBefore({siteOf(index), &queues[index].head, start},
                                    {core.number, core.memory, regions.base});
}

Fault Engines::execute(unsigned index) {
  Queue &queue = queues[index];
  List &list = queue.lists.front();
  site = siteOf(index);
  if (core.observer && isStoppedBefore(index)) {
    site.cause = FaultSite::Stopped;
    return faultText("stopped before ", name(isa::Unit(index)), " command ",
                     queue.completed);
  }
  if (Fault f = runHead(index)) {
    if (core.chain.budget.isExceeded())
      site.cause = FaultSite::Budget;
    return faultText(name(isa::Unit(index)), " command ", queue.completed,
                     " at ", hex(list.address), ": ", *f);
  }
  account(index);
  ++queue.completed;
  counters.increment(index, queue.lastCompletion);
  queue.hasHead = false;
  list.address += queue.headWords * 4;
  list.words -= queue.headWords;
  if (list.words == 0)
    queue.lists.pop_front();
  return std::nullopt;
}

bool Engines::isIdle() const {
  return std::all_of(queues.begin(), queues.end(),
                     [](const Queue &q) { return q.lists.empty(); });
}

std::vector<BlockedCommand> Engines::blocked() const {
  std::vector<BlockedCommand> commands;
  for (unsigned i = 0; i < kNumQueues; ++i)
    if (const Queue &queue = queues[i]; queue.hasHead)
      commands.push_back({isa::Unit(i), queue.completed,
                          queue.lists.front().address,
                          siteOf(i).descriptorOffset, queue.headWaits});
  return commands;
}
