//===- SegmentProgram.cpp - Reducing rows of one number, as a kernel ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/movement/Moving.h"
#include "dialects/compass/statistics/StatisticsOps.h"
#include "kernels/segment/Segment.h"
#include "llvm/ADT/StringSwitch.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::SegmentOp;

LogicalResult SegmentReduceOp::buildProgram(LayerProgram &program) {
  TensorInfo x = describe(getOperand(0)), out = describe(getResult(0));
  kernels::SegmentShape shape;
  shape.rows = uint32_t(x.shape[0]);
  shape.inner = product(ArrayRef(x.shape).drop_front());
  shape.segments = uint32_t(out.shape[0]);
  shape.op = llvm::StringSwitch<SegmentOp>(wordKey(*this, keys::method, "SUM"))
                 .Case("MEAN", SegmentOp::Mean)
                 .Case("MIN", SegmentOp::Min)
                 .Case("MAX", SegmentOp::Max)
                 .Case("PROD", SegmentOp::Prod)
                 .Default(SegmentOp::Sum);
  shape.segmentType = describe(getOperand(1)).dtype;
  if (isIntegerLayer(*this)) {
    kernels::SegmentReduceIntParams p;
    p.shape = shape;
    p.inType = x.dtype, p.inZp = x.zp;
    auto [lo, hi] = dtypeRange(out.storedType());
    p.fill = int32_t(std::clamp<int64_t>(-int64_t(out.zp), lo, hi));
    bool isExtreme = shape.op == SegmentOp::Min || shape.op == SegmentOp::Max;
    if (isExtreme ? failed(checkSameElement(*this, x, out))
                  : failed(buildRequant(*this, out, p.requant)))
      return failure();
    p.requant.outType = out.dtype;
    program.call<kernels::SegmentReduceInt>(p);
  } else {
    kernels::SegmentReduceFloatParams p;
    p.shape = shape;
    p.inType = x.dtype, p.outType = out.dtype;
    program.call<kernels::SegmentReduceFloat>(p);
  }
  program.last().bindInOut()["segments"] = operand(1);
  return success();
}
