//===- KeyChecks.h - Checks that need several keys --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Runs after all lines of a configuration are read: keys of older tools become
// current keys, and values that are understood but not supported are reported.
//
//   bool ok = translateOldKeys(config, unused, diags) &&
//             checkValues(config, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_CONFIG_KEYCHECKS_H
#define YARROW_COMPILER_CONFIG_KEYCHECKS_H

#include "compiler/config/BuildConfig.h"

#include <string>
#include <vector>

namespace yarrow::config {

/// Keys of today win over old ones, which then join \p unused. False after
/// errors.
bool translateOldKeys(BuildConfig &config, std::vector<std::string> &unused,
                      DiagnosticEngine &diags);

/// False after errors; warns of what is not applied.
bool checkValues(const BuildConfig &config, DiagnosticEngine &diags);

} // namespace yarrow::config

#endif // YARROW_COMPILER_CONFIG_KEYCHECKS_H
