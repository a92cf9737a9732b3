//===- NetworkSlice.h - The layers between two tensors ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What becomes of a layer's result if a tensor before it has other values. Only
// the layers between the two are computed, from the tensors of a run.
//
//   NetworkSlices slices;
//   if (auto between = slices.find(tensor, layer))
//     std::optional<TensorBytes> y = slices.run(*between, kept, tensor, bytes);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_CHOICES_NETWORKSLICE_H
#define YARROW_QUANTIZER_CHOICES_NETWORKSLICE_H

#include "dialects/compass/network/Evaluator.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace yarrow {

class NetworkSlices {
public:
  /// Those of @main that depend on \p from and that \p to depends on, in their
  /// order, \p to being the last. Empty if \p to does not depend on \p from, or
  /// one of them calls sub-graphs or computes nothing on its own.
  std::vector<mlir::Operation *> find(mlir::Value from, mlir::Operation *to);

  /// The first result of the last of \p layers where \p changed has the bytes
  /// \p bytes and all else is as in \p kept. Nullopt where it stops.
  std::optional<compass::TensorBytes>
  run(const std::vector<mlir::Operation *> &layers,
      const compass::TensorsOfRun &kept, mlir::Value changed,
      compass::TensorBytesRef bytes);

private:
  const compass::BoundProgram *programOf(mlir::Operation *op);

  llvm::DenseMap<mlir::Operation *, std::optional<compass::BoundProgram>>
      programs;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_CHOICES_NETWORKSLICE_H
