//===- AreaPooling.cpp - Kernels of AdaptivePool and FractionalPool -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Both pool areas whose bounds are known when compiling. Those of equal size
// that do not overlap are the windows of a common pooling, which the tensor
// engine has.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "dialects/compass/pool/FractionalSequence.h"
#include "dialects/compass/pool/PoolOps.h"
#include "dialects/compass/pool/PoolShapes.h"
#include "kernels/movement/DataMovement.h"
#include "kernels/pool/Pool.h"
#include "kernels/pool/PoolMore.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::PoolMethod;

namespace {

/// [first, last) of each window along an axis.
using Bounds = SmallVector<std::pair<int64_t, int64_t>>;

PoolMethod methodOf(Operation *op) {
  return wordKey(op, keys::method) == "MAX" ? PoolMethod::Max : PoolMethod::Avg;
}

/// Axes between batch, if there is one, and channels.
size_t spatialAxes(Operation *op) {
  size_t lengths = intsKey(op, keys::output_size).size();
  return lengths ? lengths : describe(op->getOperand(0)).shape.size() - 2;
}
int64_t batchOf(const TensorInfo &t, size_t spatial) {
  return t.shape.size() > spatial + 1 ? t.shape[0] : 1;
}

int64_t longestOf(const Bounds &bounds) {
  int64_t most = 0;
  for (auto [first, last] : bounds)
    most = std::max(most, last - first);
  return most;
}

template <typename T>
BufferBinding constantOf(DType type, const std::vector<T> &values) {
  std::vector<char> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return constant({int64_t(values.size())}, type, std::move(bytes));
}

} // namespace

/// The kernel for areas of any size; \p axes are planes, rows and columns.
static LogicalResult addAreas(Operation *op, ArrayRef<Bounds> axes,
                              LayerProgram &program) {
  TensorInfo in = describe(op->getOperand(0)), out = describe(op->getResult(0));
  kernels::PoolAreas s;
  s.method = methodOf(op);
  // Of missing axes in front, length and window are 1.
  size_t spatial = spatialAxes(op), last = in.shape.size() - 1;
  s.batch = batchOf(in, spatial), s.channels = in.shape[last];
  uint32_t *lengths[] = {&s.inD, &s.inH, &s.inW};
  for (size_t i = 0; i < spatial; ++i)
    *lengths[3 - spatial + i] = in.shape[last - spatial + i];
  s.outD = axes[0].size(), s.outH = axes[1].size(), s.outW = axes[2].size();
  int64_t cells = 1;
  std::vector<int32_t> values;
  for (const Bounds &bounds : axes) {
    cells *= longestOf(bounds);
    for (auto [first, last] : bounds)
      values.insert(values.end(), {int32_t(first), int32_t(last)});
  }
  KernelCall *call;
  if (in.isInteger()) {
    // What PoolAreasIntParams states: sums of 32 bits.
    int64_t mostCells = in.bits() <= 8 ? (1 << 23) - 1 : (1 << 15) - 1;
    if (cells > mostCells && s.method == PoolMethod::Avg)
      return layerError(op, diag::OpUnsupported, "layer_bottom_shape",
                        "means of this many cells are not supported yet")
          .found(Twine(cells))
          .expected("at most " + Twine(mostCells));
    kernels::PoolAreasIntParams p;
    p.shape = s;
    p.type = in.dtype;
    p.lo = int32_t(out.lo), p.hi = int32_t(out.hi);
    call = &program.call<kernels::PoolAreasInt>(p);
  } else {
    kernels::PoolAreasFloatParams p;
    p.shape = s;
    p.inType = in.dtype, p.outType = out.dtype;
    call = &program.call<kernels::PoolAreasFloat>(p);
  }
  call->bindInOut()["bounds"] = constantOf(DType::I32, values);
  return success();
}

//===----------------------------------------------------------------------===//
// AdaptivePool
//===----------------------------------------------------------------------===//

/// Windows of one size, side by side. They see stored values: a mean of those
/// is the mean, as zero point and scale are the input's.
static void addWindows(Operation *op, LayerProgram &program) {
  TensorInfo in = describe(op->getOperand(0)), out = describe(op->getResult(0));
  kernels::PoolShape s;
  s.method = methodOf(op);
  size_t spatial = spatialAxes(op), columns = in.shape.size() - 2;
  s.batch = batchOf(in, spatial), s.channels = in.shape.back();
  s.inW = in.shape[columns], s.outW = out.shape[columns];
  if (spatial > 1)
    s.inH = in.shape[columns - 1], s.outH = out.shape[columns - 1];
  s.kernelH = s.strideH = s.inH / s.outH;
  s.kernelW = s.strideW = s.inW / s.outW;
  if (in.isInteger()) {
    kernels::PoolIntParams p;
    p.shape = s;
    p.inType = p.outType = in.dtype;
    p.lo = int32_t(out.lo), p.hi = int32_t(out.hi);
    program.call<kernels::PoolInt>(p);
  } else {
    kernels::PoolFloatParams p;
    p.shape = s;
    p.inType = in.dtype, p.outType = out.dtype;
    program.call<kernels::PoolFloat>(p);
  }
  program.last().bindInOut();
}

