//===- RecurrentRule.h - What rules of recurrent layers share -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The integer form of a recurrent layer takes all states and gates without zero
// points and has its functions in tables, whose arguments have ranges that
// calibration takes between the kernels of the layer
// (dialects/compass/sequence). docs/operators/sequence.md has the formulas. In
// some places the reference takes another scale than the integers have; here
// each multiplier is the ratio of the integers' own scales.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_RECURRENTRULE_H
#define YARROW_QUANTIZER_RULES_RECURRENTRULE_H

#include "dialects/compass/sequence/RecurrentFunctions.h"
#include "quantizer/rules/LayerContext.h"

namespace yarrow {

/// Where a table ends if its function changes no more beyond: those of the
/// reference, with which 8 bits resolve the arguments in between.
struct TableBounds {
  double sigmoid, tanh;
};

class RecurrentRule {
protected:
  RecurrentRule(LayerContext &layer, TableBounds narrow);

  /// Reads functions, weights and biases; false after a diagnostic.
  bool read(unsigned functionCount);

  LinearParams symmetric(FloatRange r) const {
    return linearParams(r.min, r.max, RangeMode::SymmetricRestricted, bits,
                        /*isSigned=*/true);
  }
  /// Of an intermediate, within -bound .. bound if there is one.
  LinearParams between(llvm::StringRef name,
                       std::optional<double> bound = std::nullopt) const;
  /// How the argument of function \p which is stored.
  LinearParams tableInput(llvm::StringRef name, unsigned which) const;
  LinearParams tableInput(FloatRange range, unsigned which) const;
  /// The function over all arguments, times \p outScale.
  void setTable(compass::TensorKey key, unsigned which, const LinearParams &in,
                float outScale);
  /// At least a byte each: the gates are taken apart byte by byte.
  compass::StoredType weightType() const {
    return integerType(std::max(layer.options.weightBits, 8u), true);
  }
  /// How the states are stored: those of \p name, and the first one.
  LinearParams stateParams(llvm::StringRef name, unsigned operand) const;
  /// A first state must have a scale without a zero point: a Cast before the
  /// layer gives it that of \p to, as in the reference.
  void alignState(unsigned operand, const LinearParams &to);

  /// b * scale + zp of x * sum of the weights of x in row \p row, which the
  /// zero point of x adds to the products; within 32 bits.
  int64_t bias(size_t entry, float scale, std::optional<int64_t> row) const;

  LayerContext &layer;
  const unsigned bits; ///< of activations
  const float largest; ///< q of -q .. q
  const TableBounds bounds;
  std::vector<compass::RecurrentFunction> functions;
  std::optional<double> threshold; ///< arguments of functions are clipped
  LayerContext::FloatConstant weights, biases;
  std::vector<int64_t> integerWeights;
  int64_t inputs = 0, cells = 0;
  LinearParams x;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_RECURRENTRULE_H
