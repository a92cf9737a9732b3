//===- Eltwise.cpp - Arithmetic on two tensors ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Layers.h"
#include "dialects/compass/eltwise/BinaryFunction.h"
#include "dialects/compass/graph/GraphOps.h"
#include "quantizer/math/Lut.h"
#include "quantizer/rules/FusedActivation.h"
#include "quantizer/rules/Rules.h"

#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

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
  if (haveCommonScale(a.scale, a.zp, b.scale, b.zp,
                      layer.options.alignThreshold))
    scales.out = layer.approximate(out.scale / a.scale, bits);
  else
    scales = eltwiseAddScales(a.scale, b.scale, out.scale, bits);
  layer.checkMultiplier(scales.out);
  layer.setInts(keys::scale_value,
                {scales.out.multiplier, scales.scale0, scales.scale1});
  layer.setInts(keys::shift_value, {scales.out.shift});
  layer.setExtra("scale_type", "[uint16,uint16,uint16]");
  layer.setExtra("shift_type", "int8");
}

/// Whether \p v is a constant of zeros, of which every scale is right.
static bool isNothing(mlir::Value v) {
  auto constant = llvm::dyn_cast_or_null<ConstantOp>(v.getDefiningOp());
  auto view = constant ? viewConstant(*constant.getWeights()) : std::nullopt;
  TensorInfo info = describe(v);
  if (!view || !info.isQuantized())
    return false;
  for (int64_t i = 0, e = view->numElements(); i < e; ++i)
    if (view->intAt(i) + info.zp != 0)
      return false;
  return true;
}

