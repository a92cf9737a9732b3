//===- PlacePooling.cpp - Pooling that tells places, and its inverse ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/WindowParams.h"
#include "dialects/compass/indexing/IndexBounds.h"
#include "dialects/compass/pool/PoolOps.h"
#include "dialects/compass/pool/PoolShapes.h"
#include "kernels/pool/PoolMore.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/StringSwitch.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::FlatIndex;

static FlatIndex flatIndexOf(Operation *op) {
  return llvm::StringSwitch<FlatIndex>(wordKey(op, keys::flatten_dim))
      .Case("HW", FlatIndex::HW)
      .Case("NHWC", FlatIndex::NHWC)
      .Case("NCHW", FlatIndex::NCHW)
      .Default(FlatIndex::HWC);
}

/// Kernels count the elements of a tensor in 32 bits.
static LogicalResult checkCount(Operation *op, const TensorInfo &t,
                                StringRef key) {
  if (t.numElements() <= INT32_MAX)
    return success();
  return layerError(
             op, diag::OpUnsupported, key,
             "places in tensors with this many elements are not supported yet")
      .found(Twine(t.numElements()))
      .expected("below 2147483648");
}

LogicalResult MaxPoolingWithArgMaxOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0)),
             indices = describe(getResult(1));
  WindowKeys w = windowKeys(*this);
  if (failed(checkWindow(*this, w)) ||
      failed(checkCount(*this, in, "layer_bottom_shape")))
    return failure();
  bool isInteger = isIntegerLayer(*this);
  if (isInteger && failed(checkKeepsType(*this, "a maximum")))
    return failure();
  if (indices.isFloat() ||
      dtypeRange(indices.storedType()).second < in.numElements() - 1)
    return layerError(*this, diag::OpElementType, "layer_top_type",
                      "an index can exceed the type")
        .found(dtypeName(indices.storedType()))
        .expected("an integer type that holds " + Twine(in.numElements() - 1));
  kernels::MaxPoolArgParams p;
  kernels::PoolShape &s = p.shape;
  setWindow(s, in, out, w);
  s.channels = in.shape[3];
  s.method = kernels::PoolMethod::Max;
  p.inType = in.dtype, p.outType = out.dtype, p.indexType = indices.dtype;
  p.index = flatIndexOf(*this);
  p.isColumnMajor = getStorageOrder() != 0;
  if (isInteger)
    program.call<kernels::MaxPoolArgInt>(p);
  else
    program.call<kernels::MaxPoolArgFloat>(p);
  program.last().bindInOut()["indices"] = result(1);
  return success();
}

static LogicalResult buildUnpool(Operation *op, LayerProgram &program) {
  TensorInfo in = describe(op->getOperand(0)),
             indices = describe(op->getOperand(1)),
             out = describe(op->getResult(0));
  if (failed(checkKeepsType(op, "unpooling")) ||
      failed(checkCount(op, out, "layer_top_shape")) ||
      failed(checkCount(op, in, "layer_bottom_shape")))
    return failure();
  kernels::UnpoolParams p;
  p.elemBytes = kernels::dtypeBytes(in.dtype);
  if (p.elemBytes > 4)
    return layerError(op, diag::OpUnsupported, "layer_bottom_type",
                      "values of 64 bits are not supported yet")
        .found(dtypeName(in.storedType()));
  p.batch = in.shape[0], p.inH = in.shape[1], p.inW = in.shape[2];
  p.channels = in.shape[3];
  p.outH = out.shape[1], p.outW = out.shape[2];
  p.indexType = indices.dtype;
  p.index = flatIndexOf(op);
  p.isColumnMajor = intKey(op, keys::storage_order) != 0;
  p.fill = in.isInteger() ? uint32_t(-in.zp) : 0; // a real 0
  callCheckIndices(op, program, 1, {placesOf(op, out.shape)},
                   NegativeIndices::Refused);
  KernelCall &call = program.call<kernels::Unpool>(p).bindInOut();
  call["indices"] = operand(1);
  return success();
}

LogicalResult MaxUnpoolOp::buildProgram(LayerProgram &program) {
  return buildUnpool(*this, program);
}
LogicalResult UpsampleByIndexOp::buildProgram(LayerProgram &program) {
  return buildUnpool(*this, program);
}
