//===- Build.h - yarrow build -----------------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The whole way by one configuration file, or by a model with samples.
//
//   BuildFlags flags;
//   flags.config = "net.cfg";
//   bool ok = runBuild(flags, driver);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_BUILD_H
#define YARROW_COMPILER_COMMANDS_BUILD_H

#include "compiler/commands/BuildFlags.h"
#include "compiler/driver/Driver.h"

namespace yarrow {

/// False after errors, or if the executable computes something else than the
/// integer network.
bool runBuild(const BuildFlags &flags, Driver &driver);

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_BUILD_H
