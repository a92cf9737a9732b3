//===- Sampling.cpp - Grids, regions and colours --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Samples keep the scale of the image; places are fixed point
// (docs/operators/image.md).
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/image/ImageOps.h"
#include "kernels/image/SampleTaps.h"
#include "quantizer/rules/Rules.h"
#include "quantizer/rules/SharedScale.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

/// Operand \p index with its scale, but without a zero point, which the
/// reference forgets. Twice the bits hold every q + zp.
static void dropZeroPoint(LayerContext &layer, unsigned index) {
  LinearParams in = layer.input(index);
  if (in.zp == 0)
    return;
  LinearParams without = plainIntegers(in.bits <= 8 ? 16 : 32, true);
  without.scale = in.scale;
  layer.castInput(index, without);
}

static bool isPlain(LayerContext &layer, unsigned index) {
  LinearParams in = layer.input(index);
  return in.scale == 1 && in.zp == 0;
}

/// Of casts: with a multiplier of 8 bits a coordinate of 1000 may be off by
/// two.
constexpr unsigned kExactBits = 15;

/// Operand \p index as integers of scale 1.
static void makePlain(LayerContext &layer, unsigned index, unsigned bits,
                      bool isSigned) {
  if (!isPlain(layer, index))
    layer.castInput(index, plainIntegers(bits, isSigned), kExactBits);
}

static void setNumbers(LayerContext &layer, llvm::StringRef key,
                       llvm::ArrayRef<int64_t> values) {
  mlir::Builder b(layer.op->getContext());
  llvm::SmallVector<mlir::Attribute> list;
  for (int64_t value : values)
    list.push_back(b.getI64IntegerAttr(value));
  layer.op->setAttr(key, b.getArrayAttr(list));
}

