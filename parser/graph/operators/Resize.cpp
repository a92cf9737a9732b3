//===- Resize.cpp - Tensors of other lengths ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A layer resizes rows and columns of images, to the nearest pixel or linearly,
// by the ratio of the lengths; a volume is resized as images, twice. Everything
// else is done axis by axis: elements are gathered, or rows are multiplied by a
// matrix of weights.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/Sampling.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;
using Mode = Sampling::Mode;
using Nearest = Sampling::Nearest;

namespace {
/// What a node of Resize says, with an entry for each axis of the input.
struct Target {
  Shape sizes;
  /// Of an axis whose positions another ratio than that of the lengths places.
  std::vector<std::optional<float>> scales;
  std::vector<double> begin, end; ///< The region that is resized.

  std::string method, coordinates;
  Mode mode = Mode::HalfPixel;
  Nearest nearest = Nearest::PreferFloor;
  bool antialias = false, excludesOutside = false;
  float coefficient = -0.75f, outside = 0;

  Sampling along(const Shape &from, size_t axis) const {
    return {mode,         from[axis],  sizes[axis],
            scales[axis], begin[axis], end[axis]};
  }
};
} // namespace

/// Larger ones are no network's.
constexpr double kMost = 1 << 24;
/// Weights that a matrix of one axis may have.
constexpr int64_t kMostWeights = 1 << 26;

//===----------------------------------------------------------------------===//
// What the node says
//===----------------------------------------------------------------------===//

static bool isPresent(NodeEmitter &n, size_t i) {
  return n.has(i) && numElements(n.shape(i)) != 0;
}

/// The axes that sizes, scales and regions are of.
static FailureOr<std::vector<int64_t>> axesOf(NodeEmitter &n) {
  std::vector<int64_t> axes = n.node.integers("axes");
  if (axes.empty()) {
    axes.resize(size_t(n.rank(0)));
    std::iota(axes.begin(), axes.end(), 0);
  }
  for (int64_t &axis : axes) {
    auto front = n.wrapped(axis, n.rank(0));
    if (failed(front))
      return failure();
    axis = *front;
  }
  if (std::set<int64_t>(axes.begin(), axes.end()).size() != axes.size())
    return n.bad("an axis is given twice", shapeText(axes),
                 "each axis at most once");
  return axes;
}

/// Half rounds up, in float32 as ONNX Runtime has it.
static int64_t rounded(float length) {
  return int64_t(std::floor(length + 0.5f));
}

/// With a policy all axes have the scale of one of them, and lengths that are
/// rounded from it.
static void keepAspect(const Shape &from, const std::string &policy,
                       const std::vector<int64_t> &axes, Target &t) {
  auto ratio = [&](int64_t axis) {
    return float(t.sizes[size_t(axis)]) / float(from[size_t(axis)]);
  };
  float scale = ratio(axes.front());
  for (int64_t axis : axes)
    scale = policy == "not_larger" ? std::min(scale, ratio(axis))
                                   : std::max(scale, ratio(axis));
  for (int64_t axis : axes) {
    auto a = size_t(axis);
    t.sizes[a] = rounded(scale * float(from[a]));
    t.scales[a] = scale;
  }
}

