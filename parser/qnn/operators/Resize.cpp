//===- Resize.cpp - Images of other lengths -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A layer resizes rows and columns of images, to the nearest pixel or linearly.
// Everything else is done axis by axis: elements are gathered, or rows are
// multiplied by a matrix of weights.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/Sampling.h"
#include "parser/qnn/OpReader.h"
#include <functional>
#include <numeric>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Constant;
using graph::Node;
using graph::Sampling;
using graph::Tensor;

using Dims = std::vector<std::int64_t>;
using Mode = Sampling::Mode;
using RowMaker =
    std::function<std::vector<double>(const Sampling &, std::int64_t)>;

/// Words of the layer, by the numbers of the parameters.
static const char *const kModes[] = {"HALF_PIXEL", "PYTORCH_HALF_PIXEL",
                                     "ALIGN_CORNERS", "ASYMMETRIC"};
static const char *const kNearestModes[] = {
    "ROUND_PREFER_FLOOR", "ROUND_PREFER_CEIL", "FLOOR", "CEIL"};

/// Reports a result that differs in other than spatial lengths.
static bool checkResult(OpReader &r) {
  const Dims &from = r.dims(0), &to = r.outputDims();
  bool fits = from.size() == to.size() && from.size() >= 2 &&
              from.front() == to.front() && from.back() == to.back();
  return fits || r.bad("out[0] changes lengths other than rows and columns",
                       dimsText(from) + " to " + dimsText(to),
                       "the batch and channels of in[0]");
}

/// The axes of in[0] whose length changes.
static Dims changedAxes(const OpReader &r) {
  Dims axes;
  for (std::int64_t a = 1; a + 1 < r.rank(0); ++a)
    if (r.dims(0)[std::size_t(a)] != r.outputDims()[std::size_t(a)])
      axes.push_back(a);
  return axes;
}

static Sampling samplingAlong(const OpReader &r, Mode mode, std::int64_t axis) {
  return {mode,
          r.dims(0)[std::size_t(axis)],
          r.outputDims()[std::size_t(axis)],
          {}};
}

static void setKeys(const OpReader &r, Node &node, const char *method,
                    Mode mode) {
  node.domain = kDomain;
  node.attributes["method"] = Attribute::of(std::string(method));
  node.attributes["mode"] =
      Attribute::of(std::string(kModes[std::size_t(mode)]));
  node.attributes["size"] = Attribute::of(r.outputDims());
}

/// Linear between pixels.
static void resizeByLayer(OpReader &r, Mode mode) {
  setKeys(r, r.result("Resize", {r.input(0)}), "BILINEAR", mode);
}

/// Element by element along each axis.
static void gatherAxes(OpReader &r, Mode mode, Sampling::Nearest how) {
  Tensor *x = r.input(0);
  for (std::int64_t axis : changedAxes(r)) {
    Sampling along = samplingAlong(r, mode, axis);
    Dims positions;
    for (std::int64_t o = 0; o < along.out; ++o)
      positions.push_back(along.nearest(o, how));
    std::string name = "axis_" + std::to_string(axis);
    Tensor *y = r.storedLike(*x, name);
    r.add("Gather", {x, r.integers(name + "_positions", positions)}, {y})
        .attributes["axis"] = Attribute::of(axis);
    x = y;
  }
  r.movedResult("Identity", {x}, x);
}

static void takeNearest(OpReader &r, Mode mode, Sampling::Nearest how) {
  bool isCertain = r.rank(0) == 4;
  for (std::int64_t axis : changedAxes(r))
    isCertain &= samplingAlong(r, mode, axis).isCertain(how);
  if (!isCertain)
    return gatherAxes(r, mode, how);
  Node &node = r.movedResult("Resize", {r.input(0)}, r.input(0));
  setKeys(r, node, "NEAREST", mode);
  node.attributes["nearest_mode"] =
      Attribute::of(std::string(kNearestModes[std::size_t(how)]));
}

