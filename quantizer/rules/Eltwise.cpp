//===- Eltwise.cpp - Arithmetic on two tensors ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Records.h"
#include "quantizer/rules/FusedActivation.h"
#include "quantizer/rules/Rules.h"

using namespace yarrow::compass;

namespace yarrow {

/// Eltwise has its method as a key, Add, Sub and Mul as their type.
static std::string methodOf(const LayerContext &layer) {
  std::string method = layer.word("method");
  return method.empty() ? recordOf(layer.op)->layerType.upper() : method;
}

/// Output of two tensors of plain integers: as many bits as its values need.
static LinearParams invariantOutput(const LayerContext &layer, bool isSigned) {
  FloatRange r = layer.extrema();
  llvm::StringRef type = narrowestType(r.min, r.max, isSigned);
  unsigned bits = type.ends_with("8") ? 8 : type.ends_with("16") ? 16 : 32;
  bits = std::max({bits, layer.input(0).bits, layer.input(1).bits});
  LinearParams out;
  out.bits = bits;
  out.isSigned = isSigned || r.min < 0;
  out.qmin = integerMin(bits, out.isSigned);
  out.qmax = integerMax(bits, out.isSigned);
  return out;
}

static void setAlignedScales(LayerContext &layer, const LinearParams &a,
                             const LinearParams &b, const LinearParams &out) {
  unsigned bits = layer.options.multiplierWidth();
  EltwiseScales scales;
  if (haveCommonScale(a.scale, a.zp, b.scale, b.zp))
    scales.out = layer.approximate(out.scale / a.scale, bits);
  else
    scales = eltwiseAddScales(a.scale, b.scale, out.scale, bits);
  layer.checkMultiplier(scales.out);
  layer.setInts("scale_value",
                {scales.out.multiplier, scales.scale0, scales.scale1});
  layer.setInts("shift_value", {scales.out.shift});
  layer.setExtra("scale_type", "[uint16,uint16,uint16]");
  layer.setExtra("shift_type", "int8");
}

/// Both operands are brought to the scale of the result, of which they leave a
/// remainder (spec: integer semantics 4.23).
static bool quantizeRemainder(LayerContext &layer) {
  bool isInvariant = layer.isInvariant(0) && layer.isInvariant(1);
  bool isSigned = layer.input(0).isSigned;
  LinearParams out = isInvariant ? invariantOutput(layer, isSigned)
                                 : layer.outputParams(isSigned);
  std::vector<ScaleApproximation> scales;
  for (unsigned i : {0, 1})
    scales.push_back(layer.isInvariant(i)
                         ? ScaleApproximation{.multiplier = 1, .shift = 0}
                         : layer.approximate(out.scale / layer.input(i).scale,
                                             layer.options.multiplierWidth()));
  layer.setRequants(scales, layer.options.multiplierWidth());
  layer.setOutput(0, out, isInvariant);
  return true;
}

bool quantizeEltwise(LayerContext &layer) {
  std::string method = methodOf(layer);
  if (method == "MOD")
    return quantizeRemainder(layer);
  if (method == "DILATION" || method == "EROSION")
    return quantizeMorphology(layer);
  std::string activation = layer.word("with_activation", "NONE");
  LinearParams a = layer.input(0), b = layer.input(1);
  bool isSigned = activation == "NONE"
                      ? a.isSigned || b.isSigned || method == "SUB"
                      : activationIsSigned(layer, activation);
  bool isInvariant = layer.isInvariant(0) && layer.isInvariant(1);
  LinearParams out = isInvariant ? invariantOutput(layer, isSigned)
                                 : layer.outputParams(isSigned);
  if (method == "MUL") {
    unsigned bits = layer.options.multiplierWidth();
    layer.setRequant(layer.approximate(out.scale / (a.scale * b.scale), bits),
                     bits);
  } else {
    setAlignedScales(layer, a, b, out);
  }
  if (!quantizeActivationKeys(layer, activation, out))
    return false;
  layer.setOutput(0, out, isInvariant);
  return true;
}

} // namespace yarrow
