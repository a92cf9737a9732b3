//===- Regions.cpp - Regions of images in one size ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/operators/Formulas.h"

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Tensor;

namespace {
struct Ratios {
  float rows, columns;
};
} // namespace

/// The image, its regions and the images they are of; how much greater the
/// image is in which their coordinates are.
static std::optional<Ratios> ratiosOf(Formula &f) {
  OpReader &r = f.r;
  if (!f.expectRank(0, 4, "[batch,height,width,num_features]") ||
      !f.expectDims(1, {-1, 4}) || !f.expectDims(2, {r.dims(1)[0]}) ||
      !f.expectOutput(0, {r.dims(1)[0], -1, -1, r.dims(0)[3]}))
    return std::nullopt;
  std::vector<double> ratio = r.reals("img_size_ratio");
  for (double length : ratio)
    if (!(length > 0)) {
      r.bad("img_size_ratio is not positive", std::to_string(length),
            "numbers above 0");
      return std::nullopt;
    }
  return Ratios{float(ratio[0]), float(ratio[1])};
}

static graph::Expressions::Attributes attributesOf(const OpReader &r,
                                                   Ratios ratios) {
  return {{"out_h", Attribute::of(r.outputDims()[1])},
          {"out_w", Attribute::of(r.outputDims()[2])},
          {"ratio_h", Attribute::of(ratios.rows)},
          {"ratio_w", Attribute::of(ratios.columns)}};
}

/// Whether a region has a width or a height: [regions, 1, 1, 1].
static Tensor *isRegion(Formula &f) {
  std::vector<Tensor *> side = f.split(f.real(1), 4, 1);
  Tensor *isNone = f.of("And", {f.of("Equal", {side[0], side[2]}),
                                f.of("Equal", {side[1], side[3]})});
  return f.reshaped(f.of("Not", {isNone}), {f.r.dims(1)[0], 1, 1, 1});
}

bool qnn::readRoiAlign(OpReader &r) {
  Formula f(r, "regions");
  auto ratios = ratiosOf(f);
  if (!ratios)
    return false;
  graph::Expressions::Attributes attributes = attributesOf(r, *ratios);
  constexpr const char *kSamples[][2] = {{"num_samples_y", "samples_h"},
                                         {"num_samples_x", "samples_w"}};
  for (auto [param, key] : kSamples) {
    std::int64_t samples = r.scalar(param);
    if (samples == 0 || samples < -1)
      return r.bad(std::string(param) + " is out of range",
                   std::to_string(samples),
                   "1 or more, or -1 for as many as a bin has pixels");
    attributes[key] = Attribute::of(samples < 0 ? std::int64_t(0) : samples);
  }
  attributes["half_pixel"] = Attribute::of(std::int64_t(r.flag("aligned")));
  Tensor *regions =
      f.severalOf(kNnapiDomain, "RoiAlign", r.inputs, 1, std::move(attributes))
          .front();
  if (r.flag("allow_invalid_roi"))
    regions = f.chosen(isRegion(f), regions, f.number(0));
  f.write(regions, 0);
  return true;
}

/// How many samples there are is not told: bins are rounded to pixels, as the
/// operation that the definition refers to has it.
bool qnn::readRoiPooling(OpReader &r) {
  Formula f(r, "regions");
  auto ratios = ratiosOf(f);
  if (!ratios)
    return false;
  graph::Node &node = r.resultOf(kNnapiDomain, "RoiPooling", r.inputs);
  node.attributes = attributesOf(r, *ratios);
  return true;
}

bool qnn::readCropAndResize(OpReader &r) {
  Formula f(r, "crops");
  if (!f.expectRank(0, 4, "[batch,height,width,channel]") ||
      !f.expectDims(1, {-1, 4}) || !f.expectDims(2, {r.dims(1)[0]}))
    return false;
  std::vector<std::int64_t> size = r.integers("resize_dims");
  if (!f.expectOutput(0, {r.dims(1)[0], size[0], size[1], r.dims(0)[3]}))
    return false;
  graph::Node &node = r.resultOf(kDomain, "CropAndResize", r.inputs);
  node.attributes["size"] = Attribute::of(size);
  node.attributes["method"] = Attribute::of(
      std::string(r.scalar("interpolation_mode") ? "NEAREST" : "BILINEAR"));
  node.attributes["extrapolation_value"] =
      Attribute::of(float(r.real("extrapolation_value")));
  return true;
}
