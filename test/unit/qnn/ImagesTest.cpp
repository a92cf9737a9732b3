//===- ImagesTest.cpp - Resized and rearranged images of QNN --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/qnn/References.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::test;

namespace {

/// The parameters of Resize.
struct How {
  int transformation = 0, interpolation = 0, nearest = 0;
  bool excludesOutside = false;
  double coefficient = -0.75;
};

double placeOf(int transformation, double o, double in, double out) {
  switch (transformation) {
  case 0:
    return (o + 0.5) * in / out - 0.5;
  case 1:
    return out > 1 ? (o + 0.5) * in / out - 0.5 : 0;
  case 2:
    return out > 1 ? o * (in - 1) / (out - 1) : 0;
  default:
    return o * in / out;
  }
}

/// The pixel that the place between \p floor and the next one takes.
double nearestOf(int mode, double place) {
  double floor = std::floor(place), part = place - floor;
  bool isUp = mode == 0   ? part > 0.5
              : mode == 1 ? part >= 0.5
              : mode == 3 ? part > 0
                          : false;
  return floor + (isUp ? 1 : 0);
}

/// Pixels of one axis and their weights.
std::vector<std::pair<std::int64_t, double>>
samplesOf(const How &how, std::int64_t o, std::int64_t in, std::int64_t out) {
  double x = placeOf(how.transformation, double(o), double(in), double(out));
  auto first = std::int64_t(std::floor(x));
  std::vector<std::pair<std::int64_t, double>> samples;
  if (how.interpolation == 0)
    samples.push_back({std::int64_t(nearestOf(how.nearest, x)), 1});
  for (std::int64_t i = first; how.interpolation == 1 && i <= first + 1; ++i)
    samples.push_back({i, 1 - std::abs(x - double(i))});
  for (std::int64_t i = first - 1; how.interpolation == 2 && i <= first + 2;
       ++i) {
    double t = std::abs(x - double(i)), a = how.coefficient;
    double near = (a + 2) * t * t * t - (a + 3) * t * t + 1,
           far = a * t * t * t - 5 * a * t * t + 8 * a * t - 4 * a;
    samples.push_back({i, t <= 1 ? near : t < 2 ? far : 0});
  }
  double sum = 0;
  for (auto &[i, weight] : samples) {
    bool isOutside = i < 0 || i >= in;
    if (isOutside && how.excludesOutside)
      weight = 0;
    i = std::clamp(i, std::int64_t(0), in - 1);
    sum += weight;
  }
  for (auto &[i, weight] : samples)
    weight /= sum;
  return samples;
}

/// Axis by axis, which the weights allow.
Reference resized(const Reference &x, const Dims &dims, const How &how) {
  Reference from = x;
  for (std::size_t a = 1; a + 1 < dims.size(); ++a) {
    Dims lengths = from.dims;
    lengths[a] = dims[a];
    Reference to(lengths);
    forEachIndex(lengths, [&](const Dims &at) {
      for (auto [i, weight] : samplesOf(how, at[a], from.dims[a], dims[a])) {
        Dims place = at;
        place[a] = i;
        to.at(at) += weight * from.at(place);
      }
    });
    from = to;
  }
  return from;
}

const std::pair<Dims, Dims> kSizes[] = {
    {{1, 4, 5, 2}, {1, 8, 10, 2}}, {{2, 6, 8, 3}, {2, 3, 4, 3}},
    {{1, 5, 7, 2}, {1, 7, 3, 2}},  {{1, 3, 4, 1}, {1, 1, 9, 1}},
    {{1, 7, 2}, {1, 10, 2}},       {{1, 3, 4, 5, 2}, {1, 6, 3, 7, 2}},
    {{1, 4, 4, 2}, {1, 4, 4, 2}},
};

void setParams(OneNode &net, const How &how) {
  net.param("transformation_mode", how.transformation)
      .param("interpolation_mode", how.interpolation);
  if (how.interpolation == 0)
    net.param("nearest_mode", how.nearest);
  if (how.excludesOutside)
    net.flag("exclude_outside", true);
  if (how.coefficient != -0.75)
    net.real("cubic_coeff", how.coefficient);
}

std::vector<How> allResizes() {
  std::vector<How> result;
  for (int transformation : {0, 1, 2, 3}) {
    for (int nearest : {0, 1, 2, 3})
      result.push_back({transformation, 0, nearest});
    for (bool excludes : {false, true}) {
      result.push_back({transformation, 1, 0, excludes});
      result.push_back({transformation, 2, 0, excludes});
    }
    result.push_back({transformation, 2, 0, true, -0.5});
  }
  return result;
}

} // namespace

