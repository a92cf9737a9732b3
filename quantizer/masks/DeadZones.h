//===- DeadZones.h - Values so low that their size means nothing -*- C++
//-*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a Softmax reads below a bound becomes 0 whatever it is, and so does what
// is added to a score beforehand, chosen by a Where, or moved there. The zone
// of a tensor is what all its readers take for the same: values in it may be
// saturated at its bound, and have no part in a range.
//
//   DeadZones zones(bounds);
//   zones.of(value, Side::Low);    // -17.5: all values below are alike
//
// Bounds count away from the side: those of Side::High are of -x.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_MASKS_DEADZONES_H
#define YARROW_QUANTIZER_MASKS_DEADZONES_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace yarrow {

enum class Side { Low, High };
constexpr Side opposite(Side side) {
  return side == Side::Low ? Side::High : Side::Low;
}
constexpr double signOf(Side side) { return side == Side::Low ? 1 : -1; }

/// The side on which \p op, a layer with a bound of its own, takes all values
/// of its operand for the same: nullopt of other layers.
std::optional<Side> endingSide(mlir::Operation *op);

/// Numbers that zones are made of. Each may be asked for any tensor.
class ZoneNumbers {
public:
  virtual ~ZoneNumbers() = default;
  /// The bound of what \p op reads, one with an endingSide().
  virtual std::optional<double> boundOf(mlir::Operation *op) const = 0;
  /// Least and largest value of a tensor.
  virtual std::pair<double, double> extremaOf(mlir::Value value) const = 0;
  /// Of values that are not 0, the least magnitude; 0 if there are both signs.
  virtual double leastMagnitude(mlir::Value value) const = 0;
  /// Whether a comparison of \p value with the constant \p with tells what is
  /// in a zone on \p side from the rest.
  virtual bool isBetween(mlir::Value value, mlir::Value with,
                         Side side) const = 0;
};

class DeadZones {
public:
  /// Without numbers zones have a bound of 0 where they may have one.
  explicit DeadZones(const ZoneNumbers *numbers = nullptr) : numbers(numbers) {}

  /// Infinite where no reader sets a bound, nullopt where one looks at values
  /// of any size.
  std::optional<double> of(mlir::Value value, Side side);
  /// Whether values may have one.
  bool mayIgnore(mlir::Value value, Side side) {
    return of(value, side).has_value();
  }

private:
  std::optional<double> ofUse(mlir::OpOperand &use, Side side);
  std::optional<double> ofBinary(mlir::OpOperand &use, Side side);
  std::optional<double> ofFactor(mlir::OpOperand &use, Side side);

  const ZoneNumbers *numbers;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, std::optional<double>> known;
};

/// The axes along which a layer with an endingSide() looks for its result;
/// empty: each value by itself.
llvm::SmallVector<int64_t> searchedAxes(mlir::Operation *op);

} // namespace yarrow

#endif // YARROW_QUANTIZER_MASKS_DEADZONES_H
