//===- PoolOps.cpp - Pooling ----------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/pool/PoolOps.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "kernels/Pool.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::PoolMethod;

#define GET_OP_CLASSES
#include "dialects/compass/pool/PoolOps.cpp.inc"

void compass::registerPoolOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/pool/PoolOps.cpp.inc"
      >();
}

/// Windows along one axis, the last one inside the padded input.
static int64_t windowCount(int64_t size, int64_t span, int64_t stride) {
  return size < span ? 0 : (size - span) / stride + 1;
}

/// The declared size \p found of an axis if a last window that sticks out
/// explains it (ceil_mode is recorded unreliably: spec, integer semantics 4.5),
/// otherwise the size without it.
static int64_t poolSize(int64_t size, int64_t span, int64_t stride,
                        int64_t found) {
  int64_t rest = size - span;
  int64_t most = rest <= 0 ? 1 : llvm::divideCeil(rest, stride) + 1;
  return found == most ? most : windowCount(size, span, stride);
}

LogicalResult
PoolingOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  WindowKeys w = windowKeys(*this);
  if (failed(checkArity(*this, 1)) || failed(checkWindow(*this, w)))
    return failure();
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  if (in.shape.size() != 4 || out.shape.size() != 4)
    return emitOpError("needs an NHWC input and result, found ranks ")
           << in.shape.size() << " and " << out.shape.size();
  int64_t height =
      poolSize(in.shape[1] + w.padTop + w.padBottom,
               (w.kernelY - 1) * w.dilationY + 1, w.strideY, out.shape[1]);
  int64_t width =
      poolSize(in.shape[2] + w.padLeft + w.padRight,
               (w.kernelX - 1) * w.dilationX + 1, w.strideX, out.shape[2]);
  if (height < 1 || width < 1)
    return emitOpError("the window is larger than the padded input");
  shapes.push_back({in.shape[0], height, width, in.shape[3]});
  return success();
}

LogicalResult PoolingOp::buildKernel(KernelCall &call) {
  std::string word = wordKey(*this, "method", "MAX");
  auto method = llvm::StringSwitch<std::optional<PoolMethod>>(word)
                    .Case("AVG", PoolMethod::Avg)
                    .Case("MAX", PoolMethod::Max)
                    .Case("L1", PoolMethod::L1)
                    .Case("L2", PoolMethod::L2)
                    .Default(std::nullopt);
  if (!method)
    return emitOpError("method is ") << word << ", expected MAX, AVG, L1 or L2";
  auto arithmetic = arithmeticOf(*this);
  if (failed(arithmetic))
    return failure();
  WindowKeys w = windowKeys(*this);
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  kernels::PoolShape s;
  s.batch = in.shape[0], s.inH = in.shape[1], s.inW = in.shape[2];
  s.channels = in.shape[3];
  s.outH = out.shape[1], s.outW = out.shape[2];
  s.kernelH = w.kernelY, s.kernelW = w.kernelX;
  s.strideH = w.strideY, s.strideW = w.strideX;
  s.dilationH = w.dilationY, s.dilationW = w.dilationX;
  s.padTop = w.padTop, s.padLeft = w.padLeft;
  s.method = *method;
  s.countIncludePad = getCountIncludePad();
  if (*arithmetic == Arithmetic::Integer) {
    if (*method == PoolMethod::L1 || *method == PoolMethod::L2)
      return emitOpError("method ")
             << word << " is not supported yet in integer IR";
    if (*method == PoolMethod::Max && in.dtype != out.dtype)
      return emitOpError("MAX keeps the values' type, found ")
             << dtypeName(in.dtype) << " and " << dtypeName(out.dtype);
    kernels::PoolIntParams p;
    p.shape = s;
    p.inType = in.dtype, p.outType = out.dtype;
    p.inZp = in.zp, p.zp = out.zp;
    p.scaleRatio = out.scale / in.scale;
    p.lo = out.lo, p.hi = out.hi;
    call.set("yk_pool_int", p);
  } else {
    kernels::PoolFloatParams p;
    p.shape = s;
    p.inType = in.dtype, p.outType = out.dtype;
    call.set("yk_pool_float", p);
  }
  call.addInput(0);
  call.addOutput(0);
  return success();
}
