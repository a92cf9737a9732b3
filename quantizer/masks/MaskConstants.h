//===- MaskConstants.h - What layers of masks hold --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   if (auto values = floatsOfConstant(constant))
//     setFloats(constant, bounded(*values));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_MASKS_MASKCONSTANTS_H
#define YARROW_QUANTIZER_MASKS_MASKCONSTANTS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <vector>

namespace yarrow {

/// Discardable attribute of a float layer whose only result is partly masked:
/// the range of the rest. Where networks are compared, values beyond it are
/// those at its ends.
inline constexpr llvm::StringLiteral kUnmaskedAttr = "quantizer.unmasked";

/// The same of a constant whose infinities have become numbers.
inline constexpr llvm::StringLiteral kBoundedAttr = "quantizer.bounded";

/// Nullopt of integers.
std::optional<std::vector<float>> floatsOfConstant(mlir::Operation *constant);
/// In the type of its result, and of its shape.
void setFloats(mlir::Operation *constant, llvm::ArrayRef<float> values);

} // namespace yarrow

#endif // YARROW_QUANTIZER_MASKS_MASKCONSTANTS_H
