//===- WhereLimit.h - Choices that are a minimum or maximum -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Attention masks scores with a constant: Where(mask, x, c). If c is below all
// stored values of x, this is min(x, m), where m has the greatest value where x
// is kept, and c at the other places. If c is above them, it is a maximum. The
// tensor engine has minimum and maximum, but no choice.
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
