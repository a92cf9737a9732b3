//===- IrRanges.h - The ranges that a float IR gives ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Networks that were trained for quantization know the ranges of their tensors:
// layer_top_range, and weights_range for constants. The calibration strategy
// in_ir takes those. They are read before clean-up and found again by what
// clean-up keeps: a tensor's name, and weights that nothing was folded into.
//
//   IrRanges ranges = IrRanges::of(module);
//   std::optional<FloatRange> r = ranges.ofTensor("conv1_0");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_CALIBRATE_IRRANGES_H
#define YARROW_QUANTIZER_CALIBRATE_IRRANGES_H

#include "mlir/IR/BuiltinOps.h"
#include "quantizer/math/QuantParams.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace yarrow {

/// The numbers of a key that no record knows, from its text or from a constant;
/// none if there is anything else.
std::vector<double> numbersOfExtraKey(mlir::Operation *op,
                                      llvm::StringRef name);

class IrRanges {
public:
  static IrRanges of(mlir::ModuleOp module);

  std::optional<FloatRange> ofTensor(llvm::StringRef name) const;
  /// Of the constant \p weights as a whole, or of one channel. A range of the
  /// whole is that of every channel.
  std::optional<FloatRange>
  ofWeights(mlir::Attribute weights,
            std::optional<std::size_t> channel = {}) const;

private:
  llvm::StringMap<FloatRange> tensors;
  llvm::DenseMap<mlir::Attribute, std::vector<FloatRange>> weightRanges;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_CALIBRATE_IRRANGES_H
