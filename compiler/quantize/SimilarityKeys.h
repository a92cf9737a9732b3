//===- SimilarityKeys.h - How near layers are, in the IR --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// write_similarity_to_ir: D_cos, D_mse, D_dynamic_shape and D_layer_id of each
// layer of the quantized IR, under the names that the Compass Optimizer gives
// them.
//
//   addSimilarityKeys(*quantized, metrics);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_QUANTIZE_SIMILARITYKEYS_H
#define YARROW_COMPILER_QUANTIZE_SIMILARITYKEYS_H

#include "mlir/IR/BuiltinOps.h"
#include "quantizer/metrics/Metrics.h"

#include <vector>

namespace yarrow {

void addSimilarityKeys(mlir::ModuleOp quantized,
                       const std::vector<TensorMetric> &metrics);

} // namespace yarrow

#endif // YARROW_COMPILER_QUANTIZE_SIMILARITYKEYS_H
