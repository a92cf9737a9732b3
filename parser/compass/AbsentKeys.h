//===- AbsentKeys.h - Keys that the shapes imply ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The definition lets some keys be absent where the declared shapes, or the
// shapes of constants, imply their values: pads of windows, equal parts of
// Split, a bias of zeros, gamma and beta that broadcast. The dialect always has
// these keys, so that only the reader has to know the rules.
//
//   std::string filled = fillAbsentKeys(op); // "pad_left=1, pad_right=1"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_COMPASS_ABSENTKEYS_H
#define YARROW_PARSER_COMPASS_ABSENTKEYS_H

#include "mlir/IR/Operation.h"

#include <string>

namespace yarrow::compass {

/// Gives a layer of IR text, not verified yet, the keys that it may do without.
/// What cannot be told is left to the verifier. Returns those which decide what
/// is computed and which the reference tools always write.
std::string fillAbsentKeys(mlir::Operation *op);

} // namespace yarrow::compass

#endif // YARROW_PARSER_COMPASS_ABSENTKEYS_H
