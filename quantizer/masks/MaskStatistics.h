//===- MaskStatistics.h - Where masked values are ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A score is masked according to its readers (DeadZones.h) and its value:
// masked values are below all others, with a deep gap between. In addition to
// the operands of a Softmax, the greatest value of each row is counted: values
// far below it do not matter, and a row that is low as a whole is not masked.
//
//   MaskStatistics statistics(block);
//   if (statistics.collect(module, samples, diags))
//     statistics.boundOf(softmax);          // -9.5
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_MASKS_MASKSTATISTICS_H
#define YARROW_QUANTIZER_MASKS_MASKSTATISTICS_H

#include "quantizer/calibrate/Calibrate.h"
#include "quantizer/masks/DeadZones.h"
#include "quantizer/masks/LowTail.h"
#include "llvm/ADT/MapVector.h"

#include <array>

namespace yarrow {

/// Of a tensor seen from one side: each value, and the greatest of each row.
struct RowTails {
  LowTail values, rows;
};

/// The bound below which a Softmax over \p length values takes all for 0; of
/// fewer than all rows, or nullopt if nothing tells that there is a mask.
std::optional<double> boundOfSoftmax(const RowTails &tails, int64_t length);
/// The same of a maximum, which takes no value below the least one that is not
/// masked.
std::optional<double> boundOfMaximum(const RowTails &tails);

class MaskStatistics : public ZoneNumbers {
public:
  MaskStatistics(mlir::Block &layers, const Calibration &calibration);

  /// Whether a layer reads values so low that they may be masked.
  bool mayHaveMasks() const;
  /// False after errors.
  bool collect(mlir::ModuleOp module, const std::vector<NpyView> &samples,
               DiagnosticEngine &diags);

  std::optional<double> boundOf(mlir::Operation *op) const override;
  std::pair<double, double> extremaOf(mlir::Value value) const override;
  double leastMagnitude(mlir::Value value) const override;
  bool isBetween(mlir::Value value, mlir::Value with, Side side) const override;

  /// Of the values of a comparison those that are in no zone: the least one as
  /// seen from \p side.
  std::optional<double> leastUnmasked(mlir::Value compared, mlir::Value with,
                                      Side side) const;

private:
  struct Seen {
    /// By Side.
    std::array<LowTail, 2> tails;
    double leastMagnitude = 0;
  };
  using RowsByLayer = llvm::MapVector<mlir::Operation *, RowTails>;
  using SeenByValue = llvm::MapVector<mlir::Value, Seen>;

  const Calibration &calibration;
  RowsByLayer rows;
  SeenByValue seen;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_MASKS_MASKSTATISTICS_H
