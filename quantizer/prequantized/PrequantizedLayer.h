//===- PrequantizedLayer.h - A layer that gets its integers ------------*- C++
//-*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The view of a layer that the forms (Forms.h) read and set: a layer of real
// numbers whose tensors are stored, perhaps followed by clamps that its
// result's range takes over.
//
//   auto x = storedTensorOf(layer.op->getOperand(0));
//   if (!x) return layer.hasNoForm("its input is not stored");
//   layer.setRequant(*multiplierOf(x->step / layer.output.step));
//   return true;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_PREQUANTIZED_PREQUANTIZEDLAYER_H
#define YARROW_QUANTIZER_PREQUANTIZED_PREQUANTIZEDLAYER_H

#include "mlir/IR/Operation.h"
#include "quantizer/prequantized/PrequantizedOptions.h"
#include "quantizer/prequantized/StoredTensor.h"
#include "support/Diagnostics.h"
#include "support/Multiplier.h"

#include <string>
#include <vector>

namespace yarrow {

struct PrequantizedLayer {
  mlir::Operation *op;
  const PrequantizedOptions &options;
  DiagnosticEngine &diags;
  /// How the result is stored: its range is what clamps leave of it.
  StoredTensor output = {};
  /// Whether clamps behind the layer are taken over.
  bool isClamped = false;
  /// The key requant_rounding of the model's layer: what its runtime does where
  /// formats differ; "" says nothing. HALF_UP: TFLite's sums of 8 bits. DOUBLE:
  /// its requantizations.
  std::string saidRounding = {};
  /// Why the layer has no integer form.
  std::string why = {};

  /// False; the layer is computed in floats.
  bool hasNoForm(std::string reason) {
    why = std::move(reason);
    return false;
  }
  /// How operand \p i is stored.
  std::optional<StoredTensor> input(unsigned i) const {
    return storedTensorOf(op->getOperand(i));
  }

  /// Of layers whose operands have the result's scale: a Cast in front of each
  /// stored one that has another, or (if \p clamps) values outside of the
  /// result's range. As hasNoForm, and nothing is changed, if one
  /// cannot be cast.
  bool castOperands(bool clamps = false);

  /// The first result is stored as \p form, and a Cast, which is the layer from
  /// then on, brings it to `output`. As hasNoForm if it cannot be cast.
  bool castResult(const StoredTensor &form);

  /// scale_value and shift_value.
  void setRequant(Multiplier m);
  /// The same of several operands: \p scales with one \p shift.
  void setRequant(llvm::ArrayRef<int64_t> scales, int64_t shift);
  /// scale_value and shift_value with an entry of each for each.
  void setRequants(llvm::ArrayRef<Multiplier> multipliers);
  /// scale and shift as constants, one entry for each output channel.
  void setChannelRequants(llvm::ArrayRef<Multiplier> channels, bool isWide);
  void setInt(llvm::StringRef key, int64_t value);
  void setWord(llvm::StringRef key, llvm::StringRef word);
  void setTensor(llvm::StringRef key, llvm::ArrayRef<int64_t> shape,
                 compass::StoredType type, llvm::ArrayRef<int64_t> values);
};

/// The multiplier that brings \p from's steps to those of \p to; nullopt if
/// there is none.
inline std::optional<Multiplier> requantOf(const StoredTensor &from,
                                           const StoredTensor &to) {
  return multiplierOf(from.step / to.step);
}

} // namespace yarrow

#endif // YARROW_QUANTIZER_PREQUANTIZED_PREQUANTIZEDLAYER_H
