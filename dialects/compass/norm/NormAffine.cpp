//===- NormAffine.cpp - Weights and biases of normalisations --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/norm/NormAffine.h"

#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

FailureOr<NormAffine> compass::affineOf(Operation *op, Arithmetic arithmetic) {
  NormAffine affine;
  bool isFloat = arithmetic == Arithmetic::Float;
  using Named = std::pair<TensorKey, std::optional<ConstantView> *>;
  for (auto [name, view] : {Named(keys::weights, &affine.weights),
                            Named(keys::biases, &affine.biases)}) {
    ElementsAttr attr = tensorKey(op, name);
    if (!attr)
      continue;
    *view = viewConstant(attr);
    if (!*view)
      return missingKey(op, name);
    if (dtypeIsFloat((*view)->dtype) != isFloat)
      return layerError(op, diag::OpElementType, Twine(name).str() + "_type",
                        Twine(name) +
                            " and tensors are not both floats or both integers")
          .found(dtypeName((*view)->dtype))
          .expected(isFloat ? "a float type" : "an integer type");
  }
  if (isFloat)
    return affine;
  if (affine.weights && affine.weights->dtype != DType::I8 &&
      affine.weights->dtype != DType::I16)
    return layerError(op, diag::OpUnsupported, "weights_type",
                      "weights of this type are not supported yet")
        .found(dtypeName(affine.weights->storedType()))
        .expected("int8 or int16");
  if (affine.biases && affine.biases->dtype != DType::I32)
    return layerError(op, diag::OpUnsupported, "biases_type",
                      "biases of this type are not supported yet")
        .found(dtypeName(affine.biases->storedType()))
        .expected("int32");
  return affine;
}

LogicalResult compass::buildAffineRequant(Operation *op, int64_t count,
                                          kernels::Requant &requant) {
  TensorInfo out = describe(op->getResult(0));
  out.shape = {count};
  return buildRequant(op, out, requant);
}
