//===- RotaryOp.cpp - The kernel of RotaryEmbedding -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/sequence/SequenceOps.h"
#include "kernels/sequence/Rotary.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static kernels::RotaryShape rotaryShape(Operation *op) {
  ArrayRef<int64_t> x = inputShape(op, 0), cache = inputShape(op, 1);
  kernels::RotaryShape s;
  s.batch = x[0];
  if (x.size() == 4) {
    s.heads = x[1], s.steps = x[2], s.size = x[3];
    s.stepStride = s.size, s.headStride = s.steps * s.size;
  } else {
    s.heads = intKey(op, keys::num_heads), s.steps = x[1],
    s.size = x[2] / s.heads;
    s.headStride = s.size, s.stepStride = s.heads * s.size;
  }
  s.batchStride = s.heads * s.steps * s.size;
  int64_t rotated = intKey(op, keys::rotary_embedding_dim);
  s.rotated = rotated ? rotated : s.size;
  s.interleaved = intKey(op, keys::interleaved);
  s.cacheWidth = cache.back();
  s.cacheRows = cache[cache.size() - 2];
  s.cacheBatchStride = cache.size() == 3 ? s.cacheRows * s.cacheWidth : 0;
  s.hasPositions = op->getNumOperands() > 3;
  if (s.hasPositions)
    s.positionType = describe(op->getOperand(3)).dtype;
  return s;
}

/// The one value of a factor; the key is there, as the record wants it.
static float factorOf(Operation *op, StringRef key) {
  return float(op->getAttrOfType<DenseF64ArrayAttr>(key).asArrayRef().front());
}

static LogicalResult buildIntegers(RotaryEmbeddingOp op,
                                   LayerProgram &program) {
  TensorInfo out = describe(op->getResult(0));
  const Value tensors[] = {op->getOperand(0), op->getOperand(1),
                           op->getOperand(2), op->getResult(0)};
  for (Value v : tensors)
    if (int32_t zp = describe(v).zp)
      return layerError(
                 op, diag::OpUnsupported, "layer_top_zp",
                 "RotaryEmbedding does not support zero points in integer IR")
          .found(Twine(zp))
          .expected("0 for the tensor, the caches and the result");
  kernels::RotaryIntParams p;
  p.shape = rotaryShape(op);
  p.inType = describe(op->getOperand(0)).dtype;
  p.cosType = describe(op->getOperand(1)).dtype;
  p.sinType = describe(op->getOperand(2)).dtype;
  p.outType = out.dtype;
  p.cosFactor = factorOf(op, "rotate_rescale_cos");
  p.sinFactor = factorOf(op, "rotate_rescale_sin");
  p.keptFactor = factorOf(op, "not_rotate_rescale");
  p.lo = int32_t(out.lo), p.hi = int32_t(out.hi);
  program.call<kernels::RotaryInt>(p);
  return success();
}

LogicalResult RotaryEmbeddingOp::buildProgram(LayerProgram &program) {
  if (isIntegerLayer(*this)) {
    if (failed(buildIntegers(*this, program)))
      return failure();
  } else {
    kernels::RotaryFloatParams p;
    p.shape = rotaryShape(*this);
    p.inType = describe((*this)->getOperand(0)).dtype;
    p.cosType = describe((*this)->getOperand(1)).dtype;
    p.sinType = describe((*this)->getOperand(2)).dtype;
    p.outType = describe((*this)->getResult(0)).dtype;
    program.call<kernels::RotaryFloat>(p);
  }
  KernelCall &call = program.last().bindInOut();
  call["cos"] = operand(1), call["sin"] = operand(2);
  if ((*this)->getNumOperands() > 3)
    call["positions"] = operand(3);
  return success();
}
