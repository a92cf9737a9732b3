//===- FaultText.h - Why a job of the driver failed -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A device sees memory alone, so a fault is told by addresses. With
// YARROW_EXECUTABLES in the environment, paths with ':' between them, the one
// whose program it was is found by its bytes, and the fault is told by layer
// and line, as `yarrow run` does.
//
//   reportJobFault(device, "job 3", diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_DRIVER_FAULTTEXT_H
#define YARROW_API_DRIVER_FAULTTEXT_H

#include "simulator/device/Device.h"
#include "support/Diagnostics.h"

#include <string>

namespace yarrow::driver {

/// Reports the fault of \p device's last dispatch, which there is. \p job is
/// the place, if no executable is known.
void reportJobFault(sim::Device &device, const std::string &job,
                    DiagnosticEngine &diags);

} // namespace yarrow::driver

#endif // YARROW_API_DRIVER_FAULTTEXT_H
