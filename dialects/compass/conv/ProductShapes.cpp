//===- ProductShapes.cpp - Shapes of matrix products ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/conv/ConvShapes.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

LogicalResult compass::inferMatMul(Operation *op, ResultShapes &shapes) {
  bool transA = boolKey(op, keys::trans_a), transB = boolKey(op, keys::trans_b);
  if (failed(checkRequant(op)))
    return failure();
  ArrayRef<int64_t> a = inputShape(op, 0), b = inputShape(op, 1);
  auto mismatch = [&](const Twine &message) {
    LayerError error =
        layerError(op, diag::OpInvalid, "layer_bottom_shape", message);
    error.found(shapeText(a) + " and " + shapeText(b));
    return error;
  };
  if (a.size() < 2 || b.size() < 2)
    return mismatch("a matrix product needs two axes or more");
  int64_t m = a[a.size() - (transA ? 1 : 2)],
          k = a[a.size() - (transA ? 2 : 1)];
  int64_t kb = b[b.size() - (transB ? 1 : 2)],
          n = b[b.size() - (transB ? 2 : 1)];
  if (k != kb)
    return mismatch("the lengths that the product sums over differ: " +
                    Twine(k) + " and " + Twine(kb));
  auto batch = broadcastShapes(a.drop_back(2), b.drop_back(2));
  if (!batch)
    return mismatch("the axes before the last two do not broadcast");
  batch->append({m, n});
  shapes.push_back(*batch);
  return success();
}

LogicalResult compass::inferGemm(Operation *op, ResultShapes &shapes) {
  TensorInfo a = describe(op->getOperand(0)), b = describe(op->getOperand(1));
  bool transA = boolKey(op, keys::trans_a), transB = boolKey(op, keys::trans_b);
  int64_t rows = a.shape[transA], innerA = a.shape[!transA],
          innerB = b.shape[transB], columns = b.shape[!transB];
  LayerCheck check(op);
  if (innerA != innerB)
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "the inner lengths of A and B differ")
        .found(Twine(innerA) + " and " + Twine(innerB))
        .expected("equal lengths; trans_a and trans_b select the axis");
  SmallVector<int64_t> result = {rows, columns};
  bool hasC = op->getNumOperands() > 2;
  if (hasC) {
    TensorInfo c = describe(op->getOperand(2));
    if (broadcastShapes(c.shape, result) != result)
      check
          .problem(diag::OpShape, "layer_bottom_shape",
                   "C does not broadcast to the product of A and B")
          .found(shapeText(c.shape))
          .expected(shapeText(result) + ", or axes of length 1")
          .token(shapeText(c.shape));
  }
  check.count(keys::scale_value, hasC ? 3 : 1,
              hasC ? "for the result, A*B and C" : "for the result");
  check.count(keys::shift_value, 1, "for the result");
  shapes.push_back(result);
  return success(check.ok());
}
