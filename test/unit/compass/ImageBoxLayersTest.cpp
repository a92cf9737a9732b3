//===- ImageBoxLayersTest.cpp - NNAPI's layers about boxes ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Whole layers against plain loops in double precision, written from NNAPI's
// definition: every candidate is looked at again after each box that is kept.
//
//===----------------------------------------------------------------------===//
#include "test/unit/compass/ComputeLayer.h"
#include <algorithm>
#include <array>
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;
using yarrow::testing::Random;

namespace {

using Corners = std::array<double, 4>;

struct Found {
  double score;
  int box;
};

double overlap(const Corners &a, const Corners &b) {
  double w = std::min(a[2], b[2]) - std::max(a[0], b[0]),
         h = std::min(a[3], b[3]) - std::max(a[1], b[1]);
  double inter = std::max(w, 0.0) * std::max(h, 0.0);
  double both = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]);
  return both > inter ? inter / (both - inter) : 0;
}

struct Limits {
  std::string method = "HARD";
  double iou = 0.5, sigma = 0.5, leastLowered = 0;
  size_t most = ~size_t(0);
};

/// What is left of \p candidates; of equal scores the first box is better.
std::vector<Found> suppressed(std::vector<Found> candidates,
                              const std::vector<Corners> &boxes,
                              const Limits &limits) {
  std::vector<Found> kept;
  while (!candidates.empty() && kept.size() < limits.most) {
    auto best = std::max_element(candidates.begin(), candidates.end(),
                                 [](const Found &a, const Found &b) {
                                   return a.score != b.score ? a.score < b.score
                                                             : a.box > b.box;
                                 });
    kept.push_back(*best);
    candidates.erase(best);
    std::vector<Found> left;
    for (Found f : candidates) {
      double iou =
          overlap(boxes[size_t(kept.back().box)], boxes[size_t(f.box)]);
      bool isHard = limits.method == "HARD";
      if (limits.method == "GAUSSIAN")
        f.score *= std::exp(-iou * iou / limits.sigma);
      else if (iou >= limits.iou)
        f.score *= isHard ? 0 : 1 - iou;
      if (isHard ? iou < limits.iou : f.score >= limits.leastLowered)
        left.push_back(f);
    }
    candidates = left;
  }
  return kept;
}

/// Boxes of whole numbers, x first, in a square of 40.
Floats randomBoxes(Random &random, size_t count) {
  Floats boxes;
  for (size_t i = 0; i < count; ++i) {
    float x = float(random.below(32)), y = float(random.below(32));
    boxes.insert(boxes.end(), {x, y, x + 4 + float(random.below(8)),
                               y + 4 + float(random.below(8))});
  }
  return boxes;
}

std::vector<Corners> cornersOf(const Floats &boxes) {
  std::vector<Corners> corners(boxes.size() / 4);
  for (size_t i = 0; i < boxes.size(); ++i)
    corners[i / 4][i % 4] = boxes[i];
  return corners;
}

