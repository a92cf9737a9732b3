//===- BoxKeys.h - Keys of layers that decode boxes -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_DETECT_BOXKEYS_H
#define YARROW_DIALECTS_COMPASS_DETECT_BOXKEYS_H

#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/LayerProgram.h"
#include "dialects/compass/Layers.h"

#include <array>

namespace yarrow::compass {

/// A number of a Number key; absent, 0.
double numberKey(mlir::Operation *op, NumberKey name);
/// Four numbers of a list, or \p fallback.
std::array<float, 4> fourNumbers(mlir::Operation *op, llvm::StringRef name,
                                 std::array<float, 4> fallback);

/// Factors of the y, x, h and w deltas of a MultiboxTransformLoc: `variances`,
/// or `variance`, which has x, y, w and h.
std::array<float, 4> multiboxFactors(mlir::Operation *op);
/// score_threshold of a float layer, or score_threshold_value.
double scoreThreshold(mlir::Operation *op);

/// A constant that a kernel needs; an error if it is not there.
mlir::FailureOr<BufferBinding> constantKey(mlir::Operation *op, TensorKey name);
uint32_t log2Of(const BufferBinding &table);

/// Four constants of one type.
mlir::FailureOr<std::array<BufferBinding, 4>>
constantKeys(mlir::Operation *op, std::array<TensorKey, 4> names);
/// The tables for y, x, h and w deltas, of one type.
mlir::FailureOr<std::array<BufferBinding, 4>> deltaTables(mlir::Operation *op);
/// Has a call look up the four tables of deltaTables(), whose sizes and type
/// its parameters say.
template <typename Params>
void setDeltaTables(Params &params, llvm::ArrayRef<BufferBinding> tables) {
  for (unsigned k = 0; k < 4; ++k)
    params.log2Sizes[k] = log2Of(tables[k]);
  params.tableType = tables[0].view.dtype;
}
void bindDeltaTables(KernelCall &call, llvm::ArrayRef<BufferBinding> tables);
/// Binds anchors as anchorCentres() has them, the first to \p first.
void bindAnchors(KernelCall &call, llvm::StringRef first,
                 llvm::ArrayRef<BufferBinding> anchors);
/// Anchors by their centres and sizes: ycenter, xcenter, ha, wa, of one type.
mlir::FailureOr<std::array<BufferBinding, 4>>
anchorCentres(mlir::Operation *op);

/// Writes one number, 0 or 1, to all of a result.
void fillResult(mlir::Operation *op, LayerProgram &program, unsigned index,
                int64_t value);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_DETECT_BOXKEYS_H
