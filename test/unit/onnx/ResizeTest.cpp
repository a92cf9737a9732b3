//===- ResizeTest.cpp - Resize against ONNX's definition ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/onnx/Imported.h"
#include <algorithm>
#include <cmath>
#include <functional>

using namespace yarrow;
using namespace yarrow::test;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

namespace {

using Lengths = std::vector<int64_t>;
using Data = std::vector<double>;

/// A node of Resize, and what the text of the operator says of it.
struct Case {
  Lengths shape;
  std::vector<float> scales = {}; ///< Or sizes.
  Lengths sizes = {};
  std::string mode = "linear", how = "half_pixel", policy = "stretch",
              nearest = "round_prefer_floor";
  Lengths axes = {};
  bool antialias = false, excludesOutside = false;
  float coefficient = -0.75f, outside = 0;
  std::vector<float> roi = {};

  std::string model() const;
  /// Scale, length of the result and region of each axis.
  struct Axis {
    double scale = 1;
    int64_t in = 0, out = 0;
    double begin = 0, end = 1;
  };
  std::vector<Axis> axesOfResult() const;
  double place(const Axis &a, int64_t o) const;
  /// One line of \p in values, resized.
  double sample(const Axis &a, int64_t o,
                const std::function<double(int64_t)> &at) const;
  std::vector<float> expected(const std::vector<float> &x) const;
};

std::string Case::model() const {
  Message node =
      nodeOf("Resize",
             {"x", roi.empty() ? "" : "roi", sizes.empty() ? "scales" : "",
              sizes.empty() ? "" : "sizes"},
             {"y"});
  node.add(5, stringAttribute("mode", mode))
      .add(5, stringAttribute("coordinate_transformation_mode", how))
      .add(5, stringAttribute("keep_aspect_ratio_policy", policy))
      .add(5, stringAttribute("nearest_mode", nearest))
      .add(5, intAttribute("antialias", antialias))
      .add(5, intAttribute("exclude_outside", excludesOutside))
      .add(5, floatAttribute("cubic_coeff_a", coefficient))
      .add(5, floatAttribute("extrapolation_value", outside));
  if (!axes.empty())
    node.add(5, intsAttribute("axes", axes));
  Message graph;
  graph.add(1, node).add(11, valueOf("x", shape)).add(12, valueOf("y", {}));
  if (sizes.empty())
    graph.add(5, floatsOf("scales", {int64_t(scales.size())}, scales));
  else
    graph.add(5, integersOf("sizes", sizes));
  if (!roi.empty())
    graph.add(5, floatsOf("roi", {int64_t(roi.size())}, roi));
  return modelOf(graph, 19);
}

std::vector<Case::Axis> Case::axesOfResult() const {
  std::vector<Axis> result(shape.size());
  Lengths named = axes;
  for (size_t i = 0; i < shape.size(); ++i) {
    result[i].in = result[i].out = shape[i];
    if (axes.empty())
      named.push_back(int64_t(i));
  }
  double common = 0;
  for (size_t i = 0; i < named.size(); ++i) {
    Axis &a = result[size_t(named[i])];
    a.scale =
        sizes.empty() ? double(scales[i]) : double(sizes[i]) / double(a.in);
    a.out = sizes.empty() ? int64_t(float(scales[i]) * float(a.in)) : sizes[i];
    common = i == 0                   ? a.scale
             : policy == "not_larger" ? std::min(common, a.scale)
                                      : std::max(common, a.scale);
    if (!roi.empty())
      a.begin = double(roi[i]), a.end = double(roi[i + named.size()]);
  }
  for (int64_t axis : named)
    if (policy != "stretch") {
      Axis &a = result[size_t(axis)];
      a.scale = common;
      a.out = int64_t(std::floor(common * double(a.in) + 0.5));
    }
  return result;
}

double Case::place(const Axis &a, int64_t o) const {
  double x = double(o), in = double(a.in), out = double(a.out);
  if (how == "asymmetric")
    return x / a.scale;
  if (how == "align_corners")
    return a.out == 1 ? 0 : x * (in - 1) / (out - 1);
  if (how == "pytorch_half_pixel" && a.out == 1)
    return 0;
  if (how == "half_pixel_symmetric")
    return in / 2 * (1 - out / (a.scale * in)) + (x + 0.5) / a.scale - 0.5;
  if (how == "tf_crop_and_resize")
    return a.out == 1 ? (a.begin + a.end) * (in - 1) / 2
                      : a.begin * (in - 1) +
                            x * (a.end - a.begin) * (in - 1) / (out - 1);
  return (x + 0.5) / a.scale - 0.5;
}

double Case::sample(const Axis &a, int64_t o,
                    const std::function<double(int64_t)> &at) const {
  double x = place(a, o);
  if (how == "tf_crop_and_resize" && (x < 0 || x > double(a.in - 1)))
    return outside;
  auto clamped = [&](int64_t i) {
    return at(std::clamp<int64_t>(i, 0, a.in - 1));
  };
  if (mode == "nearest") {
    // Ratios that float32 does not have must not move what lies between two.
    double near = std::round(x * 2) / 2;
    if (std::abs(near - x) < 1e-5)
      x = near;
    return clamped(int64_t(nearest == "floor"  ? std::floor(x)
                           : nearest == "ceil" ? std::ceil(x)
                           : nearest == "round_prefer_floor"
                               ? std::ceil(x - 0.5)
                               : std::floor(x + 0.5)));
  }
  double shrink = antialias ? std::min(1.0, a.scale) : 1, A = coefficient;
  auto kernel = [&](double d) {
    double t = std::abs(d * shrink);
    if (mode == "linear")
      return std::max(0.0, 1 - t);
    return t <= 1  ? (A + 2) * t * t * t - (A + 3) * t * t + 1
           : t < 2 ? A * t * t * t - 5 * A * t * t + 8 * A * t - 4 * A
                   : 0.0;
  };
  double sum = 0, weights = 0;
  for (auto i = int64_t(x - 2 / shrink) - 2; double(i) < x + 2 / shrink + 2;
       ++i)
    if (!excludesOutside || (i >= 0 && i < a.in)) {
      sum += kernel(x - double(i)) * clamped(i);
      weights += kernel(x - double(i));
    }
  return sum / weights;
}

/// Axis by axis, from the last one on.
std::vector<float> Case::expected(const std::vector<float> &x) const {
  std::vector<Axis> along = axesOfResult();
  Data data(x.begin(), x.end());
  for (size_t k = along.size(); k-- > 0;) {
    int64_t inner = 1, outer = int64_t(data.size());
    for (size_t j = k + 1; j < along.size(); ++j)
      inner *= along[j].out;
    outer /= inner * along[k].in;
    bool isSame = along[k].in == along[k].out && along[k].scale == 1 &&
                  along[k].begin == 0 && along[k].end == 1;
    Data next;
    for (int64_t i = 0; i < outer; ++i)
      for (int64_t o = 0; o < along[k].out; ++o)
        for (int64_t j = 0; j < inner; ++j) {
          auto at = [&](int64_t p) {
            return data[size_t((i * along[k].in + p) * inner + j)];
          };
          next.push_back(isSame ? at(o) : sample(along[k], o, at));
        }
    data = next;
  }
  return {data.begin(), data.end()};
}

std::vector<float> numbersOf(const Lengths &shape) {
  int64_t count = 1;
  for (int64_t length : shape)
    count *= length;
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(float((i * 37) % 101) / 16 - 3);
  return values;
}

void expectRight(const Case &c) {
  SCOPED_TRACE(c.mode + " " + c.how + " " + c.policy + " " + c.nearest);
  std::vector<float> x = numbersOf(c.shape);
  Imported net(c.model());
  ASSERT_TRUE(net.module) << (net.diags.all().empty()
                                  ? ""
                                  : net.diags.all().front().message);
  EXPECT_THAT(net.run(x), Pointwise(FloatNear(2e-5f), c.expected(x)));
}

const char *const kModes[] = {"half_pixel", "half_pixel_symmetric",
                              "pytorch_half_pixel", "align_corners",
                              "asymmetric"};

} // namespace

