//===- ExtraKeys.h - Keys of a layer that no record knows -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The reader keeps unknown keys as it finds them, and the writer writes them
// again. Scales and zero points of constants (weights_scale, biases_zp ...) are
// in the text for a whole tensor, in the weights file for each channel. This
// header is the only way to read and to set them.
//
//   for (double zeroPoint : extraNumbers(op, "weights_zp")) ...
//   if (extraText(op, "unquantifiable") == "true") ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_EXTRAKEYS_H
#define YARROW_DIALECTS_COMPASS_EXTRAKEYS_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace yarrow::compass {

/// The text of such a key; "" without it.
llvm::StringRef extraText(mlir::Operation *op, llvm::StringRef name);

/// Forgets such keys.
void dropExtraKeys(mlir::Operation *op, llvm::ArrayRef<llvm::StringRef> names);

/// The numbers of a key of quantization, which the reader keeps as text or as a
/// constant. Empty without the key.
llvm::SmallVector<double> extraNumbers(mlir::Operation *op,
                                       llvm::StringRef name);

/// Gives \p op such a key, whose tensor goes to the weights file.
void setExtraConstant(mlir::Operation *op, llvm::StringRef name,
                      mlir::ElementsAttr value);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_EXTRAKEYS_H
