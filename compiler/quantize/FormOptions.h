//===- FormOptions.h - The search for forms of layers, from settings ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Settings as the task of a search (compiler/forms).
//
//   auto search = formSearch(winogradSettings(config), machine, {}, work);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_QUANTIZE_FORMOPTIONS_H
#define YARROW_COMPILER_QUANTIZE_FORMOPTIONS_H

#include "compiler/forms/ChooseForms.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/work/Work.h"

#include <functional>

namespace yarrow {

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
