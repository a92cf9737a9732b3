//===- BlockShapes.cpp - Shapes of operators that move blocks -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/WindowShape.h"
#include "dialects/compass/rearrange/RearrangeShapes.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

/// An error unless \p block divides \p length, which \p what names.
static LogicalResult checkDivides(Operation *op, StringRef key, int64_t block,
                                  int64_t length, const Twine &what) {
  if (length % block == 0)
    return success();
  return layerError(op, diag::OpInvalid, key,
                    "the block does not divide the " + what)
      .found(Twine(length) + " in blocks of " + Twine(block))
      .expected("a multiple of " + Twine(block));
}

/// What cropping leaves of a length; emits an error if nothing.
static FailureOr<int64_t> cropped(Operation *op, StringRef key, int64_t length,
                                  int64_t before, int64_t after) {
  if (before >= 0 && after >= 0 && length - before - after >= 1)
    return length - before - after;
  return layerError(op, diag::OpInvalid, key,
                    "the crops are negative, or leave nothing of an axis")
      .found(Twine(before) + " and " + Twine(after))
      .expected("0 or more, together less than " + Twine(length));
}

LogicalResult compass::inferBatchToSpace(Operation *op, ResultShapes &shapes) {
  ArrayRef<int64_t> x = inputShape(op, 0);
  int64_t bx = intKey(op, keys::block_size_x),
          by = intKey(op, keys::block_size_y);
  if (failed(checkDivides(op, "block_size_x", bx * by, x[0], "batch")))
    return failure();
  auto rows = cropped(op, "crop_top", x[1] * by, intKey(op, keys::crop_top),
                      intKey(op, keys::crop_bottom));
  auto columns =
      cropped(op, "crop_left", x[2] * bx, intKey(op, keys::crop_left),
              intKey(op, keys::crop_right));
  if (failed(rows) || failed(columns))
    return failure();
  shapes.push_back({x[0] / (bx * by), *rows, *columns, x[3]});
  return success();
}

LogicalResult compass::inferBatchToSpaceND(Operation *op,
                                           ResultShapes &shapes) {
  SmallVector<int64_t> shape(inputShape(op, 0));
  SmallVector<int64_t> blocks = intsKey(op, keys::block_size);
  auto crops = nestedKey(op, keys::crops);
  if (blocks.empty() || blocks.size() + 1 > shape.size())
    return layerError(op, diag::OpBadAttribute, keys::block_size,
                      "block_size has more lengths than the input has spatial "
                      "axes")
        .found(Twine(blocks.size()))
        .expected("1 to " + Twine(int64_t(shape.size()) - 1));
  if (crops.empty())
    crops.assign(blocks.size(), {0, 0});
  if (crops.size() != blocks.size() ||
      llvm::any_of(crops, [](ArrayRef<int64_t> c) { return c.size() != 2; }))
    return layerError(op, diag::OpBadAttribute, keys::crops,
                      "crops needs one [before,after] per length of block_size")
        .found(Twine(crops.size()) + " rows")
        .expected(Twine(blocks.size()) + " rows of 2");
  int64_t all = product(blocks);
  if (failed(checkDivides(op, "block_size", all, shape[0], "batch")))
    return failure();
  shape[0] /= all;
  for (auto [i, block, crop] : llvm::enumerate(blocks, crops)) {
    auto length = cropped(op, "crops", shape[i + 1] * block, crop[0], crop[1]);
    if (failed(length))
      return failure();
    shape[i + 1] = *length;
  }
  shapes.push_back(shape);
  return success();
}

/// Rows and columns of the first input after pads, cut into blocks.
static FailureOr<std::pair<int64_t, int64_t>>
blocksOf(Operation *op, int64_t padRows, int64_t padColumns) {
  ArrayRef<int64_t> x = inputShape(op, 0);
  int64_t bx = intKey(op, keys::block_size_x),
          by = intKey(op, keys::block_size_y);
  int64_t rows = x[1] + padRows, columns = x[2] + padColumns;
  if (failed(checkDivides(op, "block_size_y", by, rows, "padded rows")) ||
      failed(checkDivides(op, "block_size_x", bx, columns, "padded columns")))
    return failure();
  return std::pair(rows / by, columns / bx);
}