/// With a policy the coordinates follow the one scale, not the ratio of the
/// lengths that were rounded from it.
TEST(Resize, KeepsTheAspectRatio) {
  for (const char *how : kModes)
    for (const char *mode : {"nearest", "linear", "cubic"})
      for (const char *policy : {"not_larger", "not_smaller"})
        for (const Lengths &size : {Lengths{9, 12}, Lengths{5, 6}})
          for (bool isLast : {false, true}) {
            Case c{.shape =
                       isLast ? Lengths{2, 7, 11, 3} : Lengths{2, 3, 7, 11},
                   .sizes = size,
                   .mode = mode,
                   .how = how,
                   .policy = policy};
            c.axes = isLast ? Lengths{1, 2} : Lengths{2, 3};
            expectRight(c);
          }
}

/// A length that is no whole number is rounded down, and the scale stays.
TEST(Resize, GoesByScales) {
  for (const char *how : kModes)
    for (const char *mode : {"nearest", "linear", "cubic"})
      for (std::vector<float> scales : {std::vector<float>{1, 1, 0.7f, 1.3f},
                                        {1, 1, 2, 0.5f},
                                        {1, 1, 1.2f, 2.5f}})
        expectRight({.shape = {1, 2, 9, 7},
                     .scales = scales,
                     .mode = mode,
                     .how = how});
  // Ten pixels at a scale of 0.7 are seven, as float32 has it; one scale may
  // change pixels and no length.
  EXPECT_EQ(
      Imported(Case{.shape = {1, 1, 1, 10}, .scales = {1, 1, 1, 0.7f}}.model())
          .run(numbersOf({10}))
          .size(),
      7u);
  expectRight(
      {.shape = {1, 1, 4}, .scales = {1, 1, 1.2f}, .how = "asymmetric"});
}

