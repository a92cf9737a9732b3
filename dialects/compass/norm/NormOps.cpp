//===- NormOps.cpp - Normalizations ---------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/norm/NormOps.h"
#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "dialects/compass/norm/NormCheck.h"
#include "dialects/compass/norm/NormShapes.h"
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

namespace {
struct Affine {
  ConstantView weights, biases;
};
} // namespace

/// weights and biases, of types that the kernels read.
static FailureOr<Affine> affineOf(Operation *op, Arithmetic arithmetic) {
  Affine affine;
  bool isFloat = arithmetic == Arithmetic::Float;
  for (auto [name, view] : {std::pair("weights", &affine.weights),
                            std::pair("biases", &affine.biases)}) {
    ElementsAttr attr = tensorKey(op, name);
    auto found = attr ? viewConstant(attr) : std::nullopt;
    if (!found)
      return missingKey(op, name);
    if (dtypeIsFloat(found->dtype) != isFloat)
      return layerError(op, DiagId::OpElementType, Twine(name).str() + "_type",
                        Twine(name) +
                            " do not have the kind of type of the tensors")
          .found(dtypeName(found->dtype))
          .expected(isFloat ? "a float type" : "an integer type");
    *view = *found;
  }
  if (isFloat)
    return affine;
  DType weights = affine.weights.dtype;
  if (weights != DType::I8 && weights != DType::I16)
    return layerError(op, DiagId::OpUnsupported, "weights_type",
                      "weights of this type are not supported yet")
        .found(dtypeName(weights))
        .expected("int8 or int16");
  if (affine.biases.dtype != DType::I32)
    return layerError(op, DiagId::OpUnsupported, "biases_type",
                      "biases of this type are not supported yet")
        .found(dtypeName(affine.biases.dtype))
        .expected("int32");
  return affine;
}

/// buildRequant for a layer whose scale tensor has one value per affine value,
/// which need not be the innermost axis.
static LogicalResult buildAffineRequant(Operation *op, int64_t count,
                                        kernels::Requant &requant) {
  TensorInfo out = describe(op->getResult(0));
  out.shape = {count};
  return buildRequant(op, out, requant);
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
  bool isInteger = *arithmetic == Arithmetic::Integer;
  if (isInteger) {
    kernels::BatchNormIntParams p;
    p.outer = outer, p.channels = channels, p.inner = inner;
    p.inType = in.dtype;
    p.weightType = affine->weights.dtype, p.biasType = affine->biases.dtype;
    if (failed(buildAffineRequant(*this, channels, p.requant)))
      return failure();
    program.call<kernels::BatchNormInt>(p);
  } else {
    if (wordKey(*this, "with_activation", "NONE") != "NONE")
      return layerError(*this, DiagId::OpUnsupported, "with_activation",
                        "with_activation " + getWithActivation() +
                            " is not supported yet in float IR");
    kernels::BatchNormFloatParams p;
    p.outer = outer, p.channels = channels, p.inner = inner;
    p.inType = in.dtype, p.outType = out.dtype;
    p.weightType = affine->weights.dtype, p.biasType = affine->biases.dtype;
    program.call<kernels::BatchNormFloat>(p);
  }
  bindWeighted(*this, program.last());
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
  check.rootTable("lut");
  return success(check.ok() && succeeded(checkAffine(*this, positions,
                                                     "normalised position")));
}

/// The kernels' view of a normalization over trailing axes.
static FailureOr<kernels::NormShape> normShapeOf(LayerNormOp op) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getOperand(0).getType()).getShape();
  auto found = axesKey(op, shape.size());
  if (failed(found))
    return failure();
  const SmallVector<int64_t> &axes = *found;
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis != int64_t(shape.size() - axes.size()) + int64_t(i))
      return layerError(op, DiagId::OpUnsupported, "axis",
                        "axis " + Twine(axis) +
                            " is not among the last; normalization of other "
                            "axes is not supported yet");
  kernels::NormShape s;
  s.outer = llvm::product_of(shape.drop_back(axes.size()));
  s.groupInner = llvm::product_of(shape.take_back(axes.size()));
  s.affineCount = s.groupInner;
  return s;
}

static LogicalResult buildIntLayerNorm(LayerNormOp op,
                                       const kernels::NormShape &shape,
                                       DType weightType,
                                       LayerProgram &program) {
  TensorInfo in = describe(op.getOperand(0)), out = describe(op.getResult(0));
  ElementsAttr attr = tensorKey(op, "lut");
  auto table = attr ? viewConstant(attr) : std::nullopt;
  if (!table)
    return missingKey(op, "lut");
  std::optional<int64_t> shift = op.getNormShiftValue(),
                         varShift = op.getVarShiftValue();
  int64_t scale = op.getNormScaleValue().value_or(1);
  if (!shift || (!varShift && in.bits() == 8))
    return missingKey(op, shift ? "var_shift_value" : "norm_shift_value");
  if (varShift.value_or(0) > 62)
    return layerError(op, DiagId::OpUnsupported, "var_shift_value",
                      "so long a shift is not supported yet")
        .found(Twine(*varShift))
        .expected("0 to 62");
  kernels::LayerNormIntParams p;
  p.shape = shape;
  p.inType = in.dtype, p.weightType = weightType, p.normType = out.dtype;
  p.varShift = varShift.value_or(0);
  p.normScale = scale, p.normShift = *shift;
  if (failed(buildAffineRequant(op, shape.affineCount, p.requant)))
    return failure();
  program.call<kernels::LayerNormInt>(p);
  return success();
}

LogicalResult LayerNormOp::buildProgram(LayerProgram &program) {
  if (getNumResults() > 1)
    return layerError(*this, DiagId::OpUnsupported, "layer_top",
                      "a LayerNorm that also gives its mean and deviation "
                      "cannot be executed yet");
  auto arithmetic = arithmeticOf(*this);
  auto shape = normShapeOf(*this);
  if (failed(arithmetic) || failed(shape))
    return failure();
  auto affine = affineOf(*this, *arithmetic);
  if (failed(affine))
    return failure();
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  bool isInteger = *arithmetic == Arithmetic::Integer;
  if (isInteger) {
    if (failed(
            buildIntLayerNorm(*this, *shape, affine->weights.dtype, program)))
      return failure();
  } else {
    kernels::LayerNormFloatParams p;
    p.shape = *shape;
    p.inType = in.dtype, p.outType = out.dtype;
    p.weightType = affine->weights.dtype, p.biasType = affine->biases.dtype;
    p.epsilon = float(getEpsilon().convertToDouble());
    program.call<kernels::LayerNormFloat>(p);
  }
  bindWeighted(*this, program.last());
  if (isInteger)
    program.last()["table"] = constant(tensorKey(*this, "lut"));
  return success();
}
