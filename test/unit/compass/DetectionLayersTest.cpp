//===- DetectionLayersTest.cpp - Layers about boxes, from the definition --===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Whole layers that no reference pack has, in floats: what their programs give
// against plain loops in double precision, written from the definition.
//
//===----------------------------------------------------------------------===//
#include "test/unit/compass/ComputeLayer.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;
using yarrow::testing::Random;

namespace {

std::string dense(const Floats &values) {
  TensorBytes bytes = bytesOf(values);
  return "dense<\"0x" +
         llvm::toHex(llvm::StringRef(bytes.data(), bytes.size())) +
         "\"> : tensor<" + std::to_string(values.size()) + "xf32>";
}

struct Box {
  double low[2], high[2];
};
/// Centre and size of an anchor moved by a delta y, x, h, w.
Box decoded(const double *centre, const double *size, const double *delta,
            const double *divisors, double height, double width) {
  const double most[] = {height, width};
  Box box;
  for (int axis : {0, 1}) {
    double c = centre[axis] + delta[axis] / divisors[axis] * size[axis];
    double s = size[axis] * std::exp(delta[axis + 2] / divisors[axis + 2]);
    box.low[axis] = std::clamp(c - s / 2, 0.0, most[axis]);
    box.high[axis] = std::clamp(c + s / 2, 0.0, most[axis]);
  }
  return box;
}
void expectBox(const float *y, const Box &box, bool isXFirst = false) {
  for (int axis : {0, 1}) {
    int to = isXFirst ? 1 - axis : axis;
    EXPECT_NEAR(y[to], box.low[axis], 1e-3);
    EXPECT_NEAR(y[to + 2], box.high[axis], 1e-3);
  }
}
constexpr double kDivisors[] = {10, 10, 5, 5};

TEST(DetectionLayers, detectionOutputDecodesTheBoxesOfEachClass) {
  Random random(1);
  for (bool isXFirst : {false, true}) {
    Floats scores = randomFloats(random, 15 * 4, 0, 1);
    Floats deltas = randomFloats(random, 15 * 4 * 4, -5, 5);
    Floats boxes = randomFloats(random, 15 * 4, 0, 100);
    auto y = compute(
        "detection_output",
        std::string("anchor_mode = \"") +
            (isXFirst ? "caffe_detection" : "default_detect") +
            "\", image_width = 120 : i64, image_height = 90 : i64, "
            "score_threshold = 0.6 : f64, "
            "variance = array<f64: 10.0, 10.0, 5.0, 5.0>",
        {"tensor<1x15x4xf32>", "tensor<1x15x4x4xf32>", "tensor<1x15x4xf32>"},
        {"tensor<1x16xf32>", "tensor<1x16x4xf32>", "tensor<1x3xi32>",
         "tensor<1x3xi32>", "tensor<1x1xi32>"},
        {bytesOf(scores), bytesOf(deltas), bytesOf(boxes)});
    Floats outScores = valuesOf<float>(y[0]), outBoxes = valuesOf<float>(y[1]);
    Ints perClass(3), labels(3);
    int row = 0, present = 0;
    for (int c = 1; c < 4; ++c) {
      int first = row;
      for (int i = 0; i < 15 && row < 16; ++i) {
        if (scores[i * 4 + c] <= 0.6f)
          continue;
        double centre[2], size[2], delta[4];
        for (int axis : {0, 1}) {
          int from = isXFirst ? 1 - axis : axis;
          double low = boxes[4 * i + from], high = boxes[4 * i + from + 2];
          centre[axis] = (low + high) / 2, size[axis] = high - low;
          delta[axis] = deltas[(i * 4 + c) * 4 + from];
          delta[axis + 2] = deltas[(i * 4 + c) * 4 + from + 2];
        }
        EXPECT_EQ(outScores[row], scores[i * 4 + c]);
        expectBox(&outBoxes[4 * row++],
                  decoded(centre, size, delta, kDivisors, 90, 120));
      }
      if (row > first)
        perClass[present] = row - first, labels[present++] = c - 1;
    }
    for (; row < 16; ++row)
      EXPECT_EQ(outScores[row], 0);
    EXPECT_EQ(valuesOf<int32_t>(y[2]), perClass);
    EXPECT_EQ(valuesOf<int32_t>(y[3]), labels);
    EXPECT_EQ(valuesOf<int32_t>(y[4]), Ints{present});
  }
}

TEST(DetectionLayers, proposalKeepsWhatTheSecondScoreSays) {
  Random random(2);
  Floats scores = randomFloats(random, 20 * 2, 0, 1);
  Floats deltas = randomFloats(random, 20 * 4, -5, 5);
  Floats anchors[4]; // y, x, h, w
  for (Floats &anchor : anchors)
    anchor = randomFloats(random, 20, 0.1f, 0.9f);
  auto y = compute(
      "proposal",
      "ycenter = " + dense(anchors[0]) + ", xcenter = " + dense(anchors[1]) +
          ", ha = " + dense(anchors[2]) + ", wa = " + dense(anchors[3]) +
          ", width = 1 : i64, height = 1 : i64, "
          "score_threshold = 0.4 : f64",
      {"tensor<1x20x2xf32>", "tensor<1x20x4xf32>"},
      {"tensor<1x9xf32>", "tensor<1x9x4xf32>", "tensor<1x1xi32>",
       "tensor<1x1xi32>"},
      {bytesOf(scores), bytesOf(deltas)});
  Floats outScores = valuesOf<float>(y[0]), outBoxes = valuesOf<float>(y[1]);
  int row = 0;
  for (int i = 0; i < 20 && row < 9; ++i)
    if (scores[2 * i + 1] > 0.4f) {
      double centre[] = {anchors[0][i], anchors[1][i]},
             size[] = {anchors[2][i], anchors[3][i]};
      double delta[4];
      std::copy_n(&deltas[4 * i], 4, delta);
      EXPECT_EQ(outScores[row], scores[2 * i + 1]);
      expectBox(&outBoxes[4 * row++],
                decoded(centre, size, delta, kDivisors, 1, 1));
    }
  EXPECT_EQ(valuesOf<int32_t>(y[2]), Ints{row});
  EXPECT_EQ(valuesOf<int32_t>(y[3]), Ints{1});
}

double overlap(const Box &a, const Box &b) {
  double inter = 1, areaA = 1, areaB = 1;
  for (int axis : {0, 1}) {
    inter *= std::max(0.0, std::min(a.high[axis], b.high[axis]) -
                               std::max(a.low[axis], b.low[axis]) + 1);
    areaA *= a.high[axis] - a.low[axis] + 1;
    areaB *= b.high[axis] - b.low[axis] + 1;
  }
  return inter / (areaA + areaB - inter);
}

/// Anchors of all cells, or of one that stands in every cell.
TEST(DetectionLayers, generateProposalsKeepsTheBestThatDoNotOverlap) {
  Random random(3);
  for (bool isOfOneCell : {false, true}) {
    constexpr int kRows = 3, kColumns = 4, kPerCell = 2,
                  kBoxes = kRows * kColumns * kPerCell;
    Floats scores = randomFloats(random, kBoxes, 0, 1);
    Floats deltas = randomFloats(random, 4 * kBoxes, -0.5f, 0.5f);
    Floats planes = randomFloats(random, 4 * kBoxes, 8, 40); // w, h, x, y
    Floats corners = {-9, -5, 10, 6, -4, -12, 5, 11};        // x1 y1 x2 y2
    auto y = compute(
        "generate_proposals",
        "weights = " + dense(isOfOneCell ? corners : planes) +
            ", pre_nms_topn = 20 : i64, post_nms_topn = 10 : i64, min_size = "
            "4 : i64, iou_threshold = 0.5 : f64, image_width = 64 : i64, "
            "image_height = 48 : i64",
        {"tensor<1x3x4x2xf32>", "tensor<1x3x4x8xf32>", "tensor<1x2xf32>"},
        {"tensor<1x10xf32>", "tensor<1x10x4xf32>", "tensor<1x10x1xi32>",
         "tensor<1x1xi32>"},
        {bytesOf(scores), bytesOf(deltas), bytesOf(Floats{48, 64})});
    Floats outScores = valuesOf<float>(y[0]), outBoxes = valuesOf<float>(y[1]);
    std::vector<int> order(kBoxes), kept;
    std::vector<Box> boxes;
    for (int i = 0; i < kBoxes; ++i) {
      order[i] = i;
      double centre[] = {planes[3 * kBoxes + i], planes[2 * kBoxes + i]},
             size[] = {planes[kBoxes + i], planes[i]};
      if (isOfOneCell) {
        const float *c = &corners[4 * (i % kPerCell)];
        int cell = i / kPerCell, at[] = {cell / kColumns, cell % kColumns};
        for (int axis : {0, 1}) {
          size[axis] = c[3 - axis] - c[1 - axis] + 1;
          centre[axis] = c[1 - axis] + size[axis] / 2 + 16 * at[axis];
        }
      }
      const float *d = &deltas[4 * i]; // x, y, w, h
      double delta[] = {d[1], d[0], d[3], d[2]}, ones[] = {1, 1, 1, 1};
      boxes.push_back(decoded(centre, size, delta, ones, 47, 63));
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return scores[a] > scores[b]; });
    order.resize(20);
    for (int i : order) {
      bool isOut = kept.size() == 10;
      for (int axis : {0, 1})
        isOut |= boxes[i].high[axis] - boxes[i].low[axis] <= 4;
      for (int k : kept)
        isOut |= overlap(boxes[i], boxes[k]) > 0.5;
      if (!isOut)
        kept.push_back(i);
    }
    EXPECT_EQ(valuesOf<int32_t>(y[3]), Ints{int32_t(kept.size())});
    for (size_t row = 0; row < kept.size(); ++row) {
      EXPECT_EQ(outScores[row], scores[kept[row]]);
      expectBox(&outBoxes[4 * row], boxes[kept[row]], /*isXFirst=*/true);
    }
  }
}

