//===- VolumePooling.cpp - The kernels of Pooling3D -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A maximum, and a mean of floats, over planes, rows and columns is one over
// rows and columns, then one over planes: both are poolings of images, which
// the tensor engine has for integers. A mean of integers is rounded otherwise
// and has a kernel of its own.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/WindowShape.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "dialects/compass/pool/PoolOps.h"
#include "dialects/compass/pool/PoolShapes.h"
#include "kernels/pool/Pool.h"
#include "kernels/pool/PoolMore.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::PoolMethod;

namespace {

class VolumePooling {
public:
  VolumePooling(Operation *op, LayerProgram &program)
      : op(op), program(program), in(describe(op->getOperand(0))),
        out(describe(op->getResult(0))), axes(windowAxes(op, 3)),
        method(wordKey(op, keys::method) == "AVG" ? PoolMethod::Avg
                                                  : PoolMethod::Max),
        countsPad(boolKey(op, keys::count_include_pad)) {}

  LogicalResult build();

private:
  LogicalResult checkWindows();
  void addAverage();
  void addPool(const kernels::PoolShape &shape, BufferBinding from,
               BufferBinding to);
  void addInTwoSteps();

  Operation *op;
  LayerProgram &program;
  TensorInfo in, out;
  SmallVector<WindowAxis, 3> axes; ///< z, y, x
  PoolMethod method;
  bool countsPad;
};

} // namespace

LogicalResult VolumePooling::checkWindows() {
  int64_t cells = 1;
  for (const WindowAxis &axis : axes) {
    cells *= axis.kernel;
    for (int64_t pad : {axis.before, axis.after})
      if (pad > INT16_MAX)
        return layerError(op, diag::OpUnsupported, axis.keys->before,
                          "pads of this length are not supported yet")
            .found(Twine(pad))
            .expected("at most 32767");
  }
  // What PoolAverage3DIntParams states.
  constexpr int64_t kMostCells = 1 << 19;
  if (cells <= kMostCells)
    return success();
  return layerError(op, diag::OpUnsupported, keys::kernel_z,
                    "windows with this many cells are not supported yet")
      .found(Twine(cells))
      .expected("at most " + Twine(kMostCells));
}

void VolumePooling::addAverage() {
  const WindowAxis &z = axes[0], &y = axes[1], &x = axes[2];
  kernels::PoolAverage3DIntParams p;
  kernels::PoolVolume &s = p.shape;
  s.batch = in.shape[0], s.inD = in.shape[1], s.inH = in.shape[2];
  s.inW = in.shape[3], s.channels = in.shape[4];
  s.outD = out.shape[1], s.outH = out.shape[2], s.outW = out.shape[3];
  s.kernelD = z.kernel, s.kernelH = y.kernel, s.kernelW = x.kernel;
  s.strideD = z.stride, s.strideH = y.stride, s.strideW = x.stride;
  s.dilationD = z.dilation, s.dilationH = y.dilation, s.dilationW = x.dilation;
  s.padFront = z.before, s.padTop = y.before, s.padLeft = x.before;
  p.inType = in.dtype, p.outType = out.dtype;
  p.zp = in.zp, p.lo = int32_t(out.lo), p.hi = int32_t(out.hi);
  p.countIncludePad = countsPad;
  program.call<kernels::PoolAverage3DInt>(p).bindInOut();
}

void VolumePooling::addPool(const kernels::PoolShape &shape, BufferBinding from,
                            BufferBinding to) {
  if (in.isInteger()) {
    kernels::PoolIntParams p;
    p.shape = shape;
    p.inType = p.outType = in.dtype;
    p.inZp = p.zp = in.zp;
    p.lo = int32_t(in.lo), p.hi = int32_t(in.hi);
    program.call<kernels::PoolInt>(p);
  } else {
    kernels::PoolFloatParams p;
    p.shape = shape;
    p.inType = in.dtype, p.outType = out.dtype;
    program.call<kernels::PoolFloat>(p);
  }
  program.last()["input"] = std::move(from);
  program.last()["output"] = std::move(to);
}

void VolumePooling::addInTwoSteps() {
  const WindowAxis &z = axes[0], &y = axes[1], &x = axes[2];
  kernels::PoolShape s;
  s.method = method;
  s.countIncludePad = countsPad;
  s.batch = in.shape[0] * in.shape[1];
  s.inH = in.shape[2], s.inW = in.shape[3], s.channels = in.shape[4];
  s.outH = out.shape[2], s.outW = out.shape[3];
  s.kernelH = y.kernel, s.kernelW = x.kernel;
  s.strideH = y.stride, s.strideW = x.stride;
  s.dilationH = y.dilation, s.dilationW = x.dilation;
  s.padTop = y.before, s.padLeft = x.before;
  if (z.kernel == 1 && z.stride == 1 && z.before == 0 && z.after == 0)
    return addPool(s, operand(0), result(0));
  TensorInfo info = in;
  info.shape = {in.shape[0], in.shape[1], out.shape[2], out.shape[3],
                in.shape[4]};
  BufferBinding planes = program.intermediate("planes", info);
  addPool(s, operand(0), planes);
  // Planes are the rows of images whose columns are pixels.
  kernels::PoolShape depth;
  depth.method = method;
  depth.countIncludePad = countsPad;
  depth.batch = in.shape[0], depth.inH = in.shape[1];
  depth.inW = depth.outW = out.shape[2] * out.shape[3];
  depth.channels = in.shape[4], depth.outH = out.shape[1];
  depth.kernelH = z.kernel, depth.strideH = z.stride;
  depth.dilationH = z.dilation, depth.padTop = z.before;
  addPool(depth, planes, result(0));
}

LogicalResult VolumePooling::build() {
  auto arithmetic = arithmeticOf(op);
  if (failed(arithmetic) || failed(checkWindows()))
    return failure();
  bool isInteger = *arithmetic == Arithmetic::Integer;
  if (isInteger && failed(checkKeepsType(op, "pooling of volumes")))
    return failure();
  if (isInteger && method == PoolMethod::Avg)
    addAverage();
  else
    addInTwoSteps();
  return success();
}

LogicalResult Pooling3DOp::buildProgram(LayerProgram &program) {
  return VolumePooling(*this, program).build();
}
