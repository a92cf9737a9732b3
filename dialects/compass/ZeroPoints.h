//===- ZeroPoints.h - Which zero points there can be ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// real = (q + zp) / scale holds for any zero point: the stored integer of the
// real value 0 is -zp, which the type need not hold. A tensor whose range lies
// above 0, as behind a CLIP, has a zero point beyond its type: uint8 with zp 22
// stores the range from 22/scale on.
//
//   if (std::abs(zp) > mostZeroPoint(DType::U8)) ...   // 255
//   auto weightZp = weightZeroPoint(op);
//   if (failed(weightZp)) return failure();
//   params.weightZp = *weightZp;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ZEROPOINTS_H
#define YARROW_DIALECTS_COMPASS_ZEROPOINTS_H

#include "dialects/compass/Tensors.h"

namespace yarrow::compass {

/// What weights_zp adds to every weight of an integer layer; 0 without the key.
/// Emits an error where it differs among output channels, which no kernel
/// computes.
mlir::FailureOr<int32_t> weightZeroPoint(mlir::Operation *op);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_ZEROPOINTS_H
