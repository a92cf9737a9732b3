//===- IntegerParameters.h - Numbers and tables of integer layers ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the quantizer gives an integer layer: scales and shifts, in the text or
// one per channel as constants, and look-up tables. That they are there is said
// by the record; this checks number, length and type.
//
//   IntegerParameters check(op);
//   check.count("scale_value", 3, "the result and both inputs");
//   check.table("lut");
//   if (!check.ok()) return failure();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_INTEGERPARAMETERS_H
#define YARROW_DIALECTS_COMPASS_INTEGERPARAMETERS_H

#include "dialects/compass/LayerError.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace yarrow::compass {

/// Emits each problem when it is found. Of a key that the op has not, and of a
/// float layer, nothing is said.
class IntegerParameters {
public:
  explicit IntegerParameters(mlir::Operation *op);

  /// A key of integers has \p expected values, \p what names them.
  void count(llvm::StringRef key, size_t expected, const llvm::Twine &what);
  /// The constant has this many elements.
  void elements(llvm::StringRef key, int64_t expected, const llvm::Twine &what);
  /// One scale_value and shift_value, or constants scale and shift of
  /// \p channels elements each; 0: no constants.
  void requant(int64_t channels = 0);
  /// A table over the values of the first input: a power of two of entries, no
  /// more than it has values.
  void table(llvm::StringRef key);
  /// The same, of the element type of the first result.
  void resultTable(llvm::StringRef key);
  /// The table of inverse square roots (kernels/Norm.h): 193 of int16.
  void rootTable(llvm::StringRef key);

  bool isInteger() const { return integer; }
  bool ok() const { return good; }
  LayerError problem(DiagId id, llvm::StringRef key,
                     const llvm::Twine &message);

private:
  mlir::ElementsAttr constant(llvm::StringRef key) const;

  mlir::Operation *op;
  bool integer;
  bool good = true;
};

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_INTEGERPARAMETERS_H
