//===- Steps.h - The scales that the integers of a network have -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// QNN has one encoding for each tensor, and layers compute with the ratios of
// these. Layers of integer IR have multipliers, which are such ratios rounded
// to 8 or 15 bits: a sum uses 22,225 / 32,767 where its tensors' scales give
// 0.67821. To keep the integers, the scales of tensors that sums, Concat and
// similar layers connect are taken from the multipliers, beginning with one
// tensor that keeps the scale of the IR: most are within a percent of it.
// Scales of weights are free, but have 24 bits: scales of tensors change in a
// few of their last bits where that makes the products' multipliers exact.
//
//   Steps steps(graph);
//   steps.of(value);            // real = (q + zp) * step
//   steps.isConsistent(op);     // its multipliers are the ratios of the steps
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_EXPORT_STEPS_H
#define YARROW_PARSER_QNN_EXPORT_STEPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace yarrow::qnn {

class Steps {
public:
  explicit Steps(mlir::func::FuncOp graph);

  /// Of a quantized tensor.
  float of(mlir::Value value) const { return steps.lookup(value); }
  bool isConsistent(mlir::Operation *op) const {
    return !inconsistent.contains(op);
  }

private:
  /// Where a tensor belongs: its step is factor * that of the root.
  struct Place {
    mlir::Value root;
    double factor = 1;
  };
  Place placeOf(mlir::Value value) const;
  bool join(mlir::Value value, mlir::Value result, double factor);
  void connect(mlir::Operation *op);
  void anchor(mlir::Value value);
  void settle(mlir::Value root, double step);
  /// 0 if it is not known yet.
  float settled(mlir::Value value) const;
  std::size_t numMissed(mlir::Value root) const;
  void assign(mlir::Operation *op);
  void check(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, Place> parents; ///< Of those that are no roots.
  /// Of all tensors of a root.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<double>> factors;
  /// Layers with weights that read or write tensors of a root.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Operation *>> weighted;
  llvm::DenseMap<mlir::Value, double> classes; ///< Steps of roots.
  llvm::DenseMap<mlir::Value, float> steps;
  llvm::DenseSet<mlir::Operation *> inconsistent;
};

/// The step of weights with which in * weights / out, in single precision, is
/// \p multiplier or as near to it as float32 allows; \p stated if that is one
/// of the nearest.
float weightStep(double multiplier, float in, float out, float stated = 0);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_EXPORT_STEPS_H
