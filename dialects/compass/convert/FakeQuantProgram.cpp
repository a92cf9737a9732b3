//===- FakeQuantProgram.cpp - Values rounded to a quantizer's grid --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/convert/ConvertOps.h"
#include "kernels/convert/Convert.h"
#include "support/diagnostics/Operators.h"

#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {
/// real = (q + zp) / scale with q in 0 .. most.
struct Grid {
  float scale;
  int32_t zp, most;
};
} // namespace

/// The grid from \p min to \p max, moved so that 0 lies on it; one wholly above
/// or below 0 is moved to begin or end there (docs/operators/convert.md,
/// FakeQuantWithMinMaxVars).
static Grid gridOf(double min, double max, int64_t bits, bool isNarrow) {
  if (min > 0)
    max -= min, min = 0;
  if (max < 0)
    min -= max, max = 0;
  Grid grid;
  grid.most = int32_t((int64_t(1) << bits) - 1 - (isNarrow ? 1 : 0));
  grid.scale = float(grid.most / (max - min));
  grid.zp = int32_t(std::nearbyint(min * double(grid.scale)));
  return grid;
}

/// Integers are on a grid already.
static LogicalResult buildCopy(FakeQuantWithMinMaxVarsOp op,
                               LayerProgram &program) {
  TensorInfo in = describe(op.getOperand(0)), out = describe(op.getResult(0));
  if (in.isFloat() || out.bits() > 32 || out.dtype == DType::U32)
    return layerError(op, diag::OpUnsupported, "layer_top_type",
                      "the layer converts from " + dtypeName(in.storedType()) +
                          " to " + dtypeName(out.storedType()) +
                          ", which is not supported yet");
  kernels::CastParams p;
  p.count = uint32_t(in.numElements());
  p.inType = in.dtype, p.outType = out.dtype;
  p.inZp = in.zp, p.zp = out.zp;
  p.lo = int32_t(out.lo), p.hi = int32_t(out.hi);
  program.call<kernels::Cast>(p).bindInOut();
  return success();
}

LogicalResult FakeQuantWithMinMaxVarsOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  if (in.isInteger() || out.isInteger())
    return buildCopy(*this, program);
  auto min = numberOf(getOperation()->getAttr(keys::min)),
       max = numberOf(getOperation()->getAttr(keys::max));
  if (!min || !max)
    return missingKey(*this, min ? keys::max : keys::min);
  Grid grid = gridOf(*min, *max, getNumBits(), getNarrowRange());
  TensorInfo stored = in;
  stored.dtype = getNumBits() <= 8 ? DType::U8 : DType::U16;
  BufferBinding steps = program.intermediate("steps", stored);
  kernels::QuantizeParams quantize;
  quantize.count = uint32_t(in.numElements());
  quantize.inType = in.dtype, quantize.outType = stored.dtype;
  quantize.scale = grid.scale, quantize.zp = grid.zp;
  quantize.lo = 0, quantize.hi = grid.most;
  KernelCall &toSteps = program.call<kernels::Quantize>(quantize);
  toSteps["input"] = operand(0), toSteps["output"] = steps;
  kernels::DequantizeParams dequantize;
  dequantize.count = quantize.count;
  dequantize.inType = stored.dtype, dequantize.outType = out.dtype;
  dequantize.scale = grid.scale, dequantize.zp = grid.zp;
  KernelCall &toReal = program.call<kernels::Dequantize>(dequantize);
  toReal["input"] = steps, toReal["output"] = result(0);
  return success();
}
