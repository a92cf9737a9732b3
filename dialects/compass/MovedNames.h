//===- MovedNames.h - Names of tensors that clean-up has moved --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A layer that is swapped with the Transpose before it passes the name of its
// result to the Transpose, which can disappear later. The layer's own result is
// the tensor with another order of the axes.
//
//   setTensorName(moved, name + kBeforeTranspose.str());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_MOVEDNAMES_H
#define YARROW_DIALECTS_COMPASS_MOVEDNAMES_H

#include "llvm/ADT/StringRef.h"

namespace yarrow::compass {

inline constexpr llvm::StringLiteral kBeforeTranspose = "_before_transpose";

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_MOVEDNAMES_H
