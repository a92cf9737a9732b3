//===- TecTimingOf.h - A TEC's costs from the machine's file --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Translates a machine description into the costs of one of its TECs, which
// has its share of the DDR bus.
//
//   Tec tec(memory, port, {.timed = true, .timing = tecTimingOf(machine)});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_DEVICE_TECTIMINGOF_H
#define YARROW_SIMULATOR_DEVICE_TECTIMINGOF_H

#include "isa/Machine.h"
#include "simulator/tec/Timing.h"

namespace yarrow::sim {

TecTiming tecTimingOf(const isa::Machine &machine);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_DEVICE_TECTIMINGOF_H
