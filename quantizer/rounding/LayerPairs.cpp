//===- LayerPairs.cpp - The layers of two forms of a network --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rounding/LayerPairs.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/graph/Graphs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

using namespace yarrow;
using namespace yarrow::compass;

std::vector<LayerPair> yarrow::pairLayers(mlir::ModuleOp floatModule,
                                          mlir::ModuleOp intModule) {
  llvm::StringMap<mlir::Operation *> makers;
  for (mlir::Operation &op :
       mainGraph(floatModule).getBody().front().without_terminator())
    for (mlir::Value v : op.getResults())
      makers[tensorNameOf(v)] = &op;
  std::vector<LayerPair> pairs;
  for (mlir::Operation &op :
       mainGraph(intModule).getBody().front().without_terminator()) {
    mlir::Operation *made = op.getNumResults()
                                ? makers.lookup(tensorNameOf(op.getResult(0)))
                                : nullptr;
    // A layer that quantization has added may have taken over a tensor's name.
    if (made && made->getName() != op.getName())
      made = nullptr;
    pairs.push_back({&op, made});
  }
  return pairs;
}
