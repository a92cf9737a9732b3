//===- Scatter.cpp - Values written, or summed up, at indices -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// docs/operators/indexing.md (ScatterElements) and docs/operators/statistics.md
// (SegmentReduce) have the integer forms.
//
//===----------------------------------------------------------------------===//

#include "quantizer/math/Lut.h"
#include "quantizer/rules/Rules.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

/// ScatterElements works within the bits of both operands, ScatterND within 32.
enum class Scatter { Elements, Places };

/// The greatest magnitude of a value with its zero point.
static int64_t mostOf(const LinearParams &p) {
  return std::max(std::abs(p.qmin + p.zp), std::abs(p.qmax + p.zp));
}

/// Multipliers of result, data and updates for NONE, ADD, MAX and MIN.
static EltwiseScales alignedScales(LayerContext &layer, Scatter kind,
                                   const LinearParams &data,
                                   const LinearParams &updates,
                                   const LinearParams &out, bool adds) {
  unsigned bits = layer.options.multiplierWidth();
  EltwiseScales scales;
  if (haveCommonScale(data.scale, data.zp, updates.scale, updates.zp)) {
    if (adds)
      scales.out = layer.approximate(out.scale / data.scale, bits);
    return scales;
  }
  scales = eltwiseAddScales(data.scale, updates.scale, out.scale, bits);
  // Values saturate at the bits of both operands, which the reference takes no
  // heed of: multipliers are halved until they do not. At 16 bits ScatterND has
  // 32 bits for its sums.
  bool isPlace = kind == Scatter::Places;
  bool isWide = data.bits > 8 || updates.bits > 8;
  int64_t widest = int64_t(1)
                   << (data.bits + updates.bits - (out.isSigned ? 1 : 0));
  int64_t most = isWide && isPlace ? (1 << 13) - 1
                                   : (int64_t(1) << std::min(bits, 16u)) - 1;
  auto fits = [&] {
    return std::max(scales.scale0, scales.scale1) <= most &&
           (isPlace || (mostOf(data) * scales.scale0 < widest &&
                        mostOf(updates) * scales.scale1 < widest));
  };
  while (!fits()) {
    scales.scale0 = int32_t(std::nearbyint(scales.scale0 / 2.0));
    scales.scale1 = int32_t(std::nearbyint(scales.scale1 / 2.0));
    --scales.out.shift;
  }
  return scales;
}

/// Factors of MUL. The reference's ScatterElements ends without the result's
/// zero point, so that it has none.
static void setProductScales(LayerContext &layer, Scatter kind,
                             const LinearParams &data,
                             const LinearParams &updates,
                             const LinearParams &out) {
  if (kind == Scatter::Elements) {
    layer.setRequants({layer.approximate(out.scale / data.scale, 14),
                       layer.approximate(1 / updates.scale, 14)},
                      16);
    return;
  }
  unsigned bits = layer.options.multiplierWidth();
  ScaleApproximation a = layer.approximate(out.scale / data.scale, bits),
                     c = layer.approximate(1 / updates.scale, bits);
  layer.setRequants({{1, a.shift}, {a.multiplier, 0}, {c.multiplier, c.shift}},
                    bits);
}

static bool quantizeScatter(LayerContext &layer, Scatter kind) {
  LinearParams data = layer.input(0), updates = layer.input(2);
  std::string reduction = layer.word(keys::reduction, "NONE");
  bool isSigned = data.isSigned || updates.isSigned;
  bool isInvariant = layer.isInvariant(0) && layer.isInvariant(2);
  bool multiplies = reduction == "MUL";
  LinearParams out;
  if (isInvariant) {
    FloatRange r = layer.extrema();
    StoredType type = *parseType(narrowestType(r.min, r.max, isSigned));
    out.bits = std::max({data.bits, updates.bits, type.bits()});
    out.isSigned = isSigned;
    out.qmin = integerMin(out.bits, isSigned);
    out.qmax = integerMax(out.bits, isSigned);
  } else if (multiplies && kind == Scatter::Elements) {
    FloatRange r = layer.range();
    out = linearParams(r.min, r.max, RangeMode::SymmetricFull,
                       layer.options.activationBits, isSigned);
  } else {
    out = layer.outputParams(isSigned);
  }
  if (multiplies) {
    setProductScales(layer, kind, data, updates, out);
  } else {
    EltwiseScales s =
        alignedScales(layer, kind, data, updates, out, reduction == "ADD");
    layer.checkMultiplier(s.out);
    std::string narrow(multiplierType(layer.options.multiplierWidth()));
    layer.setInts(keys::scale_value, {s.out.multiplier, s.scale0, s.scale1});
    layer.setInts(keys::shift_value, {s.out.shift});
    layer.setExtra("scale_type", "[uint16," + narrow + "," + narrow + "]");
    layer.setExtra("shift_type", "int8");
  }
  layer.setOutput(0, out, isInvariant);
  return true;
}

bool quantizeScatterElements(LayerContext &layer) {
  return quantizeScatter(layer, Scatter::Elements);
}

bool quantizeScatterND(LayerContext &layer) {
  return quantizeScatter(layer, Scatter::Places);
}

bool quantizeSegment(LayerContext &layer) {
  std::string method = layer.word(keys::method, "SUM");
  if (method == "MIN" || method == "MAX") {
    layer.shareWithInput();
    return true;
  }
  assert(method != "PROD" && "has no integer form (IntegerForms.h)");
  LinearParams in = layer.input(0), out = layer.outputParams(in.isSigned);
  layer.setRequant(layer.approximate(out.scale / in.scale, 16), 16);
  layer.setOutput(0, out);
  return true;
}

/// The sum, then its product with an inverse root, have scales of their own.
static void setRootScales(LayerContext &layer, const LinearParams &table,
                          const LinearParams &weights,
                          const LinearParams &out) {
  bool isSigned = table.qmin + table.zp < 0 || weights.qmin + weights.zp < 0;
  FloatRange r = layer.intermediateRange("sums");
  unsigned bits = table.bits;
  float sums =
      linearParams(r.min, r.max, RangeMode::SymmetricRestricted, bits, isSigned)
          .scale;
  ScaleApproximation first = layer.approximate(
                         sums / (table.scale * weights.scale), bits),
                     last = layer.approximate(out.scale * weights.scale / sums,
                                              bits);
  layer.setRequants({first, last}, bits);
  int log2 = int(std::ceil(std::log2(double(std::max(last.multiplier, 1)))));
  layer.setInt(keys::reciprocal_shift_value,
               std::max(int(bits) + !isSigned + log2 - 16, 0));
  layer.setExtra("reciprocal_shift_type", "int8");
  layer.setTensor(keys::lut, {193}, DType::I16, inverseSqrtTable());
}

bool quantizeEmbedding(LayerContext &layer) {
  LinearParams table = layer.input(0), weights = layer.input(3);
  LinearParams out = layer.outputParams(table.isSigned || weights.isSigned);
  std::string combiner = layer.word(keys::combiner, "MEAN");
  unsigned bits = table.bits;
  if (combiner == "SQRTN")
    setRootScales(layer, table, weights, out);
  else if (combiner == "SUM")
    layer.setRequant(
        layer.approximate(out.scale / (table.scale * weights.scale), bits),
        bits);
  else
    layer.setRequant(layer.approximate(out.scale / table.scale, 16), 16);
  layer.setOutput(0, out);
  return true;
}

} // namespace yarrow
