//===- ExtraNumbers.h - Numbers that no record knows ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Scales and zero points of constants (weights_scale, biases_zp ...) stand in
// the text for a whole tensor and in the weights file for each channel. The
// reader keeps both as it finds them; this is the one way to read them.
//
//   for (double zeroPoint : extraNumbers(op, "weights_zp")) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_EXTRANUMBERS_H
#define YARROW_DIALECTS_COMPASS_EXTRANUMBERS_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace yarrow::compass {

/// The numbers of a key of quantization that no record has, which the reader
/// keeps as text or as a constant. Empty without the key.
llvm::SmallVector<double> extraNumbers(mlir::Operation *op,
                                       llvm::StringRef name);

/// Gives \p op such a key, whose tensor goes to the weights file.
void setExtraConstant(mlir::Operation *op, llvm::StringRef name,
                      mlir::ElementsAttr value);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_EXTRANUMBERS_H
