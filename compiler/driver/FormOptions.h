//===- FormOptions.h - What commands say of the forms of layers -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Keys of a configuration and options of the command line as the task of a
// search (compiler/forms).
//
//   applyWinogradFlag(flags.winograd, config, diags);
//   auto search = formSearch(winogradSettings(config), machine, {}, driver);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DRIVER_FORMOPTIONS_H
#define YARROW_COMPILER_DRIVER_FORMOPTIONS_H

#include "compiler/config/BuildConfig.h"
#include "compiler/driver/Driver.h"
#include "compiler/forms/ChooseForms.h"
#include "compiler/pipeline/Compile.h"

namespace yarrow {

/// Off if with_winograd is false for all layers.
FormSettings winogradSettings(const config::BuildConfig &config);

/// --winograd as the keys of a configuration: with_winograd for all layers
/// unless the configuration names some, and winograd_decision. An empty \p word
/// changes nothing.
void applyWinogradFlag(const std::string &word, config::BuildConfig &config,
                       DiagnosticEngine &diags);

/// A search with simulated cycles that shows on the terminal how far it is.
/// \p machine and \p driver live as long.
FormSearchTask formSearch(const FormSettings &settings,
                          const isa::Machine &machine,
                          const CompileOptions &compile, Driver &driver);

} // namespace yarrow

#endif // YARROW_COMPILER_DRIVER_FORMOPTIONS_H
