//===- IntegerPowers.cpp - Powers of plain integers as products -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/prepare/IntegerPowers.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/activation/ActivationOps.h"
#include "dialects/compass/eltwise/EltwiseOps.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "quantizer/calibrate/Calibrate.h"

#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

/// Nullopt if the elements have several exponents, or one that is no power of
/// integers.
static std::optional<int64_t> exponentOf(PowOp op) {
  std::optional<double> exponent;
  if (op->getNumOperands() == 1) {
    exponent = numberOf(op->getAttr(keys::exponent));
  } else if (auto constant = op->getOperand(1).getDefiningOp<ConstantOp>()) {
    auto data = tensorKey(constant, keys::weights);
    auto view = data ? viewConstant(data) : std::nullopt;
    for (int64_t i = 0, e = view ? view->numElements() : 0; i < e; ++i) {
      double one =
          dtypeIsFloat(view->dtype) ? view->floatAt(i) : double(view->intAt(i));
      if (exponent && *exponent != one)
        return std::nullopt;
      exponent = one;
    }
  }
  // Of more than 2^31 no integer but 0 and 1 is left.
  if (!exponent || *exponent != std::floor(*exponent) || *exponent < 1 ||
      *exponent > 31)
    return std::nullopt;
  return int64_t(*exponent);
}

/// One product, in the place of \p op.
static mlir::Value multiply(PowOp op, mlir::Value a, mlir::Value b,
                            llvm::StringRef name, mlir::Location place) {
  mlir::OpBuilder builder(op);
  auto product = EltwiseOp::create(builder, place,
                                   mlir::TypeRange(op->getResult(0).getType()),
                                   mlir::ValueRange{a, b});
  product->setAttr(keys::method, builder.getStringAttr("MUL"));
  product->setAttr(keys::with_activation, builder.getStringAttr("NONE"));
  product->setAttr(kTopNamesAttr, builder.getStrArrayAttr({name}));
  return product->getResult(0);
}

static void multiplyPower(PowOp op) {
  mlir::Value base = op->getOperand(0), result = op->getResult(0);
  std::optional<int64_t> exponent = exponentOf(op);
  if (!describe(base).isInteger() || base.getType() != result.getType() ||
      !exponent)
    return;
  std::string layer = layerNameOf(op).str(), tensor = tensorNameOf(result);
  unsigned number = 0;
  auto product = [&](mlir::Value a, mlir::Value b, bool isLast) {
    mlir::Builder builder(op->getContext());
    std::string own = layer + "_product" + std::to_string(number++);
    auto place = isLast ? op->getLoc()
                        : mlir::Location(mlir::NameLoc::get(
                              builder.getStringAttr(own), op->getLoc()));
    return multiply(op, a, b, isLast ? tensor : own + "_0", place);
  };
  // By the bits of the exponent, the highest first.
  mlir::Value power = base;
  int64_t bits = 63 - int64_t(llvm::countl_zero(uint64_t(*exponent)));
  for (int64_t bit = bits - 1; bit >= 0; --bit) {
    bool isOdd = *exponent >> bit & 1;
    power = product(power, power, bit == 0 && !isOdd);
    if (isOdd)
      power = product(power, base, bit == 0);
  }
  if (power == base)
    return; // x^1 has a name of its own
  // Rules by layer_id mean the layer that there was.
  if (mlir::Attribute id = op->getAttr(kLayerIdAttr))
    power.getDefiningOp()->setAttr(kLayerIdAttr, id);
  result.replaceAllUsesWith(power);
  op->erase();
}

void multiplyIntegerPowers(mlir::ModuleOp module) {
  auto graph = mainGraph(module);
  if (!graph || !llvm::hasSingleElement(graph.getBody()))
    return;
  for (auto op : llvm::make_early_inc_range(graph.getOps<PowOp>()))
    multiplyPower(op);
}

} // namespace yarrow
