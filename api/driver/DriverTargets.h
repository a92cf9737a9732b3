//===- DriverTargets.h - Which machine a driver asks for --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The driver gives a number for the target: X2_1204 and X2_1204MP3 have their
// own; from version 3.2 on, it states the number of cores, tensor engines and
// TECs. YARROW_TARGET in the environment, the name or the file of a machine,
// replaces it: "what if the SRAM were twice as big?" can then be asked for an
// application, too.
//
//   std::optional<isa::Machine> machine = machineOf(config.code, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_DRIVER_DRIVERTARGETS_H
#define YARROW_API_DRIVER_DRIVERTARGETS_H

#include "isa/Machine.h"

namespace yarrow::driver {

/// Nothing after TargetInvalid.
std::optional<isa::Machine> machineOf(int32_t code, DiagnosticEngine &diags);

} // namespace yarrow::driver

#endif // YARROW_API_DRIVER_DRIVERTARGETS_H
