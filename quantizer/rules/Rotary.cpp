//===- Rotary.cpp - Quantizing RotaryEmbedding ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The integer form has factors in float32 and no zero points: a tensor that has
// one gets a Cast before the layer.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/Rules.h"

namespace yarrow {

bool quantizeRotary(LayerContext &layer) {
  RangeMode mode = layer.options.activationMethod.mode;
  if (mode == RangeMode::Asymmetric)
    mode = RangeMode::SymmetricFull;
  unsigned bits = layer.options.activationBits;
  auto symmetric = [&](FloatRange r) {
    return linearParams(r.min, r.max, mode, bits, /*isSigned=*/true);
  };
  for (unsigned i = 0; i < 3; ++i)
    if (layer.input(i).zp != 0)
      layer.castInput(i, symmetric(layer.inputRange(i)));
  LinearParams x = layer.input(0), out = symmetric(layer.range());
  auto setFactor = [&](llvm::StringRef key, float factor) {
    mlir::Builder b(layer.op->getContext());
    layer.op->setAttr(key, b.getDenseF64ArrayAttr({double(factor)}));
  };
  setFactor("rotate_rescale_cos", out.scale / (x.scale * layer.input(1).scale));
  setFactor("rotate_rescale_sin", out.scale / (x.scale * layer.input(2).scale));
  setFactor("not_rotate_rescale", out.scale / x.scale);
  layer.setOutput(0, out);
  return true;
}

} // namespace yarrow
