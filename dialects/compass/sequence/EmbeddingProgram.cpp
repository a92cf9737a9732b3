//===- EmbeddingProgram.cpp - Weighted sums of rows of a table ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Sums of products and of weights, in wide intermediates, then what the
// combiner makes of them: the mean of integers needs the greatest of all sums.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/indexing/IndexBounds.h"
#include "dialects/compass/sequence/SequenceOps.h"
#include "kernels/segment/Segment.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/StringSwitch.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::EmbeddingOp;

namespace {

enum Operand : unsigned { Table, Ids, Values, Weights };

TensorInfo wide(DType type, ArrayRef<int64_t> shape) {
  TensorInfo info;
  info.setType(type);
  info.shape = llvm::to_vector(shape);
  return info;
}

void bindEntries(KernelCall &call, BufferBinding sums, BufferBinding totals) {
  call["input"] = operand(Table), call["ids"] = operand(Ids);
  call["values"] = operand(Values), call["weights"] = operand(Weights);
  call["sums"] = std::move(sums), call["totals"] = std::move(totals);
}

/// Whether a value with its zero point may be negative.
bool canBeNegative(const TensorInfo &info) { return info.lo + info.zp < 0; }

LogicalResult fillCombine(EmbeddingLookupSparseOp op,
                          kernels::EmbeddingCombineParams &p) {
  TensorInfo table = describe(op.getOperand(Table)),
             weights = describe(op.getOperand(Weights)),
             out = describe(op.getResult(0));
  p.isSigned = canBeNegative(table);
  p.isWeightSigned = canBeNegative(weights);
  p.tableBits = table.bits();
  if (failed(buildRequant(op, out, p.requant)))
    return failure();
  if (p.op != EmbeddingOp::RootMean)
    return success();
  auto scales = intsKey(op, keys::scale_value),
       shifts = intsKey(op, keys::shift_value);
  if (!op.getLut())
    return missingKey(op, keys::lut);
  p.sumScale = int32_t(scales[0]), p.sumShift = int32_t(shifts[0]);
  p.requant.scale = int32_t(scales[1]), p.requant.shift = int32_t(shifts[1]);
  int64_t preShift = intKey(op, keys::reciprocal_shift_value);
  if (preShift < 0 || preShift > 31)
    return layerError(op, diag::OpUnsupported, keys::reciprocal_shift_value,
                      "this shift is not supported yet")
        .found(Twine(preShift))
        .expected("0 to 31");
  p.preShift = int32_t(preShift);
  return success();
}

} // namespace

LogicalResult EmbeddingLookupSparseOp::buildProgram(LayerProgram &program) {
  TensorInfo table = describe(getOperand(Table)), out = describe(getResult(0));
  auto op =
      llvm::StringSwitch<EmbeddingOp>(wordKey(*this, keys::combiner, "MEAN"))
          .Case("SUM", EmbeddingOp::Sum)
          .Case("SQRTN", EmbeddingOp::RootMean)
          .Default(EmbeddingOp::Mean);
  StringRef norm = getMaxNorm();
  double maxNorm = 0;
  bool isLimited =
      !norm.equals_insensitive("NONE") && !norm.getAsDouble(maxNorm);
  kernels::EmbeddingShape shape;
  shape.table = uint32_t(table.shape[0]);
  shape.inner = product(ArrayRef(table.shape).drop_front());
  shape.rows = uint32_t(out.shape[0]);
  shape.entries = uint32_t(inputShape(*this, Ids)[0]);
  shape.idType = describe(getOperand(Ids)).dtype;
  shape.valueType = describe(getOperand(Values)).dtype;
  shape.tableType = table.dtype;
  shape.weightType = describe(getOperand(Weights)).dtype;
  shape.squares = op == EmbeddingOp::RootMean;
  int64_t rows = out.shape[0];
  callCheckIndices(*this, program, Ids, {rows}, NegativeIndices::Refused);
  callCheckIndices(*this, program, Values, {table.shape[0]},
                   NegativeIndices::Refused);
  if (!isIntegerLayer(*this)) {
    kernels::EmbeddingFloatParams p;
    p.shape = shape, p.op = op, p.outType = out.dtype;
    p.maxNorm = isLimited ? float(maxNorm) : 0;
    BufferBinding sums =
        program.intermediate("sums", wide(DType::F32, out.shape));
    BufferBinding totals =
        program.intermediate("totals", wide(DType::F32, {rows}));
    KernelCall &call = program.call<kernels::EmbeddingFloat>(p);
    bindEntries(call, sums, totals);
    call["output"] = result(0);
    return success();
  }
  if (isLimited)
    return layerError(*this, diag::OpUnsupported, keys::max_norm,
                      "max_norm is not supported yet in integer IR")
        .found(norm)
        .expected("NONE");
  kernels::EmbeddingCombineParams combine;
  combine.rows = shape.rows, combine.inner = shape.inner;
  combine.op = op;
  if (failed(fillCombine(*this, combine)))
    return failure();
  kernels::EmbeddingSumsParams p;
  p.shape = shape;
  p.tableZp = table.zp, p.weightZp = describe(getOperand(Weights)).zp;
  BufferBinding sums =
      program.intermediate("sums", wide(DType::I64, out.shape));
  BufferBinding totals =
      program.intermediate("totals", wide(DType::I64, {rows}));
  bindEntries(program.call<kernels::EmbeddingSums>(p), sums, totals);
  KernelCall &call = program.call<kernels::EmbeddingCombine>(combine);
  call["sums"] = sums, call["totals"] = totals, call["output"] = result(0);
  if (op == EmbeddingOp::RootMean)
    call["table"] = constant(*getLut());
  return success();
}