TEST(ImageBoxLayers, limitedNmsKeepsTheBestOfEachImage) {
  Random random(5);
  const int boxes = 60, classes = 4;
  const Ints images = [] {
    Ints numbers;
    for (auto [number, count] : {std::pair(3, 25), {1, 1}, {8, 34}})
      numbers.insert(numbers.end(), size_t(count), number);
    return numbers;
  }();
  Floats scores = randomFloats(random, boxes * classes, 0, 1),
         corners = randomBoxes(random, boxes * classes);
  std::vector<Corners> all = cornersOf(corners);
  for (const char *method : {"HARD", "LINEAR", "GAUSSIAN"})
    for (int64_t most : {-1l, 0l, 12l, 1l << 32}) {
      Limits limits{.method = method, .iou = 0.25, .leastLowered = 0.3};
      int64_t perBox = most < 0 ? 3 : std::min<int64_t>(most, 3),
              rows = std::max<int64_t>(boxes * perBox, 1);
      std::string n = std::to_string(rows);
      auto y = compute(
          "limited_nms",
          std::string("method = \"") + method +
              "\", score_threshold = 0.2 : f64, iou_threshold = 0.25 : f64, "
              "soft_nms_sigma = 0.5 : f64, nms_score_threshold = 0.3 : f64, "
              "max_output_size = " +
              std::to_string(most) + " : i64",
          {"tensor<60x4xf32>", "tensor<60x16xf32>", "tensor<60xi32>"},
          {"tensor<" + n + "xf32>", "tensor<" + n + "x4xf32>",
           "tensor<" + n + "xi32>", "tensor<" + n + "xi32>", "tensor<1xi32>"},
          {bytesOf(scores), bytesOf(corners), bytesOf(images)});
      Floats foundScores = valuesOf<float>(y[0]), found = valuesOf<float>(y[1]);
      Ints labels = valuesOf<int32_t>(y[2]), owners = valuesOf<int32_t>(y[3]);
      size_t row = 0;
      for (int first = 0, end; first < boxes; first = end) {
        for (end = first + 1;
             end < boxes && images[size_t(end)] == images[size_t(first)];)
          ++end;
        std::vector<std::pair<int, Found>> kept;
        for (int c = 1; c < classes; ++c) {
          std::vector<Found> candidates;
          for (int b = first; b < end; ++b)
            if (scores[size_t(b * classes + c)] >= 0.2f)
              candidates.push_back(
                  {scores[size_t(b * classes + c)], b * classes + c});
          for (const Found &f : suppressed(candidates, all, limits))
            kept.emplace_back(c, f);
        }
        std::vector<double> order;
        for (auto &[c, f] : kept)
          order.push_back(f.score);
        std::sort(order.rbegin(), order.rend());
        double least = most < 0 || order.size() <= size_t(most) ? -1
                       : most == 0 ? 2
                                   : order[size_t(most) - 1];
        for (auto &[c, f] : kept) {
          if (f.score < least)
            continue;
          ASSERT_LT(row, foundScores.size());
          EXPECT_NEAR(foundScores[row], f.score, 1e-5) << method << row;
          EXPECT_EQ(labels[row], c);
          EXPECT_EQ(owners[row], images[size_t(first)]);
          for (size_t k = 0; k < 4; ++k)
            EXPECT_EQ(found[4 * row + k], all[size_t(f.box)][k]);
          ++row;
        }
      }
      EXPECT_EQ(valuesOf<int32_t>(y[4])[0], int32_t(row)) << method << most;
      for (; row < foundScores.size(); ++row)
        EXPECT_EQ(foundScores[row], 0);
    }
}

TEST(ImageBoxLayers, boxProposalsOfEachImage) {
  Random random(6);
  const int height = 4, width = 5, anchors = 3, perImage = 60;
  Floats scores = randomFloats(random, 2 * perImage, 0, 1),
         deltas = randomFloats(random, 8 * perImage, -0.5, 0.5),
         cell = {0, 0, 8, 8, 2, 1, 6, 12, -4, 2, 9, 5},
         sizes = {30, 44, 28, 36};
  auto y = compute(
      "box_proposals",
      "height_stride = 7.0 : f64, width_stride = 8.0 : f64, pre_nms_topn = 40 "
      ": i64, post_nms_topn = 9 : i64, iou_threshold = 0.3 : f64, min_size = "
      "3.0 : f64",
      {"tensor<2x4x5x3xf32>", "tensor<2x4x5x12xf32>", "tensor<3x4xf32>",
       "tensor<2x2xf32>"},
      {"tensor<18xf32>", "tensor<18x4xf32>", "tensor<18xi32>", "tensor<1xi32>"},
      {bytesOf(scores), bytesOf(deltas), bytesOf(cell), bytesOf(sizes)});
  Floats foundScores = valuesOf<float>(y[0]), found = valuesOf<float>(y[1]);
  size_t row = 0;
  for (int image : {0, 1}) {
    std::vector<Corners> boxes;
    std::vector<Found> candidates;
    for (int i = 0; i < perImage; ++i) {
      const float *a = &cell[size_t(4 * (i % anchors))],
                  *d = &deltas[size_t(4 * (image * perImage + i))];
      double origin[] = {8.0 * (i / anchors % width),
                         7.0 * (i / anchors / width)};
      Corners box;
      for (size_t axis : {0, 1}) {
        double side = double(a[axis + 2]) - a[axis],
               centre = (double(a[axis]) + a[axis + 2]) / 2 + origin[axis] +
                        d[axis] * side,
               half = std::exp(double(d[axis + 2])) * side / 2,
               most = sizes[size_t(2 * image) + 1 - axis];
        box[axis] = std::clamp(centre - half, 0.0, most);
        box[axis + 2] = std::clamp(centre + half, 0.0, most);
      }
      boxes.push_back(box);
      candidates.push_back({scores[size_t(image * perImage + i)], i});
    }
    std::sort(candidates.begin(), candidates.end(),
              [](auto &a, auto &b) { return a.score > b.score; });
    candidates.resize(40);
    std::erase_if(candidates, [&](const Found &f) {
      const Corners &b = boxes[size_t(f.box)];
      return b[2] - b[0] < 3 || b[3] - b[1] < 3;
    });
    for (const Found &f :
         suppressed(candidates, boxes, {.iou = 0.3, .most = 9})) {
      ASSERT_LT(row, foundScores.size());
      EXPECT_EQ(foundScores[row], float(f.score));
      EXPECT_EQ(valuesOf<int32_t>(y[2])[row], image);
      for (size_t k = 0; k < 4; ++k)
        EXPECT_NEAR(found[4 * row + k], boxes[size_t(f.box)][k], 1e-4);
      ++row;
    }
  }
  EXPECT_EQ(valuesOf<int32_t>(y[3])[0], int32_t(row));
  static_assert(height * width * anchors == perImage);
}

