//===- WinogradKeys.h - Settings of the forms of layers ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Keys of a configuration and options of the command line.
//
//   applyWinogradFlag(flags.winograd, config, diags);
//   FormSettings settings = winogradSettings(config);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_QUANTIZE_WINOGRADKEYS_H
#define YARROW_COMPILER_QUANTIZE_WINOGRADKEYS_H

#include "compiler/config/BuildConfig.h"
#include "compiler/forms/FormDecision.h"
#include "support/Diagnostics.h"

#include <string>

namespace yarrow {

/// Off if with_winograd is false for all layers.
FormSettings winogradSettings(const config::BuildConfig &config);

/// --winograd as the keys of a configuration: with_winograd for all layers
/// unless the configuration names some, and winograd_decision. An empty \p word
/// changes nothing.
void applyWinogradFlag(const std::string &word, config::BuildConfig &config,
                       DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_QUANTIZE_WINOGRADKEYS_H
