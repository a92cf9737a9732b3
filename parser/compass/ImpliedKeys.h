//===- ImpliedKeys.h - Values of keys that a layer leaves out ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A key can be absent if its default holds, or if the tensors of the layer
// imply its value. The reader of the reference tools requires many of these
// keys, so written text has them:
//
//   layer.append("epsilon", *impliedValue(key, op)); // epsilon=1e-05
//   layer.append("kernel_x", ...);                   // as the weights have it
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_COMPASS_IMPLIEDKEYS_H
#define YARROW_PARSER_COMPASS_IMPLIEDKEYS_H

#include "dialects/compass/Records.h"
#include "parser/compass/IrValue.h"

#include <optional>

namespace yarrow::compass {

/// The value that \p op computes with if it has no \p key; nullopt if the key
/// does not apply to it, or if the operator then does without.
std::optional<IrValue> impliedValue(const KeyRecord &key, mlir::Operation *op);

} // namespace yarrow::compass

#endif // YARROW_PARSER_COMPASS_IMPLIEDKEYS_H
