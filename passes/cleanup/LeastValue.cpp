//===- LeastValue.cpp - Bounds of values by the layers that make them -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "passes/cleanup/LeastValue.h"

#include "dialects/compass/Layers.h"
#include "dialects/compass/activation/ActivationOps.h"
#include "dialects/compass/movement/MovementOps.h"
#include "dialects/compass/norm/NormOps.h"
#include "dialects/compass/pool/PoolOps.h"

#include <limits>

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

/// The least value that the activation of key \p key lets through, -infinity if
/// it says nothing.
static double leastOfActivation(Operation *op, WordKey key) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::string word = wordKey(op, key, "NONE");
  if (word == "RELU" || word == "RELU6")
    return 0;
  if (key == keys::method && word == "SIGMOID")
    return 0;
  if (word == "CLIP")
    return numberOf(op->getAttr(keys::clip_min)).value_or(-kInfinity);
  return -kInfinity;
}

/// Layers whose results are values of their operands.
static bool keepsValues(Operation *op) {
  return mlir::isa<TransposeOp, ReshapeOp, SliceOp, SplitOp, ConcatOp>(op) ||
         (mlir::isa<PoolingOp>(op) &&
          wordKey(op, keys::method, "MAX") == "MAX");
}

static bool isNeverBelow(Value value, double bound, unsigned depth) {
  constexpr unsigned kMostLayers = 16; // it is asked for each pad anew
  Operation *op = value.getDefiningOp();
  if (!op || depth == kMostLayers)
    return false;
  if (mlir::isa<SoftmaxOp>(op))
    return bound <= 0;
  if (leastOfActivation(op, keys::with_activation) >= bound ||
      (mlir::isa<ActivationOp>(op) &&
       leastOfActivation(op, keys::method) >= bound))
    return true;
  return keepsValues(op) && llvm::all_of(op->getOperands(), [&](Value v) {
           return isNeverBelow(v, bound, depth + 1);
         });
}

bool isNeverBelow(Value value, double bound) {
  TensorInfo info = describe(value);
  if (!info.isFloat())
    return bound <= double(info.lo);
  // The least float32 stands for -infinity in IR text.
  return bound <= -double(std::numeric_limits<float>::max()) ||
         isNeverBelow(value, bound, 0);
}

} // namespace yarrow::cleanup
