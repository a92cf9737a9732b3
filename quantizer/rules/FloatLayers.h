//===- FloatLayers.h - Layers that stay in floats ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// trigger_float_op keeps layers in a float type while their neighbours are
// quantized: a DeQuantize before each integer that they read, a Quantize before
// an integer layer that reads what they make. Layers that only move values stay
// in the floats that they get. Inputs and constants of the network are
// quantized in any case. So are layers kept that have no integer form with
// their options (LayerContext::stayInFloats).
//
//   FloatLayers floats(body, state);
//   if (std::optional<FloatForm> form = floats.formOf(layer))
//     floats.keep(layer, *form);
//   else
//     floats.quantizeOperands(layer), ok = quantizeByRule(layer);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_FLOATLAYERS_H
#define YARROW_QUANTIZER_RULES_FLOATLAYERS_H

#include "quantizer/rules/LayerContext.h"

namespace yarrow {

/// A layer of integer IR that is computed in floats.
struct FloatForm {
  compass::DType type = compass::DType::F32;
  std::string reason; ///< What the layer says of it (FloatReason.h).
};

class FloatLayers {
public:
  /// Of a float network's layers, before the first one is quantized.
  FloatLayers(mlir::Block &layers, QuantizerState &state);

  /// What the layer computes in, if it is not quantized.
  std::optional<FloatForm> formOf(const LayerContext &layer) const;
  /// Makes it a float layer of integer IR; also one whose operands have been
  /// quantized. False after a diagnostic.
  bool keep(LayerContext &layer, const FloatForm &form);
  /// Brings reals that are integers of more than 16 bits, such as a Cast of an
  /// integer input gives, to the layer's bits, where it has no form for them.
  void narrowOperands(LayerContext &layer);
  /// Quantizes the operands that layers of floats made.
  void quantizeOperands(LayerContext &layer) {
    for (unsigned i = 0; i < layer.op->getNumOperands(); ++i)
      quantizeOperand(layer, i);
  }
  void quantizeOperand(LayerContext &layer, unsigned index);

private:
  bool isKept(mlir::Value value) const { return kept.contains(value); }
  /// How a float is quantized for \p layer, by what it was observed to be.
  LinearParams paramsOfKept(const LayerContext &layer, mlir::Value value) const;
  mlir::Value inFloats(LayerContext &layer, mlir::Value from,
                       compass::DType type);
  /// Takes a Quantize before operand \p index that quantizeOperands has put
  /// there away.
  void dropQuantize(mlir::Operation *op, unsigned index);

  QuantizerState &state;
  llvm::DenseSet<mlir::Value> real; ///< Floats of the network.
  llvm::DenseSet<mlir::Value> kept; ///< Of layers that stay in floats.
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value> conversions;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_FLOATLAYERS_H
