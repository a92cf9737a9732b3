//===- Compass.cpp - The dialect of Compass IR ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/Tensors.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"

using namespace yarrow::compass;
using namespace mlir;

#include "dialects/compass/CompassDialect.cpp.inc"
#include "dialects/compass/CompassInterfaces.cpp.inc"

void CompassDialect::initialize() {
  registerGraphOps(*this);
  registerConvOps(*this);
  registerPoolOps(*this);
  registerEltwiseOps(*this);
  registerActivationOps(*this);
  registerNormOps(*this);
  registerMovementOps(*this);
  registerReduceOps(*this);
  registerConvertOps(*this);
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
  SmallVector<SmallVector<int64_t>> shapes;
  if (failed(cast<CompassOp>(op).inferShapes(shapes)))
    return failure();
  if (shapes.size() != op->getNumResults())
    return op->emitOpError("has ")
           << op->getNumResults() << " results, expected " << shapes.size();
  for (auto [i, shape] : llvm::enumerate(shapes)) {
    ArrayRef<int64_t> found =
        cast<RankedTensorType>(op->getResult(i).getType()).getShape();
    if (found == ArrayRef<int64_t>(shape))
      continue;
    InFlightDiagnostic diag = op->emitOpError("result ") << i << " has shape [";
    llvm::interleaveComma(found, diag);
    diag << "], the layer's attributes and inputs give [";
    llvm::interleaveComma(shape, diag);
    return diag << "]";
  }
  return success();
}

StringRef yarrow::compass::layerNameOf(Operation *op) {
  if (auto name = dyn_cast<NameLoc>(op->getLoc()))
    return name.getName().strref();
  return "";
}

std::pair<StringRef, unsigned> yarrow::compass::sourceLineOf(Operation *op) {
  Location loc = op->getLoc();
  if (auto name = dyn_cast<NameLoc>(loc))
    loc = name.getChildLoc();
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return {file.getFilename().strref(), file.getLine()};
  return {"", 0};
}

std::string yarrow::compass::tensorNameOf(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return "arg" + std::to_string(cast<BlockArgument>(value).getArgNumber());
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (auto names = op->getAttrOfType<ArrayAttr>(kTopNamesAttr);
      names && number < names.size())
    return cast<StringAttr>(names[number]).str();
  std::string base = layerNameOf(op).str();
  if (base.empty())
    base = "t" + std::to_string(
                     std::distance(op->getBlock()->begin(), op->getIterator()));
  return base + "_" + std::to_string(number);
}