TEST(QnnResize, ComputesFloats) {
  Random random(1);
  for (const How &how : allResizes())
    for (const auto &[from, to] : kSizes) {
      SCOPED_TRACE(
          "modes " + std::to_string(how.transformation) +
          std::to_string(how.interpolation) + std::to_string(how.nearest) +
          " " + ::testing::PrintToString(from) + ::testing::PrintToString(to));
      Values x = random.values(F32, from);
      OneNode net("Resize");
      setParams(net, how);
      net.input(x).output(F32, to);
      expectClose(net.run(), resized(x, to, how),
                  how.interpolation == 0 ? 0 : 1e-6);
    }
}

TEST(QnnResize, ComputesStoredNumbers) {
  Random random(2);
  for (DataType type : {U8, S16})
    for (const How &how : allResizes()) {
      if (how.transformation % 2)
        continue;
      const auto &[from, to] = kSizes[2];
      Values x = random.values(type, from, encodingFor(type, -1, 2));
      OneNode net("Resize");
      setParams(net, how);
      net.input(x).output(type, to, x.encoding);
      if (how.interpolation == 0)
        expectEqual(net.run(), resized(x, to, how));
      else
        expectWithinOne(net.run(), resized(x, to, how));
    }
}

TEST(QnnResize, ComputesWithFlags) {
  Random random(3);
  for (bool isNearest : {false, true})
    for (int flags : {0, 1, 2})
      for (const auto &[from, to] : kSizes) {
        if (from.size() != 4)
          continue;
        SCOPED_TRACE(std::to_string(flags) + ::testing::PrintToString(from) +
                     ::testing::PrintToString(to));
        How how{flags == 1   ? 2
                : flags == 2 ? 0
                             : 3,
                isNearest ? 0 : 1, flags == 0 ? 2 : 1};
        for (DataType type : {F32, U8}) {
          Values x = type == U8
                         ? random.values(U8, from, encodingFor(U8, -1, 1))
                         : random.values(F32, from);
          OneNode net(isNearest ? "ResizeNearestNeighbor" : "ResizeBilinear");
          if (flags)
            net.flag(flags == 1 ? "align_corners" : "half_pixel_centers", true);
          net.input(x).output(type, to, x.encoding);
          Reference y = resized(x, to, how);
          if (type == F32)
            expectClose(net.run(), y, isNearest ? 0 : 1e-6);
          else if (isNearest)
            expectEqual(net.run(), y);
          else
            expectWithinOne(net.run(), y);
        }
      }
}

TEST(QnnResize, SmoothsWithAntialias) {
  OneNode net("ResizeBilinear");
  net.flag("half_pixel_centers", true)
      .flag("antialias", true)
      .input(floats({1, 1, 4, 1}, {0, 4, 8, 40}))
      .output(F32, {1, 1, 2, 1});
  // Places 0.5 and 2.5; triangles of two pixels to either side.
  double left = (0.75 * 0 + 0.75 * 4 + 0.25 * 8) / 1.75,
         right = (0.25 * 4 + 0.75 * 8 + 0.75 * 40) / 1.75;
  EXPECT_THAT(net.run().numbers,
              ::testing::ElementsAre(::testing::DoubleNear(left, 1e-5),
                                     ::testing::DoubleNear(right, 1e-5)));
}

TEST(QnnResize, ReportsOtherChannels) {
  OneNode net("ResizeBilinear");
  net.input(floats({1, 1, 1, 2}, {1, 2})).output(F32, {1, 2, 2, 1});
  EXPECT_FALSE(net.import());
  EXPECT_TRUE(net.reports("E1041"));
}

namespace {

using Setter = std::function<void(OneNode &)>;

/// A node that only moves: \p source tells where each element of the result
/// comes from; outside there are zeros.
void checkMove(const std::string &type, const Setter &setParams,
               const Dims &from, const Dims &to,
               const std::function<Dims(const Dims &)> &source) {
  SCOPED_TRACE(type + ::testing::PrintToString(from));
  Random random(from.size());
  for (DataType element : {F32, U8, DataType::INT_32}) {
    Values x = element == U8 ? random.values(U8, from, encodingFor(U8, -1, 2))
                             : random.values(element, from, {}, -100, 100);
    Reference input(x), y(to);
    forEachIndex(to, [&](const Dims &at) {
      Dims place = source(at);
      y.at(at) = input.has(place) ? input.at(place) : 0;
    });
    OneNode net(type);
    setParams(net);
    net.input(x).output(element, to, x.encoding);
    if (element == U8)
      expectEqual(net.run(), y);
    else
      EXPECT_EQ(net.run().numbers, y.reals);
  }
}

void setBlock(OneNode &net, std::int64_t rows, std::int64_t columns) {
  net.list("block_size", {2}, {double(rows), double(columns)});
}

} // namespace