TEST(ImageBoxLayers, detectionPostProcessSortsAllClasses) {
  Random random(7);
  const int boxes = 30, classes = 4, most = 10;
  Floats scores = randomFloats(random, boxes * classes, 0, 1),
         deltas = randomFloats(random, 5 * boxes, -2, 2), anchors;
  for (int i = 0; i < boxes; ++i)
    anchors.insert(anchors.end(),
                   {float(random.below(20)), float(random.below(20)), 8, 6});
  std::vector<Corners> decoded(boxes);
  for (size_t i = 0; i < size_t(boxes); ++i)
    for (size_t axis : {0, 1}) {
      double side = anchors[4 * i + axis + 2],
             centre = anchors[4 * i + axis] + deltas[5 * i + axis] / 10 * side,
             half = std::exp(deltas[5 * i + axis + 2] / 5.0) * side / 2;
      decoded[i][axis] = centre - half, decoded[i][axis + 2] = centre + half;
    }
  for (bool isEach : {false, true}) {
    auto y = compute(
        "detection_post_process",
        std::string(isEach ? "method = \"EACH\", max_detections_per_class = 5 "
                             ": i64, "
                           : "method = \"BEST\", max_classes_per_detection = 2 "
                             ": i64, ") +
            "variance = array<f64: 10.0, 10.0, 5.0, 5.0>, max_output_size = 10 "
            ": i64, score_threshold = 0.1 : f64, iou_threshold = 0.4 : f64, "
            "with_background = true",
        {"tensor<1x30x4xf32>", "tensor<1x30x5xf32>", "tensor<30x4xf32>"},
        {"tensor<1x10xf32>", "tensor<1x10x4xf32>", "tensor<1x10xi32>",
         "tensor<1xi32>"},
        {bytesOf(scores), bytesOf(deltas), bytesOf(anchors)});
    // Score, box, class.
    std::vector<std::tuple<double, int, int>> expected;
    auto scoreOf = [&](int b, int c) {
      return double(scores[size_t(b * classes + c)]);
    };
    if (isEach) {
      for (int c = 1; c < classes; ++c) {
        std::vector<Found> candidates;
        for (int b = 0; b < boxes; ++b)
          if (scoreOf(b, c) >= 0.1f)
            candidates.push_back({scoreOf(b, c), b});
        for (const Found &f :
             suppressed(candidates, decoded, {.iou = 0.4, .most = 5}))
          expected.emplace_back(f.score, f.box, c);
      }
      std::sort(expected.begin(), expected.end(), std::greater<>());
    } else {
      std::vector<Found> candidates;
      for (int b = 0; b < boxes; ++b)
        candidates.push_back(
            {std::max({scoreOf(b, 1), scoreOf(b, 2), scoreOf(b, 3)}), b});
      for (const Found &f : suppressed(candidates, decoded, {.iou = 0.4})) {
        std::vector<int> order = {1, 2, 3};
        std::sort(order.begin(), order.end(), [&](int a, int c) {
          return scoreOf(f.box, a) > scoreOf(f.box, c);
        });
        for (size_t k : {0, 1})
          expected.emplace_back(scoreOf(f.box, order[k]), f.box, order[k]);
      }
    }
    Floats foundScores = valuesOf<float>(y[0]), found = valuesOf<float>(y[1]);
    size_t rows = std::min(expected.size(), size_t(most));
    EXPECT_EQ(valuesOf<int32_t>(y[3])[0], int32_t(rows));
    for (size_t row = 0; row < rows; ++row) {
      auto [score, box, label] = expected[row];
      EXPECT_EQ(foundScores[row], float(score)) << row;
      EXPECT_EQ(valuesOf<int32_t>(y[2])[row], label);
      for (size_t k = 0; k < 4; ++k)
        EXPECT_NEAR(found[4 * row + k], decoded[size_t(box)][k], 1e-4);
    }
  }
}

} // namespace