LogicalResult compass::inferSpaceToBatch(Operation *op, ResultShapes &shapes) {
  ArrayRef<int64_t> x = inputShape(op, 0);
  auto blocks =
      blocksOf(op, intKey(op, keys::pad_top) + intKey(op, keys::pad_bottom),
               intKey(op, keys::pad_left) + intKey(op, keys::pad_right));
  if (failed(blocks))
    return failure();
  int64_t cells =
      intKey(op, keys::block_size_x) * intKey(op, keys::block_size_y);
  shapes.push_back({x[0] * cells, blocks->first, blocks->second, x[3]});
  return success();
}

LogicalResult compass::inferSpaceToDepth(Operation *op, ResultShapes &shapes) {
  ArrayRef<int64_t> x = inputShape(op, 0);
  auto blocks = blocksOf(op, 0, 0);
  if (failed(blocks))
    return failure();
  int64_t cells =
      intKey(op, keys::block_size_x) * intKey(op, keys::block_size_y);
  shapes.push_back({x[0], blocks->first, blocks->second, x[3] * cells});
  return success();
}

LogicalResult compass::inferDepthToSpace(Operation *op, ResultShapes &shapes) {
  ArrayRef<int64_t> x = inputShape(op, 0);
  int64_t bx = intKey(op, keys::block_size_x),
          by = intKey(op, keys::block_size_y);
  if (failed(checkDivides(op, "block_size_x", bx * by, x[3], "channels")))
    return failure();
  shapes.push_back({x[0], x[1] * by, x[2] * bx, x[3] / (bx * by)});
  return success();
}

LogicalResult compass::inferDataStride(Operation *op, ResultShapes &shapes) {
  SmallVector<int64_t> shape(inputShape(op, 0));
  for (const WindowAxis &axis : windowAxes(op, 2)) {
    auto count = windowCount(op, axis, shape[axis.dataAxis]);
    if (failed(count))
      return failure();
    shape[axis.dataAxis] = *count * axis.kernel;
  }
  shapes.push_back(shape);
  return success();
}

LogicalResult compass::inferChannelShuffle(Operation *op,
                                           ResultShapes &shapes) {
  SmallVector<int64_t> shape(inputShape(op, 0));
  int64_t splits = intKey(op, keys::splits);
  if (shape.empty())
    return layerError(op, diag::OpInvalid, "layer_bottom_shape",
                      "a scalar has no channels")
        .expected("channels as the last axis");
  if (failed(checkDivides(op, "group", intKey(op, keys::group), shape.back(),
                          "channels")) ||
      failed(checkDivides(op, "splits", splits, shape.back(), "channels")))
    return failure();
  if (splits != int64_t(op->getNumResults()))
    return layerError(op, diag::OpArity, "layer_top",
                      "the layer needs one output per split")
        .found(Twine(op->getNumResults()))
        .expected(Twine(splits));
  shape.back() /= splits;
  shapes.append(splits, shape);
  return success();
}

LogicalResult compass::inferCrop(Operation *op, ResultShapes &shapes) {
  ArrayRef<int64_t> x = inputShape(op, 0);
  auto crops = nestedKey(op, keys::crops);
  if (crops.size() != x.size() ||
      llvm::any_of(crops, [](ArrayRef<int64_t> c) { return c.size() != 2; }))
    return layerError(op, diag::OpBadAttribute, keys::crops,
                      "crops needs one [begin,end] per axis")
        .found(Twine(crops.size()) + " rows")
        .expected(Twine(x.size()) + " rows of 2");
  SmallVector<int64_t> shape;
  for (auto [i, crop] : llvm::enumerate(crops)) {
    int64_t begin = crop[0] < 0 ? crop[0] + x[i] : crop[0];
    int64_t end = std::min(crop[1] < 0 ? crop[1] + x[i] : crop[1], x[i]);
    ArrayRef<int64_t> declared = declaredShape(op, 0);
    bool isEmpty = declared.size() == x.size() && declared[i] == 0;
    if (begin < 0 || begin > end || (begin == end && !isEmpty))
      return layerError(op, diag::OpBadAttribute, keys::crops,
                        "crops selects nothing on axis " + Twine(i))
          .found(shapeText(crop))
          .expected("0 <= begin < end <= " + Twine(x[i]));
    shape.push_back(end - begin);
  }
  shapes.push_back(shape);
  return success();
}