TEST(DetectionLayers, listsAreFilteredAndTakenApart) {
  Random random(4);
  Floats boxes = randomFloats(random, 15 * 4, 0, 60),
         scores = randomFloats(random, 15, 0, 1);
  Ints perClass = {4, 0, 8, 3}, labels = {1, 2, 5, 7}, classes = {4};
  const std::string i4 = "tensor<1x4xi32>", i1 = "tensor<1x1xi32>";
  auto y =
      compute("filter_boxes",
              "score_threshold = 0.2 : f64, min_size = array<f64: 5.0, -70.0>, "
              "maxnum = 5 : i64",
              {"tensor<1x15x4xf32>", "tensor<1x15xf32>", i4, i4, i1},
              {"tensor<1x5x4xf32>", "tensor<1x5xf32>", i4, i4, i1},
              {bytesOf(boxes), bytesOf(scores), bytesOf(perClass),
               bytesOf(labels), bytesOf(classes)});
  Floats keptBoxes, keptScores;
  Ints counts, names;
  for (int c = 0, i = 0; c < 4; ++c) {
    int32_t count = 0;
    for (int end = i + perClass[c]; i < end; ++i)
      if (scores[i] > 0.2f && boxes[4 * i + 2] - boxes[4 * i] >= 5 &&
          keptScores.size() < 5) {
        keptBoxes.insert(keptBoxes.end(), &boxes[4 * i], &boxes[4 * i] + 4);
        keptScores.push_back(scores[i]), ++count;
      }
    if (count)
      counts.push_back(count), names.push_back(labels[c]);
  }
  EXPECT_EQ(valuesOf<int32_t>(y[4]), Ints{int32_t(counts.size())});
  keptBoxes.resize(20), keptScores.resize(5);
  counts.resize(4), names.resize(4);
  EXPECT_EQ(valuesOf<float>(y[0]), keptBoxes);
  EXPECT_EQ(valuesOf<float>(y[1]), keptScores);
  EXPECT_EQ(valuesOf<int32_t>(y[2]), counts);
  EXPECT_EQ(valuesOf<int32_t>(y[3]), names);

  Ints keep = {1, 0, 2, 0, 1, 0}, number = {2, 3, 1, 0};
  y = compute("post_nms1",
              "proposal_cnt = 8 : i64, image_width = 100 : i64, image_height "
              "= 80 : i64",
              {"tensor<1x15x4xf32>", "tensor<1x6xi32>", i4},
              {"tensor<1x8x4xf32>", "tensor<1x8x4xf32>"},
              {bytesOf(boxes), bytesOf(keep), bytesOf(number)});
  Floats taken;
  for (int i : {1, 0, 4, 2, 3, 5})
    taken.insert(taken.end(), &boxes[4 * i], &boxes[4 * i] + 4);
  taken.resize(32);
  EXPECT_EQ(valuesOf<float>(y[0]), taken);
  for (float &corner : taken)
    corner /= 100;
  EXPECT_EQ(valuesOf<float>(y[1]), taken);
}

} // namespace
