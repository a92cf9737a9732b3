//===- GatherPrograms.cpp - Gathering as kernels --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/indexing/IndexBounds.h"
#include "dialects/compass/indexing/IndexOps.h"
#include "dialects/compass/indexing/IndexShapes.h"
#include "dialects/compass/movement/Moving.h"
#include "dialects/compass/movement/StridedCopy.h"
#include "kernels/indexing/Indexing.h"
#include "kernels/movement/DataMovement.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

/// Places are numbered in 32 bits.
static LogicalResult checkNumbered(Operation *op) {
  int64_t elements = describe(op->getOperand(0)).numElements();
  if (elements <= INT32_MAX)
    return success();
  return layerError(op, diag::OpUnsupported, "layer_bottom_shape",
                    "data with this many elements is not supported yet")
      .found(Twine(elements))
      .expected("at most " + Twine(INT32_MAX));
}

template <typename Kernel>
static void callGather(LayerProgram &program,
                       const typename Kernel::Params &p) {
  KernelCall &call = program.call<Kernel>(p).bindInOut();
  call["indices"] = operand(1);
}

namespace {

/// Indices that go up or down by steps along each of their axes: first + the
/// sum of place * step.
struct SteppedIndices {
  int64_t first;
  SmallVector<int64_t> steps;
};

} // namespace

/// The steps of constant \p indices into \p length elements, if they have such:
/// windows that slide over an axis, every second element, a reversed axis.
static std::optional<SteppedIndices> steppedIndices(const ConstantView &indices,
                                                    ArrayRef<int64_t> shape,
                                                    int64_t length) {
  auto valueAt = [&](int64_t i) {
    int64_t value = indices.intAt(i);
    return value < 0 ? value + length : value;
  };
  SmallVector<int64_t> dense = denseStrides(shape);
  SteppedIndices found{valueAt(0), {}};
  for (auto [extent, stride] : llvm::zip(shape, dense))
    found.steps.push_back(extent > 1 ? valueAt(stride) - found.first : 0);
  for (int64_t i = 0, e = indices.numElements(); i < e; ++i) {
    int64_t expected = found.first;
    for (auto [extent, stride, step] : llvm::zip(shape, dense, found.steps))
      expected += i / stride % extent * step;
    if (valueAt(i) != expected)
      return std::nullopt;
  }
  return found;
}

/// A copy in the place of the gathering, where the indices are steps: work of
/// the DMA engine. True if it was appended.
static bool gatherByCopy(GatherOp op, LayerProgram &program,
                         ArrayRef<int64_t> x, int64_t axis) {
  auto indices = constantInput(op, 1);
  SmallVector<int64_t> shape(describe(op.getOperand(1)).shape);
  if (!indices || dtypeIsFloat(indices->dtype) || indices->numElements() == 0)
    return false;
  auto stepped = steppedIndices(*indices, shape, x[axis]);
  if (!stepped)
    return false;
  SmallVector<int64_t> dense = denseStrides(x), out(x.take_front(axis)),
                       strides(ArrayRef(dense).take_front(axis));
  for (auto [extent, step] : llvm::zip(shape, stepped->steps))
    out.push_back(extent), strides.push_back(step * dense[axis]);
  llvm::append_range(out, x.drop_front(axis + 1));
  llvm::append_range(strides, ArrayRef(dense).drop_front(axis + 1));
  SmallVector<CopyAxis> axes = axesInto(out, strides);
  return fitsOneCopy(axes) &&
         succeeded(
             appendCopy(op, program, axes,
                        {operand(0), result(0), stepped->first * dense[axis]}));
}

LogicalResult GatherOp::buildProgram(LayerProgram &program) {
  TensorInfo x = describe(getOperand(0)), out = describe(getResult(0)),
             indices = describe(getOperand(1));
  auto axis = axisKey(*this, keys::axis, x.shape.size());
  if (failed(axis) || failed(checkSameElement(*this, x, out)))
    return failure();
  int64_t batch = intKey(*this, keys::batch_dims);
  ArrayRef<int64_t> shape = x.shape;
  kernels::GatherParams p;
  p.elemBytes = kernels::dtypeBytes(x.dtype);
  p.batch = product(shape.take_front(batch));
  p.outer = product(shape.slice(batch, *axis - batch));
  p.axisSize = shape[*axis];
  p.inner = product(shape.drop_front(*axis + 1));
  p.indexCount = product(ArrayRef(indices.shape).drop_front(batch));
  p.indexType = indices.dtype;
  callCheckIndices(*this, program, 1, {int64_t(p.axisSize)},
                   negativeIndicesOf(*this));
  if (batch == 0 && gatherByCopy(*this, program, shape, *axis))
    return success();
  callGather<kernels::Gather>(program, p);
  return success();
}

LogicalResult GatherElementsOp::buildProgram(LayerProgram &program) {
  TensorInfo x = describe(getOperand(0)), out = describe(getResult(0));
  auto axis = axisKey(*this, keys::axis, x.shape.size());
  if (failed(axis) || failed(checkSameElement(*this, x, out)) ||
      failed(checkNumbered(*this)))
    return failure();
  kernels::GatherElementsParams p;
  p.elemBytes = kernels::dtypeBytes(x.dtype);
  p.rank = x.shape.size();
  if (p.rank > kernels::kMaxRank)
    return layerError(*this, diag::OpUnsupported, "layer_bottom_shape",
                      "more than " + Twine(kernels::kMaxRank) +
                          " axes are not supported yet");
  int64_t stride = 1;
  for (size_t d = x.shape.size(); d-- > 0; stride *= x.shape[d]) {
    p.dims[d] = uint32_t(out.shape[d]);
    p.strides[d] = int64_t(d) == *axis ? 0 : int32_t(stride);
    if (int64_t(d) == *axis)
      p.axisSize = int32_t(x.shape[d]), p.axisStride = int32_t(stride);
  }
  p.indexType = describe(getOperand(1)).dtype;
  callCheckIndices(*this, program, 1, {x.shape[*axis]});
  callGather<kernels::GatherElements>(program, p);
  return success();
}

LogicalResult GatherNDOp::buildProgram(LayerProgram &program) {
  TensorInfo x = describe(getOperand(0)), out = describe(getResult(0)),
             indices = describe(getOperand(1));
  if (failed(checkSameElement(*this, x, out)) || failed(checkNumbered(*this)))
    return failure();
  int64_t batch = intKey(*this, keys::batch_dims), rank = indices.shape.back();
  ArrayRef<int64_t> shape = x.shape;
  if (rank > kernels::kMaxRank)
    return layerError(*this, diag::OpUnsupported, "layer_bottom_shape",
                      "places of more than " + Twine(kernels::kMaxRank) +
                          " indices are not supported yet");
  kernels::GatherNDParams p;
  p.elemBytes = kernels::dtypeBytes(x.dtype);
  p.batch = product(shape.take_front(batch));
  p.places = product(ArrayRef(indices.shape).drop_front(batch).drop_back());
  p.inner = product(shape.drop_front(batch + rank));
  p.rank = uint32_t(rank);
  for (int64_t d = 0; d < rank; ++d)
    p.dims[d] = uint32_t(shape[batch + d]);
  p.indexType = indices.dtype;
  if (rank != 0)
    callCheckIndices(*this, program, 1, shape.slice(batch, rank));
  callGather<kernels::GatherND>(program, p);
  return success();
}