LogicalResult AdaptivePoolOp::buildProgram(LayerProgram &program) {
  auto arithmetic = arithmeticOf(*this);
  if (failed(arithmetic) || (*arithmetic == Arithmetic::Integer &&
                             failed(checkKeepsType(*this, "adaptive pooling"))))
    return failure();
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  size_t spatial = spatialAxes(*this), first = in.shape.size() - 1 - spatial;
  if (spatial > 3)
    return layerError(*this, diag::OpUnsupported, "layer_bottom_shape",
                      "adaptive pooling of more than three axes is not "
                      "supported yet")
        .found(Twine(spatial))
        .expected("at most 3");
  bool isEven = spatial <= 2;
  for (size_t i = first; i < first + spatial; ++i)
    isEven &=
        in.shape[i] % out.shape[i] == 0 && in.shape[i] / out.shape[i] <= 65535;
  if (isEven) {
    addWindows(*this, program);
    return success();
  }
  SmallVector<Bounds> axes(3 - spatial, Bounds{{0, 1}});
  for (size_t i = first; i < first + spatial; ++i) {
    int64_t n = in.shape[i], m = out.shape[i];
    Bounds bounds;
    for (int64_t cell = 0; cell < m; ++cell)
      bounds.push_back({cell * n / m, ((cell + 1) * n + m - 1) / m});
    axes.push_back(bounds);
  }
  return addAreas(*this, axes, program);
}

//===----------------------------------------------------------------------===//
// FractionalPool
//===----------------------------------------------------------------------===//

/// Copies a sequence, which is known, into result \p index.
static LogicalResult addSequence(Operation *op, unsigned index,
                                 const std::vector<int64_t> &starts,
                                 LayerProgram &program) {
  DType type = describe(op->getResult(index)).dtype;
  unsigned elementBytes = kernels::dtypeBytes(type);
  std::vector<char> bytes(starts.size() * elementBytes);
  for (auto [i, start] : llvm::enumerate(starts)) {
    auto [lo, hi] = dtypeRange(type);
    if (start > hi)
      return layerError(op, diag::OpElementType, "layer_top_type",
                        "a window's first cell does not fit the type")
          .found(dtypeName(type))
          .expected("a type that holds " + Twine(start));
    std::memcpy(&bytes[i * elementBytes], &start, elementBytes);
  }
  kernels::CopyParams p;
  p.elemBytes = elementBytes;
  p.rank = 1;
  p.dims[0] = uint32_t(starts.size());
  p.srcStride[0] = p.dstStride[0] = 1;
  KernelCall &call = program.call<kernels::Copy>(p);
  call["input"] = constant({int64_t(starts.size())}, type, std::move(bytes));
  call["output"] = result(index);
  return success();
}

LogicalResult FractionalPoolOp::buildProgram(LayerProgram &program) {
  bool isInteger = isIntegerLayer(*this);
  if (isInteger && failed(checkKeepsType(*this, "fractional pooling")))
    return failure();
  for (unsigned i : {1u, 2u})
    if (describe(getResult(i)).isFloat())
      return layerError(*this, diag::OpElementType, "layer_top_type",
                        "a sequence of cells does not have an integer type")
          .found(dtypeName(describe(getResult(i)).storedType()));
  int64_t seed = getSeed();
  if (seed == 0)
    return layerError(
               *this, diag::OpUnsupported, keys::seed,
               "windows that are drawn anew in each run cannot be executed")
        .found("seed=0")
        .expected("a seed other than 0");
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  SmallVector<Bounds> axes = {Bounds{{0, 1}}};
  for (unsigned axis : {1u, 2u}) {
    int64_t length = in.shape[axis], windows = out.shape[axis];
    std::vector<int64_t> starts =
        fractionalSequence(length, windows, getPseudo(), uint32_t(seed));
    Bounds bounds;
    for (int64_t i = 0; i < windows; ++i)
      bounds.push_back(
          {starts[i], std::min<int64_t>(starts[i + 1] + getOverlap(), length)});
    axes.push_back(bounds);
    if (failed(addSequence(*this, axis, starts, program)))
      return failure();
  }
  return addAreas(*this, axes, program);
}
