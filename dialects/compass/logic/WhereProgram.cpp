//===- WhereProgram.cpp - A choice between two tensors as a kernel --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/logic/LogicOps.h"
#include "dialects/compass/logic/WhereLimit.h"
#include "kernels/select/Select.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {

struct Axis {
  int64_t dim;
  int64_t strides[3];
};

/// Whether two neighbours, the outer one first, are one axis for all operands.
bool continues(const Axis &outer, const Axis &inner) {
  for (int i = 0; i < 3; ++i)
    if (outer.strides[i] != inner.strides[i] * inner.dim)
      return false;
  return true;
}

} // namespace

/// How condition, x1 and x2 fill the result. An axis that they repeat by
/// different multiples becomes several, from the least length to the greatest.
static FailureOr<kernels::WhereShape> whereShape(WhereOp op) {
  ArrayRef<int64_t> out = shapeOf(op->getResult(0));
  int64_t sizes[3] = {1, 1, 1}; // elements of the axes inside
  SmallVector<Axis> axes;       // innermost first
  for (size_t i = 0; i < out.size(); ++i) {
    int64_t dims[3];
    SmallVector<int64_t> lengths;
    for (int k = 0; k < 3; ++k) {
      ArrayRef<int64_t> shape = inputShape(op, k);
      dims[k] = i < shape.size() ? shape[shape.size() - 1 - i] : 1;
      lengths.push_back(dims[k]);
    }
    lengths.push_back(out[out.size() - 1 - i]);
    llvm::sort(lengths);
    int64_t done = 1;
    for (int64_t length : lengths) {
      if (length % done)
        return layerError(op, diag::OpUnsupported, "layer_bottom_shape",
                          "inputs that repeat by multiples, neither of which "
                          "divides the other, are not supported yet")
            .found(Twine(done) + " and " + Twine(length));
      if (length == done)
        continue;
      Axis axis{length / done, {}};
      for (int k = 0; k < 3; ++k)
        axis.strides[k] = dims[k] >= length ? sizes[k] * done : 0;
      if (!axes.empty() && continues(axis, axes.back()))
        axes.back().dim *= axis.dim;
      else
        axes.push_back(axis);
      done = length;
    }
    for (int k = 0; k < 3; ++k)
      sizes[k] *= dims[k];
  }
  if (axes.size() > kernels::kMaxRank)
    return layerError(op, diag::OpUnsupported, "layer_bottom_shape",
                      "broadcasting over this many axes is not supported yet")
        .found(Twine(axes.size()))
        .expected("at most " + Twine(kernels::kMaxRank));
  kernels::WhereShape shape;
  shape.rank = axes.size();
  for (auto [i, axis] : llvm::enumerate(llvm::reverse(axes))) {
    shape.dims[i] = uint32_t(axis.dim);
    for (int k = 0; k < 3; ++k)
      shape.strides[k][i] = int32_t(axis.strides[k]);
  }
  return shape;
}

/// Whether both choices keep their bits.
static bool moves(const TensorInfo &out, const kernels::WhereChoice &c) {
  return c.type == out.dtype && c.zp == out.zp && c.scale == 1 && c.shift == 0;
}

LogicalResult WhereOp::buildProgram(LayerProgram &program) {
  TensorInfo condition = describe(getOperand(0)), out = describe(getResult(0)),
             x[] = {describe(getOperand(1)), describe(getOperand(2))};
  auto shape = whereShape(*this);
  if (failed(shape))
    return failure();
  for (const TensorInfo &choice : x)
    if (choice.isFloat() ? choice.dtype != out.dtype : out.isFloat())
      return layerError(
                 *this, diag::OpElementType, "layer_top_type",
                 "the layer moves values, so it cannot change their type")
          .found(dtypeName(out.storedType()))
          .expected(dtypeName(choice.storedType()));
  kernels::WhereIntParams p;
  p.shape = *shape;
  auto scales = intsKey(*this, keys::scale_value),
       shifts = intsKey(*this, keys::shift_value);
  bool keepsBits = true;
  for (size_t i : {0, 1}) {
    kernels::WhereChoice &c = p.choices[i];
    c.type = x[i].dtype, c.zp = x[i].zp;
    if (!scales.empty())
      c.scale = int32_t(scales[i]), c.shift = int32_t(shifts[i]);
    keepsBits &= moves(out, c);
  }
  p.conditionType = condition.dtype, p.conditionZp = condition.zp;
  p.requant.outType = out.dtype, p.requant.zp = out.zp;
  p.requant.lo = int32_t(std::max<int64_t>(out.lo, INT32_MIN));
  p.requant.hi = int32_t(std::min<int64_t>(out.hi, INT32_MAX));
  if (out.isInteger() && kernels::dtypeBytes(out.dtype) <= 2 &&
      appendLimit(*this, p, program))
    return success();
  KernelCall *call = nullptr;
  if (keepsBits && condition.zp == 0) {
    kernels::WhereParams move;
    move.shape = *shape;
    move.conditionType = condition.dtype;
    move.elemBytes = kernels::dtypeBytes(out.dtype);
    call = &program.call<kernels::Where>(move);
  } else {
    call = &program.call<kernels::WhereInt>(p);
  }
  (*call)["condition"] = operand(0);
  (*call)["x1"] = operand(1), (*call)["x2"] = operand(2);
  (*call)["output"] = result(0);
  return success();
}
