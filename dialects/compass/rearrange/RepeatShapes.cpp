//===- RepeatShapes.cpp - Shapes of operators that repeat or overlap ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/WindowShape.h"
#include "dialects/compass/rearrange/RearrangeShapes.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

LogicalResult compass::inferTile(Operation *op, ResultShapes &shapes) {
  SmallVector<int64_t> shape(inputShape(op, 0));
  SmallVector<int64_t> repeats = intsKey(op, keys::repeats);
  if (repeats.size() != shape.size())
    return layerError(op, diag::OpBadAttribute, keys::repeats,
                      "repeats needs one number per axis")
        .found(Twine(repeats.size()))
        .expected(Twine(shape.size()));
  for (auto [length, copies] : llvm::zip(shape, repeats))
    length *= copies;
  shapes.push_back(shape);
  return success();
}

LogicalResult compass::inferRepeat(Operation *op, ResultShapes &shapes) {
  ArrayRef<int64_t> declared = declaredShape(op, 0);
  SmallVector<int64_t> shape(inputShape(op, 0));
  // Flat, the definition's example keeps leading axes of length 1.
  auto axis = axisOrFlat(op, shape, std::max<size_t>(declared.size(), 1) - 1);
  if (failed(axis))
    return failure();
  int64_t slices = shape[*axis], count = inputShape(op, 1)[0];
  if (count != slices && count != 1)
    return layerError(op, diag::OpInvalid, "layer_bottom_shape",
                      "there is not one repeat per slice")
        .found(Twine(count))
        .expected(Twine(slices) + ", or 1 for all");
  if (declared.size() == shape.size())
    shape[*axis] = declared[*axis];
  if (failed(checkConstantRange(op, 1, 0, INT32_MAX, "repeats")))
    return failure();
  if (auto repeats = constantInput(op, 1)) {
    int64_t sum = 0; // at most 2^31 values of 31 bits
    for (int64_t i = 0; i < repeats->numElements(); ++i)
      sum += repeats->intAt(i);
    shape[*axis] = count == 1 ? sum * slices : sum;
  }
  shapes.push_back(shape);
  return success();
}

LogicalResult compass::inferReverseSequence(Operation *op,
                                            ResultShapes &shapes) {
  ArrayRef<int64_t> x = inputShape(op, 0);
  auto batch = axisKey(op, keys::batch_axis, x.size());
  auto time = axisKey(op, keys::time_axis, x.size());
  if (failed(batch) || failed(time))
    return failure();
  if (*batch == *time)
    return layerError(op, diag::OpBadAttribute, keys::time_axis,
                      "batch_axis and time_axis are the same axis")
        .found(Twine(*time))
        .expected("two different axes");
  if (inputShape(op, 1)[0] != x[*batch])
    return layerError(op, diag::OpInvalid, "layer_bottom_shape",
                      "there is not one length per sequence")
        .found(Twine(inputShape(op, 1)[0]))
        .expected(Twine(x[*batch]) + ", the length of batch_axis");
  if (failed(checkConstantRange(op, 1, 0, x[*time], "lengths of sequences")))
    return failure();
  shapes.emplace_back(x);
  return success();
}

LogicalResult compass::inferMeshgrid(Operation *op, ResultShapes &shapes) {
  SmallVector<int64_t> grid;
  for (auto [i, input] : llvm::enumerate(op->getOperands())) {
    ArrayRef<int64_t> shape = shapeOf(input);
    if (shape.size() != 1)
      return layerError(op, diag::OpInvalid, "layer_bottom_shape",
                        "coordinates must be a list, but input " + Twine(i) +
                            " is not")
          .found(shapeText(shape))
          .expected("one axis");
    grid.push_back(shape[0]);
  }
  if (op->getNumResults() != grid.size())
    return layerError(op, diag::OpArity, "layer_top",
                      "the layer needs one grid per input")
        .found(Twine(op->getNumResults()))
        .expected(Twine(grid.size()));
  bool isXy = wordKey(op, keys::indexing, "XY") == "XY" && grid.size() > 1;
  for (size_t k = 0; k < grid.size(); ++k) {
    SmallVector<int64_t> shape(grid);
    if (boolKey(op, keys::sparse))
      for (size_t i = 0; i < shape.size(); ++i)
        shape[i] = i == k ? shape[i] : 1;
    if (isXy)
      std::swap(shape[0], shape[1]);
    shapes.push_back(shape);
  }
  return success();
}

LogicalResult compass::inferOverlapAdd(Operation *op, ResultShapes &shapes) {
  SmallVector<int64_t> shape(inputShape(op, 0));
  int64_t step = intKey(op, keys::frame_step);
  if (shape.size() < 2)
    return layerError(op, diag::OpInvalid, "layer_bottom_shape",
                      "the layer needs frames and their elements")
        .found(shapeText(shape))
        .expected("two axes or more");
  int64_t length = shape.pop_back_val(), frames = shape.pop_back_val();
  if (step > length)
    return layerError(op, diag::OpBadAttribute, keys::frame_step,
                      "the frames leave gaps")
        .found(Twine(step))
        .expected("at most " + Twine(length) + ", the length of a frame");
  if (failed(checkRequant(op)))
    return failure();
  shape.push_back((frames - 1) * step + length);
  shapes.push_back(shape);
  return success();
}

std::optional<SmallVector<int64_t>> compass::constantSizes(Operation *op,
                                                           unsigned i) {
  auto values = constantInput(op, i);
  if (!values || dtypeIsFloat(values->dtype))
    return std::nullopt;
  SmallVector<int64_t> sizes;
  for (int64_t k = 0; k < values->numElements(); ++k)
    sizes.push_back(values->intAt(k));
  return sizes;
}

LogicalResult compass::inferCol2Im(Operation *op, ResultShapes &shapes) {
  ArrayRef<int64_t> x = inputShape(op, 0);
  int64_t spatial = inputShape(op, 1)[0];
  SmallVector<int64_t> shape(declaredShape(op, 0));
  if (int64_t(shape.size()) != spatial + 2)
    return layerError(
               op, diag::OpShape, "layer_top_shape",
               "the result does not have as many image axes as the sizes")
        .found(shapeText(shape))
        .expected(Twine(spatial + 2) + " axes: batch, channels, image")
        .token(shapeText(shape));
  shape[0] = x[0];
  if (auto kernel = constantSizes(op, 2)) {
    int64_t cells = 1;
    for (int64_t length : *kernel) {
      if (length < 1 || length > 65535 || cells > x[1])
        return layerError(op, diag::OpInvalid, "layer_bottom",
                          "the constant kernel size is impossible")
            .found(shapeText(*kernel))
            .expected("lengths whose product divides " + Twine(x[1]));
      cells *= length;
    }
    if (x[1] % cells)
      return layerError(op, diag::OpInvalid, "layer_bottom_shape",
                        "the columns do not contain whole windows")
          .found(Twine(x[1]))
          .expected("a multiple of " + Twine(cells));
    shape[1] = x[1] / cells;
  } else if (shape[1] == 0 || x[1] % shape[1]) {
    return layerError(op, diag::OpShape, "layer_top_shape",
                      "the channels do not divide the columns")
        .found(Twine(shape[1]))
        .expected("a divisor of " + Twine(x[1]));
  }
  if (auto image = constantSizes(op, 1))
    std::copy(image->begin(), image->end(), shape.begin() + 2);
  if (failed(checkRequant(op)))
    return failure();
  shapes.push_back(shape);
  return success();
}
