//===- ReduceOps.cpp - Shapes and kernels of reductions -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/reduce/ReduceOps.h"
#include "dialects/compass/IntegerParameters.h"
#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/Layers.h"
#include "kernels/Reduce.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/compass/reduce/ReduceOps.cpp.inc"

void compass::registerReduceOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/reduce/ReduceOps.cpp.inc"
      >();
}

/// Bit i is set if axis i is reduced.
static FailureOr<uint32_t> reducedAxes(ReduceOp op) {
  int64_t rank = describe(op.getOperand(0)).shape.size();
  auto axes = axesKey(op, rank);
  if (failed(axes))
    return failure();
  if (rank > kernels::kMaxRank)
    return op.emitOpError("more than ")
           << kernels::kMaxRank << " axes are not supported yet";
  uint32_t mask = 0;
  for (int64_t axis : *axes)
    mask |= 1u << axis;
  return mask;
}

static FailureOr<kernels::ReduceOp> reduceMethod(ReduceOp op) {
  using kernels::ReduceOp;
  std::string word = op.getMethod().upper();
  auto method = llvm::StringSwitch<std::optional<ReduceOp>>(word)
                    .Case("MEAN", ReduceOp::Mean)
                    .Case("SUM", ReduceOp::Sum)
                    .Case("MIN", ReduceOp::Min)
                    .Case("MAX", ReduceOp::Max)
                    .Case("ALL", ReduceOp::All)
                    .Case("ANY", ReduceOp::Any)
                    .Case("L1", ReduceOp::L1)
                    .Case("L2", ReduceOp::L2)
                    .Case("PROD", ReduceOp::Prod)
                    .Case("VARIANCE", ReduceOp::Variance)
                    .Case("UNBIASED_VARIANCE", ReduceOp::UnbiasedVariance)
                    .Default(std::nullopt);
  if (!method)
    return op.emitOpError("method is ")
           << word
           << ", expected MEAN, SUM, MIN, MAX, ALL, ANY, L1, L2, PROD, "
              "VARIANCE or UNBIASED_VARIANCE";
  return *method;
}

LogicalResult
compass::ReduceOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  IntegerParameters check(*this);
  check.requant();
  SmallVector<int64_t> shape = describe(getOperand(0)).shape;
  auto axes = axesKey(*this, shape.size());
  if (failed(axes) || !check.ok())
    return failure();
  for (int64_t axis : *axes)
    shape[axis] = 1;
  shapes.push_back(shape);
  return success();
}

/// L1 and L2 in integers.
static LogicalResult buildNormKernel(compass::ReduceOp op,
                                     const kernels::ReduceShape &shape,
                                     kernels::ReduceOp method,
                                     KernelCall &call) {
  TensorInfo in = describe(op.getOperand(0)), out = describe(op.getResult(0));
  if (in.bits() > 16 || out.bits() > 16)
    return op.emitOpError("of ")
           << dtypeName(in.dtype) << " to " << dtypeName(out.dtype)
           << " is not supported yet, only 8 and 16 bits";
  kernels::ReduceNormIntParams p;
  p.shape = shape;
  p.op = method;
  p.inType = in.dtype;
  p.inZp = in.zp;
  if (failed(buildRequant(op, out, p.requant)))
    return failure();
  if (p.requant.perChannel)
    return op.emitOpError("has one scale and shift, found one per channel");
  call.addInput(0);
  if (method == kernels::ReduceOp::L2) {
    auto lut = op.getSqrtLut() ? viewConstant(*op.getSqrtLut()) : std::nullopt;
    if (!lut || lut->dtype != out.dtype ||
        !llvm::isPowerOf2_64(lut->numElements()) || lut->numElements() > 65536)
      return op.emitOpError("L2 needs the constant sqrt_lut of ")
             << dtypeName(out.dtype) << " with a power of two of entries";
    p.tableType = lut->dtype;
    p.log2TableSize = llvm::Log2_64(lut->numElements());
    call.addConstant(*op.getSqrtLut());
  } else {
    call.addNull();
  }
  call.addOutput(0);
  call.set("yk_reduce_norm_int", p);
  return success();
}

LogicalResult compass::ReduceOp::buildKernel(KernelCall &call) {
  using kernels::ReduceOp;
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  auto mask = reducedAxes(*this);
  auto method = reduceMethod(*this);
  if (failed(mask) || failed(method))
    return failure();
  kernels::ReduceShape s;
  s.rank = in.shape.size();
  for (size_t i = 0; i < in.shape.size(); ++i)
    s.dims[i] = in.shape[i];
  s.reducedMask = *mask;
  if (isIntegerLayer(*this)) {
    // PROD renormalises in sequence (spec: integer semantics 4.12).
    if (*method == ReduceOp::Prod)
      return emitOpError("method PROD in integers is not supported yet");
    if (*method == ReduceOp::L1 || *method == ReduceOp::L2)
      return buildNormKernel(*this, s, *method, call);
    kernels::ReduceIntParams p;
    p.shape = s;
    p.op = *method;
    p.inType = in.dtype;
    p.inZp = in.zp;
    if (failed(buildRequant(*this, out, p.requant)))
      return failure();
    if (p.requant.perChannel)
      return emitOpError("has one scale and shift, found one per channel");
    call.set("yk_reduce_int", p);
  } else {
    if (*method == ReduceOp::All || *method == ReduceOp::Any)
      return emitOpError("method ")
             << getMethod().upper() << " in floats is not supported yet";
    kernels::ReduceFloatParams p;
    p.shape = s;
    p.op = *method;
    p.inType = in.dtype;
    p.outType = out.dtype;
    call.set("yk_reduce_float", p);
  }
  call.addInput(0);
  call.addOutput(0);
  return success();
}
