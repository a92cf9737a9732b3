//===- Choices.cpp - Comparisons and what is chosen by them ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "parser/onnx/export/Exports.h"
#include "llvm/ADT/StringSwitch.h"

using namespace yarrow;
using namespace yarrow::onnx;
using namespace mlir;
using compass::DType;

/// Truth values and indices are stored as they are, whatever scale a result
/// says it has. False if ONNX would store them otherwise.
static bool storesPlainly(LayerExport &n, unsigned result) {
  compass::TensorInfo out = n.out(result);
  if (!out.quantized)
    return true;
  auto carrier = carrierOf(out);
  return out.zp == 0 && (!carrier || carrier->type == out.dtype);
}

static compass::LayerError refuseZeroPoint(LayerExport &n) {
  return n.refuse("layer_top_zp", "stores truth values or indices with a zero "
                                  "point");
}

/// Operand \p i as a truth value: everything but a stored 0.
static std::string truth(LayerExport &n, unsigned i, ArrayRef<int64_t> order) {
  std::string x = n.stored(i, order);
  if (n.in(i).dtype == DType::Bool)
    return x;
  return n.node("Cast", {x}, {{"to", elementNumber(DType::Bool)}});
}

LogicalResult onnx::exportLogical(LayerExport &n) {
  if (!storesPlainly(n, 0))
    return refuseZeroPoint(n);
  Order order = n.readyOrder();
  std::string method = compass::wordKey(n.op, compass::keys::method, "EQUAL");
  StringRef ofTruth = llvm::StringSwitch<StringRef>(method)
                          .Case("AND", "And")
                          .Case("OR", "Or")
                          .Case("XOR", "Xor")
                          .Case("NOT", "Not")
                          .Default("");
  StringRef compared = llvm::StringSwitch<StringRef>(method)
                           .Case("GREATER", "Greater")
                           .Case("GREATER_EQUAL", "GreaterOrEqual")
                           .Case("LESS", "Less")
                           .Case("LESS_EQUAL", "LessOrEqual")
                           .Default("Equal");
  std::string y;
  if (!ofTruth.empty()) {
    std::vector<std::string> inputs = {truth(n, 0, order)};
    if (n.op->getNumOperands() > 1)
      inputs.push_back(truth(n, 1, order));
    y = n.node(ofTruth, inputs);
  } else {
    // Integers are compared as products with scale_value: whole numbers.
    auto scales = compass::intsKey(n.op, compass::keys::scale_value);
    scales.resize(2, 1);
    bool isInteger = n.in(0).isInteger();
    auto scaleOf = [&](size_t i) { return isInteger ? double(scales[i]) : 0; };
    y = n.node(compared,
               {n.real(0, order, scaleOf(0)), n.real(1, order, scaleOf(1))});
    if (method == "NOT_EQUAL")
      y = n.node("Not", {y});
  }
  if (n.out().dtype != DType::Bool)
    y = n.node("Cast", {y}, {{"to", elementNumber(n.out().dtype)}});
  return n.resultStored(0, y, order);
}

LogicalResult onnx::exportWhere(LayerExport &n) {
  Order order = n.readyOrder();
  double scales[] = {0, 0};
  std::vector<double> m = n.multipliers();
  if (n.out().quantized && m.size() == 2)
    for (int i : {0, 1})
      scales[i] = m[size_t(i)] / double(n.out().scale);
  std::string condition = truth(n, 0, order);
  return n.result(0,
                  n.node("Where", {condition, n.real(1, order, scales[0]),
                                   n.real(2, order, scales[1])}),
                  order);
}

LogicalResult onnx::exportTopK(LayerExport &n) {
  if (compass::wordKey(n.op, compass::keys::select_index, "LAST") != "FIRST")
    return n.refuse(compass::keys::select_index,
                    "does not take the first of equal elements, as ONNX does");
  if (!storesPlainly(n, 1))
    return refuseZeroPoint(n);
  Order order = n.forms.readyOrder(n.op->getOperand(0));
  int64_t axis = axisOf(n, compass::keys::axis, n.rank());
  std::vector<std::string> out = n.nodeOf(
      2, "TopK",
      {n.real(0, order),
       n.integers("k", {compass::intKey(n.op, compass::keys::k)})},
      {{"axis", placeOf(order, axis)},
       {"largest", int64_t(compass::boolKey(n.op, compass::keys::largest))},
       {"sorted", int64_t(compass::boolKey(n.op, compass::keys::sorted))}});
  std::string indices =
      n.node("Cast", {out[1]}, {{"to", elementNumber(n.out(1).dtype)}});
  return failure(failed(n.result(0, out[0], order)) ||
                 failed(n.resultStored(1, indices, order)));
}

LogicalResult onnx::exportArgMinMax(LayerExport &n) {
  if (!storesPlainly(n, 0))
    return refuseZeroPoint(n);
  Order order = n.forms.readyOrder(n.op->getOperand(0));
  int64_t axis = axisOf(n, compass::keys::axis, n.rank());
  bool isMax = compass::wordKey(n.op, compass::keys::method, "MAX") == "MAX";
  std::string y = n.node(
      isMax ? "ArgMax" : "ArgMin", {n.real(0, order)},
      {{"axis", placeOf(order, axis)},
       {"select_last_index",
        int64_t(compass::boolKey(n.op, compass::keys::select_last_index))}});
  y = n.node("Cast", {y}, {{"to", elementNumber(n.out().dtype)}});
  return n.resultStored(0, y, order);
}

LogicalResult onnx::exportCumulate(LayerExport &n) {
  if (compass::wordKey(n.op, compass::keys::method, "SUM") != "SUM")
    return n.refuse(compass::keys::method, "for products is not exported");
  Order order = n.forms.readyOrder(n.op->getOperand(0));
  int64_t axis = axisOf(n, compass::keys::axis, n.rank());
  std::string x = n.real(0, order, n.operandScale(n.multipliers()[0]));
  return n.result(
      0,
      n.node("CumSum", {x, n.integers("axis", {placeOf(order, axis)})},
             {{"exclusive",
               int64_t(compass::boolKey(n.op, compass::keys::exclusive))},
              {"reverse",
               int64_t(compass::boolKey(n.op, compass::keys::reverse))}}),
      order);
}
