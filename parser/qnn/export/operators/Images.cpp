//===- Images.cpp - Pools and resizing ------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/image/ImageOps.h"
#include "parser/export/LayerNumbers.h"
#include "parser/qnn/export/Exports.h"
#include "parser/qnn/export/StepRatios.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::qnn;
using namespace mlir;

LogicalResult qnn::exportPooling(LayerExport &n) {
  std::string method = compass::wordKey(n.op, compass::keys::method, "MAX");
  if (method != "MAX" && method != "AVG")
    return n.refuse(compass::keys::method,
                    Twine("with method ") + method + " is not exported");
  // The one form of a mean whose rounding QNN's users can tell.
  if (isWholeMean(n.op))
    return n.result(
        "ReduceMean", {n.in(0)},
        {uint32sParam("axes", {1, 2}), boolParam("keep_dims", true)});
  auto axes = compass::windowAxes(n.op, unsigned(n.rank()) - 2);
  Lengths sizes;
  for (const compass::WindowAxis &axis : axes) {
    if (axis.dilation != 1)
      return n.refuse(compass::keys::dilation_x,
                      "is dilated, which QNN's pools do not support");
    sizes.push_back(axis.kernel);
  }
  std::vector<QnnParam> params = windowParams(axes);
  params.push_back(uint32sParam("filter_size", sizes));
  params.push_back(uint32Param(
      "rounding_mode", exports::roundsUp(n.op, unsigned(n.rank()) - 2)));
  if (method == "AVG")
    params.push_back(
        boolParam("count_pad_for_edges",
                  compass::boolKey(n.op, compass::keys::count_include_pad)));
  return n.result((method == "AVG" ? "PoolAvg" : "PoolMax") +
                      std::to_string(axes.size()) + "d",
                  {n.in(0)}, std::move(params));
}

/// Whether float layers go by ratios that are not those of the lengths.
static bool hasOtherRatios(LayerExport &n) {
  auto ratios = compass::resizeRatios(cast<compass::ResizeOp>(n.op));
  if (n.isInteger() || !ratios)
    return false;
  compass::TensorInfo in = n.input(0), out = n.output();
  auto differs = [&](double ratio, size_t axis) {
    return std::abs(ratio * double(in.shape[axis]) / double(out.shape[axis]) -
                    1) > 1e-6;
  };
  return differs(ratios->first, 1) || differs(ratios->second, 2);
}

LogicalResult qnn::exportResize(LayerExport &n) {
  std::string mode = compass::wordKey(n.op, compass::keys::mode, "HALF_PIXEL"),
              nearest = compass::wordKey(n.op, compass::keys::nearest_mode,
                                         "ROUND_PREFER_FLOOR");
  bool isNearest =
      compass::wordKey(n.op, compass::keys::method, "BILINEAR") == "NEAREST";
  int transformation = llvm::StringSwitch<int>(mode)
                           .Case("HALF_PIXEL", 0)
                           .Case("PYTORCH_HALF_PIXEL", 1)
                           .Case("ALIGN_CORNERS", 2)
                           .Case("ASYMMETRIC", 3)
                           .Default(-1),
      rounding = llvm::StringSwitch<int>(nearest)
                     .Case("ROUND_PREFER_FLOOR", 0)
                     .Case("ROUND_PREFER_CEIL", 1)
                     .Case("FLOOR", 2)
                     .Case("CEIL", 3)
                     .Default(-1);
  if (transformation < 0 || (isNearest && rounding < 0))
    return n.refuse(compass::keys::mode, "with this mode is not exported")
        .found(mode + (isNearest ? ", " + nearest : ""))
        .expected("a mode of QNN's Resize");
  if (compass::boolKey(n.op, compass::keys::antialias))
    return n.refuse(compass::keys::antialias, "with antialias is not exported");
  if (hasOtherRatios(n))
    return n.refuse(compass::keys::ratio_x,
                    "has ratios that do not match its lengths");
  std::vector<QnnParam> params = {
      uint32Param("transformation_mode", transformation),
      uint32Param("interpolation_mode", isNearest ? 0 : 1),
      boolParam("exclude_outside",
                compass::boolKey(n.op, compass::keys::exclude_outside))};
  if (isNearest)
    params.push_back(uint32Param("nearest_mode", rounding));
  return n.result("Resize", {n.in(0)}, std::move(params));
}

LogicalResult qnn::exportLrn(LayerExport &n) {
  int64_t size = compass::intKey(n.op, compass::keys::size);
  if (compass::wordKey(n.op, compass::keys::method, "ACROSS_CHANNELS") !=
          "ACROSS_CHANNELS" ||
      size % 2 == 0)
    return n.refuse(compass::keys::size,
                    "is exported only across an odd number of channels");
  // QNN multiplies the sum by alpha, the IR the mean.
  return n.result(
      "Lrn", {n.in(0)},
      {floatParam("alpha",
                  compass::floatKey(n.op, compass::keys::alpha) / double(size)),
       floatParam("beta", compass::floatKey(n.op, compass::keys::beta)),
       floatParam("bias", compass::floatKey(n.op, compass::keys::bias)),
       int32Param("radius", size / 2)});
}

LogicalResult qnn::exportGridSample(LayerExport &n) {
  int method = llvm::StringSwitch<int>(
                   compass::wordKey(n.op, compass::keys::method, "BILINEAR"))
                   .Case("BILINEAR", 0)
                   .Case("NEAREST", 1)
                   .Default(-1),
      border = llvm::StringSwitch<int>(
                   compass::wordKey(n.op, compass::keys::padding_mode, "ZEROS"))
                   .Case("ZEROS", 0)
                   .Case("BORDER", 1)
                   .Case("REFLECTION", 2)
                   .Default(-1);
  if (method < 0 || border < 0)
    return n.refuse(compass::keys::method, "with this method is not exported");
  return n.result(
      "GridSample", n.ins(),
      {uint32Param("mode", method), uint32Param("padding_mode", border),
       boolParam("align_corners",
                 compass::boolKey(n.op, compass::keys::align_corners))});
}
