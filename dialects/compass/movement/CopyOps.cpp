//===- CopyOps.cpp - Slice, Reshape and Transpose -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Each is one strided copy.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/movement/MovementOps.h"
#include "dialects/compass/movement/Moving.h"
#include "kernels/DataMovement.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

using Shapes = SmallVectorImpl<SmallVector<int64_t>>;

/// Elements between neighbours of each axis of a dense tensor.
static SmallVector<int64_t> denseStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0; step *= shape[i])
    strides[i] = step;
  return strides;
}

/// A copy into a dense result of shape \p dims. Drops axes of length 1 and
/// merges neighbours that lie in one piece on both sides, so that the kernel
/// moves the longest runs there are and high ranks fit.
static LogicalResult buildCopy(Operation *op, const TensorInfo &out,
                               ArrayRef<int64_t> srcStrides, int64_t srcOffset,
                               KernelCall &call) {
  struct Axis {
    int64_t dim, src, dst;
  };
  SmallVector<Axis> axes;
  SmallVector<int64_t> dstStrides = denseStrides(out.shape);
  for (size_t i = 0; i < out.shape.size(); ++i) {
    Axis axis{out.shape[i], srcStrides[i], dstStrides[i]};
    if (axis.dim == 1)
      continue;
    if (!axes.empty() && axes.back().src == axis.src * axis.dim &&
        axes.back().dst == axis.dst * axis.dim)
      axes.back() = {axes.back().dim * axis.dim, axis.src, axis.dst};
    else
      axes.push_back(axis);
  }
  if (axes.size() > kernels::kMaxRank)
    return op->emitOpError("more than ")
           << kernels::kMaxRank << " axes are not supported yet";
  kernels::CopyParams p;
  p.elemBytes = kernels::dtypeBytes(out.dtype);
  p.rank = axes.size();
  p.srcOffset = int32_t(srcOffset);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    p.dims[i] = uint32_t(axis.dim);
    p.srcStride[i] = int32_t(axis.src);
    p.dstStride[i] = int32_t(axis.dst);
  }
  call.set("yk_copy", p);
  call.addInput(0);
  call.addOutput(0);
  return success();
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

namespace {
struct AxisSlice {
  int64_t begin, step, length;
};
} // namespace

/// The slice of one axis by Python's rules: negative indices count from the
/// end, all are clamped; a backward slice with a negative end runs to index 0.
static FailureOr<SmallVector<AxisSlice>> slicesOf(SliceOp op) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getOperand(0).getType()).getShape();
  auto begin = op.getBegin(), end = op.getEnd(), strides = op.getStrides();
  if (!begin || !end || begin->size() != shape.size() ||
      end->size() != shape.size() ||
      (strides && strides->size() != shape.size()))
    return op.emitOpError("needs one begin, end and stride per axis (")
           << shape.size() << "), found " << (begin ? begin->size() : 0) << ", "
           << (end ? end->size() : 0) << " and "
           << (strides ? strides->size() : 0);
  SmallVector<AxisSlice> slices;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t dim = shape[i], step = strides ? (*strides)[i] : 1;
    if (step == 0 || step < INT32_MIN || step > INT32_MAX)
      return op.emitOpError("strides has ")
             << step << " on axis " << i << ", expected a step other than 0";
    int64_t low = step < 0 ? -1 : 0, high = step < 0 ? dim - 1 : dim;
    auto place = [&](int64_t index) {
      return std::clamp(index < 0 ? index + dim : index, low, high);
    };
    int64_t first = place((*begin)[i]);
    int64_t last = step < 0 && (*end)[i] < 0 ? -1 : place((*end)[i]);
    int64_t span = step < 0 ? first - last : last - first;
    if (span < 1)
      return op.emitOpError("selects nothing on axis ")
             << i << ": begin " << (*begin)[i] << ", end " << (*end)[i]
             << ", length " << dim;
    slices.push_back({first, step, (span - 1) / std::abs(step) + 1});
  }
  return slices;
}

LogicalResult SliceOp::inferShapes(Shapes &shapes) {
  if (failed(checkOneToOne(*this)))
    return failure();
  auto slices = slicesOf(*this);
  if (failed(slices))
    return failure();
  SmallVector<int64_t> shape;
  for (const AxisSlice &s : *slices)
    shape.push_back(s.length);
  shapes.push_back(shape);
  return success();
}

LogicalResult SliceOp::buildKernel(KernelCall &call) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  auto slices = slicesOf(*this);
  if (failed(slices) || failed(checkSameElement(*this, in, out)))
    return failure();
  SmallVector<int64_t> strides = denseStrides(in.shape);
  int64_t offset = 0;
  for (auto [stride, s] : llvm::zip(strides, *slices)) {
    offset += s.begin * stride;
    stride *= s.step;
  }
  return buildCopy(*this, out, strides, offset, call);
}

//===----------------------------------------------------------------------===//
// Reshape and Transpose
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::inferShapes(Shapes &shapes) {
  if (failed(checkOneToOne(*this)))
    return failure();
  TensorInfo in = describe(getOperand(0));
  SmallVector<int64_t> shape(getShape() ? SmallVector<int64_t>(*getShape())
                                        : describe(getResult(0)).shape);
  int64_t known = 1, *open = nullptr;
  for (int64_t &d : shape) {
    if (d == -1 && !open) {
      open = &d;
      continue;
    }
    if (d < 0)
      return emitOpError("shape has the length ")
             << d << ", expected at most one -1";
    known *= d;
  }
  if (open)
    *open = known > 0 ? in.numElements() / known : 0;
  if (product(shape) != in.numElements())
    return emitOpError("shape holds ")
           << product(shape) << " values, the input has " << in.numElements();
  shapes.push_back(shape);
  return success();
}

LogicalResult ReshapeOp::buildKernel(KernelCall &call) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  if (failed(checkSameElement(*this, in, out)))
    return failure();
  return buildCopy(*this, out, denseStrides(out.shape), 0, call);
}

LogicalResult TransposeOp::inferShapes(Shapes &shapes) {
  if (failed(checkOneToOne(*this)))
    return failure();
  SmallVector<int64_t> in = describe(getOperand(0)).shape, shape;
  auto perm = getPerm();
  if (!perm || perm->size() != in.size())
    return emitOpError("needs perm with one axis per input axis (")
           << in.size() << "), found " << (perm ? perm->size() : 0);
  SmallVector<bool> seen(in.size(), false);
  for (int64_t axis : *perm) {
    if (axis < 0 || axis >= int64_t(in.size()) || seen[axis])
      return emitOpError("perm names axis ")
             << axis << ", expected each of 0 to " << in.size() - 1 << " once";
    seen[axis] = true;
    shape.push_back(in[axis]);
  }
  shapes.push_back(shape);
  return success();
}

LogicalResult TransposeOp::buildKernel(KernelCall &call) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  if (failed(checkSameElement(*this, in, out)))
    return failure();
  SmallVector<int64_t> dense = denseStrides(in.shape), strides;
  ArrayRef<int64_t> perm = *getPerm();
  for (int64_t axis : perm)
    strides.push_back(dense[axis]);
  return buildCopy(*this, out, strides, 0, call);
}