TEST(Resize, TakesTheNearest) {
  for (const char *nearest :
       {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})
    for (float scale : {0.6f, 2.0f, 1.7f})
      expectRight({.shape = {1, 1, 6, 5},
                   .scales = {1, 1, scale, 0.5f},
                   .mode = "nearest",
                   .nearest = nearest});
}

TEST(Resize, IsCubic) {
  for (bool antialias : {false, true})
    for (bool excludes : {false, true})
      for (float scale : {0.4f, 2.0f, 0.75f})
        for (float coefficient : {-0.5f, -0.75f})
          for (const char *mode : {"cubic", "linear"})
            expectRight({.shape = {1, 2, 8, 10},
                         .scales = {1, 1, scale, 0.5f},
                         .mode = mode,
                         .antialias = antialias,
                         .excludesOutside = excludes,
                         .coefficient = coefficient});
  Imported net(
      Case{.shape = {1, 2, 4, 4}, .scales = {1, 1, 2, 2}, .mode = "cubic"}
          .model());
  // Products with constant weights, which the tensor engine computes.
  EXPECT_THAT(net.layers(), ::testing::Contains("FullyConnected").Times(2));
}

TEST(Resize, HasAnyAxes) {
  for (const char *mode : {"nearest", "linear", "cubic"}) {
    expectRight(
        {.shape = {1, 2, 3, 4, 5}, .sizes = {1, 2, 6, 3, 7}, .mode = mode});
    expectRight({.shape = {2, 1, 4, 2, 3},
                 .scales = {1, 1, 0.5f, 1.7f, 2},
                 .mode = mode,
                 .how = "asymmetric"});
    expectRight({.shape = {4, 3}, .sizes = {7, 2}, .mode = mode});
    expectRight({.shape = {3, 4, 5}, .sizes = {2, 9, 4}, .mode = mode});
    expectRight(
        {.shape = {2, 5, 4, 3}, .sizes = {3, 8}, .mode = mode, .axes = {3, 1}});
  }
  Imported volume(
      Case{.shape = {1, 2, 3, 4, 5}, .scales = {1, 1, 2, 2, 2}}.model());
  // Rows and columns of the slices, then the slices.
  EXPECT_THAT(volume.layers(), ::testing::Contains("Resize").Times(2));
}

TEST(Resize, CropsARegion) {
  for (const char *mode : {"nearest", "linear", "cubic"})
    for (const Lengths &shape : {Lengths{1, 1, 6, 5}, Lengths{2, 3, 6, 5}})
      for (std::vector<float> corners :
           {std::vector<float>{0.2f, 0.25f, 0.8f, 0.9f},
            {-0.3f, 0.1f, 1.2f, 1.4f}})
        for (const Lengths &size : {Lengths{4, 7}, Lengths{1, 3}})
          expectRight({.shape = shape,
                       .sizes = size,
                       .mode = mode,
                       .how = "tf_crop_and_resize",
                       .axes = {2, 3},
                       .outside = 10,
                       .roi = corners});
}

TEST(Resize, IsRefused) {
  auto problem = [](const Case &c) {
    Imported net(c.model());
    EXPECT_EQ(net.diags.all().size(), 1u);
    return net.diags.all().empty() ? "" : net.diags.all().front().message;
  };
  EXPECT_EQ(problem({.shape = {1, 1, 2, 2}, .scales = {1, 1, 0.3f, 1}}),
            "Resize: the result has no elements");
  EXPECT_EQ(problem({.shape = {1, 1, 2, 2}, .sizes = {4, 4}, .axes = {2, -2}}),
            "Resize: an axis is given twice");
  EXPECT_EQ(
      problem(
          {.shape = {1, 1, 2, 2}, .sizes = {1, 1, 4, 4}, .mode = "quadratic"}),
      "Resize: unknown mode");
  EXPECT_EQ(
      problem(
          {.shape = {1, 1, 2, 2}, .sizes = {1, 1, 4, 4}, .policy = "nearly"}),
      "Resize: unknown keep_aspect_ratio_policy");
}
