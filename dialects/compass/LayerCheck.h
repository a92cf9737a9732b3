//===- LayerCheck.h - Checks that shape inference of many layers needs ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Keys against axes, lists against their lengths, constants against their
// shapes. All problems of a layer are reported, then inference gives up.
//
//   LayerCheck check(op);
//   check.equals("class_num", check.in(0)[2] - 1, "number of classes");
//   check.count("box_scale_value", 5, "y, x, h, w and the box");
//   check.table("th_lut");
//   if (!check.ok()) return failure();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_LAYERCHECK_H
#define YARROW_DIALECTS_COMPASS_LAYERCHECK_H

#include "dialects/compass/LayerKeys.h"

namespace yarrow::compass {

class LayerCheck {
public:
  explicit LayerCheck(mlir::Operation *op);

  /// Shape of an input; declared shape of an output.
  llvm::ArrayRef<int64_t> in(unsigned i) const { return inputShape(op, i); }
  llvm::ArrayRef<int64_t> out(unsigned i) const { return declaredShape(op, i); }
  bool isInteger() const { return integer; }
  bool has(llvm::StringRef key) const { return op->hasAttr(key); }
  /// The integer of a key; absent, the default of its record.
  int64_t integerOf(llvm::StringRef key) const { return intKey(op, key); }

  /// A key with one integer says \p expected, if it is there.
  void equals(llvm::StringRef key, int64_t expected, const llvm::Twine &what);
  /// A list key has \p count values, if it is there.
  void count(llvm::StringRef key, size_t count, const llvm::Twine &what);
  /// The constant has this shape, if it is there.
  void shape(llvm::StringRef key, llvm::ArrayRef<int64_t> expected);
  /// The constant has this many elements, if it is there.
  void elements(llvm::StringRef key, int64_t expected);
  /// The constant is a look-up table, if it is there: 2^n entries, up to 2^16.
  void table(llvm::StringRef key);
  /// One of \p keys is there.
  void oneOf(llvm::ArrayRef<llvm::StringRef> keys, const llvm::Twine &what);
  LayerError problem(DiagId id, llvm::StringRef key,
                     const llvm::Twine &message);

  bool ok() const { return good; }
  /// Appends the declared shapes of all results, unless there was a problem:
  /// for layers whose results have a capacity that only the IR tells. The
  /// record checks the axes that have names.
  llvm::LogicalResult declared(ResultShapes &shapes) const;

private:
  mlir::Operation *op;
  bool integer;
  bool good = true;
};

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_LAYERCHECK_H
