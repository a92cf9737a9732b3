//===- TecTimingOf.cpp - A TEC's costs from the machine's file ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/device/TecTimingOf.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::sim;

TecTiming sim::tecTimingOf(const isa::Machine &machine) {
  TecTiming timing;
  timing.takenBranchExtra = machine.tec.takenBranchCycles;
  timing.mul = machine.tec.multiplyCycles;
  timing.div = timing.fpDiv = machine.tec.divideCycles;
  timing.fp = machine.tec.floatCycles;
  timing.sramLoad = machine.tec.sramLoadCycles;
  timing.ddrMiss = machine.ddrLatencyCycles;
  timing.datapathBytes = machine.tec.vectorDatapathBits / 8;
  timing.sramBytesPerCycle =
      std::min(timing.datapathBytes, machine.sramBytesPerCycle);
  timing.ddrBytesPerCycle =
      std::max(1u, machine.ddrBytesPerCycle / std::max(1u, machine.tecs));
  timing.elementsPerCycle = machine.tec.gatherElementsPerCycle;
  return timing;
}
