//===- QuantizeChoices.h - What is chosen while a network is quantized --===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Forms of layers, bits by a metric and bits by a goal: searches that a
// configuration asks for, as parts of a QuantizeTask. All arguments outlive the
// task.
//
//   if (auto machine = winogradTarget(config, diags))
//     chooseFormsFor(*machine, config, compile, work, result, task);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_QUANTIZE_QUANTIZECHOICES_H
#define YARROW_COMPILER_QUANTIZE_QUANTIZECHOICES_H

#include "compiler/config/BuildConfig.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/Quantize.h"
#include "compiler/quantize/QuantizedModel.h"
#include "compiler/work/Work.h"

namespace yarrow {

/// The target for which forms are chosen; nullopt if none is to be.
std::optional<isa::Machine> winogradTarget(const config::BuildConfig &config,
                                           DiagnosticEngine &diags);
/// The target on which the price is measured; nullopt without a goal.
std::optional<isa::Machine> pricedTarget(const config::BuildConfig &config,
                                         DiagnosticEngine &diags);

/// How \p task quantizes for \p machine; \p result gets the decision.
void chooseFormsFor(const isa::Machine &machine,
                    const config::BuildConfig &config,
                    const CompileOptions &compile, const Work &work,
                    QuantizedModel &result, QuantizeTask &task);
/// Gives layers bits by mixed_precision_auto_search before \p task quantizes.
void choosePrecision(const config::BuildConfig &config,
                     const std::vector<NpyView> &samples,
                     const CompileOptions &compile, const Work &work,
                     QuantizedModel &result, QuantizeTask &task);
/// What \p task does for goal and price behind all methods.
void improveFor(const config::BuildConfig &config, const isa::Machine &machine,
                const CompileOptions &compile, const Work &work,
                QuantizeTask &task);

/// A step for each method, of the layers that it has done.
std::function<void(const GlobalMethod &, std::size_t, std::size_t)>
methodProgress(const Work &work);

} // namespace yarrow

#endif // YARROW_COMPILER_QUANTIZE_QUANTIZECHOICES_H