/// The weights of \p rowOf, a column for each position of the result.
static Tensor *weightMatrix(OpReader &r, const Sampling &how,
                            const RowMaker &rowOf, const std::string &name) {
  std::vector<float> weights(std::size_t(how.in * how.out));
  for (std::int64_t o = 0; o < how.out; ++o) {
    std::vector<double> row = rowOf(how, o);
    for (std::int64_t i = 0; i < how.in; ++i)
      weights[std::size_t(i * how.out + o)] = float(row[std::size_t(i)]);
  }
  return r.constant(name, Constant::ofFloats({how.in, how.out}, weights));
}

/// Each axis takes the last one's place, is multiplied by weights and goes
/// back.
static void multiplyAxes(OpReader &r, Mode mode, const RowMaker &rowOf) {
  Tensor *x = r.input(0);
  Dims axes = changedAxes(r);
  for (std::int64_t axis : axes) {
    std::string name = "axis_" + std::to_string(axis);
    Dims swap(r.dims(0).size());
    std::iota(swap.begin(), swap.end(), 0);
    std::swap(swap[std::size_t(axis)], swap.back());
    Tensor *product = r.between(name + "_product");
    r.add("MatMul",
          {r.transposed(x, swap, name + "_last"),
           weightMatrix(r, samplingAlong(r, mode, axis), rowOf,
                        name + "_weights")},
          {product});
    Tensor *back = axis == axes.back() ? r.output(0) : r.between(name);
    r.add("Transpose", {product}, {back}).attributes["perm"] =
        Attribute::of(swap);
    x = back;
  }
  if (axes.empty())
    r.movedResult("Identity", {x}, x);
}

bool qnn::readResize(OpReader &r) {
  enum { Nearest, Linear, Cubic };
  if (!checkResult(r))
    return false;
  auto mode = Mode(r.scalar("transformation_mode"));
  std::int64_t method = r.scalar("interpolation_mode");
  bool excludesOutside = r.flag("exclude_outside");
  double coefficient = r.real("cubic_coeff");
  if (method == Nearest) {
    takeNearest(r, mode, Sampling::Nearest(r.scalar("nearest_mode")));
  } else if (method == Cubic) {
    multiplyAxes(r, mode, [=](const Sampling &s, std::int64_t o) {
      return s.cubicRow(o, coefficient, excludesOutside);
    });
  } else if (r.rank(0) == 4) {
    // Outside there is the same pixel again: without it the weights are as if
    // it were there.
    resizeByLayer(r, mode);
  } else {
    multiplyAxes(r, mode, [](const Sampling &s, std::int64_t o) {
      return s.linearRow(o, false, false);
    });
  }
  return true;
}

static bool checkImage(OpReader &r) {
  return r.rank(0) == 4 ||
         r.bad("in[0] is not an image", dimsText(r.dims(0)), "4 axes");
}

/// How the flags have pixels: without either their corners lie at whole
/// positions.
static Mode flaggedMode(const OpReader &r) {
  return r.flag("align_corners")        ? Mode::AlignCorners
         : r.flag("half_pixel_centers") ? Mode::HalfPixel
                                        : Mode::Asymmetric;
}

bool qnn::readResizeBilinear(OpReader &r) {
  if (!checkImage(r) || !checkResult(r))
    return false;
  Mode mode = flaggedMode(r);
  if (r.flag("antialias"))
    multiplyAxes(r, mode, &Sampling::smoothRow);
  else
    resizeByLayer(r, mode);
  return true;
}

/// The pixel that a position lies in; of aligned corners the nearest one.
bool qnn::readResizeNearest(OpReader &r) {
  if (!checkImage(r) || !checkResult(r))
    return false;
  Mode mode = flaggedMode(r);
  // A pixel's centre is half a pixel behind its corner: the nearest centre is
  // that of the pixel a place lies in.
  takeNearest(r, mode,
              mode == Mode::Asymmetric ? Sampling::Nearest::Floor
                                       : Sampling::Nearest::PreferCeil);
  return true;
}
