//===- Residency.h - Which tensors stay in SRAM -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_CHOOSE_RESIDENCY_H
#define YARROW_PASSES_LOWER_CHOOSE_RESIDENCY_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include <cstdint>
#include <vector>

namespace yarrow::npu {

/// Which values keep their SRAM for their whole life.
struct Residency {
  llvm::DenseSet<mlir::Value> resident;
  /// Bytes of resident tensors that are live while the i-th op runs.
  std::vector<uint64_t> liveBytes;
};

/// Whether a tensor is to stay.
enum class Stay {
  Never,
  IfRoom, ///< When all others have been asked: it can do without.
  Gladly
};

/// Greedy: short-lived tensors first, as long as the sum stays in \p budget.
/// \p storageOf maps a value to the one whose storage it shares.
Residency
chooseResidents(llvm::ArrayRef<mlir::Operation *> order, uint64_t budgetBytes,
                llvm::function_ref<mlir::Value(mlir::Value)> storageOf,
                llvm::function_ref<Stay(mlir::Value)> stayOf);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_CHOOSE_RESIDENCY_H
