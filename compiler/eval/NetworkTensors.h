//===- NetworkTensors.h - The tensors of a network by name ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the layers of the main graph compute, in the order in which they do, and
// the names by which a user knows it: the IR's, and of an imported model the
// model's own.
//
//   std::vector<NetworkTensor> tensors = tensorsOf(*module, imported);
//   tensors[3].name; tensors[3].modelNames; tensors[3].layer;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_EVAL_NETWORKTENSORS_H
#define YARROW_COMPILER_EVAL_NETWORKTENSORS_H

#include "dialects/compass/Tensors.h"
#include "mlir/IR/BuiltinOps.h"
#include "parser/graph/ImportedTensor.h"
#include "support/Npy.h"

#include <optional>
#include <string>
#include <vector>

namespace yarrow {

struct NetworkTensor {
  mlir::Value value;
  std::string name; ///< In the IR.
  std::string layer, layerType;
  /// In the model that was imported, and the node of the first of them.
  std::vector<std::string> modelNames;
  std::string node;
  /// The model has the channels before the other axes.
  bool isChannelsLast = false;
  /// That the model gives it; none if nothing was imported.
  std::optional<ElementType> modelType = {};
  compass::TensorInfo info;
  /// real = (stored - zeroPoint) * step; 1 and 0 of what is not quantized.
  double step = 1;
  int64_t zeroPoint = 0;

  std::vector<int64_t> shape() const {
    return {info.shape.begin(), info.shape.end()};
  }
  /// What the model calls it, or else the IR.
  const std::string &bestName() const {
    return modelNames.empty() ? name : modelNames.front();
  }
};

std::vector<NetworkTensor>
tensorsOf(mlir::ModuleOp module,
          const std::vector<graph::ImportedTensor> &imported);

} // namespace yarrow

#endif // YARROW_COMPILER_EVAL_NETWORKTENSORS_H
