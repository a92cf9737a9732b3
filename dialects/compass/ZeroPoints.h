//===- ZeroPoints.h - Which zero points there can be ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// real = (q + zp) / scale holds for any zero point: the stored integer of the
// real value 0 is -zp, which the type need not hold. A tensor whose range lies
// above 0, as after a CLIP, has a zero point beyond its type: uint8 with zp 22
// stores the range from 22/scale on.
//
//   if (std::abs(zp) > mostZeroPoint(DType::U8)) ...   // 255
//   auto weights = weightConstants(op);
//   if (failed(weights)) return failure();
//   call["weights"] = *weights;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ZEROPOINTS_H
#define YARROW_DIALECTS_COMPASS_ZEROPOINTS_H

#include "dialects/compass/LayerProgram.h"

namespace yarrow::compass {

/// What weights_zp adds to the weights of a layer: one value, or one for each
/// filter. Empty without the key.
llvm::SmallVector<int64_t> weightZeroPoints(mlir::Operation *op);
bool hasWeightZeroPoint(mlir::Operation *op);

/// The layer's weights as kernels and engines multiply by them: their zero
/// points are added, for which unsigned and asymmetric ones become int8 if they
/// fit, else int16. Emits an error for those that need more bits. Integers of a
/// layer of floats become floats (WeightsOnly.h).
mlir::FailureOr<BufferBinding> weightConstants(mlir::Operation *op);
/// The same with what another key than weights_zp says.
mlir::FailureOr<BufferBinding>
weightConstants(mlir::Operation *op, llvm::StringRef key,
                llvm::ArrayRef<int64_t> zeroPoints);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_ZEROPOINTS_H
