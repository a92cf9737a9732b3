//===- TensorParams.h - Types and how they are quantized --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   LinearParams p = paramsOf(value);     // scale, zero point and range
//   StoredType type = integerType(p.bits, p.isSigned);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_TENSORPARAMS_H
#define YARROW_QUANTIZER_RULES_TENSORPARAMS_H

#include "dialects/compass/Tensors.h"
#include "quantizer/math/QuantParams.h"
#include "quantizer/options/QuantizerOptions.h"

#include <optional>

namespace yarrow {

class Calibration;

/// The narrowest integer type of at least \p bits bits that IR text has:
/// aligned ones for 4 and 12 (docs/configuration.md, Bits and types).
compass::StoredType integerType(unsigned bits, bool isSigned);
/// Plain integers: scale 1, all values of so many bits.
LinearParams plainIntegers(unsigned bits, bool isSigned);
/// The same of a type.
LinearParams invariantParams(compass::StoredType type);
/// How values of a range are, with a layer's options: signed where they are
/// below 0, or all.
LinearParams activationParams(FloatRange range, const LayerOptions &options,
                              bool isSigned = false);
/// Those that an encodings file gives \p value, if it does and the layer that
/// makes it has the options for so many bits.
std::optional<LinearParams> givenParams(const Calibration &calibration,
                                        mlir::Value value,
                                        const LayerOptions &options,
                                        bool prefersSigned);
/// How an integer tensor is quantized.
LinearParams paramsOf(mlir::Value value);
/// One scale, zero point and type.
bool isSame(const LinearParams &a, const LinearParams &b);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_TENSORPARAMS_H
