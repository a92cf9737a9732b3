//===- KeyChecks.h - Keys by what other keys say ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What is left when all lines of a configuration are read one by one: keys of
// older tools become those of today, and values are told that are understood
// and not done.
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
