//===- TensorParams.h - Types and how they are quantized --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   LinearParams p = paramsOf(value);     // scale, zero point and range
//   DType type = integerType(p.bits, p.isSigned);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_TENSORPARAMS_H
#define YARROW_QUANTIZER_RULES_TENSORPARAMS_H

#include "dialects/compass/Tensors.h"
#include "quantizer/math/QuantParams.h"

namespace yarrow {

/// The narrowest integer type of at least \p bits bits that IR text has.
compass::DType integerType(unsigned bits, bool isSigned);
/// Plain integers of a type: scale 1, all its values.
LinearParams invariantParams(compass::DType type);
/// How an integer tensor is quantized.
LinearParams paramsOf(mlir::Value value);
/// One scale, zero point and type.
bool isSame(const LinearParams &a, const LinearParams &b);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_TENSORPARAMS_H
