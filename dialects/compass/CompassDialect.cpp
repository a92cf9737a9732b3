//===- CompassDialect.cpp - What the dialect is made of -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Above the families, which it registers; nobody includes it.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/CompatCheck.h"
#include "dialects/compass/LayerError.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Verify.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

#include "dialects/compass/CompassDialect.cpp.inc"
#include "dialects/compass/CompassInterfaces.cpp.inc"

// One line per family, from CMakeLists.txt. Each family registers its own ops,
// so that no file instantiates all of them; declared here and not in a header
// that all include, so that a new family rebuilds this file alone.
namespace yarrow::compass {
#define FAMILY(NAME) void register##NAME##Ops(CompassDialect &dialect);
#include "dialects/compass/Families.inc"
#undef FAMILY
} // namespace yarrow::compass

void CompassDialect::initialize() {
#define FAMILY(NAME) register##NAME##Ops(*this);
#include "dialects/compass/Families.inc"
#undef FAMILY
}

void yarrow::compass::registerDialects(DialectRegistry &registry) {
  registry.insert<CompassDialect, func::FuncDialect, quant::QuantDialect>();
}

LogicalResult yarrow::compass::verifyLayer(Operation *op) {
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return op->emitOpError("needs tensors of static shape, found ") << type;
  }
  bool isGood = succeeded(verifyRecord(op));
  isGood &= succeeded(verifyCompat(op));
  if (!isGood)
    return failure();
  SmallVector<SmallVector<int64_t>> shapes;
  if (failed(cast<CompassOp>(op).inferShapes(shapes)))
    return failure();
  if (shapes.size() != op->getNumResults())
    return layerError(op, diag::OpArity, "layer_top",
                      "the layer has a wrong number of outputs")
        .found(Twine(op->getNumResults()))
        .expected(Twine(shapes.size()));
  bool ok = true;
  for (auto [i, shape] : llvm::enumerate(shapes)) {
    ArrayRef<int64_t> found =
        cast<RankedTensorType>(op->getResult(i).getType()).getShape();
    if (found == ArrayRef<int64_t>(shape))
      continue;
    ok = false;
    layerError(op, diag::OpShape, "layer_top_shape",
               "tensor " + tensorNameOf(op->getResult(i)) +
                   " is declared with another shape than the layer computes")
        .found(shapeText(found))
        .expected(shapeText(shape) +
                  ", from the layer's inputs, keys and constants")
        .token(shapeText(found));
  }
  return success(ok);
}

LogicalResult yarrow::compass::refuseKernel(Operation *op) {
  const OperatorRecord *record = recordOf(op);
  return layerError(op, diag::OpNotExecutable, "layer_type",
                    "layers of type " +
                        (record ? StringRef(record->layerType)
                                : op->getName().getStringRef()) +
                        " are known, but cannot be executed yet");
}
