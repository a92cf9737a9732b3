//===- UntakenBranches.h - Branches that no sample takes --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A branch of an If that no sample takes has tensors without ranges, and would
// have no integer form. What it is given is known for every sample all the
// same: in a copy of the network, in which the branches change places, every
// sample takes it.
//
//   UntakenBranches branches(module);
//   while (branches.swap(isSeen))          // those of untaken ones are next
//     run(branches.copy(), branches.graphs()); // observe these alone
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_CALIBRATE_UNTAKENBRANCHES_H
#define YARROW_QUANTIZER_CALIBRATE_UNTAKENBRANCHES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace yarrow {

class UntakenBranches {
public:
  explicit UntakenBranches(mlir::ModuleOp module) : module(module) {}

  /// Has the copy take the branches that no sample takes, of each If that
  /// samples reach; \p isSeen says whether a graph of the network was computed.
  /// False if there are none (any more).
  bool swap(llvm::function_ref<bool(mlir::func::FuncOp)> isSeen);

  mlir::ModuleOp copy() const { return *copied; }
  /// From the network's values and layers to those of the copy.
  const mlir::IRMapping &map() const { return mapped; }
  /// Of the network, those that the last swap has made reachable.
  llvm::ArrayRef<mlir::func::FuncOp> graphs() const { return reached; }
  /// Says that their ranges are of samples that do not go there.
  void warn(DiagnosticEngine &diags) const;

private:
  mlir::ModuleOp module;
  mlir::OwningOpRef<mlir::ModuleOp> copied;
  mlir::IRMapping mapped;
  llvm::SmallVector<mlir::func::FuncOp> reached;
  llvm::SmallVector<mlir::Operation *> swapped; ///< Of the network.
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_CALIBRATE_UNTAKENBRANCHES_H
