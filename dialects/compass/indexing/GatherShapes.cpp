//===- GatherShapes.cpp - Shapes of gathering and scattering --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/indexing/IndexBounds.h"
#include "dialects/compass/indexing/IndexShapes.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static LayerError wrongShape(Operation *op, const Twine &message,
                             ArrayRef<int64_t> found) {
  LayerError error =
      layerError(op, diag::OpInvalid, "layer_bottom_shape", message);
  error.found(shapeText(found)).token(shapeText(found));
  return error;
}

/// Leading axes that data and indices share.
static FailureOr<int64_t> batchDimsOf(Operation *op) {
  ArrayRef<int64_t> x = inputShape(op, 0), indices = inputShape(op, 1);
  int64_t batch = intKey(op, keys::batch_dims);
  int64_t most = std::min(x.size(), indices.size());
  if (batch > most)
    return layerError(op, diag::OpBadAttribute, keys::batch_dims,
                      "the tensors have fewer axes than batch_dims")
        .found(Twine(batch))
        .expected("at most " + Twine(most));
  if (x.take_front(batch) != indices.take_front(batch))
    return wrongShape(op,
                      "data and indices differ in their first " + Twine(batch) +
                          " axes, the batch axes",
                      indices)
        .expected(shapeText(x.take_front(batch)) + " at the front");
  return batch;
}

NegativeIndices compass::negativeIndicesOf(Operation *gather) {
  return wordKey(gather, keys::negative_indices, "FROM_END") == "REFUSED"
             ? NegativeIndices::Refused
             : NegativeIndices::FromEnd;
}

LogicalResult compass::inferGather(Operation *op, ResultShapes &shapes) {
  ArrayRef<int64_t> x = inputShape(op, 0), indices = inputShape(op, 1);
  auto axis = axisKey(op, keys::axis, x.size());
  auto batch = batchDimsOf(op);
  if (failed(axis) || failed(batch))
    return failure();
  if (*axis < *batch)
    return layerError(op, diag::OpBadAttribute, keys::axis,
                      "the indexed axis is one of the batch axes")
        .found(Twine(*axis))
        .expected(Twine(*batch) + " (batch_dims) or more");
  if (failed(checkConstantIndices(op, 1, {x[*axis]}, negativeIndicesOf(op))))
    return failure();
  SmallVector<int64_t> shape(x.take_front(*axis));
  llvm::append_range(shape, indices.drop_front(*batch));
  llvm::append_range(shape, x.drop_front(*axis + 1));
  shapes.push_back(shape);
  return success();
}

/// Indices with as many axes as the data, and no longer but along the axis that
/// they index.
static FailureOr<int64_t> elementAxis(Operation *op) {
  ArrayRef<int64_t> x = inputShape(op, 0), indices = inputShape(op, 1);
  auto axis = axisKey(op, keys::axis, x.size());
  if (failed(axis))
    return failure();
  if (indices.size() != x.size())
    return wrongShape(op, "the indices do not have as many axes as the data",
                      indices)
        .expected(Twine(x.size()) + " axes");
  for (size_t i = 0; i < x.size(); ++i)
    if (int64_t(i) != *axis && indices[i] > x[i])
      return wrongShape(
                 op, "the indices are longer than the data on axis " + Twine(i),
                 indices)
          .expected("at most " + Twine(x[i]) + " on this axis");
  if (failed(checkConstantIndices(op, 1, {x[*axis]})))
    return failure();
  return *axis;
}

LogicalResult compass::inferGatherElements(Operation *op,
                                           ResultShapes &shapes) {
  if (failed(elementAxis(op)))
    return failure();
  shapes.emplace_back(inputShape(op, 1));
  return success();
}

/// Axes of the data that one place covers: the last length of the indices.
static FailureOr<int64_t> placeRank(Operation *op, int64_t batch) {
  ArrayRef<int64_t> x = inputShape(op, 0), indices = inputShape(op, 1);
  int64_t most = int64_t(x.size()) - batch;
  if (int64_t(indices.size()) <= batch)
    return wrongShape(op, "the indices have no axis for the places", indices)
        .expected("more than " + Twine(batch) + " axes");
  if (indices.back() > most)
    return wrongShape(op, "a place has more indices than the data has axes",
                      indices)
        .expected("a last length of at most " + Twine(most));
  if (indices.back() != 0 &&
      failed(checkConstantIndices(op, 1, x.slice(batch, indices.back()))))
    return failure();
  return indices.back();
}

LogicalResult compass::inferGatherND(Operation *op, ResultShapes &shapes) {
  auto batch = batchDimsOf(op);
  if (failed(batch))
    return failure();
  auto rank = placeRank(op, *batch);
  if (failed(rank))
    return failure();
  SmallVector<int64_t> shape(inputShape(op, 1).drop_back());
  llvm::append_range(shape, inputShape(op, 0).drop_front(*batch + *rank));
  shapes.push_back(shape);
  return success();
}

/// Both forms that the definition's examples and the reference tools have: one
/// shift, or one per multiplier. The reference's MUL of ScatterElements has no
/// multiplier for the result.
static LogicalResult checkScatterScales(Operation *op) {
  ScaleForm form = {.scales = 3, .order = "for result, data and updates"};
  size_t scales = intsKey(op, keys::scale_value).size(),
         shifts = intsKey(op, keys::shift_value).size();
  if (scales == 2 && shifts == 2)
    form.scales = 2;
  if (shifts == form.scales)
    form.shifts = form.scales;
  return checkRequant(op, form);
}

LogicalResult compass::inferScatterElements(Operation *op,
                                            ResultShapes &shapes) {
  if (failed(elementAxis(op)) || failed(checkScatterScales(op)))
    return failure();
  if (inputShape(op, 2) != inputShape(op, 1))
    return wrongShape(op, "the updates do not have the shape of the indices",
                      inputShape(op, 2))
        .expected(shapeText(inputShape(op, 1)));
  shapes.emplace_back(inputShape(op, 0));
  return success();
}

LogicalResult compass::inferScatterND(Operation *op, ResultShapes &shapes) {
  auto rank = placeRank(op, /*batch=*/0);
  if (failed(rank) || failed(checkScatterScales(op)))
    return failure();
  SmallVector<int64_t> updates(inputShape(op, 1).drop_back());
  llvm::append_range(updates, inputShape(op, 0).drop_front(*rank));
  if (inputShape(op, 2) != ArrayRef<int64_t>(updates))
    return wrongShape(op, "the updates do not fit the indices and the data",
                      inputShape(op, 2))
        .expected(shapeText(updates));
  shapes.emplace_back(inputShape(op, 0));
  return success();
}

LogicalResult compass::inferSlotUpdate(Operation *op, ResultShapes &shapes) {
  ArrayRef<int64_t> x = inputShape(op, 0);
  int64_t cameras = op->getNumOperands() - 1;
  if (cameras != x[1])
    return layerError(op, diag::OpArity, "layer_bottom",
                      "the layer needs one tensor of indices per camera")
        .found(Twine(cameras))
        .expected(Twine(x[1]) + ", the second length of the queries");
  for (int64_t i = 1; i <= cameras; ++i) {
    ArrayRef<int64_t> indices = inputShape(op, i);
    if (indices.size() != 1 || indices[0] > x[2])
      return wrongShape(op, "the indices of a camera do not fit its queries",
                        indices)
          .expected("one axis of at most " + Twine(x[2]));
    if (failed(checkConstantIndices(op, i, {x[2]})))
      return failure();
  }
  if (failed(checkRequant(op)))
    return failure();
  shapes.push_back({x[0], x[2], x[3]});
  return success();
}
