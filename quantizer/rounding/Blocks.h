//===- Blocks.h - Parts of a network between two narrow places --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A block is the part between two places of a network where only one tensor is
// alive: a layer of a chain, or everything from the start of a residual branch
// to its sum. The layers of a block can compensate one another's errors.
//
//   for (const Block &block : blocksOf(forward.pairs()))
//     block.layers.front().intOp;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_ROUNDING_BLOCKS_H
#define YARROW_QUANTIZER_ROUNDING_BLOCKS_H

#include "quantizer/rounding/JointForward.h"

#include <span>
#include <vector>

namespace yarrow {

struct Block {
  /// In the order of the integer network; constants are left out.
  std::vector<LayerPair> layers;
  /// Of the integer network: what the first layer reads, and what the others
  /// after the block do.
  mlir::Value input, output;
};

/// All of a network but its inputs; outputs of a network end no block.
std::vector<Block> blocksOf(std::span<const LayerPair> layers);

} // namespace yarrow

#endif // YARROW_QUANTIZER_ROUNDING_BLOCKS_H