/// Lengths and scales.
static LogicalResult findLengths(NodeEmitter &n,
                                 const std::vector<int64_t> &axes, Target &t) {
  bool hasSizes = isPresent(n, 3);
  auto given = hasSizes ? n.numbers(3, "the list of sizes")
                        : n.numbers(2, "the list of scales");
  if (failed(given))
    return failure();
  if (given->size() != axes.size())
    return n.bad("sizes or scales have a wrong length",
                 std::to_string(given->size()), std::to_string(axes.size()));
  for (size_t i = 0; i < axes.size(); ++i) {
    auto a = size_t(axes[i]);
    double value = (*given)[i];
    if (!(value > 0 && value <= kMost))
      return n.bad("a size or scale is not positive", std::to_string(value),
                   "numbers above 0");
    // In float32: 10 pixels at a scale of 0.7 are 7.
    float length = float(value) * float(n.shape(0)[a]);
    t.sizes[a] = hasSizes ? int64_t(value)
                          : int64_t(std::min(std::floor(length), float(kMost)));
    if (!hasSizes)
      t.scales[a] = float(value);
  }
  std::string policy = n.node.text("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller")
    return n.bad("unknown keep_aspect_ratio_policy", policy,
                 "stretch, not_larger or not_smaller");
  if (hasSizes && policy != "stretch")
    keepAspect(n.shape(0), policy, axes, t);
  if (llvm::any_of(t.sizes, [](int64_t length) { return length < 1; }))
    return n.bad("the result has no elements", shapeText(t.sizes),
                 "lengths of 1 or more");
  // A scale that gives the very length is the ratio of the lengths; corners are
  // aligned by lengths alone, and so is a region.
  bool needsNone = t.mode == Mode::AlignCorners || t.mode == Mode::Crop;
  for (size_t a = 0; a < t.sizes.size(); ++a) {
    double length = double(t.scales[a].value_or(0)) * double(n.shape(0)[a]);
    if (needsNone ||
        std::abs(length - double(t.sizes[a])) <= 1e-6 * double(t.sizes[a]))
      t.scales[a].reset();
  }
  return success();
}

/// [starts..., ends...] of the axes.
static LogicalResult findRegion(NodeEmitter &n,
                                const std::vector<int64_t> &axes, Target &t) {
  auto roi = n.numbers(1, "the region");
  if (failed(roi))
    return failure();
  if (roi->size() != 2 * axes.size())
    return n.bad("the region has a wrong length", std::to_string(roi->size()),
                 std::to_string(2 * axes.size()));
  for (size_t i = 0; i < axes.size(); ++i) {
    t.begin[size_t(axes[i])] = (*roi)[i];
    t.end[size_t(axes[i])] = (*roi)[i + axes.size()];
  }
  return success();
}

static FailureOr<Target> target(NodeEmitter &n) {
  size_t rank = size_t(n.rank(0));
  Target t;
  t.sizes = n.shape(0);
  t.scales.resize(rank);
  t.begin.assign(rank, 0);
  t.end.assign(rank, 1);
  t.method = n.node.text("mode", "nearest");
  t.coordinates = n.node.text("coordinate_transformation_mode", "half_pixel");
  t.antialias = n.node.integer("antialias", 0) != 0;
  t.excludesOutside = n.node.integer("exclude_outside", 0) != 0;
  t.coefficient = n.node.number("cubic_coeff_a", -0.75f);
  t.outside = n.node.number("extrapolation_value", 0);
  using Words = llvm::StringSwitch<std::optional<int>>;
  auto mode = Words(t.coordinates)
                  .Case("half_pixel", int(Mode::HalfPixel))
                  .Case("half_pixel_symmetric", int(Mode::HalfPixelSymmetric))
                  .Case("pytorch_half_pixel", int(Mode::PytorchHalfPixel))
                  .Case("align_corners", int(Mode::AlignCorners))
                  .Case("asymmetric", int(Mode::Asymmetric))
                  .Case("tf_half_pixel_for_nn", int(Mode::TfHalfPixelForNn))
                  .Case("tf_crop_and_resize", int(Mode::Crop))
                  .Default(std::nullopt);
  std::string how = n.node.text("nearest_mode", "round_prefer_floor");
  auto nearest = Words(how)
                     .Case("round_prefer_floor", int(Nearest::PreferFloor))
                     .Case("round_prefer_ceil", int(Nearest::PreferCeil))
                     .Case("floor", int(Nearest::Floor))
                     .Case("ceil", int(Nearest::Ceil))
                     .Default(std::nullopt);
  if (!mode || !nearest ||
      (t.method != "nearest" && t.method != "linear" && t.method != "cubic"))
    return n.bad("unknown mode", t.method + ", " + t.coordinates + ", " + how,
                 "words from ONNX's definition");
  t.mode = Mode(*mode);
  t.nearest = Nearest(*nearest);
  auto axes = axesOf(n);
  if (failed(axes) || failed(findLengths(n, *axes, t)) ||
      (t.mode == Mode::Crop && failed(findRegion(n, *axes, t))))
    return failure();
  return t;
}

//===----------------------------------------------------------------------===//
// By layers that resize images
//===----------------------------------------------------------------------===//

