//===- ExactForm.cpp - Direct convolutions as exact Winograd layers -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/winograd/ExactForm.h"

#include "dialects/compass/Layers.h"
#include "dialects/compass/WideRequant.h"
#include "dialects/compass/ZeroPoints.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/conv/Winograd.h"
#include "passes/Passes.h"
#include "passes/winograd/Weights.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

bool yarrow::isExactWinogradCandidate(Operation *op) {
  auto conv = dyn_cast<ConvolutionOp>(op);
  if (!conv || !isIntegerLayer(op) || isWinogradLayer(op) ||
      conv.getGroup() != 1 || hasWideMultiplier(op))
    return false;
  auto weights = viewConstant(tensorKey(op, keys::weights));
  WindowKeys w = windowKeys(op);
  return !hasWeightZeroPoint(op) && weights && weights->dtype == DType::I8 &&
         weights->shape.size() == 4 && weights->shape[1] == 3 &&
         weights->shape[2] == 3 && describe(op->getOperand(0)).bits() == 8 &&
         w.strideY == 1 && w.strideX == 1 && w.dilationY == 1 &&
         w.dilationX == 1;
}

/// Only what states the window changes: bias, scale, pads and activation are
/// those of the convolution.
static void rewrite(ConvolutionOp op) {
  Builder builder(op.getContext());
  auto weights = viewConstant(tensorKey(op, keys::weights));
  std::string name = (layerNameOf(op) + ".weights").str();
  auto set = [&](StringRef key, Attribute value) { op->setAttr(key, value); };
  set("weights",
      makeConstantOf<int16_t>(op.getContext(), name,
                              {weights->shape[0], 4, 4, weights->shape[3]},
                              DType::I16, exactWeights(*weights)));
  set("with_winograd", builder.getBoolAttr(true));
  set("Fmnrs", builder.getDenseI64ArrayAttr({2, 2, 3, 3}));
  set("winograd_output_shift", builder.getI64IntegerAttr(2));
  for (IntKey key : {keys::kernel_x, keys::kernel_y})
    set(key, builder.getI64IntegerAttr(4));
  for (IntKey key : {keys::stride_x, keys::stride_y})
    set(key, builder.getI64IntegerAttr(2));
}

unsigned yarrow::rewriteExactWinograd(ModuleOp module,
                                      function_ref<bool(Operation *)> wanted) {
  unsigned count = 0;
  module.walk([&](ConvolutionOp op) {
    if (!isExactWinogradCandidate(op) || !wanted(op))
      return;
    rewrite(op);
    ++count;
  });
  return count;
}

namespace yarrow {
#define GEN_PASS_DEF_EXACTWINOGRAD
#include "passes/Passes.h.inc"
} // namespace yarrow

namespace {
struct ExactWinograd : yarrow::impl::ExactWinogradBase<ExactWinograd> {
  void runOnOperation() override {
    rewriteExactWinograd(getOperation(), [](Operation *) { return true; });
  }
};
} // namespace
