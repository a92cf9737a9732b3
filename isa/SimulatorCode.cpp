//===- SimulatorCode.cpp - The number of a target in a driver's words -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "isa/SimulatorCode.h"

#include "isa/DriverInterface.h"
#include "isa/SimulatorApi.h"

using namespace yarrow;
using namespace yarrow::isa;

/// Where version 3.2 has the number of cores, in four bits.
static constexpr unsigned kCoresShift = 8;

std::optional<int32_t> isa::simulatorCode(const Machine &machine) {
  constexpr uint32_t kContiguous = 0x80000000, kOneCluster = 1 << 12;
  if (blockFormatOf(machine.device.version) == BlockFormat::Contiguous)
    return int32_t(kContiguous | kOneCluster | machine.cores << kCoresShift |
                   machine.tensorEngines << 4 | machine.tecs);
  constexpr uint32_t kX2 = 5;
  if (machine.device.version != kX2 || machine.device.configuration != 1204)
    return std::nullopt;
  return machine.cores == 1   ? std::optional(YARROW_SIM_X2_1204)
         : machine.cores == 3 ? std::optional(YARROW_SIM_X2_1204MP3)
                              : std::nullopt;
}

uint32_t isa::coresOfSimulatorCode(int32_t code) {
  uint32_t cores = uint32_t(code) >> kCoresShift & 15;
  return cores ? cores : 1;
}
