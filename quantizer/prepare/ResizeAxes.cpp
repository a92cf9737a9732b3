//===- ResizeAxes.cpp - One axis of an image after the other --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/prepare/ResizeAxes.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/image/ImageOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "quantizer/calibrate/Calibrate.h"

using namespace yarrow::compass;

namespace yarrow {

/// For fewer different rows or columns the engine has a command each.
static constexpr std::size_t kFewKinds = 6;

static bool hasManyWeights(ResizeOp op) {
  if (!describe(op->getOperand(0)).isFloat() ||
      wordKey(op, keys::method, "BILINEAR") == "NEAREST" || op.getAntialias() ||
      hasOwnRatio(op) ||
      // There an axis moves by half a pixel if its length stays.
      wordKey(op, keys::mode, "HALF_PIXEL") == "TF_HALF_PIXEL_FOR_NN")
    return false;
  ResizeKinds kinds = resizeKinds(op);
  return kinds.rows > kFewKinds && kinds.columns > kFewKinds;
}

static ResizeOp resizeTo(llvm::ArrayRef<int64_t> size, ResizeOp op,
                         mlir::Value x, llvm::StringRef name,
                         mlir::Location location) {
  mlir::OpBuilder builder(op);
  mlir::NamedAttrList attributes(op->getAttrs());
  for (llvm::StringRef key :
       {keys::ratio.str(), keys::ratio_x.str(), keys::ratio_y.str()})
    attributes.erase(key);
  attributes.set(keys::size, builder.getDenseI64ArrayAttr(size));
  attributes.set(kTopNamesAttr, builder.getStrArrayAttr({name}));
  auto type = mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
  return ResizeOp::create(builder, location, mlir::TypeRange(type.clone(size)),
                          mlir::ValueRange(x), attributes.getAttrs());
}

static void split(ResizeOp op) {
  TensorInfo in = describe(op->getOperand(0)), out = describe(op->getResult(0));
  llvm::SmallVector<int64_t> to(out.shape), between(in.shape);
  // First the axis that leaves fewer values to the other one.
  std::size_t first = between[1] * to[2] <= to[1] * between[2] ? 2 : 1;
  between[first] = to[first];
  std::string own = (layerNameOf(op) + "_first").str();
  auto place = mlir::NameLoc::get(mlir::StringAttr::get(op->getContext(), own),
                                  op->getLoc());
  ResizeOp one = resizeTo(between, op, op->getOperand(0), own + "_0", place);
  ResizeOp other = resizeTo(to, op, one->getResult(0),
                            tensorNameOf(op->getResult(0)), op->getLoc());
  op->replaceAllUsesWith(other);
  op->erase();
}

void splitResizes(mlir::ModuleOp module) {
  auto graph = mainGraph(module);
  if (!graph || !llvm::hasSingleElement(graph.getBody()))
    return;
  for (auto op : llvm::make_early_inc_range(graph.getOps<ResizeOp>()))
    if (hasManyWeights(op))
      split(op);
}

} // namespace yarrow