TEST(QnnBlocks, MoveDepthToSpaceAndBack) {
  constexpr std::int64_t kRows = 2, kColumns = 3, kDepth = 2;
  for (int mode : {0, 1}) {
    auto set = [&](OneNode &net) {
      setBlock(net, kRows, kColumns);
      net.param("mode", mode);
    };
    auto depthOf = [&](std::int64_t y, std::int64_t x, std::int64_t c) {
      std::int64_t cell = y % kRows * kColumns + x % kColumns;
      return mode == 0 ? cell * kDepth + c : c * kRows * kColumns + cell;
    };
    Dims deep = {2, 2, 2, 12}, wide = {2, 4, 6, 2};
    checkMove("DepthToSpace", set, deep, wide, [&](const Dims &at) {
      return Dims{at[0], at[1] / kRows, at[2] / kColumns,
                  depthOf(at[1], at[2], at[3])};
    });
    checkMove("SpaceToDepth", set, wide, deep, [&](const Dims &at) {
      std::int64_t cell =
          mode == 0 ? at[3] / kDepth : at[3] % (kRows * kColumns);
      std::int64_t channel =
          mode == 0 ? at[3] % kDepth : at[3] / (kRows * kColumns);
      return Dims{at[0], at[1] * kRows + cell / kColumns,
                  at[2] * kColumns + cell % kColumns, channel};
    });
  }
}

TEST(QnnBlocks, MoveBatchToSpaceAndBack) {
  auto set = [](const char *edges, std::vector<double> rows) {
    return [=](OneNode &net) {
      setBlock(net, 2, 3);
      if (!rows.empty())
        net.list(edges, {2, 2}, rows);
    };
  };
  for (bool hasEdges : {false, true}) {
    std::int64_t top = hasEdges ? 1 : 0, left = hasEdges ? 2 : 0;
    std::vector<double> rows;
    if (hasEdges)
      rows = {1, 2, 2, 0};
    // Batches of one image, row by row of a block.
    checkMove("BatchToSpace", set("crops", rows), {12, 3, 2, 2},
              {2, 6 - 3 * top, 6 - left, 2}, [&](const Dims &at) {
                std::int64_t y = at[1] + top, x = at[2] + left;
                return Dims{(y % 2 * 3 + x % 3) * 2 + at[0], y / 2, x / 3,
                            at[3]};
              });
    checkMove("SpaceToBatch", set("pad_amount", rows),
              {2, 6 - 3 * top, 6 - left, 2}, {12, 3, 2, 2},
              [&](const Dims &at) {
                std::int64_t cell = at[0] / 2;
                return Dims{at[0] % 2, at[1] * 2 + cell / 3 - top,
                            at[2] * 3 + cell % 3 - left, at[3]};
              });
  }
}

TEST(QnnBlocks, ShuffleChannels) {
  for (auto [x, axis, groups] :
       {std::tuple(Dims{1, 2, 3, 6}, 3, 2), std::tuple(Dims{2, 6, 3}, 1, 3),
        std::tuple(Dims{4}, 0, 4), std::tuple(Dims{2, 4}, -1, 2)}) {
    auto along = std::size_t(axis < 0 ? std::int64_t(x.size()) - 1 : axis);
    std::int64_t size = x[along] / groups;
    checkMove(
        "ChannelShuffle",
        [axis = axis, groups = groups](OneNode &net) {
          net.param("num_groups", groups);
          if (axis >= 0)
            net.param("axis", axis);
        },
        x, x,
        [=, groups = groups](const Dims &at) {
          Dims from = at;
          from[along] = at[along] % groups * size + at[along] / groups;
          return from;
        });
  }
}

TEST(QnnBlocks, ReportBlocksThatDoNotFit) {
  OneNode net("DepthToSpace");
  setBlock(net, 2, 2);
  net.input(floats({1, 1, 1, 2}, {1, 2})).output(F32, {1, 2, 2, 1});
  EXPECT_FALSE(net.import());
  EXPECT_TRUE(net.reports("E1041"));
}
