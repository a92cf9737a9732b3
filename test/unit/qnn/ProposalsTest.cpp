//===- ProposalsTest.cpp - Proposals and moved boxes of QNN ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Beside plain loops in double precision over the definitions' rules.
//
//===----------------------------------------------------------------------===//
#include "test/unit/qnn/BoxReferences.h"

using namespace yarrow;
using namespace yarrow::test;

namespace {

/// dx, dy, dw, dh applied to x1, y1, x2, y2, clipped to 0 .. size.
Box moved(const Box &box, const double *delta, double height, double width) {
  Box result;
  const double most[] = {width, height};
  for (std::size_t axis : {0, 1}) {
    double side = box[axis + 2] - box[axis],
           centre = (box[axis] + box[axis + 2]) / 2 + delta[axis] * side,
           half = std::exp(delta[axis + 2]) * side / 2;
    result[axis] = std::clamp(centre - half, 0.0, most[axis]);
    result[axis + 2] = std::clamp(centre + half, 0.0, most[axis]);
  }
  return result;
}

} // namespace

TEST(QnnProposals, AxisAlignedBboxTransformMovesBoxes) {
  for (bool isWeighted : {false, true})
    for (DataType type : {kReal, kByte}) {
      constexpr std::size_t kRois = 5, kClasses = 2;
      Random random(1);
      std::vector<Box> boxes = randomBoxes(random, kRois, 8);
      Values deltas = randomReals(random, {kRois, kClasses * 4}, -1, 1, type);
      const Reals images = {0, 1, 1, 0, 1}, sizes = {9, 7, 6, 10};
      const Reals weights = {2, 4, 5, 8};
      OneNode net("AxisAlignedBboxTransform");
      net.input(floats({kRois, 4}, flat(boxes)))
          .input(deltas)
          .input(integers({kRois}, images))
          .input(floats({2, 2}, sizes));
      if (isWeighted)
        net.list("weights", {4}, weights, kReal);
      net.output(kReal, {kRois, kClasses * 4}).output(kWhole, {2});
      Reals reals = deltas.reals(), expected;
      for (std::size_t i = 0; i < kRois * kClasses; ++i) {
        double delta[4];
        for (std::size_t k = 0; k < 4; ++k)
          delta[k] = reals[4 * i + k] / (isWeighted ? weights[k] : 1);
        auto image = std::size_t(images[i / kClasses]);
        Box box = moved(boxes[i / kClasses], delta, sizes[2 * image],
                        sizes[2 * image + 1]);
        expected.insert(expected.end(), box.begin(), box.end());
      }
      expectNear(net.run(0), expected);
      expectExactly(net.run(1), {2, 3});
    }
}

TEST(QnnProposals, BboxTransformMovesRotatedBoxes) {
  for (bool isLimited : {false, true}) {
    constexpr std::size_t kRois = 4, kClasses = 2;
    Random random(2);
    Values boxes = random.values(kReal, {kRois, 5}, {}, 2, 6),
           deltas = random.values(kReal, {kRois, kClasses * 5}, {}, -1, 1);
    const Reals images = {0, 0, 1, 1}, info = {9, 7, 2, 6, 10, 0.5},
                weights = {1, 2, 4, 1};
    OneNode net("BboxTransform");
    net.input(boxes).input(deltas).input(floats({2, 3}, info));
    if (isLimited)
      net.input(integers({kRois}, images));
    net.list("weights", {4}, weights, kReal).flag("apply_scale", isLimited);
    if (isLimited)
      net.list("angle_bounds", {2}, {3, 5}, kWhole)
          .real("angle_clip_threshold", 3.5);
    net.output(kReal, {kRois, kClasses * 5}).output(kWhole, {2});
    Reals expected;
    for (std::size_t i = 0; i < kRois * kClasses; ++i) {
      const double
          *b = &boxes.numbers[i / kClasses * 5],
          *d = &deltas.numbers[i * 5],
          *of = &info[isLimited ? std::size_t(images[i / kClasses]) * 3 : 0];
      double row[5];
      for (std::size_t axis : {0, 1}) {
        double most = of[1 - axis],
               centre = b[axis] + d[axis] / weights[axis] * b[axis + 2],
               half =
                   std::exp(d[axis + 2] / weights[axis + 2]) * b[axis + 2] / 2;
        double low = std::clamp(centre - half, 0.0, most),
               high = std::clamp(centre + half, 0.0, most),
               scale = isLimited ? of[2] : 1;
        row[axis] = (low + high) / 2 * scale;
        row[axis + 2] = (high - low) * scale;
      }
      row[4] = b[4] + d[4];
      if (isLimited) {
        row[4] = std::clamp(row[4], 3.0, 5.0);
        row[4] = row[4] < 3.5 ? 0 : row[4];
      }
      expected.insert(expected.end(), row, row + 5);
    }
    expectNear(net.run(0), expected);
    expectExactly(net.run(1), isLimited ? Reals{2, 2} : Reals{4, 0});
  }
}

