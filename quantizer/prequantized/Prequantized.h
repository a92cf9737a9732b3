//===- Prequantized.h - Integer IR from a model that is quantized ------*- C++
//-*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An already quantized model (TFLite, QDQ ONNX, compat IR) defines the integers
// that store each tensor. Its module computes with real numbers; this replaces
// each layer by one with the same results in integers: the model's own, never
// those of a second quantization. A layer without an integer form is computed
// in floats between a DeQuantize and a Quantize.
//
//   PrequantizedResult result;
//   if (convertPrequantized(module, {}, diags, &result))
//     ... result.inIntegers of result.layers ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_PREQUANTIZED_PREQUANTIZED_H
#define YARROW_QUANTIZER_PREQUANTIZED_PREQUANTIZED_H

#include "mlir/IR/BuiltinOps.h"
#include "quantizer/prequantized/PrequantizedOptions.h"
#include "support/Diagnostics.h"

namespace yarrow {

/// Layers that compute: those that only move values left out, and clamps that
/// the layer before takes over.
struct PrequantizedResult {
  unsigned layers = 0, inIntegers = 0;
};

/// Makes a compat module ordinary integer IR. False after errors. Layers that
/// stay in floats and the sum of it all are told as notes.
bool convertPrequantized(mlir::ModuleOp module,
                         const PrequantizedOptions &options,
                         DiagnosticEngine &diags,
                         PrequantizedResult *result = nullptr);

} // namespace yarrow

#endif // YARROW_QUANTIZER_PREQUANTIZED_PREQUANTIZED_H
