//===- FaultText.h - Why a job of the driver failed -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A device sees only memory, so it reports a fault by addresses.
// YARROW_EXECUTABLES in the environment lists paths, separated by ':'. If the
// bytes of a program match one of these executables, the fault is reported by
// layer and line, as by `yarrow run`.
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

/// Reports the fault of \p device's last dispatch, which must exist. \p job is
/// the place if no executable is known.
void reportJobFault(sim::Device &device, const std::string &job,
                    DiagnosticEngine &diags);

} // namespace yarrow::driver

#endif // YARROW_API_DRIVER_FAULTTEXT_H
