//===- TimedHandlers.cpp - Charges for what a TEC executes ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// In timed mode every decoded instruction points first at charge<its class>,
// which then calls what executes it, so untimed runs pay nothing.
//
//===----------------------------------------------------------------------===//
#include "isa/Division.h"
#include "simulator/tec/Core.h"

#include <algorithm>
#include <cstring>

using namespace yarrow::sim;
using namespace yarrow::sim::tec;
using yarrow::isa::divideUp;

static void countBytes(Core *c, uint32_t address, uint64_t bytes, bool stores) {
  bool sram = Memory::isSram(address);
  TecTraffic &t = c->traffic;
  (stores ? sram ? t.sramWrittenBytes : t.ddrWrittenBytes
   : sram ? t.sramReadBytes
          : t.ddrReadBytes) += bytes;
}

/// A scalar load of DDR, through the line buffers.
static uint64_t ddrLoadCycles(Core *c, uint32_t address) {
  const TecTiming &timing = c->options.timing;
  // Line 0 is never in a buffer: tags are line numbers plus one.
  uint32_t tag = address / TecTiming::kLineBytes + 1;
  for (uint32_t &line : c->lines) {
    if (line == tag)
      return timing.sramLoad;
    if (line == tag - 1 && line != 0) {
      line = tag;
      return timing.sramLoad + TecTiming::kLineBytes / timing.ddrBytesPerCycle;
    }
  }
  c->lines[c->nextLine] = tag;
  c->nextLine = (c->nextLine + 1) % TecTiming::kStreams;
  return timing.ddrMiss;
}

/// Bytes that a scalar access moves, from its funct3 (in aux).
static unsigned scalarBytes(const Inst *i) { return 1u << (i->aux & 3); }

/// Elements below vl that v0 does not switch off.
static unsigned activeElements(const Core *c, const Inst *i) {
  if (i->vm)
    return c->vl;
  unsigned active = 0;
  for (unsigned k = 0; k < c->vl; k += 8) {
    unsigned lanes = std::min(8u, c->vl - k);
    active += __builtin_popcount(c->v[k / 8] & ((1u << lanes) - 1));
  }
  return active;
}

static uint64_t streamCycles(const Core *c, uint32_t address, uint64_t bytes) {
  const TecTiming &timing = c->options.timing;
  return timing.vmemStart + divideUp(bytes, Memory::isSram(address)
                                                ? timing.sramBytesPerCycle
                                                : timing.ddrBytesPerCycle);
}

/// vl elements of \p widthLog2 through the datapath.
static uint64_t passCycles(const Core *c, unsigned widthLog2) {
  return std::max<uint64_t>(1, divideUp(uint64_t(c->vl) << widthLog2,
                                        c->options.timing.datapathBytes));
}

/// A gather or strided access of \p bytesEach; on DDR each element also takes
/// its share of the bus.
static uint64_t scatteredCycles(const Core *c, uint32_t address, unsigned count,
                                unsigned bytesEach) {
  const TecTiming &timing = c->options.timing;
  uint64_t issue = divideUp(count, timing.elementsPerCycle);
  uint64_t bus = Memory::isSram(address) ? 0
                                         : divideUp(uint64_t(count) * bytesEach,
                                                    timing.ddrBytesPerCycle);
  return timing.vmemStart + std::max(issue, bus);
}

static unsigned log2Ceil(unsigned n) {
  return n <= 1 ? 0 : 32 - __builtin_clz(n - 1);
}

template <Cost C> static uint64_t memoryCycles(Core *c, const Inst *i) {
  constexpr bool kStores = C == Cost::VStore || C == Cost::VStoreSeg ||
                           C == Cost::VStoreMask || C == Cost::VStoreWhole ||
                           C == Cost::VStoreStrided || C == Cost::VStoreIndexed;
  uint32_t address = c->x[i->rs1];
  unsigned bytesEach = i->fields() << i->eewLog2();
  if constexpr (C == Cost::VLoadMask || C == Cost::VStoreMask) {
    uint64_t bytes = divideUp(c->vl, 8);
    countBytes(c, address, bytes, kStores);
    return streamCycles(c, address, bytes);
  } else if constexpr (C == Cost::VLoadWhole || C == Cost::VStoreWhole) {
    uint64_t bytes = i->fields() * kVlenBytes;
    countBytes(c, address, bytes, kStores);
    return streamCycles(c, address, bytes);
  } else if constexpr (C == Cost::VLoadIndexed || C == Cost::VStoreIndexed) {
    // Data has SEW; the encoded width is the index's. All elements are taken
    // to lie in the memory of the first.
    bytesEach = i->fields() << (c->sew & 3);
    unsigned count = activeElements(c, i);
    uint32_t first = 0;
    std::memcpy(&first, c->v + i->rs2 * kVlenBytes,
                std::min(4u, 1u << i->eewLog2()));
    countBytes(c, address + first, uint64_t(count) * bytesEach, kStores);
    return scatteredCycles(c, address + first, count * i->fields(),
                           1u << (c->sew & 3));
  } else if constexpr (C == Cost::VLoadStrided || C == Cost::VStoreStrided) {
    unsigned count = activeElements(c, i);
    countBytes(c, address, uint64_t(count) * bytesEach, kStores);
    return scatteredCycles(c, address, count * i->fields(), 1u << i->eewLog2());
  } else {
    uint64_t bytes = uint64_t(activeElements(c, i)) * bytesEach;
    countBytes(c, address, bytes, kStores);
    uint64_t cycles = streamCycles(c, address, bytes);
    // Segments are transposed element by element on the way.
    if constexpr (C == Cost::VLoadSeg || C == Cost::VStoreSeg)
      cycles = std::max<uint64_t>(cycles,
                                  divideUp(uint64_t(c->vl) * i->fields(),
                                           c->options.timing.elementsPerCycle));
    return cycles;
  }
}

