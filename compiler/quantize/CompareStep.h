//===- CompareStep.h - A quantized network beside the float one ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What quantization lost, layer by layer, with the keys that say how to look:
// similarity_data_num, dump, fake_quant_*_for_debug.
//
//   if (!compareStep(config, networks, samples, detail, result, work)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_QUANTIZE_COMPARESTEP_H
#define YARROW_COMPILER_QUANTIZE_COMPARESTEP_H

#include "compiler/config/BuildConfig.h"
#include "compiler/pipeline/Quantize.h"
#include "compiler/quantize/QuantizedModel.h"
#include "compiler/work/Work.h"

namespace yarrow {

/// Where there are samples, result.layers and result.debugged. False after
/// errors.
bool compareStep(const config::BuildConfig &config,
                 const QuantizedNetwork &networks,
                 const std::vector<NpyView> &samples, CompareDetail detail,
                 QuantizedModel &result, const Work &work);

/// Of the outputs with extrema as ranges, which are known without another run;
/// nullopt where nobody would ask.
std::optional<double> extremaSqnrDb(const config::BuildConfig &config,
                                    const QuantizedNetwork &networks,
                                    const std::vector<NpyView> &samples);

} // namespace yarrow

#endif // YARROW_COMPILER_QUANTIZE_COMPARESTEP_H
