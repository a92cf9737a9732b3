//===- LayerKeys.h - Keys, shapes and constants of a layer ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What shape inference reads of an op without knowing its class: keys with the
// default of their record, shapes of its tensors, the values of an input that
// is a Constant layer. Problems are reported with their key (LayerError.h).
//
//   auto axis = axisKey(op, keys::axis, rank);      // [-rank, rank-1], wrapped
//   int64_t step = intKey(op, keys::frame_step);    // or the record's default
//   if (auto counts = constantInput(op, 1))     // known when compiling
//     for (int64_t i = 0; i < counts->numElements(); ++i)
//       total += counts->intAt(i);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_LAYERKEYS_H
#define YARROW_DIALECTS_COMPASS_LAYERKEYS_H

#include "dialects/compass/Keys.h"
#include "dialects/compass/LayerError.h"
#include "dialects/compass/Tensors.h"
#include "mlir/IR/Operation.h"

namespace yarrow::compass {

/// What CompassOp::inferShapes appends to.
using ResultShapes = llvm::SmallVectorImpl<llvm::SmallVector<int64_t>>;

/// Value of an Int key; absent, the default of its record, 0 if it has none.
int64_t intKey(mlir::Operation *op, IntKey name);
/// The same of a Float key.
double floatKey(mlir::Operation *op, FloatKey name);
/// The same of a Bool key.
bool boolKey(mlir::Operation *op, BoolKey name);
/// Rows of a Nested key; empty when absent.
llvm::SmallVector<llvm::SmallVector<int64_t>> nestedKey(mlir::Operation *op,
                                                        NestedKey name);
/// The axis in key \p name of a tensor of \p rank axes, counted from the front.
/// Emits an error unless it is in [-rank, rank-1].
mlir::FailureOr<int64_t> axisKey(mlir::Operation *op, IntKey name,
                                 int64_t rank);
/// The axis that the key `axis` names; without the key, \p shape becomes one
/// axis of all its elements, behind \p leading axes of length 1.
mlir::FailureOr<int64_t> axisOrFlat(mlir::Operation *op,
                                    llvm::SmallVectorImpl<int64_t> &shape,
                                    size_t leading = 0);

llvm::ArrayRef<int64_t> shapeOf(mlir::Value tensor);
inline llvm::ArrayRef<int64_t> inputShape(mlir::Operation *op, unsigned i) {
  return shapeOf(op->getOperand(i));
}
/// The declared shape of a result: where its length depends on data, the
/// capacity that the network gives it.
inline llvm::ArrayRef<int64_t> declaredShape(mlir::Operation *op, unsigned i) {
  return shapeOf(op->getResult(i));
}

/// Product of lengths; 1 for a scalar. The reader bounds it by 2^40.
inline int64_t product(llvm::ArrayRef<int64_t> lengths) {
  int64_t n = 1;
  for (int64_t length : lengths)
    n *= length;
  return n;
}

/// The value of operand \p i if a Constant layer gives it.
std::optional<ConstantView> constantInput(mlir::Operation *op, unsigned i);

/// Emits an error if operand \p i is a Constant with a value outside
/// [\p least, \p most]; \p what names the values ("index along axis 2").
mlir::LogicalResult checkConstantRange(mlir::Operation *op, unsigned i,
                                       int64_t least, int64_t most,
                                       const llvm::Twine &what);

/// Checks the keys of with_activation against a result of shape \p shape:
/// bounds in order, a slope that broadcasts.
mlir::LogicalResult checkFusedActivation(mlir::Operation *op,
                                         llvm::ArrayRef<int64_t> shape);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_LAYERKEYS_H
