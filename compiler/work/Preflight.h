//===- Preflight.h - Checks before work starts ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A misspelt target or a missing input is reported at once, and not after
// minutes of calibration. Commands run these checks before they read a network;
// the checks do not create or change anything.
//
//   auto machine = targetAt(flags.target, {"--target"}, diags);
//   if (!driver.files.canBeWritten(diags) || !machine)
//     return false;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_WORK_PREFLIGHT_H
#define YARROW_COMPILER_WORK_PREFLIGHT_H

#include "isa/Machine.h"
#include "support/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace yarrow {

/// isa::findTarget, with problems of the name at \p place.
std::optional<isa::Machine> targetAt(const std::string &nameOrPath,
                                     const Place &place,
                                     DiagnosticEngine &diags);

/// FileUnreadable for each that is no readable file. Empty paths are none.
bool canRead(const std::vector<std::string> &paths, DiagnosticEngine &diags);
/// The same; folders stand for the pictures in them.
bool canReadData(const std::vector<std::string> &paths,
                 DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_WORK_PREFLIGHT_H
