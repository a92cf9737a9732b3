//===- Selection.cpp - Indices, and values chosen by them -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Indices and counts are integers that keep their value: scale 1, unsigned, 16
// bits unless they can be greater (docs/operators/select.md).
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Keys.h"
#include "quantizer/rules/Rules.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

/// Of numbers from 0 to \p most.
static LinearParams indexParams(int64_t most, unsigned leastBits = 16) {
  if (leastBits <= 8 && most <= 255)
    return plainIntegers(8, false);
  return most <= 65535 ? plainIntegers(16, false) : plainIntegers(32, true);
}

/// The narrowest type of whole numbers from \p min to \p max.
static LinearParams wholeParams(double min, double max) {
  StoredType type = *parseType(narrowestType(min, max));
  return plainIntegers(type.bits(), dtypeIsSigned(type.dtype));
}

static int64_t elementsOf(mlir::Value value) {
  return describe(value).numElements();
}

void quantizeIndexResult(LayerContext &layer, unsigned index) {
  layer.setOutput(index, indexParams(elementsOf(layer.op->getOperand(0)) - 1),
                  /*isInvariant=*/true);
}

/// off and on as they are if both are whole, else at a scale of their own.
bool quantizeOneHot(LayerContext &layer) {
  double off = 0, on = 1;
  if (auto list = layer.op->getAttrOfType<mlir::ArrayAttr>(keys::values)) {
    off = numberOf(list[0]).value_or(off);
    on = numberOf(list[1]).value_or(on);
  }
  double min = std::min(off, on), max = std::max(off, on);
  bool isWhole = off == std::floor(off) && on == std::floor(on) &&
                 std::max(std::fabs(min), std::fabs(max)) < 32768;
  LinearParams out = isWhole
                         ? wholeParams(min, max)
                         : linearParams(float(min), float(max),
                                        layer.options.activationMethod.mode,
                                        layer.options.activationBits, min < 0);
  mlir::Builder b(layer.op->getContext());
  auto stored = [&](double value) -> mlir::Attribute {
    return b.getI64IntegerAttr(quantizeValue(float(value), out));
  };
  layer.op->setAttr(keys::values, b.getArrayAttr({stored(off), stored(on)}));
  layer.setOutput(0, out, isWhole);
  return true;
}

bool quantizeConstantOfShape(LayerContext &layer) {
  double value = layer.number(keys::value).value_or(0);
  if (!std::isfinite(value))
    return layer.unsupported("no integer can represent the value", "", "value");
  bool isWhole = value == std::floor(value) && std::fabs(value) < 32768;
  float extent = float(std::fabs(value));
  LinearParams out =
      isWhole ? wholeParams(value, value)
              : linearParams(std::min(float(value), 0.0f), extent,
                             layer.options.activationMethod.mode,
                             layer.options.activationBits, value < 0);
  mlir::Builder b(layer.op->getContext());
  layer.op->setAttr(
      keys::value, b.getF64FloatAttr(double(quantizeValue(float(value), out))));
  layer.setOutput(0, out, isWhole);
  return true;
}

/// The reference's indices of 8 bits saturate beyond 255; ours have as many
/// bits as they need.
bool quantizeNonZero(LayerContext &layer) {
  // Stored integers are compared, which are 0 where the real value is only
  // without a zero point. One bit more holds every q + zp.
  if (LinearParams in = layer.input(0); in.zp != 0) {
    LinearParams without = plainIntegers(std::max(16u, in.bits), true);
    without.scale = in.scale;
    layer.castInput(0, without);
  }
  std::vector<int64_t> shape = layer.shapeOf(layer.op->getOperand(0));
  int64_t longest = 1;
  for (int64_t length : shape)
    longest = std::max(longest, length);
  layer.setOutput(0, indexParams(longest - 1, layer.options.activationBits),
                  /*isInvariant=*/true);
  layer.setOutput(1, indexParams(layer.shapeOf(layer.op->getResult(0))[1]),
                  /*isInvariant=*/true);
  return true;
}

bool quantizeArgMinMax(LayerContext &layer) {
  int64_t axisLength =
      elementsOf(layer.op->getOperand(0)) / elementsOf(layer.op->getResult(0));
  layer.setOutput(0, indexParams(axisLength - 1), /*isInvariant=*/true);
  return true;
}

/// Rows, candidates, and how many of both.
bool quantizeAccidentalHits(LayerContext &layer) {
  const int64_t most[] = {layer.shapeOf(layer.op->getOperand(0))[0] - 1,
                          layer.shapeOf(layer.op->getOperand(1))[0] - 1,
                          layer.shapeOf(layer.op->getResult(0))[0]};
  for (unsigned i = 0; i < 3; ++i)
    layer.setOutput(i, indexParams(most[i]), /*isInvariant=*/true);
  return true;
}

/// Numbers of classes.
bool quantizeGreedyDecoder(LayerContext &layer) {
  int64_t classes = layer.shapeOf(layer.op->getOperand(0))[2];
  layer.setOutput(0, indexParams(classes - 1), /*isInvariant=*/true);
  return true;
}

bool quantizeShape(LayerContext &layer) {
  layer.setOutput(0, plainIntegers(32, true), /*isInvariant=*/true);
  return true;
}

/// Both choices are brought to the scale of the result, whole numbers stay.
bool quantizeWhere(LayerContext &layer) {
  LinearParams a = layer.input(1), b = layer.input(2);
  bool isSigned = a.isSigned || b.isSigned;
  bool isInvariant = layer.isInvariant(1) && layer.isInvariant(2);
  LinearParams out = isInvariant ? wholeParams(double(std::min(a.qmin, b.qmin)),
                                               double(std::max(a.qmax, b.qmax)))
                                 : layer.outputParams(isSigned);
  unsigned bits = layer.options.multiplierWidth();
  layer.setRequants({layer.approximate(out.scale / a.scale, bits),
                     layer.approximate(out.scale / b.scale, bits)},
                    bits);
  layer.setOutput(0, out, isInvariant);
  return true;
}

} // namespace yarrow