template <Cost C> static uint64_t cyclesOf(Core *c, const Inst *i) {
  const TecTiming &timing = c->options.timing;
  unsigned sew = c->sew & 3;
  if constexpr (C == Cost::Alu || C == Cost::Branch || C == Cost::Jump ||
                C == Cost::Fence)
    return timing.alu;
  else if constexpr (C == Cost::Mul)
    return timing.mul;
  else if constexpr (C == Cost::Div)
    return timing.div;
  else if constexpr (C == Cost::Fp)
    return timing.fp;
  else if constexpr (C == Cost::FpDiv)
    return timing.fpDiv;
  else if constexpr (C == Cost::Csr)
    return timing.csr;
  else if constexpr (C == Cost::Npu)
    return timing.npu;
  else if constexpr (C == Cost::Load || C == Cost::Amo) {
    uint32_t address =
        C == Cost::Amo ? c->x[i->rs1] : addressOf(c, c->readable, i);
    countBytes(c, address, scalarBytes(i), false);
    if (C == Cost::Amo)
      countBytes(c, address, scalarBytes(i), true);
    if (Memory::isSram(address))
      return timing.sramLoad;
    return C == Cost::Amo ? timing.ddrMiss : ddrLoadCycles(c, address);
  } else if constexpr (C == Cost::Store) {
    countBytes(c, addressOf(c, c->writable, i), scalarBytes(i), true);
    return timing.store;
  } else if constexpr (C == Cost::VSet)
    return timing.vset;
  else if constexpr (C == Cost::VMove)
    return timing.vmove;
  else if constexpr (C == Cost::VMask)
    return 1;
  else if constexpr (C == Cost::VMoveWhole)
    return divideUp(uint64_t(i->rs1 + 1) * kVlenBytes, timing.datapathBytes);
  else if constexpr (C == Cost::VAlu || C == Cost::VFp || C == Cost::VSlide)
    return passCycles(c, sew);
  else if constexpr (C == Cost::VWide || C == Cost::VWideFp)
    return passCycles(c, sew + 1);
  else if constexpr (C == Cost::VDiv)
    return std::max<uint64_t>(
        timing.vdivCyclesPerElement,
        divideUp(uint64_t(c->vl) * timing.vdivCyclesPerElement,
                 std::max(1u, timing.datapathBytes / 8)));
  else if constexpr (C == Cost::VReduce)
    return passCycles(c, sew) + log2Ceil(timing.datapathBytes >> sew);
  else if constexpr (C == Cost::VReduceOrdered)
    return uint64_t(timing.fp) * std::max(1u, c->vl);
  else if constexpr (C == Cost::VGather)
    return passCycles(c, sew) * passCycles(c, sew);
  else
    return memoryCycles<C>(c, i);
}

/// Classes whose instructions take the host some nanoseconds per element.
static constexpr bool isElementwise(Cost cost) {
  switch (cost) {
  case Cost::VDiv:
  case Cost::VReduceOrdered:
  case Cost::VGather:
  case Cost::VLoadSeg:
  case Cost::VStoreSeg:
  case Cost::VLoadStrided:
  case Cost::VStoreStrided:
  case Cost::VLoadIndexed:
  case Cost::VStoreIndexed:
    return true;
  default:
    return false;
  }
}
/// Two instructions' time per element.
static void countElements(Core *c) { c->work += uint64_t(c->vl) * 32; }

static TEC_HANDLER elementwise(TEC_PARAMS) {
  countElements(c);
  [[clang::musttail]] return i->exec(c, i, block, left);
}
Handler tec::elementwiseHandler(Cost cost) {
  return isElementwise(cost) ? elementwise : nullptr;
}

template <Cost C> static TEC_HANDLER charge(TEC_PARAMS) {
  if constexpr (isElementwise(C))
    countElements(c);
  c->cycles += cyclesOf<C>(c, i);
  ++c->classCounts[unsigned(C)];
  [[clang::musttail]] return i->exec(c, i, block, left);
}

template <unsigned... Costs>
static Handler pick(Cost cost, std::integer_sequence<unsigned, Costs...>) {
  static constexpr Handler kTable[] = {charge<Cost(Costs)>...};
  return kTable[unsigned(cost)];
}

Handler tec::timedHandler(Cost cost) {
  return pick(cost, std::make_integer_sequence<unsigned, kNumCosts>());
}
