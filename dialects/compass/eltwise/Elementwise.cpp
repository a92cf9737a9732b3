//===- Elementwise.cpp - Checks and broadcasting of layers ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/eltwise/Elementwise.h"
#include "dialects/compass/LayerError.h"
#include "kernels/Broadcast.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::BroadcastShape;

FailureOr<Arithmetic> compass::arithmeticOf(Operation *op,
                                            unsigned maxInputBits) {
  bool anyInteger = false, anyFloat = false;
  auto see = [&](const TensorInfo &t) {
    (t.isFloat() ? anyFloat : anyInteger) = true;
  };
  for (Value operand : op->getOperands()) {
    TensorInfo in = describe(operand);
    see(in);
    if (in.isInteger() && (in.bits() > maxInputBits ||
                           in.dtype == DType::Bool || in.dtype == DType::U32))
      return layerError(op, diag::OpUnsupported, "layer_bottom_type",
                        "inputs of type " + dtypeName(in.storedType()) +
                            " are not supported yet")
          .expected(maxInputBits == 32 ? "int32, an integer of 8 or 16 bits "
                                         "or a float"
                                       : "an integer of 8 or 16 bits or a "
                                         "float");
  }
  for (Value result : op->getResults()) {
    TensorInfo out = describe(result);
    see(out);
    if (out.dtype == DType::U32 || out.dtype == DType::I64 ||
        out.dtype == DType::Bool)
      return layerError(op, diag::OpUnsupported, "layer_top_type",
                        "results of type " + dtypeName(out.storedType()) +
                            " are not supported yet")
          .expected("an integer of 8 or 16 bits, int32 or a float");
  }
  if (anyInteger && anyFloat)
    return layerError(op, diag::OpElementType, "layer_bottom_type",
                      "the layer mixes integer and float tensors")
        .hint("put a Quantize or DeQuantize layer between them");
  return anyInteger ? Arithmetic::Integer : Arithmetic::Float;
}

LogicalResult
compass::inferSameShape(Operation *op,
                        SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  shapes.push_back(describe(op->getOperand(0)).shape);
  return success();
}

LogicalResult
compass::inferBroadcastShape(Operation *op,
                             SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  SmallVector<int64_t> result = describe(op->getOperand(0)).shape;
  for (Value operand : llvm::drop_begin(op->getOperands())) {
    TensorInfo next = describe(operand);
    auto shape = broadcastShapes(result, next.shape);
    if (!shape)
      return layerError(op, diag::OpShape, "layer_bottom_shape",
                        "inputs of shapes " + shapeText(result) + " and " +
                            shapeText(next.shape) + " do not broadcast")
          .found(shapeText(next.shape))
          .expected("axes that are equal, counted from the innermost, or one "
                    "of which divides the other")
          .token(shapeText(next.shape));
    result = *shape;
  }
  shapes.push_back(result);
  return success();
}

namespace {
/// One operand, walked from its innermost axis outwards.
class OperandWalk {
public:
  explicit OperandWalk(ArrayRef<int64_t> shape) : shape(shape) {}
  int64_t dim(size_t fromEnd) const {
    return fromEnd < shape.size() ? shape[shape.size() - 1 - fromEnd] : 1;
  }
  int64_t stride =
      1; ///< Elements from one index of the current axis to the next.

private:
  ArrayRef<int64_t> shape;
};
} // namespace

FailureOr<BroadcastShape> compass::broadcastOf(Operation *op,
                                               ArrayRef<int64_t> aShape,
                                               ArrayRef<int64_t> bShape,
                                               ArrayRef<int64_t> outShape) {
  struct Axis {
    int64_t dim, strideA, strideB;
  };
  OperandWalk a(aShape), b(bShape), out(outShape);
  if (aShape.size() > outShape.size() || bShape.size() > outShape.size())
    return layerError(op, diag::OpShape, "layer_top_shape",
                      "an operand has more axes than the result")
        .found(shapeText(outShape))
        .expected("as many axes as " + shapeText(aShape) + " and " +
                  shapeText(bShape));
  SmallVector<Axis> axes; // innermost first
  for (size_t i = 0; i < outShape.size(); ++i) {
    int64_t full = out.dim(i), dimA = a.dim(i), dimB = b.dim(i);
    if (dimA < 1 || dimB < 1 || full % dimA || full % dimB ||
        std::max(dimA, dimB) != full)
      return layerError(op, diag::OpShape, "layer_top_shape",
                        "the operands do not broadcast to the result")
          .found(Twine(dimA) + " and " + Twine(dimB) + " to " + Twine(full));
    // An operand of size 1 repeats with stride 0; one that divides the result
    // splits the axis into repetitions and its own elements.
    int64_t inner = dimA == 1 ? dimB : dimB == 1 ? dimA : std::min(dimA, dimB);
    axes.push_back({inner, dimA == 1 ? 0 : a.stride, dimB == 1 ? 0 : b.stride});
    if (inner != full)
      axes.push_back({full / inner, dimA == full ? inner * a.stride : 0,
                      dimB == full ? inner * b.stride : 0});
    a.stride *= dimA;
    b.stride *= dimB;
  }
  llvm::erase_if(axes, [](const Axis &axis) { return axis.dim == 1; });
  if (axes.size() > kernels::kMaxRank)
    return layerError(op, diag::OpUnsupported, "layer_bottom_shape",
                      "broadcasting over this many axes is not supported yet")
        .found(Twine(axes.size()))
        .expected("at most " + Twine(kernels::kMaxRank));
  BroadcastShape s;
  s.rank = axes.size();
  for (auto [i, axis] : llvm::enumerate(llvm::reverse(axes))) {
    s.dims[i] = axis.dim;
    s.strideA[i] = axis.strideA;
    s.strideB[i] = axis.strideB;
  }
  return kernels::mergedShape(s);
}
