//===- PartialScales.h - Models that are quantized in part ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Some models store a few tensors as integers, or weights alone, and compute
// all else in floats: taken as they are, they are float networks. With samples
// they become integer networks: what has scales keeps them, as an encodings
// file would say them, and the ranges of the rest are measured.
//
//   if (layersWithoutScales(compat) != 0) {
//     EncodingNames names(floating, tensors);   // imported as a float network
//     Encodings scales = scalesOf(compat, names, "net.tflite");
//   }
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_PREQUANTIZED_PARTIALSCALES_H
#define YARROW_QUANTIZER_PREQUANTIZED_PARTIALSCALES_H

#include "mlir/IR/BuiltinOps.h"
#include "quantizer/encodings/EncodingNames.h"
#include "quantizer/encodings/EncodingsFile.h"

#include <string>

namespace yarrow {

/// Of a compat module: the layers of sums of products that get real numbers.
/// Their weights may have scales. 0 of a model whose scales are complete, in
/// which single functions may still be computed in floats.
std::size_t layersWithoutScales(mlir::ModuleOp compat);

/// The scales of \p compat, by \p names of the same model as a float network;
/// what that one does not have is left out.
Encodings scalesOf(mlir::ModuleOp compat, const EncodingNames &names,
                   const std::string &path);

} // namespace yarrow

#endif // YARROW_QUANTIZER_PREQUANTIZED_PARTIALSCALES_H
