//===- GraphRules.cpp - Inputs, constants and conversions -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/eltwise/EltwiseOps.h"
#include "quantizer/rules/Rules.h"
#include "quantizer/rules/States.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

bool quantizeInput(LayerContext &layer) {
  TensorInfo info = describe(layer.op->getResult(0));
  if (const GraphBorder *border = layer.border(layer.op->getResult(0))) {
    layer.setOutput(0, border->params, border->isInvariant);
    if (info.isFloat())
      quantizeFirstValue(layer, border->params);
    return true;
  }
  if (info.isInteger()) {
    if (info.dtype == DType::I64 || info.dtype == DType::Bool)
      return layer.unsupported("inputs of type " + dtypeName(info.dtype).str() +
                               " are not supported yet");
    layer.setOutput(0, invariantParams(info.storedType()),
                    /*isInvariant=*/true);
    return true;
  }
  layer.setOutput(0,
                  layer.options.keepIntegers
                      ? invariantParams(DType::I32)
                      : layer.outputParams(layer.extrema().min < 0),
                  layer.options.keepIntegers);
  return true;
}

static bool allWhole(const std::vector<float> &values) {
  return std::all_of(values.begin(), values.end(), [](float v) {
    return std::isfinite(v) && v == std::floor(v);
  });
}

/// Whether the constant is added to tensors of other scales, and to them alone.
static bool meetsScaledSums(LayerContext &layer) {
  mlir::Value constant = layer.op->getResult(0);
  return !constant.use_empty() &&
         llvm::all_of(constant.getUsers(), [&](mlir::Operation *user) {
           auto sum = llvm::dyn_cast<EltwiseOp>(user);
           std::string method = sum ? sum.getMethod().upper() : "";
           return (method == "ADD" || method == "SUB") &&
                  llvm::all_of(sum->getOperands(), [&](mlir::Value operand) {
                    return operand == constant || layer.isScaled(operand);
                  });
         });
}

/// Whole numbers times a whole number: exact, too, and as fine as the bits
/// allow. A sum aligns its operands by multipliers of 16 bits, of which those
/// of a finer one have no digits left beside a constant with a scale of 1: of
/// 1 - sigmoid(x) with 16 bits, one.
static LinearParams wholeMultiples(const LayerContext &layer, float min,
                                   float max) {
  LinearParams out;
  out.bits = layer.options.activationBits;
  out.isSigned = min < 0;
  out.qmax = integerMax(out.bits, out.isSigned);
  out.qmin = out.isSigned ? -out.qmax : 0;
  out.zp = 0;
  float most = std::max(std::fabs(min), std::fabs(max));
  out.scale = std::max(1.0f, std::floor(float(out.qmax) / most));
  return out;
}

bool quantizeConstant(LayerContext &layer) {
  auto constant = layer.floats(keys::weights);
  if (!constant || constant->values.empty())
    return layer.unsupported("the constant has no value");
  auto [min, max] =
      std::minmax_element(constant->values.begin(), constant->values.end());
  // Whole numbers stay what they are: as indices they must, elsewhere it is
  // exact. Not all-zero ones: those may be rescaled with what they meet.
  bool isInvariant =
      layer.options.keepIntegers ||
      (allWhole(constant->values) && std::fabs(*min) < 32768 && *max < 65536);
  LinearParams out;
  if (const GraphBorder *border = layer.border(layer.op->getResult(0))) {
    out = border->params;
    isInvariant = border->isInvariant;
  } else if (layer.options.keepIntegers) {
    out = invariantParams(DType::I32);
  } else if (isInvariant && layer.options.fitsTables &&
             std::max(std::fabs(*min), *max) > 0 &&
             std::max(std::fabs(*min), *max) <=
                 float(integerMax(layer.options.activationBits, *min < 0)) &&
             meetsScaledSums(layer)) {
    out = wholeMultiples(layer, *min, *max);
    isInvariant = false;
  } else if (isInvariant) {
    llvm::StringRef type = narrowestType(*min, *max);
    out = invariantParams(*parseType(type));
  } else {
    out = layer.outputParams(*min < 0);
  }
  std::vector<int64_t> quantized;
  for (float v : constant->values)
    quantized.push_back(quantizeValue(v, out));
  layer.setTensor(keys::weights, constant->shape,
                  integerType(out.bits, out.isSigned), quantized);
  layer.setExtra("weights_scale", floatText(out.scale));
  layer.setExtra("weights_zp", std::to_string(out.zp));
  layer.setOutput(0, out, isInvariant);
  return true;
}

bool quantizeCast(LayerContext &layer) {
  LinearParams in = layer.input(0);
  auto target = parseType(layer.word(keys::to_dtype, "float32"));
  if (!target)
    return layer.unsupported("to_dtype is not a known type", "", "to_dtype");
  if (layer.isInvariant(0) && !dtypeIsFloat(target->dtype)) {
    // Plain integers: limited to the type, or cut to it, as the IR says.
    LinearParams out = invariantParams(*target);
    layer.setWord(keys::to_dtype,
                  dtypeName(integerType(out.bits, out.isSigned)));
    layer.setWord(keys::clip_mode, layer.word(keys::clip_mode, "SATURATION"));
    layer.setFlag(keys::ignore_scale_zp, true);
    layer.setOutput(0, out, /*isInvariant=*/true);
    return true;
  }
  if (dtypeIsFloat(target->dtype)) {
    // Float to float: nothing to compute.
    StoredType type = integerType(in.bits, in.isSigned);
    layer.setWord(keys::to_dtype, dtypeName(type));
    layer.setFlag(keys::ignore_scale_zp, true);
    layer.shareWithInput();
    return true;
  }
  LinearParams out = invariantParams(*target);
  layer.setRequant(layer.approximate(1.0f / in.scale, 16), 16);
  layer.setWord(keys::to_dtype, dtypeName(integerType(out.bits, out.isSigned)));
  layer.setWord(keys::clip_mode, "SATURATION");
  layer.setFlag(keys::ignore_scale_zp, false);
  layer.setOutput(0, out, /*isInvariant=*/true);
  return true;
}

bool quantizeConversion(LayerContext &layer) {
  return layer.unsupported(
      "the layer already converts between float and integers",
      "quantize a float IR", "layer_type");
}

} // namespace yarrow
