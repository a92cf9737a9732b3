//===- BuildSettings.h - The configuration of a build -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A file, or a model alone, which is built as the configuration would that
// names it; and the options of the command line, which are lines of either.
//
//   std::optional<config::BuildConfig> config = readSettings(flags, driver);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_BUILDSETTINGS_H
#define YARROW_COMPILER_COMMANDS_BUILDSETTINGS_H

#include "compiler/commands/BuildFlags.h"
#include "compiler/config/BuildConfig.h"
#include "compiler/driver/Driver.h"

#include <optional>

namespace yarrow {

/// Nullopt after errors.
std::optional<config::BuildConfig> readSettings(const BuildFlags &flags,
                                                Driver &driver);

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_BUILDSETTINGS_H
