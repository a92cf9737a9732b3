//===- Mac.cpp - Convolutions and fully connected layers ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/conv/ConvOps.h"
#include "quantizer/rules/FusedActivation.h"
#include "quantizer/rules/Linear.h"
#include "quantizer/rules/Rules.h"
#include "quantizer/rules/Winograd.h"

using namespace yarrow::compass;

namespace yarrow {

bool quantizeMac(LayerContext &layer) {
  std::string activation = layer.word("with_activation", "NONE");
  LinearLayer linear;
  linear.input = layer.input(0);
  linear.output = layer.outputParams(activationIsSigned(layer, activation));
  linear.weightBits = layer.options.weightBits;
  bool isDepthwise = llvm::isa<DepthwiseConvOp>(layer.op);
  linear.alwaysTensors = isDepthwise;
  if (auto group = layer.op->getAttrOfType<mlir::IntegerAttr>("group"))
    linear.groups = unsigned(group.getInt());
  if (isDepthwise) {
    int64_t channels = layer.shapeOf(layer.op->getOperand(0)).back();
    int64_t outputs = layer.shapeOf(layer.op->getResult(0)).back();
    linear.groups = unsigned(channels);
    // A float IR may leave them out; the reference's reader of integer IRs asks
    // for them.
    mlir::Builder builder(layer.op->getContext());
    layer.op->setAttr("group", builder.getI64IntegerAttr(channels));
    layer.op->setAttr("multiplier",
                      builder.getI64IntegerAttr(outputs / channels));
  }
  bool inWinogradForm = layer.options.winograd != WinogradTransform::None &&
                        isWinogradCandidate(layer.op);
  bool ok = inWinogradForm ? quantizeWinograd(layer, linear)
                           : quantizeLinear(layer, linear);
  if (!ok || !quantizeActivationKeys(layer, activation, linear.output))
    return false;
  layer.setOutput(0, linear.output);
  return true;
}

bool quantizeMatMul(LayerContext &layer) {
  LinearParams a = layer.input(0), b = layer.input(1);
  LinearParams out = layer.outputParams(a.isSigned || b.isSigned);
  float ratio = out.scale / (a.scale * b.scale);
  if (auto multiplier = layer.number("fused_multiplier")) {
    if (!(*multiplier > 0))
      return layer.unsupported("fused_multiplier must be positive", "",
                               "fused_multiplier");
    ratio *= float(*multiplier);
    layer.remove("fused_multiplier");
  }
  unsigned bits = layer.options.multiplierWidth();
  layer.setRequant(layer.approximate(ratio, bits), bits);
  layer.setOutput(0, out);
  return true;
}

} // namespace yarrow
