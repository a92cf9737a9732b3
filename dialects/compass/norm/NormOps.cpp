//===- NormOps.cpp - Normalizations ---------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/norm/NormOps.h"
#include "dialects/compass/Keys.h"
#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/norm/NormAffine.h"
#include "dialects/compass/norm/NormCheck.h"
#include "dialects/compass/norm/NormShapes.h"
#include "kernels/arithmetic/Eltwise.h"
#include "kernels/norm/Norm.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/compass/norm/NormOps.cpp.inc"

void compass::registerNormOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/norm/NormOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// BatchNorm
//===----------------------------------------------------------------------===//

LogicalResult
BatchNormOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  ArrayRef<int64_t> shape = shapeOfFirst(*this);
  auto axis = normalizeAxis(*this, getAxis(), shape.size());
  if (failed(axis) || failed(checkAffine(*this, shape[*axis], "channel")))
    return failure();
  return inferSameShape(*this, shapes);
}

/// The activation of a float layer whose kernel has none, as that of a product
/// with 1.
static LogicalResult addActivation(BatchNormOp op, LayerProgram &program) {
  TensorInfo out = describe(op->getResult(0));
  kernels::EltwiseFloatParams p;
  p.op = kernels::BinaryOp::Mul;
  p.shape.rank = 1;
  p.shape.dims[0] = uint32_t(out.numElements());
  p.shape.strideA[0] = 1, p.shape.strideB[0] = 0;
  p.typeA = out.dtype, p.typeB = DType::F32, p.outType = out.dtype;
  if (failed(buildFloatAct(op, p.act)))
    return failure();
  BufferBinding value = program.intermediate("normalized", out);
  program.last()["output"] = value;
  const float one = 1;
  const char *bytes = reinterpret_cast<const char *>(&one);
  KernelCall &call = program.call<kernels::EltwiseFloat>(p);
  call["a"] = value;
  call["b"] = constant({1}, DType::F32, {bytes, bytes + sizeof one});
  call["output"] = result(0);
  call["slope"] = constant(tensorKey(op, keys::negative_slope));
  return success();
}

LogicalResult BatchNormOp::buildProgram(LayerProgram &program) {
  auto arithmetic = arithmeticOf(*this);
  if (failed(arithmetic))
    return failure();
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  auto axis = normalizeAxis(*this, getAxis(), in.shape.size());
  if (failed(axis))
    return failure();
  ArrayRef<int64_t> shape = in.shape;
  uint32_t outer = llvm::product_of(shape.take_front(*axis)),
           channels = shape[*axis],
           inner = llvm::product_of(shape.drop_front(*axis + 1));
  auto affine = affineOf(*this, *arithmetic);
  if (failed(affine))
    return failure();
  if (!affine->weights || !affine->biases)
    return missingKey(*this, affine->weights ? keys::biases : keys::weights);
  bool isInteger = *arithmetic == Arithmetic::Integer;
  if (isInteger) {
    kernels::BatchNormIntParams p;
    p.outer = outer, p.channels = channels, p.inner = inner;
    p.inType = in.dtype;
    p.weightType = affine->weights->dtype, p.biasType = affine->biases->dtype;
    if (failed(buildAffineRequant(*this, channels, p.requant)))
      return failure();
    program.call<kernels::BatchNormInt>(p);
  } else {
    kernels::BatchNormFloatParams p;
    p.outer = outer, p.channels = channels, p.inner = inner;
    p.inType = in.dtype, p.outType = out.dtype;
    p.weightType = affine->weights->dtype, p.biasType = affine->biases->dtype;
    program.call<kernels::BatchNormFloat>(p);
  }
  bindWeighted(*this, program.last());
  if (!isInteger && wordKey(*this, keys::with_activation, "NONE") != "NONE")
    return addActivation(*this, program);
  return success();
}

//===----------------------------------------------------------------------===//
// LayerNorm
//===----------------------------------------------------------------------===//

LogicalResult
LayerNormOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  SmallVector<int64_t> shape(shapeOfFirst(*this));
  auto axes = axesKey(*this, shape.size());
  if (failed(axes))
    return failure();
  int64_t positions = 1;
  shapes.push_back(shape);
  for (int64_t axis : *axes) {
    positions *= shape[axis]; // at most the elements of x: no overflow
    shape[axis] = 1;
  }
  shapes.append(getNumResults() - 1, shape);
  LayerCheck check(*this);
  check.rootTable(keys::lut);
  return success(check.ok() && succeeded(checkAffine(*this, positions,
                                                     "normalised position")));
}
