//===- NormFormulas.h - Means and deviations spelled by layers --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What exporters write for a norm: means by Reduce or a pooling of everything,
// squares by three layers, roots by four. The axes follow from how the result
// broadcasts, so reshapes before and after a mean do not matter.
//
//   if (auto s = spreadOf(variance, axes)) ... // mean((x - mean(x))^2) + eps
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_CLEANUP_NORMFORMULAS_H
#define YARROW_PASSES_CLEANUP_NORMFORMULAS_H

#include "kernels/arithmetic/Eltwise.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <utility>

namespace yarrow::cleanup {

/// The operands of a float layer without activation that is \p function.
std::optional<std::pair<mlir::Value, mlir::Value>>
operandsOf(mlir::Value value, kernels::BinaryOp function);

/// The number of a constant of one element.
std::optional<double> scalarOf(mlir::Value value);

/// A tensor and some of its axes, those of length 1 left out.
struct AxesOf {
  mlir::Value x;
  llvm::SmallVector<int64_t> axes;
};

/// The axes of \p x along which \p y, which broadcasts, is the same.
std::optional<AxesOf> broadcastAxes(mlir::Value x, mlir::Value y);

/// Whether \p mean is the mean of \p over.x along its axes.
bool isMeanOf(mlir::Value mean, const AxesOf &over);

/// x of x - mean(x) along the axes \p axes names of a tensor of x's shape.
mlir::Value centredOf(mlir::Value difference, llvm::ArrayRef<int64_t> axes);

/// sqrt(value), with \p isInverse 1 / sqrt(value).
mlir::Value radicandOf(mlir::Value root, bool isInverse);

/// mean(x^2) + epsilon, or with isCentred that of x - mean(x), which may also
/// be the difference of mean(x^2) and mean(x)^2.
struct Spread {
  mlir::Value x;
  bool isCentred = false;
  double epsilon = 0;
};
std::optional<Spread> spreadOf(mlir::Value value, llvm::ArrayRef<int64_t> axes,
                               llvm::ArrayRef<int64_t> shape);

} // namespace yarrow::cleanup

#endif // YARROW_PASSES_CLEANUP_NORMFORMULAS_H
