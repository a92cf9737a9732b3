//===- LayerCheck.h - Checks that shape inference of many layers needs ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Keys against axes, lists against their lengths, constants against their
// shapes; and what the quantizer gives an integer layer: multipliers and right
// shifts, in the text or one per channel as constants, and look-up tables. That
// they are there is said by the record; this checks number, range, length and
// type. All problems of a layer are reported, then inference gives up.
//
//   LayerCheck check(op);
//   check.equals(keys::class_num, check.in(0)[2] - 1, "number of classes");
//   check.count(keys::box_scale_value, 5, "y, x, h, w and the box");
//   check.requant({.scales = 3, .order = "for the result and both inputs"});
//   check.inputTable(keys::lut);
//   if (!check.ok()) return failure();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_LAYERCHECK_H
#define YARROW_DIALECTS_COMPASS_LAYERCHECK_H

#include "dialects/compass/LayerKeys.h"

namespace yarrow::compass {

/// What scale_value and shift_value of an integer layer hold.
struct ScaleForm {
  size_t scales = 1, shifts = 1;
  /// Whose the scales are in order, and the shifts if there are as many.
  llvm::StringRef order = "for the result";
  /// Values of the tensors scale and shift, which may stand in place of
  /// scale_value and shift_value; 0 if they may not.
  int64_t channels = 0;
};

/// Emits each problem when it is found. Of a key that the op has not, and in a
/// float layer of one that its record gives to integer IR, nothing is said.
class LayerCheck {
public:
  explicit LayerCheck(mlir::Operation *op);

  /// Shape of an input; declared shape of an output.
  llvm::ArrayRef<int64_t> in(unsigned i) const { return inputShape(op, i); }
  llvm::ArrayRef<int64_t> out(unsigned i) const { return declaredShape(op, i); }
  bool isInteger() const { return integer; }
  bool has(KeyName key) const { return op->hasAttr(key); }
  /// The integer of a key; absent, the default of its record.
  int64_t integerOf(IntKey key) const { return intKey(op, key); }

  /// A key with one integer says \p expected.
  void equals(KeyName key, int64_t expected, const llvm::Twine &what);
  /// A key of numbers has \p expected of them, \p what names them.
  void count(KeyName key, size_t expected, const llvm::Twine &what);
  /// The integers of a key are in [\p least, \p most].
  void range(KeyName key, int64_t least, int64_t most);
  /// The constant has this shape.
  void shape(TensorKey key, llvm::ArrayRef<int64_t> expected);
  /// The constant has this many elements.
  void elements(TensorKey key, int64_t expected, llvm::StringRef what = "");
  /// One of \p keys is there.
  void oneOf(llvm::ArrayRef<KeyName> keys, const llvm::Twine &what);

  /// Number and range of the requantization of an integer layer (which of its
  /// keys it must have is in its rule).
  void requant(const ScaleForm &form = {});
  /// The constant is a look-up table: 2^n entries, up to 2^\p indexBits.
  void table(TensorKey key, unsigned indexBits = 16);
  /// A table over the values of the first input.
  void inputTable(TensorKey key);
  /// The same, of the element type of the first result.
  void resultTable(TensorKey key);
  /// The table of inverse square roots (kernels/norm/Norm.h): 193 of int16.
  void rootTable(TensorKey key);

  LayerError problem(DiagId id, llvm::StringRef key,
                     const llvm::Twine &message);

  bool ok() const { return good; }
  /// Appends the declared shapes of all results, unless there was a problem:
  /// for layers whose results have a capacity that only the IR tells. The
  /// record checks the axes that have names.
  llvm::LogicalResult declared(ResultShapes &shapes) const;

private:
  bool isIntegerKey(KeyName key) const;
  /// A key that is to be checked, or null.
  mlir::Attribute find(KeyName key) const;
  std::optional<ConstantView> constant(TensorKey key) const;
  void elementType(TensorKey key, DType expected, const llvm::Twine &message);
  void scaleTensor(TensorKey key, int64_t channels);

  mlir::Operation *op;
  bool integer;
  bool good = true;
};

/// LayerCheck::requant alone.
llvm::LogicalResult checkRequant(mlir::Operation *op,
                                 const ScaleForm &form = {});

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_LAYERCHECK_H
