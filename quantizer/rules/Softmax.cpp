//===- Softmax.cpp - Softmax by table or by powers of two -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Keys.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quantizer/math/Lut.h"
#include "quantizer/rules/Rules.h"

#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

/// A result of the network needs every digit, and so does a layer that chooses
/// by it; between other layers powers of two do.
static bool decidesResult(mlir::Operation *op) {
  return llvm::any_of(op->getUsers(), [](mlir::Operation *user) {
    return llvm::isa<mlir::func::ReturnOp>(user) ||
           user->hasTrait<trait::Decides>() ||
           (user->hasTrait<trait::MovesOnly>() && decidesResult(user));
  });
}

static void setFastExp(LayerContext &layer, int64_t axisLength) {
  // log2(e) / scale in 13 bits: the exponent fits 32 bits for any difference.
  constexpr float kLog2E = 1.442695f;
  ScaleApproximation r = layer.approximate(kLog2E / layer.input(0).scale, 13);
  if (r.shift < 0) // the kernel shifts right
    if (Diagnostic *d = layer.failWithoutScale(
            "the input ranges too wide for exponentials in integers"))
      d->found("a step of " + std::to_string(1 / layer.input(0).scale))
          .hint("one step of the input multiplies the exponential by more than "
                "2^4096: weights before it have extreme values");
  layer.setInt(keys::input_scale_value, r.multiplier);
  layer.setInt(keys::input_shift_value, r.shift);
  layer.setExtra("input_scale_type", "uint16");
  layer.setExtra("input_shift_type", "int8");
  layer.setInt(keys::pow2_out_q,
               31 - int64_t(std::floor(std::log2(double(axisLength)))));
  layer.setInt(keys::adjust_q, 1);
  layer.setWord(keys::quantize_method, "FAST_EXP");
  layer.setOutput(0, linearParams(0, 1, RangeMode::SymmetricFull,
                                  layer.options.activationBits,
                                  /*isSigned=*/false));
}

/// Bits of the exponentials. The layer multiplies by 2^31 / their sum: of a row
/// of m equal values that has 31 - bits - log2(m) bits, so that the results are
/// off by 2^(bits - 31), and by 2^-bits / m for the exponentials' own rounding.
/// The largest result, which is 1/m, tells which bits make both alike.
static unsigned expBits(const LayerContext &layer, const LinearParams &out) {
  if (!layer.options.keepsDigits)
    return 20; // 2^12 of them sum in 32 bits
  double most = double(out.qmax + out.zp) / double(out.scale);
  double log2Rows = std::clamp(-std::log2(most), 0.0, 16.0);
  return unsigned(std::lround(16 - log2Rows / 2));
}

static unsigned expItemsInBits(const LayerContext &layer) {
  const LayerOptions &o = layer.options;
  return o.fitsTables
             ? expItemsInBitsFor(layer.input(0), o.activationBits,
                                 o.lutItemsInBits, o.mostTableItemsInBits)
             : o.lutItemsInBits;
}

static void setLut(LayerContext &layer) {
  LinearParams out = layer.outputParams(/*isSigned=*/false);
  std::vector<int64_t> table = softmaxExpTable(
      layer.input(0), expItemsInBits(layer), expBits(layer, out));
  layer.setTensor(keys::lut, {int64_t(table.size())}, DType::U32, table);
  layer.setRequant(layer.approximate(out.scale, layer.options.activationBits),
                   layer.options.activationBits);
  layer.setWord(keys::quantize_method, "LUT");
  layer.setOutput(0, out);
}

/// A float table of exponentials and a float logarithm (docs/operators/norm.md,
/// LogSoftmax). The reference's range is -16 to 0 whatever the values.
bool quantizeLogSoftmax(LayerContext &layer) {
  const LayerOptions &o = layer.options;
  LinearParams in = layer.input(0), out = layer.outputParams(/*isSigned=*/true);
  std::size_t entries = std::size_t(1)
                        << std::min(in.bits, expItemsInBits(layer));
  std::vector<float> table(entries);
  // From the least difference to 0.
  double step = double((uint64_t(1) << in.bits) - 1) / double(entries - 1);
  for (std::size_t i = 0; i < entries; ++i)
    table[i] =
        float(std::exp(-double(entries - 1 - i) * step / double(in.scale)));
  mlir::Builder builder(layer.op->getContext());
  layer.op->setAttr(keys::lut_exp, makeConstantOf<float>(
                                       layer.op->getContext(), "lut_exp",
                                       {int64_t(entries)}, DType::F32, table));
  layer.op->setAttr(keys::quantize_scale,
                    builder.getDenseF64ArrayAttr(
                        {double(out.scale / in.scale), double(out.scale)}));
  // Not read with a float table, but written by the reference.
  layer.setRequant({.multiplier = 1, .shift = 0}, o.activationBits);
  layer.setOutput(0, out);
  return true;
}

bool quantizeSoftmax(LayerContext &layer) {
  auto shape = layer.shapeOf(layer.op->getOperand(0));
  int64_t axis = layer.op->getAttrOfType<mlir::IntegerAttr>(keys::axis)
                     ? layer.ints(keys::axis)[0]
                     : -1;
  if (axis < 0)
    axis += int64_t(shape.size());
  SoftmaxMethod method = layer.options.softmaxMethod;
  if (method == SoftmaxMethod::Auto)
    method =
        decidesResult(layer.op) ? SoftmaxMethod::Lut : SoftmaxMethod::FastExp;
  // The powers of two are shifted to the type's bits.
  if (layer.options.activationBits != 8 && layer.options.activationBits != 16)
    method = SoftmaxMethod::Lut;
  if (method == SoftmaxMethod::Lut)
    setLut(layer);
  else
    setFastExp(layer, shape[std::size_t(axis)]);
  return true;
}

} // namespace yarrow
