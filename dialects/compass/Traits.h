//===- Traits.h - Facts of operators that passes ask ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Properties of operators, set in their records (`facts` in CompassBase.td).
// Passes ask for them instead of for lists of op classes, so that a new
// operator is treated like similar ones. They are independent of the
// quantizer's rules.
//
//   if (op->hasTrait<trait::Linear>()) ... // y = W x + b, W and b constants
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_TRAITS_H
#define YARROW_DIALECTS_COMPASS_TRAITS_H

#include "mlir/IR/OpDefinition.h"

namespace yarrow::compass::trait {

#define LAYER_TRAIT(NAME)                                                      \
  template <typename ConcreteType>                                             \
  class NAME : public mlir::OpTrait::TraitBase<ConcreteType, NAME> {};

/// Holds a value and computes nothing: what the caller or the file gives.
LAYER_TRAIT(Source)
/// Each value of a result is made of the operands' values at its place, which
/// broadcast. Keys may break it (isElementwise in LayerAxes.h).
LAYER_TRAIT(Elementwise)
/// With one operand, may write over it: each value is read before the result's
/// value of the same place is written.
LAYER_TRAIT(InPlace)
/// Moves values; where the result has the operand's type, it changes none.
LAYER_TRAIT(MovesOnly)
/// Knows the axes by its keys alone (`axisKeys`, `perAxisKeys` of its record),
/// so that it does the same in any order of the axes.
LAYER_TRAIT(AxesByKey)
/// y = W x + b with constants `weights` and `biases`; the first axis of W is
/// the last of y, as is the axis of b. Knows the zero point of W.
LAYER_TRAIT(Linear)
/// Computes each place of an image from a window of rows and columns.
LAYER_TRAIT(Windowed)
/// Applies `with_activation` to its result, whichever word it says.
LAYER_TRAIT(FusesActivation)
/// Chooses or orders by its operands' values: from a small difference may
/// follow another result.
LAYER_TRAIT(Decides)

#undef LAYER_TRAIT

} // namespace yarrow::compass::trait

#endif // YARROW_DIALECTS_COMPASS_TRAITS_H
