//===- Binary.td - What layers on two tensors share -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A file without operators: a family that included another one's operators would
// generate their classes again.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ELTWISE_BINARY_TD
#define YARROW_DIALECTS_COMPASS_ELTWISE_BINARY_TD

include "dialects/compass/CompassBase.td"

defvar BinaryIn = [Tensor<"x1", "...", "first operand">, Tensor<"x2", "...", "second operand, broadcast with the first">];
defvar BinaryOut = [Tensor<"y", "...", "of the broadcast shape">];
defvar BroadcastReading = Resolved<"which shapes broadcast is not told",
  "axes are aligned at the innermost; an axis repeats if it has length 1 or, as the reference repeats it, if it divides the other's">;

#endif // YARROW_DIALECTS_COMPASS_ELTWISE_BINARY_TD