/// Both operands are brought to the scale of the result, which the remainder
/// then has (docs/operators/eltwise.md, Mod).
bool quantizeRemainder(LayerContext &layer) {
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

/// Bits of a signed integer that holds every q + zp.
static int bitsOfReal(const LinearParams &p) {
  int bits = 1;
  while (p.qmin + p.zp < integerMin(unsigned(bits), true) ||
         p.qmax + p.zp > integerMax(unsigned(bits), true))
    ++bits;
  return bits;
}

/// Both operands are brought to one scale with up to 15 bits of each
/// (docs/operators/eltwise.md, SquaredDifference; in float32).
bool quantizeSquaredDifference(LayerContext &layer) {
  constexpr int kOperandBits = 15;
  constexpr unsigned kMultiplierBits = 16;
  LinearParams a = layer.input(0), b = layer.input(1);
  int bitsA = bitsOfReal(a), bitsB = bitsOfReal(b);
  int excess = std::max(bitsA, bitsB) - kOperandBits;
  int spare = std::min(std::max(0, kOperandBits - bitsA),
                       std::max(0, kOperandBits - bitsB));
  float common = std::min(a.scale, b.scale) / float(std::max(2 * excess, 1));
  bool isInvariant = layer.isInvariant(0) && layer.isInvariant(1);
  LinearParams out = isInvariant ? invariantOutput(layer, /*isSigned=*/false)
                                 : layer.outputParams(/*isSigned=*/false);
  auto operandScale = [&](const LinearParams &in) {
    return layer.approximate(common / in.scale * std::ldexp(1.0f, spare),
                             kMultiplierBits);
  };
  ScaleApproximation result = layer.approximate(out.scale / (common * common) /
                                                    std::ldexp(1.0f, 2 * spare),
                                                kMultiplierBits);
  layer.setRequants({result, operandScale(a), operandScale(b)},
                    kMultiplierBits);
  layer.setOutput(0, out, isInvariant);
  return true;
}

/// The divisor becomes a reciprocal of 16 bits from a table
/// (docs/operators/eltwise.md, Div). The reference stores 65535 / k, 1 or 2 for
/// most divisors k of 16 bits; only every 2^n-th k has an entry then, so the
/// table has 2^n times as much, and fills its entries. Entries of 16 bits leave
/// large divisors of 16 bits few digits, and few entries leave small ones a
/// straight line: with both more, 4,096 entries of up to 28 bits, divisors from
/// 160 steps on are exact to a thousandth. Below the first entry the line
/// begins at thrice it, between what half of these divisors ask for.
static bool quantizeWideDivision(LayerContext &layer) {
  constexpr double kMost = 1 << 28;
  LinearParams a = layer.input(0), b = layer.input(1);
  LinearParams out = layer.outputParams(a.isSigned || b.isSigned);
  unsigned items = std::min(layer.options.mostTableItemsInBits, b.bits);
  bool isFull = items == b.bits; // no divisor but 0 lies below an entry
  double largest = isFull ? kMost : kMost / 4;
  double one = std::ldexp(largest, int(b.bits - items));
  std::vector<int64_t> table = {isFull ? 0 : int64_t(3 * largest)};
  for (int64_t i = 1; i < int64_t(1) << items; ++i)
    table.push_back(std::llround(largest / double(i)));
  layer.setTensor(keys::lut, {int64_t(table.size())}, DType::U32, table);
  unsigned bits = layer.options.multiplierWidth();
  layer.setRequant(
      layer.approximate(float(double(out.scale) * b.scale / (a.scale * one)),
                        bits, /*maxShift=*/62),
      bits);
  layer.setOutput(0, out);
  return true;
}

bool quantizeDivision(LayerContext &layer) {
  if (layer.options.fitsTables && layer.input(1).bits > 8)
    return quantizeWideDivision(layer);
  unsigned items = std::min(layer.options.lutItemsInBits, layer.input(1).bits);
  double one = std::ldexp(65535.0, int(layer.input(1).bits - items));
  LinearParams a = layer.input(0), b = layer.input(1);
  LinearParams out = layer.outputParams(a.isSigned || b.isSigned);
  LinearParams index{.scale = 1, .zp = 0, .bits = b.bits, .isSigned = false};
  LinearParams entries{.scale = 1, .zp = 0, .bits = 16, .isSigned = false};
  entries.qmin = 0, entries.qmax = integerMax(16, false);
  std::vector<int64_t> table =
      buildLut([one](double x) { return x == 0 ? 0 : one / x; }, index, entries,
               layer.options.lutItemsInBits);
  layer.setTensor(keys::lut, {int64_t(table.size())}, DType::U16, table);
  unsigned bits = layer.options.multiplierWidth();
  layer.setRequant(
      layer.approximate(out.scale * b.scale / (a.scale * float(one)), bits),
      bits);
  layer.setOutput(0, out);
  return true;
}

/// CLIP of a sum as the range of its result. The tensor engine limits what it
/// has rounded, and cannot between two roundings, as CLIP does.
static void clipByRange(LayerContext &layer, LinearParams &out) {
  auto stored = [&](NumericKey bound) {
    return quantizeValue(float(*layer.number(bound)), out);
  };
  int64_t least = stored(keys::clip_min), most = stored(keys::clip_max);
  out.qmin = std::max(out.qmin, least), out.qmax = std::min(out.qmax, most);
  layer.setWord(keys::with_activation, "NONE");
  layer.remove(keys::clip_min);
  layer.remove(keys::clip_max);
}

bool quantizeEltwise(LayerContext &layer) {
  using kernels::BinaryOp;
  BinaryOp function = llvm::cast<BinaryFunction>(layer.op).binaryFunction();
  std::string activation = layer.word(keys::with_activation, "NONE");
  LinearParams a = layer.input(0), b = layer.input(1);
  // A scale of 1 beside one of millions would leave the other no digits.
  if (isNothing(layer.op->getOperand(0)))
    a.scale = b.scale;
  else if (isNothing(layer.op->getOperand(1)))
    b.scale = a.scale;
  bool isSigned = activation == "NONE"
                      ? a.isSigned || b.isSigned || function == BinaryOp::Sub
                      : activationIsSigned(layer, activation);
  bool isInvariant = layer.isInvariant(0) && layer.isInvariant(1);
  LinearParams out = isInvariant ? invariantOutput(layer, isSigned)
                                 : layer.outputParams(isSigned);
  if (function == BinaryOp::Mul) {
    unsigned bits = layer.options.multiplierWidth();
    layer.setRequant(layer.approximate(out.scale / (a.scale * b.scale), bits),
                     bits);
  } else {
    setAlignedScales(layer, a, b, out);
  }
  // A recipe of the reference's keeps the keys that it writes.
  if (activation == "CLIP" && layer.options.keepsDigits && !isInvariant &&
      layer.number(keys::clip_min) && layer.number(keys::clip_max))
    clipByRange(layer, out);
  else if (!quantizeActivationKeys(layer, activation, out))
    return false;
  layer.setOutput(0, out, isInvariant);
  return true;
}

} // namespace yarrow
