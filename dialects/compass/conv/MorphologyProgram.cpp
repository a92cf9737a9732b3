//===- MorphologyProgram.cpp - The kernels of Dilation and Erosion --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/WindowParams.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/conv/ConvShapes.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "kernels/conv/Morphology.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static kernels::PoolShape windowsOf(Operation *op, const WindowKeys &w) {
  TensorInfo in = describe(op->getOperand(0)), out = describe(op->getResult(0));
  kernels::PoolShape s;
  setWindow(s, in, out, w);
  s.channels = in.shape[3];
  return s;
}

static LogicalResult buildMorphology(Operation *op, bool isErosion,
                                     LayerProgram &program) {
  auto arithmetic = arithmeticOf(op);
  auto weights = weightsOf(op, 4);
  WindowKeys w = windowKeys(op);
  if (failed(arithmetic) || failed(weights) || failed(checkWindow(op, w)))
    return failure();
  DType inType = describe(op->getOperand(0)).dtype;
  TensorInfo out = describe(op->getResult(0));
  auto bind = [&](KernelCall &call) {
    call.bindInOut()["weights"] = constant(tensorKey(op, keys::weights));
  };
  if (*arithmetic == Arithmetic::Float) {
    kernels::MorphologyFloatParams p;
    p.shape = windowsOf(op, w);
    p.isErosion = isErosion;
    p.inType = inType, p.weightType = weights->dtype, p.outType = out.dtype;
    bind(program.call<kernels::MorphologyFloat>(p));
    return success();
  }
  kernels::MorphologyIntParams p;
  p.shape = windowsOf(op, w);
  p.isErosion = isErosion;
  p.inType = inType, p.weightType = weights->dtype;
  p.inZp = describe(op->getOperand(0)).zp;
  SmallVector<int64_t> scales = intsKey(op, keys::scale_value);
  // Absent, as all are 1.
  scales.resize(3, 1);
  for (int64_t scale : scales)
    if (scale < 0 || scale > 65535)
      return layerError(op, diag::OpIntegerParameters, keys::scale_value,
                        "a multiplier is out of range")
          .found(Twine(scale))
          .expected("0 to 65535");
  if (failed(buildRequant(op, out, p.requant)))
    return failure();
  p.scaleInput = int32_t(scales[1]), p.scaleWeights = int32_t(scales[2]);
  bind(program.call<kernels::MorphologyInt>(p));
  return success();
}

LogicalResult DilationOp::buildProgram(LayerProgram &program) {
  return buildMorphology(*this, /*isErosion=*/false, program);
}
LogicalResult ErosionOp::buildProgram(LayerProgram &program) {
  return buildMorphology(*this, /*isErosion=*/true, program);
}
