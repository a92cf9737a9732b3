//===- WhereLimit.h - Choices that are a minimum or maximum -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Scores behind a constant mask, as attention has them: Where(mask, x, c) with
// a c below all that x is stored as is min(x, m), with an m of the greatest
// values where x is kept and of c elsewhere; with a c above it is a maximum.
// The tensor engine has both, and no choice.
//
//   if (appendLimit(op, params, program))
//     return success();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_LOGIC_WHERELIMIT_H
#define YARROW_DIALECTS_COMPASS_LOGIC_WHERELIMIT_H

#include "dialects/compass/LayerProgram.h"
#include "kernels/select/Select.h"

namespace yarrow::compass {

/// Appends yk_eltwise_int with the bytes of yk_where_int, of which \p params
/// are, if condition and one choice are constants as above. False, and nothing
/// appended, if they are not.
bool appendLimit(mlir::Operation *op, const kernels::WhereIntParams &params,
                 LayerProgram &program);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_LOGIC_WHERELIMIT_H
