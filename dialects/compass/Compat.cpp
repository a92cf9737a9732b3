//===- Compat.cpp - Models that were quantized before they came -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compat.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/ExtraKeys.h"
#include "dialects/compass/Header.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

//===----------------------------------------------------------------------===//
// The header
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral kCompatKey = "compat_quantized_model";
static constexpr llvm::StringLiteral kRoundingKey = "compat_rounding";

bool compass::isCompat(ModuleOp module) {
  StringRef text = headerText(module, kCompatKey);
  return text == "1" || text.equals_insensitive("true");
}

bool compass::roundsExactly(ModuleOp module) {
  return headerText(module, kRoundingKey).equals_insensitive("EXACT");
}

void compass::setRoundsExactly(ModuleOp module) {
  setHeaderText(module, kRoundingKey, "EXACT");
}

void compass::setCompat(ModuleOp module, bool compat) {
  setHeaderText(module, kCompatKey, compat ? "true" : "false");
  if (!headerText(module, "precision").empty())
    setHeaderText(module, "precision", compat ? "int8" : "float32");
}

static void dropFloatHeader(Operation *graph) {
  auto header = graph->getAttrOfType<ArrayAttr>(kHeaderAttr);
  if (!header)
    return;
  SmallVector<Attribute> kept;
  for (Attribute entry : header)
    if (StringRef key = headerEntryOf(entry).first;
        key != "precision" && key != kCompatKey && key != kRoundingKey)
      kept.push_back(entry);
  graph->setAttr(kHeaderAttr, ArrayAttr::get(graph->getContext(), kept));
}

void compass::dropFloatHeaders(ModuleOp module) {
  dropFloatHeader(module);
  for (auto graph : module.getOps<func::FuncOp>())
    dropFloatHeader(graph);
}

bool compass::isInCompat(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  return module && isCompat(module);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static quant::UniformQuantizedType elementOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast<quant::UniformQuantizedType>(tensor.getElementType())
                : quant::UniformQuantizedType();
}

bool compass::hasQuantizedTensor(Operation *op) {
  auto isQuantized = [](Type type) { return bool(elementOf(type)); };
  return llvm::any_of(op->getOperandTypes(), isQuantized) ||
         llvm::any_of(op->getResultTypes(), isQuantized);
}

bool compass::computesStoredReals(Operation *op) {
  return hasQuantizedTensor(op) && isInCompat(op);
}

double compass::stepOf(Value value) {
  auto element = elementOf(value.getType());
  return element ? element.getScale() : 1;
}

int64_t compass::zeroPointOf(Value value) {
  auto element = elementOf(value.getType());
  return element ? element.getZeroPoint() : 0;
}

RankedTensorType
compass::steppedType(MLIRContext *context, ArrayRef<int64_t> shape,
                     StoredType t, double step, int64_t zeroPoint,
                     std::optional<std::pair<int64_t, int64_t>> range) {
  float nearest = float(step);
  auto [least, most] = dtypeRange(t);
  if (!(nearest > 0) || !std::isfinite(nearest) || dtypeIsFloat(t.dtype) ||
      t.bits() > 32 || t.dtype == DType::Bool || zeroPoint < least ||
      zeroPoint > most)
    return {};
  auto [lo, hi] = range.value_or(std::pair(least, most));
  auto silent = [&] { return emitError(UnknownLoc::get(context)); };
  ScopedDiagnosticHandler ignore(context,
                                 [](mlir::Diagnostic &) { return success(); });
  auto element = quant::UniformQuantizedType::getChecked(
      silent, dtypeIsSigned(t.dtype) ? quant::QuantizationFlags::Signed : 0u,
      IntegerType::get(context, t.bits()), Float32Type::get(context),
      double(nearest), zeroPoint, lo, hi);
  return element ? RankedTensorType::get(shape, element) : RankedTensorType();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Of a key that the record has or not.
static SmallVector<double> numbersOf(Operation *op, StringRef key) {
  if (auto number = numberOf(op->getAttr(key)))
    return {*number};
  return extraNumbers(op, key);
}

std::optional<ConstantMeaning> compass::meaningOf(Operation *op,
                                                  StringRef name) {
  ConstantMeaning meaning;
  for (double step : numbersOf(op, (name + "_scale").str()))
    meaning.steps.push_back(double(float(step)));
  if (meaning.steps.empty())
    return std::nullopt;
  constexpr double kExact = int64_t(1) << 53; // doubles are integers up to here
  for (double zeroPoint : numbersOf(op, (name + "_zp").str()))
    meaning.zeroPoints.push_back(
        std::abs(zeroPoint) < kExact ? int64_t(zeroPoint) : INT64_MAX);
  return meaning;
}
