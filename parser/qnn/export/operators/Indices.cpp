//===- Indices.cpp - Layers that find places, or read by them -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "parser/export/LayerNumbers.h"
#include "parser/qnn/export/Exports.h"
#include "llvm/ADT/StringSwitch.h"

using namespace yarrow;
using namespace yarrow::qnn;
using namespace mlir;

/// Indices have no zero point and no scale.
static bool hasPlainIndices(LayerExport &n) {
  return n.input(1).isInteger() && n.input(1).zp == 0 && n.input(1).scale == 1;
}

static compass::LayerError refuseIndices(LayerExport &n) {
  return n.refuse("", "has indices that are not stored as plain integers");
}

LogicalResult qnn::exportGather(LayerExport &n) {
  if (!hasPlainIndices(n))
    return refuseIndices(n);
  if (compass::intKey(n.op, compass::keys::batch_dims) != 0)
    return n.refuse(compass::keys::batch_dims,
                    "with batch_dims is not exported");
  compass::TensorInfo in = n.input(0);
  int64_t axis = exports::axisOf(n.op, compass::keys::axis, in.shape.size());
  return n.result("Gather", {n.in(0), n.indices(1, in.shape[size_t(axis)])},
                  {int32Param("axis", axis)});
}

LogicalResult qnn::exportGatherElements(LayerExport &n) {
  if (!hasPlainIndices(n))
    return refuseIndices(n);
  compass::TensorInfo in = n.input(0);
  int64_t axis = exports::axisOf(n.op, compass::keys::axis, in.shape.size());
  return n.result("GatherElements",
                  {n.in(0), n.indices(1, in.shape[size_t(axis)])},
                  {uint32Param("axis", axis)});
}

/// Whether constant places of several axes are counted from the front, as QNN
/// has them.
static bool arePlacesFromFront(LayerExport &n) {
  auto view = compass::constantInput(n.op, 1);
  for (int64_t i = 0, e = view ? view->numElements() : 0; i < e; ++i)
    if (view->intAt(i) < 0)
      return false;
  return true;
}

LogicalResult qnn::exportGatherNd(LayerExport &n) {
  if (!hasPlainIndices(n))
    return refuseIndices(n);
  if (!arePlacesFromFront(n))
    return n.refuse("", "has indices below 0");
  return n.result(
      "GatherNd", {n.in(0), n.indices(1, 0)},
      {uint32Param("batch_dims",
                   compass::intKey(n.op, compass::keys::batch_dims))});
}

/// The number of a word of `reduction` in QNN; -1 if it has none.
static int reductionOf(LayerExport &n, bool hasMax) {
  std::string word = compass::wordKey(n.op, compass::keys::reduction, "NONE");
  return llvm::StringSwitch<int>(word)
      .Case("NONE", 0)
      .Case("ADD", 1)
      .Case("MUL", 2)
      .Case("MAX", hasMax ? 3 : -1)
      .Default(-1);
}

static LogicalResult scatter(LayerExport &n, StringRef type, int64_t length,
                             std::vector<QnnParam> params, bool hasMax) {
  int reduction = reductionOf(n, hasMax);
  if (!hasPlainIndices(n))
    return refuseIndices(n);
  if (reduction < 0 || (reduction > 0 && n.isInteger()))
    return n.refuse(compass::keys::reduction, "of this kind is not exported");
  params.push_back(uint32Param("reduction", reduction));
  return n.result(type, {n.in(0), n.indices(1, length), n.in(2)},
                  std::move(params));
}

LogicalResult qnn::exportScatterElements(LayerExport &n) {
  int64_t axis = exports::axisOf(n.op, compass::keys::axis, n.rank());
  return scatter(n, "ScatterElements", n.shape()[size_t(axis)],
                 {uint32Param("axis", axis)}, true);
}

LogicalResult qnn::exportScatterNd(LayerExport &n) {
  if (!arePlacesFromFront(n))
    return n.refuse("", "has indices below 0");
  return scatter(n, "ScatterNd", 0, {}, false);
}

LogicalResult qnn::exportTopK(LayerExport &n) {
  if (exports::axisOf(n.op, compass::keys::axis, n.rank()) + 1 !=
      int64_t(n.rank()))
    return n.refuse(compass::keys::axis,
                    "over an axis other than the last is not exported");
  Value places = n.op->getResult(1);
  // QNN has the larger index first, which the values do not show.
  if (!places.use_empty() &&
      StringRef(compass::wordKey(n.op, compass::keys::select_index, "last"))
              .lower() != "last")
    return n.refuse(compass::keys::select_index,
                    "has indices of the first of equal elements");
  if (!isPlain(places))
    return n.refuse("layer_top_zp", "stores indices with a zero point");
  bool isInt32 = *n.graph.typeOf(places) == DataType::INT_32;
  std::string indices =
      isInt32 ? n.out(1) : n.between("indices", DataType::INT_32, n.shape());
  n.node(
      "TopK", {n.in(0)}, {n.out(0), indices},
      {uint32Param("k", compass::intKey(n.op, compass::keys::k)),
       boolParam("largest", compass::boolKey(n.op, compass::keys::largest))});
  if (!isInt32)
    n.node("Cast", {indices}, {n.out(1)});
  return success();
}

LogicalResult qnn::exportArgMinMax(LayerExport &n) {
  if (compass::boolKey(n.op, compass::keys::select_last_index))
    return n.refuse(compass::keys::select_last_index,
                    "takes the last of equal elements");
  if (!isPlain(n.op->getResult(0)))
    return n.refuse("layer_top_zp", "stores indices with a zero point");
  bool isMax = compass::wordKey(n.op, compass::keys::method, "MAX") == "MAX";
  return n.resultAs(
      DataType::INT_32, isMax ? "Argmax" : "Argmin", {n.in(0)},
      {uint32Param("axis",
                   exports::axisOf(n.op, compass::keys::axis, n.rank())),
       boolParam("keep_dims", true)});
}

LogicalResult qnn::exportOneHot(LayerExport &n) {
  auto list = n.op->getAttrOfType<ArrayAttr>(compass::keys::values);
  double values[] = {0, 1};
  for (unsigned i = 0; list && i < 2; ++i)
    values[i] = compass::numberOf(list[i]).value_or(values[i]);
  if (!n.input(0).isInteger() || n.input(0).zp != 0 || n.input(0).scale != 1)
    return refuseIndices(n);
  auto value = [&](StringRef name, double number) {
    return n.output().isFloat() ? floatParam(name, number)
                                : int32Param(name, int64_t(number));
  };
  return n.result(
      "OneHot", {n.indices(0, 0)},
      {uint32Param("depth", compass::intKey(n.op, compass::keys::depth)),
       uint32Param("axis",
                   exports::axisOf(n.op, compass::keys::axis, n.rank())),
       value("on_value", values[1]), value("off_value", values[0])});
}
