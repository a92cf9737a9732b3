//===- IndexBounds.cpp - Indices that must be in bounds -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/indexing/IndexBounds.h"
#include "dialects/compass/LayerKeys.h"
#include "kernels/indexing/Indexing.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

LogicalResult compass::checkConstantIndices(Operation *op, unsigned operand,
                                            ArrayRef<int64_t> lengths,
                                            NegativeIndices negative) {
  auto values = constantInput(op, operand);
  if (!values || dtypeIsFloat(values->dtype))
    return success();
  for (int64_t i = 0, e = values->numElements(); i < e; ++i) {
    int64_t length = lengths[i % lengths.size()], value = values->intAt(i);
    int64_t least = negative == NegativeIndices::FromEnd ? -length : 0;
    if (value < least || value >= length)
      return layerError(op, diag::OpInvalid, "layer_bottom",
                        "element " + Twine(i) +
                            " of the constant indices is out of bounds")
          .found(Twine(value))
          .expected(Twine(least) + " to " + Twine(length - 1));
  }
  return success();
}

void compass::callCheckIndices(Operation *op, LayerProgram &program,
                               unsigned operand, ArrayRef<int64_t> lengths,
                               NegativeIndices negative) {
  if (constantInput(op, operand))
    return;
  TensorInfo indices = describe(op->getOperand(operand));
  kernels::CheckIndicesParams p;
  assert(lengths.size() <= kernels::kMaxRank &&
         "the layer's kernel has no more");
  p.rank = uint32_t(lengths.size());
  p.places = uint32_t(indices.numElements() / p.rank);
  for (auto [d, length] : llvm::enumerate(lengths))
    p.lengths[d] = int32_t(std::min<int64_t>(length, INT32_MAX));
  p.fromEnd = negative == NegativeIndices::FromEnd;
  p.indexType = indices.dtype;
  TensorInfo fault;
  fault.setType(DType::I32);
  fault.shape = {2};
  KernelCall &call = program.call<kernels::CheckIndices>(p);
  call["indices"] = yarrow::compass::operand(operand);
  call["fault"] = program.intermediate("fault", fault);
}
