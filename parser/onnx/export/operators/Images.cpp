//===- Images.cpp - Pooling, resizing and norms of images -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/image/ImageOps.h"
#include "parser/onnx/export/Exports.h"
#include "parser/onnx/export/operators/Windows.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace yarrow;
using namespace yarrow::onnx;
using namespace mlir;

LogicalResult onnx::exportPooling(LayerExport &n) {
  std::string method = compass::wordKey(n.op, compass::keys::method, "MAX");
  if (method != "MAX" && method != "AVG")
    return n.refuse(compass::keys::method,
                    Twine("with method ") + method + " is not exported");
  auto axes = compass::windowAxes(n.op, unsigned(n.rank()) - 2);
  Order order = channelsSecond(n.rank());
  AttributeList attributes = windowAttributes(axes);
  if (exports::roundsUp(n.op, unsigned(n.rank()) - 2))
    attributes.push_back({"ceil_mode", int64_t(1)});
  if (method == "AVG")
    attributes.push_back(
        {"count_include_pad",
         int64_t(compass::boolKey(n.op, compass::keys::count_include_pad))});
  return n.result(0,
                  n.node(method == "AVG" ? "AveragePool" : "MaxPool",
                         {n.real(0, order)}, attributes),
                  order);
}

LogicalResult onnx::exportResize(LayerExport &n) {
  std::string mode = compass::wordKey(n.op, compass::keys::mode, "HALF_PIXEL"),
              nearest = compass::wordKey(n.op, compass::keys::nearest_mode,
                                         "ROUND_PREFER_FLOOR");
  bool isNearest =
      compass::wordKey(n.op, compass::keys::method, "BILINEAR") == "NEAREST";
  if (n.rank() != 4 || mode == "TF_HALF_PIXEL_FOR_NN" ||
      (isNearest && nearest == "SIMPLE"))
    return n.refuse(compass::keys::mode, "with this mode is not exported")
        .found(mode + (isNearest ? ", " + nearest : ""))
        .expected("a mode of ONNX's Resize, for images");
  AttributeList attributes = {
      {"mode", std::string(isNearest ? "nearest" : "linear")},
      {"coordinate_transformation_mode", StringRef(mode).lower()},
      {"antialias", int64_t(compass::boolKey(n.op, compass::keys::antialias))},
      {"exclude_outside",
       int64_t(compass::boolKey(n.op, compass::keys::exclude_outside))}};
  if (isNearest)
    attributes.push_back({"nearest_mode", StringRef(nearest).lower()});
  Order order = channelsSecond(4);
  compass::TensorInfo in = n.in(0), out = n.out();
  std::vector<std::string> inputs = {n.real(0, order), ""};
  auto ratios = compass::resizeRatios(cast<compass::ResizeOp>(n.op));
  // Integer layers, and those with a size, go by the lengths.
  auto fits = [](double ratio, int64_t from, int64_t to) {
    return int64_t(float(ratio) * float(from)) == to;
  };
  if (!n.isInteger() && ratios &&
      fits(ratios->first, in.shape[1], out.shape[1]) &&
      fits(ratios->second, in.shape[2], out.shape[2]))
    inputs.push_back(n.floats(
        "scales", {4}, {1, 1, float(ratios->first), float(ratios->second)}));
  else
    inputs.insert(inputs.end(),
                  {"", n.integers("sizes", {out.shape[0], out.shape[3],
                                            out.shape[1], out.shape[2]})});
  return n.result(0, n.node("Resize", inputs, attributes), order);
}

LogicalResult onnx::exportLrn(LayerExport &n) {
  if (compass::wordKey(n.op, compass::keys::method, "ACROSS_CHANNELS") !=
      "ACROSS_CHANNELS")
    return n.refuse(compass::keys::method, "within channels is not exported");
  Order order = channelsSecond(n.rank());
  return n.result(
      0,
      n.node("LRN", {n.real(0, order)},
             {{"size", compass::intKey(n.op, compass::keys::size)},
              {"alpha", float(compass::floatKey(n.op, compass::keys::alpha))},
              {"beta", float(compass::floatKey(n.op, compass::keys::beta))},
              {"bias", float(compass::floatKey(n.op, compass::keys::bias))}}),
      order);
}
