//===- ColumnLoss.h - Columns of an output that differ in size --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Detectors write boxes of 0 to 640 beside scores of 0 to 1 into one tensor:
// over all of it 45 dB, and every score is lost. So signal and noise are summed
// up for each column of each axis; where the columns of one axis fall into two
// groups of different size, each group has its own ratio.
//
//   ColumnLoss loss(shape);
//   loss.add(reference, values);         // of each sample
//   for (const ColumnGroup &group : loss.groups())
//     say(group.columns(), group.sqnrDb());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_METRICS_COLUMNLOSS_H
#define YARROW_QUANTIZER_METRICS_COLUMNLOSS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace yarrow {

struct ColumnGroup {
  std::size_t axis = 0;
  std::vector<std::size_t> indices; ///< Ascending.
  double signalSquares = 0, noiseSquares = 0;
  double peak = 0; ///< The largest magnitude.

  /// Infinite without noise.
  double sqnrDb() const;
  std::string sqnrText(int digits) const; ///< "exact" without noise.
  /// "columns 4-11 of axis 1"
  std::string str() const;
};

class ColumnLoss {
public:
  ColumnLoss() = default;
  explicit ColumnLoss(llvm::ArrayRef<int64_t> shape);

  /// Of as many elements as the shape has, or none.
  void add(std::span<const float> reference, std::span<const float> values);
  void merge(const ColumnLoss &other);

  /// Two of the axis whose columns differ most, the larger ones first; none
  /// where no columns differ much.
  std::vector<ColumnGroup> groups() const;

private:
  struct Column {
    double signal = 0, noise = 0, peak = 0;
  };
  struct Axis {
    std::size_t number, size, stride;
    std::vector<Column> columns;
  };
  static std::vector<ColumnGroup> split(const Axis &axis, double &gap);

  std::vector<Axis> axes;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_METRICS_COLUMNLOSS_H