TEST(QnnProposals, GenerateProposalsMovesAnchorsOfCells) {
  for (bool isClipped : {false, true}) {
    constexpr std::size_t kImages = 2, kHeight = 3, kWidth = 2, kAnchors = 2,
                          kBefore = 8, kAfter = 4, kRows = 10;
    constexpr double kIou = 0.25, kLeast = 1.5;
    Random random(3);
    Values scores = random.values(kReal, {kImages, kHeight, kWidth, kAnchors},
                                  {}, 0, 1),
           deltas = random.values(
               kReal, {kImages, kHeight, kWidth, kAnchors * 4}, {}, -1, 1);
    // ln(1000 / 16) is 4.135.
    deltas.numbers[2] = 6, deltas.numbers[11] = 5;
    std::vector<Box> anchors = {{-2, -3, 4, 5}, {0, 0, 3, 2}};
    const Reals sizes = {12, 11, 10, 13}, ratio = {4, 5};
    OneNode net("GenerateProposals");
    net.input(scores)
        .input(deltas)
        .input(floats({kAnchors, 4}, flat(anchors)))
        .input(floats({kImages, 2}, sizes))
        .list("img_size_ratio", {2}, ratio, kReal)
        .real("min_size", kLeast)
        .param("pre_nms_limit", kBefore)
        .param("post_nms_limit", kAfter)
        .real("iou_threshold", kIou)
        .flag("bbox_xform_clip", isClipped)
        .output(kReal, {kRows})
        .output(kReal, {kRows, 4})
        .output(kWhole, {kRows});
    Reals outScores, outBoxes, outImages;
    for (std::size_t n = 0; n < kImages; ++n) {
      std::vector<Row> rows;
      std::vector<Box> boxes;
      constexpr std::size_t kAll = kHeight * kWidth * kAnchors;
      for (std::size_t i = 0; i < kAll; ++i) {
        std::size_t cell = i / kAnchors;
        double delta[4];
        for (std::size_t k = 0; k < 4; ++k) {
          delta[k] = deltas.numbers[(n * kAll + i) * 4 + k];
          if (isClipped && k > 1)
            delta[k] = std::min(delta[k], std::log(1000.0 / 16));
        }
        Box anchor = anchors[i % kAnchors];
        for (std::size_t k = 0; k < 4; ++k)
          anchor[k] += k % 2 ? double(cell / kWidth) * ratio[0]
                             : double(cell % kWidth) * ratio[1];
        boxes.push_back(moved(anchor, delta, sizes[2 * n], sizes[2 * n + 1]));
        rows.push_back({scores.numbers[n * kAll + i], 0, i});
      }
      sortRows(rows, kBefore);
      std::vector<Box> of;
      Reals ofScores;
      for (const Row &row : rows) {
        const Box &box = boxes[row.box];
        if (box[2] - box[0] < kLeast || box[3] - box[1] < kLeast)
          continue;
        of.push_back(box), ofScores.push_back(row.score);
      }
      SuppressionRule rule = hard(-1, kIou, true);
      rule.most = kAfter;
      for (const Kept &k : suppressed(of, ofScores, rule)) {
        outScores.push_back(k.score);
        outBoxes.insert(outBoxes.end(), of[k.box].begin(), of[k.box].end());
        outImages.push_back(double(n));
      }
    }
    outScores.resize(kRows), outBoxes.resize(kRows * 4);
    outImages.resize(kRows);
    expectNear(net.run(0), outScores);
    expectNear(net.run(1), outBoxes);
    expectExactly(net.run(2), outImages);
  }
}

TEST(QnnProposals, CollectRpnProposalsKeepsTheBestOfAllLevels) {
  Random random(4);
  const std::int64_t counts[] = {4, 1, 3};
  for (DataType type : {kReal, kByte}) {
    std::int64_t most = type == kReal ? 5 : 2000;
    std::vector<Values> boxes, scores;
    std::vector<std::pair<double, Reals>> all;
    for (std::int64_t count : counts) {
      // Each level has an encoding of its own.
      boxes.push_back(
          randomReals(random, {count, 5}, 0, double(8 + count), type));
      scores.push_back(random.values(kReal, {count}, {}, 0, 1));
      Reals reals = boxes.back().reals();
      for (std::size_t i = 0; i < std::size_t(count); ++i)
        all.emplace_back(scores.back().numbers[i],
                         Reals(reals.begin() + std::ptrdiff_t(i * 5),
                               reals.begin() + std::ptrdiff_t(i * 5 + 5)));
    }
    OneNode net("CollectRpnProposals");
    for (const auto &values : {boxes, scores}) {
      for (const Values &v : values)
        net.input(v);
      net.noInput().noInput();
    }
    net.param("rpn_min_level", 3)
        .param("rpn_max_level", 5)
        .param("post_nms_top", double(most))
        .output(kReal, {std::min<std::int64_t>(most, 8), 5});
    std::ranges::stable_sort(
        all, [](const auto &a, const auto &b) { return a.first > b.first; });
    Reals expected;
    for (std::size_t i = 0; i < all.size() && std::int64_t(i) < most; ++i)
      expected.insert(expected.end(), all[i].second.begin(),
                      all[i].second.end());
    expectNear(net.run(), expected, 1e-6);
  }
}

