//===- Given.h - Integer IR from a model that is quantized ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A model that was quantized before (TFLite, QDQ ONNX, compat IR) says of each
// tensor by which integers it is stored. Its module computes with real numbers;
// this gives each layer the integers that compute the same, in place: the
// model's own, never those of a second quantization. What has no integer form
// is computed in floats between a DeQuantize and a Quantize.
//
//   GivenResult result;
//   if (convertGiven(module, {}, diags, &result))
//     ... result.inIntegers of result.layers ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_GIVEN_GIVEN_H
#define YARROW_QUANTIZER_GIVEN_GIVEN_H

#include "mlir/IR/BuiltinOps.h"
#include "quantizer/given/GivenOptions.h"
#include "support/Diagnostics.h"

namespace yarrow {

/// Layers that compute: those that only move values left out, and clamps that
/// the layer before takes over.
struct GivenResult {
  unsigned layers = 0, inIntegers = 0;
};

/// Makes a compat module ordinary integer IR. False after errors. Layers that
/// stay in floats and the sum of it all are told as notes.
bool convertGiven(mlir::ModuleOp module, const GivenOptions &options,
                  DiagnosticEngine &diags, GivenResult *result = nullptr);

} // namespace yarrow

#endif // YARROW_QUANTIZER_GIVEN_GIVEN_H