/// Crops of one image between the corners of a region.
static Value cropAndResize(NodeEmitter &n, const Target &t) {
  Value boxes = n.build.constantOf(
      {1, 4}, ArrayRef<float>({float(t.begin[2]), float(t.begin[3]),
                               float(t.end[2]), float(t.end[3])}));
  Value images = n.build.constantOf({1}, ArrayRef<int32_t>({0}));
  return n.build
      .layers("CropAndResize", {n.last(0), boxes, images},
              {{"method", "BILINEAR"},
               {"crop_size", std::vector<int64_t>{t.sizes[2], t.sizes[3]}},
               {"extrapolation_value", double(t.outside)}},
              {DType::F32})
      .front();
}

static bool cropsOneImage(NodeEmitter &n, const Target &t) {
  if (t.mode != Mode::Crop || t.method != "linear" || t.antialias ||
      n.rank(0) != 4 || n.shape(0)[0] != 1)
    return false;
  bool isWhole = t.begin[1] == 0 && t.end[1] == 1;
  return t.sizes[0] == 1 && t.sizes[1] == n.shape(0)[1] && isWhole;
}

/// Images \p x, [N,H,W,C], with \p height rows and \p width columns.
static Value resizedImages(NodeEmitter &n, const Target &t, Value x,
                           int64_t height, int64_t width) {
  if (!x)
    return x;
  Shape size = {shapeOf(x)[0], height, width, shapeOf(x)[3]};
  bool isNearest = t.method == "nearest";
  if (isNearest)
    x = n.storedAsInput(0, x);
  Keys keys = {{"method", isNearest ? "NEAREST" : "BILINEAR"},
               {"mode", StringRef(t.coordinates).upper()},
               {"antialias", t.antialias && !isNearest},
               {"exclude_outside", t.excludesOutside},
               {"size", size}};
  if (isNearest)
    keys.push_back(
        {"nearest_mode",
         StringRef(n.node.text("nearest_mode", "round_prefer_floor")).upper()});
  return n.build
      .declared("Resize", {x}, keys,
                {compass::plainType(x.getContext(), size, elementOf(x))})
      .front();
}

/// Signals are images of one row; volumes are resized slice by slice, and then
/// the slices are, each as a row.
static Value resizedByLayers(NodeEmitter &n, const Target &t) {
  Value x = n.last(0);
  if (!x)
    return x;
  Shape from(shapeOf(x).begin(), shapeOf(x).end());
  int64_t batch = from[0], channels = from.back();
  if (n.rank(0) == 3) {
    x = n.build.reshape(x, {batch, 1, from[1], channels});
    x = resizedImages(n, t, x, 1, t.sizes[2]);
    return n.build.reshape(x, {batch, t.sizes[2], channels});
  }
  if (n.rank(0) == 4)
    return resizedImages(n, t, x, t.sizes[2], t.sizes[3]);
  if (t.sizes[3] != from[2] || t.sizes[4] != from[3]) {
    x = n.build.reshape(x, {batch * from[1], from[2], from[3], channels});
    x = resizedImages(n, t, x, t.sizes[3], t.sizes[4]);
  }
  int64_t pixels = t.sizes[3] * t.sizes[4];
  if (t.sizes[2] != from[1]) {
    x = n.build.reshape(x, {batch, from[1], pixels, channels});
    x = resizedImages(n, t, x, t.sizes[2], pixels);
  }
  return n.build.reshape(x,
                         {batch, t.sizes[2], t.sizes[3], t.sizes[4], channels});
}

/// Whether layers compute it: ratios of lengths, of spatial axes alone.
static bool hasLayers(NodeEmitter &n, const Target &t) {
  return n.rank(0) >= 3 && n.rank(0) <= 5 && t.method != "cubic" &&
         t.mode != Mode::Crop && t.sizes[0] == n.shape(0)[0] &&
         t.sizes[1] == n.shape(0)[1] &&
         llvm::none_of(t.scales, [](auto &scale) { return scale.has_value(); });
}

//===----------------------------------------------------------------------===//
// Axis by axis
//===----------------------------------------------------------------------===//