TEST(QnnProposals, DistributeFpnProposalsSortsBoxesByTheirSize) {
  for (bool hasBatch : {false, true}) {
    constexpr std::size_t kBoxes = 8;
    constexpr double kScale = 16;
    constexpr std::int64_t kLevel = 3, kLow = 2, kHigh = 4;
    // Sides of 8, 9, 16, 31, 32, 100, none and 16 by 64.
    const Reals sides = {8, 9, 16, 31, 32, 100, 0, 16},
                heights = {8, 9, 16, 31, 32, 100, 0, 64};
    const std::int64_t rows[] = {3, 8, 4};
    Reals values;
    for (std::size_t i = 0; i < kBoxes; ++i) {
      if (hasBatch)
        values.push_back(double(i % 2));
      for (double v : {1.0, 2.0, 1 + sides[i], 2 + heights[i]})
        values.push_back(v);
    }
    std::int64_t columns = hasBatch ? 5 : 4;
    OneNode net("DistributeFpnProposals");
    net.input(floats({kBoxes, columns}, values))
        .param("roi_min_level", kLow)
        .param("roi_max_level", kHigh)
        .param("roi_canonical_scale", kScale)
        .param("roi_canonical_level", kLevel)
        .output(kWhole, {kBoxes});
    for (std::int64_t count : rows)
      net.output(kReal, {count, columns});
    Reals restore, ofLevel[3];
    std::size_t found[3] = {};
    for (std::size_t i = 0; i < kBoxes; ++i) {
      if (sides[i] == 0 && heights[i] == 0) {
        restore.push_back(-1);
        continue;
      }
      auto level = std::int64_t(
          std::floor(double(kLevel) +
                     std::log2(std::sqrt(sides[i] * heights[i]) / kScale)));
      auto at = std::size_t(std::clamp(level, kLow, kHigh) - kLow);
      std::int64_t first = 0;
      for (std::size_t k = 0; k < at; ++k)
        first += rows[k];
      restore.push_back(double(first + std::int64_t(found[at]++)));
      ofLevel[at].insert(ofLevel[at].end(),
                         values.begin() + std::ptrdiff_t(i) * columns,
                         values.begin() + (std::ptrdiff_t(i) + 1) * columns);
    }
    expectExactly(net.run(0), restore);
    for (std::size_t k = 0; k < 3; ++k) {
      ofLevel[k].resize(std::size_t(rows[k] * columns), 0);
      expectExactly(net.run(k + 1), ofLevel[k]);
    }
  }
}

TEST(QnnProposals, HeatMapMaxKeyPointLiesBetweenCells) {
  constexpr std::size_t kBoxes = 2, kSize = 6, kKeypoints = 2;
  // Parabolas, which a Taylor expansion to the quadratic term is exact for.
  Reals maps(kBoxes * kSize * kSize * kKeypoints), scores, places;
  std::vector<Box> boxes = {{1, 2, 13, 8}, {0, 0, 6, 6}};
  Random random(5);
  for (std::size_t b = 0; b < kBoxes; ++b)
    for (std::size_t k = 0; k < kKeypoints; ++k) {
      double x = random.between(1.5, 3.5), y = random.between(1.5, 3.5),
             peak = random.between(1, 2);
      for (std::size_t r = 0; r < kSize; ++r)
        for (std::size_t c = 0; c < kSize; ++c) {
          double dx = double(c) - x, dy = double(r) - y;
          maps[((b * kSize + r) * kSize + c) * kKeypoints + k] = double(
              float(peak - 0.1 * dx * dx - 0.2 * dy * dy - 0.05 * dx * dy));
        }
      scores.push_back(peak);
      const Box &box = boxes[b];
      places.push_back(box[0] + (x + 0.5) * (box[2] - box[0]) / kSize);
      places.push_back(box[1] + (y + 0.5) * (box[3] - box[1]) / kSize);
    }
  OneNode net("HeatMapMaxKeyPoint");
  net.input(floats({kBoxes, kSize, kSize, kKeypoints}, maps))
      .input(floats({kBoxes, 4}, flat(boxes)))
      .output(kReal, {kBoxes, kKeypoints})
      .output(kReal, {kBoxes, kKeypoints, 2});
  expectNear(net.run(0), scores);
  expectNear(net.run(1), places, 1e-4);
}
