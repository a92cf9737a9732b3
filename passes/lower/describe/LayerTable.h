//===- LayerTable.h - What reports say about layers -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One row per lowered layer: its name and line in the IR, its multiplications
// and bytes, which tensors it reads and makes. The rows travel with the npu
// module into the executable, where reports and traces find them.
//
//   LayerRow row = describeLayer(op, fusedConv);
//   module->setAttr("npu.layers", layerTable(rows, builder));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_DESCRIBE_LAYERTABLE_H
#define YARROW_PASSES_LOWER_DESCRIBE_LAYERTABLE_H

#include "dialects/compass/Tensors.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace yarrow::npu {

/// A tensor that a layer makes: real value = (stored + zeroPoint) / scale.
struct LayerResult {
  std::string name;
  compass::TensorInfo info;
};

struct LayerRow {
  std::string name, type, file;
  std::string form;     ///< how the engine computes it, if in a special way
  std::string epilogue; ///< type of the layer computed with it, or ""
  std::string onTecs;   ///< why TECs compute it, or a part of it; or ""
  int64_t line = 0;
  int64_t macs = 0; ///< multiplications that the layer's arithmetic does
  int64_t weightBytes = 0, inBytes = 0, outBytes = 0;
  /// Names of the layers that are one row, first to last.
  llvm::SmallVector<std::string> members;
  llvm::SmallVector<std::string> reads; ///< Names of tensors.
  llvm::SmallVector<LayerResult> results;
};

/// The row of \p op, together with the convolution in whose epilogue it is
/// computed, if any.
LayerRow describeLayer(mlir::Operation *op, mlir::Operation *fusedConv);

mlir::ArrayAttr layerTable(llvm::ArrayRef<LayerRow> rows,
                           mlir::Builder &builder);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_DESCRIBE_LAYERTABLE_H