/// \p x with axis \p axis of its elements at the nearest positions.
static Value gathered(NodeEmitter &n, Value x, int64_t axis,
                      const Sampling &along, Nearest how) {
  std::vector<int32_t> positions;
  for (int64_t o = 0; o < along.out; ++o)
    positions.push_back(int32_t(along.nearest(o, how)));
  Value indices = n.build.constantOf({along.out}, positions);
  x = n.storedAsInput(0, x);
  return n.layer("Gather", {x, indices}, {{"axis", axis}, {"batch_dims", 0}});
}

static std::vector<double> weightsOf(const Target &t, const Sampling &along,
                                     int64_t o) {
  if (t.method == "linear")
    return along.linearRow(o, t.excludesOutside, t.antialias);
  if (t.method == "cubic")
    return along.cubicRow(o, t.coefficient, t.excludesOutside, t.antialias);
  std::vector<double> row(size_t(along.in), 0.0);
  row[size_t(along.nearest(o, t.nearest))] = 1;
  return row;
}

/// \p x, whose last axis is the one that \p along resizes, times a matrix of
/// weights. What lies outside of a region has none, and a bias.
static Value multiplied(NodeEmitter &n, const Target &t, Value x,
                        const Sampling &along) {
  std::vector<float> weights, bias;
  weights.reserve(size_t(along.in * along.out));
  for (int64_t o = 0; o < along.out; ++o) {
    bool isInside = along.isInside(o);
    for (double w : weightsOf(t, along, o))
      weights.push_back(isInside ? float(w) : 0.0f);
    bias.push_back(isInside ? 0.0f : t.outside);
  }
  Shape shape(shapeOf(x).begin(), shapeOf(x).end());
  x = n.build.reshape(x, {numElements(shape) / along.in, along.in});
  x = n.layer("FullyConnected", {x},
              {{"weights", n.build.floats({along.out, along.in}, weights)},
               {"biases", n.build.floats({along.out}, bias)},
               {"num_output", along.out}});
  shape.back() = along.out;
  return n.build.reshape(x, shape);
}

/// Each axis takes the last one's place, is multiplied and goes back.
static Value resizedByAxes(NodeEmitter &n, const Target &t) {
  Value x = n.plain(0);
  for (size_t a = t.sizes.size(); x && a-- > 0;) {
    Sampling along = t.along(n.shape(0), a);
    bool isWhole = t.begin[a] == 0 && t.end[a] == 1;
    if (along.in == along.out && !along.scale && isWhole)
      continue;
    if (t.method == "nearest" && t.mode != Mode::Crop) {
      x = gathered(n, x, int64_t(a), along, t.nearest);
      continue;
    }
    if (!isFloat(x)) {
      (void)n.refuse("integers are supported only with nearest, or with linear "
                     "if all results are whole numbers",
                     compass::dtypeName(elementOf(x)).str(), "floats");
      return {};
    }
    if (along.in * along.out > kMostWeights) {
      (void)n.refuse("this length is not supported",
                     std::to_string(along.in) + " to " +
                         std::to_string(along.out),
                     "at most " + std::to_string(kMostWeights) + " weights");
      return {};
    }
    std::vector<int64_t> swap(t.sizes.size());
    std::iota(swap.begin(), swap.end(), 0);
    std::swap(swap[a], swap.back());
    bool moves = a + 1 < t.sizes.size();
    if (moves)
      x = n.build.transpose(x, swap);
    x = x ? multiplied(n, t, x, along) : x;
    if (moves)
      x = n.build.transpose(x, swap);
  }
  return x;
}

LogicalResult graph::emitResize(NodeEmitter &n) {
  auto t = target(n);
  if (failed(t))
    return failure();
  bool isSame = llvm::none_of(t->scales, [](auto &s) { return s.has_value(); });
  if (t->sizes == n.shape(0) && isSame && t->mode != Mode::Crop)
    return n.outLast(0, n.last(0));
  if (cropsOneImage(n, *t))
    return n.outLast(0, cropAndResize(n, *t));
  if (hasLayers(n, *t))
    return n.outLast(0, resizedByLayers(n, *t));
  return n.outPlain(0, resizedByAxes(n, *t));
}