static std::vector<double> numbers(LayerContext &layer, llvm::StringRef key) {
  std::vector<double> values;
  if (auto list = layer.op->getAttrOfType<mlir::ArrayAttr>(key))
    for (mlir::Attribute value : list)
      values.push_back(numberOf(value).value_or(0));
  return values;
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

namespace {

/// The pixel that each stored value of an 8-bit grid means along one axis.
struct PlaceTable {
  std::vector<int64_t> cells, fractions;
};

/// Fractional bits of the tables, those of the reference.
constexpr int kTableBits = 10;

} // namespace

static PlaceTable placeTable(LayerContext &layer, int64_t size) {
  LinearParams grid = layer.input(1);
  bool aligned = boolKey(layer.op, keys::align_corners);
  std::string padding = layer.word(keys::padding_mode, "ZEROS");
  bool isNearest = layer.word(keys::method, "BILINEAR") == "NEAREST";
  float n = float(size);
  PlaceTable table;
  for (int64_t q = integerMin(8, grid.isSigned);
       q <= integerMax(8, grid.isSigned); ++q) {
    float g = float(q + grid.zp) / grid.scale;
    float v = aligned ? (g + 1.0f) / 2.0f * (n - 1.0f)
                      : ((g + 1.0f) * n - 1.0f) / 2.0f;
    if (padding == "BORDER") {
      float low = aligned ? 0.0f : -0.5f, high = n - 1 - low;
      v = v < low ? 0.0f : v > high ? n - 1 : v;
    }
    // Pixels between which BILINEAR and BICUBIC mix are mirrored one by one.
    if (padding == "REFLECTION" && isNearest)
      v = float(kernels::reflected(v, n, aligned));
    if (isNearest)
      v = float(std::nearbyint(v));
    float cell = std::floor(v);
    table.cells.push_back(int64_t(std::clamp(cell, -32768.0f, 32767.0f)));
    table.fractions.push_back(int64_t((v - cell) * float(1 << kTableBits)));
  }
  return table;
}

/// Fixed point of 16 bits for places of more bits, or in volumes; x, y, z.
static bool setPlaceScales(LayerContext &layer,
                           const std::vector<int64_t> &shape) {
  LinearParams grid = layer.input(1);
  bool aligned = boolKey(layer.op, keys::align_corners);
  std::vector<ScaleApproximation> scales;
  const IntKey names[] = {keys::coordinate_x_shift, keys::coordinate_y_shift,
                          keys::coordinate_z_shift};
  double farthest = std::max(std::abs(double(grid.qmin) + grid.zp),
                             std::abs(double(grid.qmax) + grid.zp)) /
                    double(grid.scale);
  for (size_t k = 0; k + 2 < shape.size(); ++k) {
    int64_t size = shape[shape.size() - 2 - k];
    double span = double(aligned ? size - 1 : size);
    double most = (farthest * span + double(size - 1)) / 2 + 1;
    int bits = int(std::floor(std::log2(32767 / most)));
    if (bits < 1)
      return layer.unsupported("positions of this grid have no integer form",
                               "its range is many times that of the image");
    bits = std::min(bits, 14);
    layer.setInt(names[k], bits);
    float ratio = float(std::ldexp(span / 2, bits)) / grid.scale;
    scales.push_back(ratio > 0 ? layer.approximate(ratio, 15)
                               : ScaleApproximation{0, 0});
    if (scales.back().shift < 0)
      return layer.unsupported("positions of this grid have no integer form",
                               "its integers are too far apart");
  }
  layer.setRequants(scales, 16);
  return true;
}

bool quantizeGridSample(LayerContext &layer) {
  std::vector<int64_t> shape = layer.shapeOf(layer.op->getOperand(0));
  layer.shareWithInput();
  if (layer.input(1).bits > 8 || shape.size() != 4)
    return setPlaceScales(layer, shape);
  PlaceTable x = placeTable(layer, shape[2]), y = placeTable(layer, shape[1]);
  auto set = [&](TensorKey key, DType type,
                 const std::vector<int64_t> &values) {
    layer.setTensor(key, {int64_t(values.size())}, type, values);
  };
  set(keys::lutx, DType::I16, x.cells), set(keys::luty, DType::I16, y.cells);
  set(keys::x_terp, DType::U16, x.fractions);
  set(keys::y_terp, DType::U16, y.fractions);
  layer.setRequants({{1, 0}, {1, 0}}, 8);
  layer.setInt(keys::coordinate_x_shift, kTableBits);
  layer.setInt(keys::coordinate_y_shift, kTableBits);
  return true;
}

bool quantizeAffineGrid(LayerContext &layer) {
  dropZeroPoint(layer, 0);
  std::vector<int64_t> shape = layer.shapeOf(layer.op->getResult(0));
  bool aligned = boolKey(layer.op, keys::align_corners);
  int64_t longest = *std::max_element(shape.begin() + 1, shape.end() - 1);
  int bits = std::clamp(int(std::ceil(std::log2(double(longest)))) + 1, 8, 14);
  layer.setInt(keys::multiplier_bits, bits);
  const TensorKey names[] = {keys::w_lut, keys::h_lut, keys::d_lut};
  for (size_t k = 0; k + 2 < shape.size(); ++k) {
    int64_t n = shape[shape.size() - 2 - k];
    std::vector<int64_t> table;
    for (int64_t i = 0; i < n; ++i) {
      double at = n > 1 ? 2.0 * double(i) / double(n - 1) - 1 : 0;
      double scaled = aligned ? at : at * double(n - 1) / double(n);
      table.push_back(int64_t(std::nearbyint(std::ldexp(scaled, bits))));
    }
    layer.setTensor(names[k], {n}, DType::I16, table);
  }
  LinearParams theta = layer.input(0), out = layer.outputParams(true);
  unsigned width = layer.options.multiplierWidth();
  layer.setRequant(
      layer.approximate(out.scale / std::ldexp(theta.scale, bits), width),
      width);
  layer.setOutput(0, out);
  return true;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// The reference gives boxes of more than 8 bits a multiplier of 2 bits, and
/// extrapolation_value the scale of the boxes; here the multiplier has 15 bits,
/// for with 8 the last pixel of an image of 256 may lie outside.
bool quantizeCropAndResize(LayerContext &layer) {
  makeRoomFor(layer, layer.number(keys::extrapolation_value).value_or(0));
  dropZeroPoint(layer, 1);
  layer.setRequant(layer.approximate(1.0f / layer.input(1).scale, 15), 16);
  int64_t value =
      quantizeValue(float(layer.number(keys::extrapolation_value).value_or(0)),
                    layer.input(0));
  layer.op->setAttr(
      keys::extrapolation_value,
      mlir::Builder(layer.op->getContext()).getI64IntegerAttr(value));
  layer.shareWithInput();
  return true;
}

/// Regions begin with the number of their image, so that they have no scale.
static void makeRegionsPlain(LayerContext &layer) {
  if (isPlain(layer, 1))
    return;
  FloatRange r = layer.inputRange(1);
  bool isSmall = r.min >= -32768 && r.max <= 32767;
  makePlain(layer, 1, isSmall ? 16 : 32, true);
}

bool quantizeRoiAlign(LayerContext &layer) {
  constexpr int kSpatialBits = 10;
  makeRegionsPlain(layer);
  std::vector<int64_t> spatial;
  for (double factor : numbers(layer, "spatial_scale_value")) {
    spatial.push_back(
        int64_t(std::nearbyint(std::ldexp(factor, kSpatialBits))));
    if (spatial.back() > 65535)
      return layer.unsupported("a factor this large has no integer form", "",
                               "spatial_scale_value");
  }
  setNumbers(layer, "spatial_scale_value", spatial);
  layer.setExtra("spatial_scale_type", "[uint16,uint16]");
  layer.setInt(keys::spatial_shift_value, kSpatialBits);
  layer.setExtra("spatial_shift_type", "int8");
  std::vector<int64_t> sample = layer.ints(keys::sample),
                       pooled = layer.ints(keys::pooled_shape);
  unsigned bits = layer.options.activationBits;
  bool isMax = layer.word(keys::method, "AVG") == "MAX";
  bool isAdaptive = sample[0] == 0 || sample[1] == 0;
  // Samples that are counted divide the sum themselves; the greatest of them is
  // no mean, which the reference makes it.
  float samples = isMax || isAdaptive ? 1 : float(sample[0] * sample[1]);
  unsigned roiBits = layer.input(1).bits;
  ScaleApproximation mean = layer.approximate(1 / samples, bits),
                     roi = layer.approximate(1 / layer.input(1).scale, roiBits);
  layer.setRequants({mean, roi}, 16);
  layer.setExtra("scale_type",
                 bits <= 8 ? "[uint8,uint16]" : "[uint16,uint16]");
  auto setPair = [&](IntsKey scaleKey, IntsKey shiftKey, auto ratioOf) {
    std::vector<int64_t> scales, shifts;
    for (int k : {0, 1}) {
      ScaleApproximation r = layer.approximate(ratioOf(k), std::max(12u, bits));
      scales.push_back(r.multiplier), shifts.push_back(r.shift);
    }
    layer.setTypedInts(scaleKey, scales, "[uint16,uint16]");
    layer.setTypedInts(shiftKey, shifts, "[int8,int8]");
  };
  setPair(keys::bin_scale_value, keys::bin_shift_value,
          [&](int k) { return 1.0f / float(pooled[k]); });
  setPair(keys::grid_scale_value, keys::grid_shift_value, [&](int k) {
    return sample[k] ? 1.0f / float(2 * sample[k]) : 1.0f;
  });
  layer.shareWithInput();
  return true;
}

bool quantizeMaxRoiPool(LayerContext &layer) {
  makeRegionsPlain(layer);
  std::vector<int64_t> spatial;
  for (double factor : numbers(layer, "spatial")) {
    spatial.push_back(int64_t(std::nearbyint(std::ldexp(factor, 16))));
    if (spatial.back() > 1 << 30)
      return layer.unsupported("a factor this large has no integer form", "",
                               "spatial");
  }
  setNumbers(layer, "spatial", spatial);
  layer.shareWithInput();
  return true;
}

/// Crops of regions in 0..1. The reference compares areas with constants, right
/// for boxes of 15 bits and images of 1024 x 1024; `levels` takes their place.
/// All levels have the scale of the result, without a zero point.
static bool quantizePyramidCrops(LayerContext &layer) {
  constexpr int kBoxBits = 15;
  LinearParams boxes = plainIntegers(16, true);
  boxes.scale = float(1 << kBoxBits);
  if (LinearParams in = layer.input(0); in.scale != boxes.scale || in.zp != 0)
    layer.castInput(0, boxes, kExactBits);
  LinearParams level = layer.input(1);
  if (level.zp != 0) {
    FloatRange r = layer.inputRange(1);
    level = linearParams(r.min, r.max, RangeMode::SymmetricFull, level.bits,
                         /*isSigned=*/true);
  }
  for (unsigned k = 1; k < layer.numInputs(); ++k)
    if (LinearParams in = layer.input(k);
        in.scale != level.scale || in.zp != 0 || in.isSigned != level.isSigned)
      layer.castInput(k, level, kExactBits);
  layer.setInt(keys::box_input_qvalue, kBoxBits);
  double pixels = double(intKey(layer.op, keys::image_height)) *
                  double(intKey(layer.op, keys::image_width));
  std::vector<int64_t> areas;
  for (double least : {6272.0, 25088.0, 100352.0})
    areas.push_back(int64_t(std::ldexp(least / pixels, 2 * kBoxBits)));
  layer.setInts(keys::levels, areas);
  layer.setOutput(0, level);
  return true;
}

bool quantizePyramidRoiAlign(LayerContext &layer) {
  if (boolKey(layer.op, keys::proposal_normalized))
    return quantizePyramidCrops(layer);
  std::vector<double> spatial = numbers(layer, "spatial_scale_value");
  double longest = double(std::max(intKey(layer.op, keys::image_height),
                                   intKey(layer.op, keys::image_width))) *
                   *std::max_element(spatial.begin(), spatial.end());
  int bits = longest > 0 ? int(std::floor(std::log2(65535 / longest))) : 15;
  if (bits < 1)
    return layer.unsupported("a map this large has no integer form", "",
                             "spatial_scale_value");
  bits = std::min(bits, 15);
  layer.setInt(keys::spatial_shift, bits);
  float regions = layer.input(0).scale;
  std::vector<int64_t> sample = layer.ints(keys::sample), scales, shifts, areas;
  bool isAdaptive = sample[0] == 0 || sample[1] == 0;
  float samples = isAdaptive ? 1 : float(sample[0] * sample[1]);
  LinearParams out = layer.outputParams(layer.input(1).isSigned);
  std::vector<ScaleApproximation> results;
  for (unsigned k = 0; k < spatial.size(); ++k) {
    ScaleApproximation r =
        layer.approximate(float(std::ldexp(spatial[k], bits)) / regions, 16);
    scales.push_back(r.multiplier), shifts.push_back(r.shift);
    results.push_back(
        layer.approximate(out.scale / (layer.input(k + 1).scale * samples),
                          layer.options.activationBits));
  }
  for (double size : {112.0, 224.0, 448.0})
    areas.push_back(int64_t(
        std::floor(size * size * double(regions) * double(regions) + 0.5)));
  layer.setInts(keys::input_scale, scales),
      layer.setInts(keys::input_shift, shifts);
  layer.setInts(keys::levels, areas);
  layer.setRequants(results, layer.options.activationBits);
  layer.setOutput(0, out);
  return true;
}

//===----------------------------------------------------------------------===//
// Colours
//===----------------------------------------------------------------------===//

/// Real coefficients get the bits of the definition. The reference multiplies
/// those that are integers already once more.
bool quantizeColours(LayerContext &layer) {
  bool toYuv = llvm::isa<RgbToYuvOp>(layer.op);
  int bits = toYuv ? 10 : 8;
  bool isWide = intKey(layer.op, keys::bits) > 8;
  makePlain(layer, 0, isWide ? 16 : 8, /*isSigned=*/false);
  std::vector<double> coefficients = numbers(layer, "coefficient");
  if (intKey(layer.op, keys::coefficient_shift) == 0) {
    std::vector<int64_t> values;
    for (size_t i = 0; i < coefficients.size(); ++i) {
      int power = i < 6 ? 0 : bits; // offsets, then the matrix
      values.push_back(
          int64_t(std::nearbyint(std::ldexp(coefficients[i], power))));
    }
    setNumbers(layer, "coefficient", values);
    layer.setWord(keys::coefficient_dtype, "int16");
    layer.setInt(keys::coefficient_shift, bits);
  }
  layer.setOutput(0, plainIntegers(isWide ? 16 : 8, false),
                  /*isInvariant=*/true);
  return true;
}

} // namespace yarrow
