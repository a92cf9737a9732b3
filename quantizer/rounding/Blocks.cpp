//===- Blocks.cpp - Parts of a network between two narrow places ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rounding/Blocks.h"

#include "dialects/compass/Records.h"
#include "dialects/compass/graph/GraphOps.h"
#include "llvm/ADT/SetVector.h"

using namespace yarrow;
using namespace yarrow::compass;

std::vector<Block> yarrow::blocksOf(std::span<const LayerPair> layers) {
  llvm::DenseMap<mlir::Value, std::size_t> lastUse;
  for (std::size_t i = 0; i < layers.size(); ++i)
    for (mlir::Value v : layers[i].intOp->getOperands())
      lastUse[v] = i;
  std::vector<Block> blocks;
  Block open;
  llvm::SetVector<mlir::Value> live;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    mlir::Operation *op = layers[i].intOp;
    if (mlir::isa<compass::ConstantOp>(op))
      continue;
    if (!mlir::isa<InputOp>(op))
      open.layers.push_back(layers[i]);
    for (mlir::Value v : op->getResults())
      live.insert(v);
    live.remove_if([&](mlir::Value v) {
      auto it = lastUse.find(v);
      return it == lastUse.end() || it->second <= i;
    });
    bool isLast = i + 1 == layers.size();
    if (live.size() != 1 && !(live.empty() && isLast))
      continue;
    open.output = live.empty() && op->getNumResults() ? op->getResult(0)
                  : live.empty()                      ? mlir::Value()
                                                      : live.front();
    if (open.input && open.output && !open.layers.empty())
      blocks.push_back(open);
    open = {};
    open.input = live.empty() ? mlir::Value() : live.front();
  }
  return blocks;
}
