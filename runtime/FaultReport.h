//===- FaultReport.h - Why a device stopped, in terms of the network ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A device knows addresses and counters. With what an executable tells about
// its origin, they become functions, layers and lines of the IR.
//
//   if (const DeviceFault *fault = device.wait())
//     reportFault(executable, *fault, textAddress, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_FAULTREPORT_H
#define YARROW_RUNTIME_FAULTREPORT_H

#include "runtime/Device.h"
#include "runtime/Executable.h"

namespace yarrow::runtime {

/// SimulatorFault, MemoryFault, InstructionLimit or DeviceLimit; of a deadlock,
/// which reportFault() tells in its own words, SimulatorFault.
DiagId faultCode(sim::FaultSite::Cause cause);

/// Reports SimulatorFault, MemoryFault, InstructionLimit, DeviceLimit or
/// Deadlock. \p textAddress is where .text was loaded.
void reportFault(const Executable &executable, const DeviceFault &fault,
                 uint32_t textAddress, DiagnosticEngine &diags);

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_FAULTREPORT_H
