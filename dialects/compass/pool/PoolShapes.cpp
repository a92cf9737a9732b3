//===- PoolShapes.cpp - Shapes of pooling and its inverse -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/pool/PoolShapes.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/WindowShape.h"
#include "dialects/compass/indexing/IndexBounds.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

LogicalResult compass::inferPooling(Operation *op, ResultShapes &shapes) {
  auto shape = windowShape(op, windowAxes(op, 2), /*ceil=*/true);
  if (failed(shape) || failed(checkRequant(op)))
    return failure();
  ElementsAttr table = tensorKey(op, keys::sqrt_lut);
  auto values = table ? viewConstant(table) : std::nullopt;
  // Indexed by the upper bits of 16.
  if (values && (!llvm::isPowerOf2_64(values->numElements()) ||
                 values->numElements() > 65536))
    return layerError(op, diag::OpIntegerParameters, "sqrt_lut_shape",
                      "the table of square roots has a wrong length")
        .found(Twine(values->numElements()))
        .expected("a power of 2, at most 65536");
  shapes.push_back(*shape);
  return success();
}

LogicalResult compass::checkKeepsType(Operation *op, StringRef what) {
  DType in = describe(op->getOperand(0)).dtype,
        out = describe(op->getResult(0)).dtype;
  if (in == out)
    return success();
  return layerError(op, diag::OpElementType, "layer_top_type",
                    what + " keeps the values' type")
      .found(dtypeName(out))
      .expected(dtypeName(in));
}

LogicalResult compass::inferPooling3D(Operation *op, ResultShapes &shapes) {
  auto shape = windowShape(op, windowAxes(op, 3), /*ceil=*/true);
  if (failed(shape))
    return failure();
  shapes.push_back(*shape);
  return success();
}

LogicalResult compass::inferAdaptivePool(Operation *op, ResultShapes &shapes) {
  SmallVector<int64_t> shape(inputShape(op, 0));
  SmallVector<int64_t> size = intsKey(op, keys::output_size);
  // An image alone has no batch.
  bool isImage = shape.size() == 3 && size.size() == 2;
  if (shape.size() < 3 || (size.size() + 2 != shape.size() && !isImage))
    return layerError(op, diag::OpBadAttribute, keys::output_size,
                      "output_size needs one length per spatial axis of " +
                          shapeText(shape))
        .found(Twine(size.size()))
        .expected(Twine(int64_t(shape.size()) - 2) + ", 1 or more");
  llvm::copy(size, shape.end() - 1 - size.size());
  shapes.push_back(shape);
  return success();
}

LogicalResult compass::inferMaxPoolingWithArgMax(Operation *op,
                                                 ResultShapes &shapes) {
  auto shape = windowShape(op, windowAxes(op, 2), /*ceil=*/true);
  if (failed(shape))
    return failure();
  shapes.push_back(*shape);
  shapes.push_back(*shape);
  return success();
}

int64_t compass::placesOf(Operation *op, ArrayRef<int64_t> shape) {
  std::string flat = wordKey(op, keys::flatten_dim, "HWC");
  return flat == "HW"    ? shape[1] * shape[2]
         : flat == "HWC" ? shape[1] * shape[2] * shape[3]
                         : product(shape);
}

LogicalResult compass::inferUnpool(Operation *op, ResultShapes &shapes) {
  ArrayRef<int64_t> x = inputShape(op, 0);
  SmallVector<int64_t> shape(declaredShape(op, 0));
  if (SmallVector<int64_t> key = intsKey(op, keys::output_shape); !key.empty())
    shape = key;
  if (shape.size() != 4 || shape[0] != x[0] || shape[3] != x[3] ||
      shape[1] < x[1] || shape[2] < x[2])
    return layerError(op, diag::OpInvalid, keys::output_shape,
                      "the result is too small for the values of the input")
        .found(shapeText(shape))
        .expected("batch and channels of " + shapeText(x) +
                  ", and not fewer rows and columns");
  if (failed(checkConstantIndices(op, 1, {placesOf(op, shape)},
                                  NegativeIndices::Refused)))
    return failure();
  shapes.push_back(shape);
  return success();
}

LogicalResult compass::inferFractionalPool(Operation *op,
                                           ResultShapes &shapes) {
  ArrayRef<int64_t> x = inputShape(op, 0), declared = declaredShape(op, 0);
  for (unsigned axis : {1u, 2u})
    if (declared[axis] > x[axis])
      return layerError(op, diag::OpShape, "layer_top_shape",
                        "pooling cannot increase rows or columns")
          .found(shapeText(declared))
          .expected("at most " + Twine(x[axis]) + " on axis " + Twine(axis))
          .token(shapeText(declared));
  shapes.push_back({x[0], declared[1], declared[2], x[3]});
  shapes.push_back({declared[1] + 1});
  shapes.push_back({declared[2] + 1});
  return success();
}
