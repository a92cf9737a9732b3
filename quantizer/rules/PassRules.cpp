//===- PassRules.cpp - Layers that keep their input's scale ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Data movement, resizing, sign changes: the integers keep their
// meaning or nearly so.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Records.h"
#include "dialects/compass/image/ImageOps.h"
#include "dialects/compass/indexing/IndexOps.h"
#include "dialects/compass/select/SelectOps.h"
#include "quantizer/rules/Rules.h"
#include "quantizer/rules/Sampling.h"

using namespace yarrow::compass;

namespace yarrow {

bool quantizePass(LayerContext &layer) {
  LinearParams in = layer.input(0);
  // The border holds the stored integer.
  auto value = layer.number("constant_value");
  if (value || recordOf(layer.op)->layerType == "Pad") {
    int64_t quantized = quantizeValue(float(value.value_or(0)), in);
    mlir::Builder b(layer.op->getContext());
    layer.op->setAttr("constant_value", b.getF64FloatAttr(double(quantized)));
  }
  // As many results as operands belong to them, each to its own.
  const auto &records = recordOf(layer.op)->outputs;
  unsigned results = layer.op->getNumResults();
  for (unsigned i = 0; i < results; ++i)
    if (i < records.size() && records[i].type == TensorClass::Integer)
      quantizeIndexResult(layer, i);
    else
      layer.shareWithInput(i, results == layer.numInputs() ? i : 0);
  if (llvm::isa<FilterOp>(layer.op)) // The last one counts slices.
    quantizeIndexResult(layer, results - 1);
  return true;
}

bool quantizeResize(LayerContext &layer) {
  if (llvm::isa<GridSampleOp>(layer.op))
    return quantizeGridSample(layer);
  if (llvm::isa<CropAndResizeOp>(layer.op))
    return quantizeCropAndResize(layer);
  if (llvm::isa<RoiAlignOp>(layer.op))
    return quantizeRoiAlign(layer);
  if (llvm::isa<PyramidROIAlignOp>(layer.op))
    return quantizePyramidRoiAlign(layer);
  bool isBilinear = layer.word("method", "BILINEAR") == "BILINEAR";
  layer.setInt("interp_shift_value", isBilinear ? 13 : 0);
  layer.setExtra("interp_shift_type", "int8");
  layer.shareWithInput();
  return true;
}

static LinearParams negated(const LinearParams &in) {
  LinearParams out = in;
  out.isSigned = true;
  out.qmin = integerMin(in.bits, true);
  out.qmax = integerMax(in.bits, true);
  // -(q + zp) lies in [-qmax - zp, -qmin - zp]; the zero point moves that to
  // the signed type, exactly.
  out.zp = int32_t(in.isSigned ? 1 - in.zp : -in.zp - out.qmax);
  return out;
}

/// The same values without a zero point, as signed integers of as many bits.
static LinearParams symmetric(const LinearParams &in) {
  LinearParams out = in;
  out.isSigned = true;
  out.zp = 0;
  out.qmin = integerMin(in.bits, true);
  out.qmax = integerMax(in.bits, true);
  // q + zp lies in [qmin + zp, qmax + zp].
  int64_t most = std::max(std::abs(in.qmin + in.zp), std::abs(in.qmax + in.zp));
  out.scale = in.scale * float(double(out.qmax) / double(most));
  return out;
}

bool quantizeRequant(LayerContext &layer) {
  if (llvm::isa<SlotUpdateOp>(layer.op))
    return quantizeSlotUpdate(layer);
  LinearParams in = layer.input(0);
  llvm::StringRef type = recordOf(layer.op)->layerType;
  if (type == "Negative") {
    layer.setOutput(0, negated(in), layer.isInvariant(0));
    return true;
  }
  if (type == "Sign") {
    LinearParams out;
    out.bits = in.bits;
    out.qmin = integerMin(in.bits, true);
    out.qmax = integerMax(in.bits, true);
    layer.setOutput(0, out, /*isInvariant=*/true);
    return true;
  }
  if (type == "RotaryEmbedding")
    return quantizeRotary(layer);
  // The sums of Col2Im leave zero points out (spec: integer semantics 4.27).
  if (type == "Col2Im" && in.zp != 0) {
    layer.castInput(0, symmetric(in));
    in = layer.input(0);
  }
  assert((type == "Abs" || type == "Col2Im" || type == "OverlapAdd") &&
         "a new operator of the rule needs its code here");
  LinearParams out = layer.outputParams(type != "Abs" && in.isSigned);
  unsigned bits = std::min(in.bits, 16u);
  layer.setRequant(layer.approximate(out.scale / in.scale, bits), bits);
  layer.setOutput(0, out);
  return true;
}

} // namespace yarrow
