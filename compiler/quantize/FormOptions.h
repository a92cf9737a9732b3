//===- FormOptions.h - What commands say of the forms of layers -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Keys of a configuration and options of the command line as the task of a
// search (compiler/forms).
//
//   applyWinogradFlag(flags.winograd, config, diags);
//   auto search = formSearch(winogradSettings(config), machine, {}, work);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_QUANTIZE_FORMOPTIONS_H
#define YARROW_COMPILER_QUANTIZE_FORMOPTIONS_H

#include "compiler/config/BuildConfig.h"
#include "compiler/forms/ChooseForms.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/work/Work.h"

#include <functional>

namespace yarrow {

/// Off if with_winograd is false for all layers.
FormSettings winogradSettings(const config::BuildConfig &config);

/// --winograd as the keys of a configuration: with_winograd for all layers
/// unless the configuration names some, and winograd_decision. An empty \p word
/// changes nothing.
void applyWinogradFlag(const std::string &word, config::BuildConfig &config,
                       DiagnosticEngine &diags);

/// A search with simulated cycles that tells how far it is. \p machine and the
/// engine of \p work live as long.
FormSearchTask formSearch(const FormSettings &settings,
                          const isa::Machine &machine,
                          const CompileOptions &compile, const Work &work);

/// CompileOptions::chooseForms of a network in integers, whose weights can take
/// the forms that keep every byte; empty where \p settings are off. \p trial is
/// how networks are compiled for it, \p tell gets the decision. \p machine and
/// the engine of \p work live as long.
decltype(CompileOptions::chooseForms)
exactForms(const FormSettings &settings, const isa::Machine &machine,
           CompileOptions trial, Work work,
           std::function<void(const FormDecision &)> notify = {});

} // namespace yarrow

#endif // YARROW_COMPILER_QUANTIZE_FORMOPTIONS_H
