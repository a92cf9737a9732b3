//===- ImageBoxesTest.cpp - Boxes of many images against plain loops ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Boxes that are moved, grouped, limited and listed, against the definitions in
// double precision and lists.
//
//===----------------------------------------------------------------------===//
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::Random;

namespace {

float real(Random &random, float low, float high) {
  return low + (high - low) * float(random.below(1 << 16)) / 65536;
}

std::vector<float> reals(Random &random, size_t count, float low, float high) {
  std::vector<float> values(count);
  for (float &value : values)
    value = real(random, low, high);
  return values;
}

/// Corners of a box by its centre and sides, moved by deltas.
std::array<double, 4> moved(const std::array<double, 4> &centreAndSides,
                            const float *deltas) {
  std::array<double, 4> corners;
  for (int axis : {0, 1}) {
    double side = centreAndSides[axis + 2],
           centre = centreAndSides[axis] + deltas[axis] * side,
           half = std::exp(double(deltas[axis + 2])) * side / 2;
    corners[axis] = centre - half, corners[axis + 2] = centre + half;
  }
  return corners;
}

TEST(BoxTransform, MovesTheBoxesOfEachImage) {
  Random random(3);
  const uint32_t boxes = 70, classes = 3, images = 2;
  std::vector<float> anchors(4 * boxes),
      deltas = reals(random, 4 * boxes * classes, -1, 1),
      sizes = {40, 50, 60, 30};
  std::vector<int32_t> numbers(boxes);
  for (uint32_t i = 0; i < boxes; ++i) {
    numbers[i] = int32_t(random.below(4)) - 1; // two of four are none
    for (uint32_t axis : {0, 1}) {
      anchors[4 * i + axis] = real(random, 0, 40);
      anchors[4 * i + axis + 2] = anchors[4 * i + axis] + real(random, 0, 20);
    }
  }
  std::vector<float> found(4 * boxes * classes);
  runKernel("yk_box_transform",
            BoxTransformParams{.rows = boxes * classes,
                               .perBox = classes,
                               .images = images,
                               .anchors = boxes},
            {anchors.data(), deltas.data(), numbers.data(), sizes.data(),
             found.data()},
            3);
  for (uint32_t row = 0; row < boxes * classes; ++row) {
    const float *a = &anchors[4 * (row / classes)];
    std::array<double, 4> box = {(double(a[0]) + a[2]) / 2,
                                 (double(a[1]) + a[3]) / 2, double(a[2]) - a[0],
                                 double(a[3]) - a[1]};
    std::array<double, 4> expected = moved(box, &deltas[4 * row]);
    int image = std::clamp(numbers[row / classes], 0, 1);
    for (int k = 0; k < 4; ++k) {
      // x first; sizes have the height first.
      double most = sizes[size_t(2 * image + 1 - k % 2)];
      EXPECT_NEAR(found[4 * row + k], std::clamp(expected[k], 0.0, most), 1e-4)
          << "row " << row;
    }
  }
}

TEST(BoxTransform, RepeatsTheFirstCellAndTakesCentres) {
  Random random(4);
  const uint32_t images = 2, rows = 3, columns = 4, perCell = 2,
                 count = images * rows * columns * perCell;
  std::vector<float> anchors = {0, 0, 8, 4, 1, 2, 5, 9},
                     deltas = reals(random, 4 * count, -0.2f, 0.2f),
                     sizes = {1000, 1000, 1000, 1000}, found(4 * count);
  BoxTransformParams p{.rows = count,
                       .images = images,
                       .anchors = perCell,
                       .form = AnchorForm::Cells,
                       .gridColumns = columns,
                       .strides = {10, 20}};
  runKernel(
      "yk_box_transform", p,
      {anchors.data(), deltas.data(), nullptr, sizes.data(), found.data()});
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t cell = i / perCell % (rows * columns);
    const float *a = &anchors[4 * (i % perCell)];
    double x = 10.0 * (cell % columns), y = 20.0 * (cell / columns);
    std::array<double, 4> expected =
        moved({(a[0] + a[2]) / 2 + x, (a[1] + a[3]) / 2 + y, a[2] - a[0],
               a[3] - a[1]},
              &deltas[4 * i]);
    for (int k = 0; k < 4; ++k)
      EXPECT_NEAR(found[4 * i + k], std::max(expected[k], 0.0), 1e-4) << i;
  }
  // The same numbers as centres, scaled deltas with something behind them.
  std::vector<float> longer;
  for (uint32_t i = 0; i < 2 * images; ++i) {
    longer.insert(longer.end(), &deltas[4 * i], &deltas[4 * i] + 4);
    longer.push_back(99);
  }
  p = {.rows = 2 * images,
       .images = images,
       .anchors = 2,
       .form = AnchorForm::Centres,
       .deltaLength = 5,
       .factors = {0.5f, 0.5f, 2, 2}};
  runKernel("yk_box_transform", p,
            {anchors.data(), longer.data(), nullptr, nullptr, found.data()});
  for (uint32_t i = 0; i < 2 * images; ++i) {
    const float *a = &anchors[4 * (i % 2)], *d = &deltas[4 * i];
    float scaled[] = {d[0] * 0.5f, d[1] * 0.5f, d[2] * 2, d[3] * 2};
    std::array<double, 4> expected = moved({a[0], a[1], a[2], a[3]}, scaled);
    for (int k = 0; k < 4; ++k)
      EXPECT_NEAR(found[4 * i + k], expected[k], 1e-4) << i;
  }
}

TEST(BoxGroups, PutsTheClassesOfAnImageOneAfterTheOther) {
  const std::vector<int32_t> numbers = {5, 5, 5, 0, 7, 7};
  const uint32_t boxes = 6, classes = 3;
  std::vector<float> scores(boxes * classes), corners(4 * scores.size()),
      foundScores(boxes * 2), foundBoxes(boxes * 2 * 4);
  for (size_t i = 0; i < scores.size(); ++i)
    scores[i] = float(i);
  for (size_t i = 0; i < corners.size(); ++i)
    corners[i] = float(i);
  std::vector<int32_t> perGroup(boxes * 2);
  for (uint32_t tasks : {1u, 4u}) {
    runKernel("yk_box_groups", BoxGroupsParams{boxes, classes},
              {scores.data(), corners.data(), numbers.data(),
               foundScores.data(), foundBoxes.data(), perGroup.data()},
              tasks);
    // Score 3 b + c of box b and class c.
    EXPECT_EQ(foundScores,
              (std::vector<float>{1, 4, 7, 2, 5, 8, 10, 11, 13, 16, 14, 17}));
    for (size_t i = 0; i < foundBoxes.size(); ++i)
      EXPECT_EQ(foundBoxes[i], 4 * foundScores[i / 4] + float(i % 4));
    EXPECT_EQ(perGroup,
              (std::vector<int32_t>{3, 3, 0, 0, 0, 0, 1, 1, 2, 2, 0, 0}));
  }
}

/// What suppressions have kept: two groups of 4 boxes in each of two images.
struct KeptGroups {
  GroupLists shape{.images = 2, .boxes = 8, .groups = 2, .perBlock = 2};
  // First, kept, first box; the last group is empty.
  std::vector<int32_t> lists = {0, 3, 0, 4, 2, 4, 0, 4, 0, 4, 0, 4};
  std::vector<int32_t> kept = {2, 0, 1, 0, 5, 4, 0, 0, 3, 1, 0, 2, 0, 0, 0, 0};
  std::vector<float> scores = {9, 7, 5, 0, 8, 7, 0, 0, 6, 4, 3, 3, 0, 0, 0, 0};
  std::vector<float> boxes;

  KeptGroups() {
    for (int i = 0; i < 16; ++i)
      boxes.insert(boxes.end(), {float(i), float(i), float(i + 1), float(i)});
  }
};

TEST(LimitGroups, KeepsTheBestOfEachImage) {
  KeptGroups k;
  std::vector<int32_t> taken(4);
  auto limited = [&](uint32_t most) {
    runKernel("yk_limit_groups", LimitGroupsParams{k.shape, most},
              {k.lists.data(), k.scores.data(), taken.data()}, 2);
    return taken;
  };
  EXPECT_EQ(limited(~0u), (std::vector<int32_t>{3, 2, 4, 0}));
  // Of the two of score 7 that of the first group.
  EXPECT_EQ(limited(3), (std::vector<int32_t>{2, 1, 3, 0}));
  EXPECT_EQ(limited(2), (std::vector<int32_t>{1, 1, 2, 0}));
  EXPECT_EQ(limited(0), (std::vector<int32_t>{0, 0, 0, 0}));
}

TEST(GroupRows, AreWithoutGaps) {
  KeptGroups k;
  std::vector<int32_t> taken = {2, 1, 3, 0}, numbers = {40, 50};
  for (uint32_t tasks : {1u, 3u}) {
    std::vector<float> scores(8, -1), boxes(32, -1);
    std::vector<int32_t> classes(8, -1), images(8, -1), count(1, -1);
    runKernel("yk_group_rows",
              GroupRowsParams{.lists = k.shape, .capacity = 8, .firstClass = 1},
              {k.boxes.data(), k.lists.data(), k.kept.data(), k.scores.data(),
               taken.data(), numbers.data(), scores.data(), boxes.data(),
               classes.data(), images.data(), count.data()},
              tasks);
    EXPECT_EQ(count[0], 6);
    EXPECT_EQ(scores, (std::vector<float>{9, 7, 8, 6, 4, 3, 0, 0}));
    EXPECT_EQ(classes, (std::vector<int32_t>{1, 1, 2, 1, 1, 1, 0, 0}));
    EXPECT_EQ(images, (std::vector<int32_t>{40, 40, 40, 50, 50, 50, 0, 0}));
    const float corners[] = {2, 0, 5, 11, 9, 8};
    for (int row = 0; row < 6; ++row)
      EXPECT_EQ(boxes[4 * row], corners[row]);
    EXPECT_EQ(boxes[24], 0);
  }
}

TEST(GroupRows, HaveAllThatIsKept) {
  KeptGroups k;
  std::vector<float> scores(10, -1), boxes(40, -1);
  std::vector<int32_t> classes(10, -1), images(10, -1), count(1, -1);
  runKernel("yk_group_rows", GroupRowsParams{.lists = k.shape, .capacity = 10},
            {k.boxes.data(), k.lists.data(), k.kept.data(), k.scores.data(),
             nullptr, nullptr, scores.data(), boxes.data(), classes.data(),
             images.data(), count.data()},
            2);
  EXPECT_EQ(count[0], 9);
  EXPECT_EQ(scores, (std::vector<float>{9, 7, 5, 8, 7, 6, 4, 3, 3, 0}));
  EXPECT_EQ(images, (std::vector<int32_t>{0, 0, 0, 0, 0, 1, 1, 1, 1, 0}));
}

TEST(BestRows, AreInFallingOrder) {
  KeptGroups k;
  std::vector<float> scores(8), boxes(32);
  std::vector<int32_t> labels(8), count(2), taken(4);
  runKernel("yk_best_rows",
            BestRowsParams{.lists = k.shape, .capacity = 4, .firstLabel = 1},
            {k.boxes.data(), k.lists.data(), k.kept.data(), k.scores.data(),
             nullptr, taken.data(), scores.data(), boxes.data(), labels.data(),
             count.data()},
            2);
  EXPECT_EQ(scores, (std::vector<float>{9, 8, 7, 7, 6, 4, 3, 3}));
  EXPECT_EQ(labels, (std::vector<int32_t>{1, 2, 1, 2, 1, 1, 1, 1}));
  EXPECT_EQ(count, (std::vector<int32_t>{4, 4}));
  EXPECT_EQ(boxes[4], 5);
}

TEST(BestRows, HaveTheBestClassesOfABox) {
  GroupLists shape{.images = 1, .boxes = 3, .groups = 1, .perBlock = 1};
  std::vector<int32_t> lists = {0, 2, 0}, kept = {2, 0, 0}, taken(1);
  std::vector<float> keptScores = {0.9f, 0.5f, 0},
                     classScores = {9, 0.25f, 0.5f, 0.5f, 9,    1,
                                    1, 1,     9,    0.9f, 0.1f, 0.3f},
                     boxes(12), scores(5), outBoxes(20);
  std::vector<int32_t> labels(5), count(1);
  runKernel(
      "yk_best_rows",
      BestRowsParams{.lists = shape, .capacity = 5, .perBox = 2, .classes = 4},
      {boxes.data(), lists.data(), kept.data(), keptScores.data(),
       classScores.data(), taken.data(), scores.data(), outBoxes.data(),
       labels.data(), count.data()});
  EXPECT_EQ(scores, (std::vector<float>{0.9f, 0.3f, 0.5f, 0.5f, 0}));
  EXPECT_EQ(labels, (std::vector<int32_t>{0, 2, 1, 2, 0}));
  EXPECT_EQ(count[0], 4);
}

TEST(Keypoint, FindsThePeakOfAParabola) {
  const uint32_t size = 7, maps = 2;
  // 5 - (x - px)^2 - 2 (y - py)^2 + (x - px) (y - py) / 2: exact to the second
  // order.
  const double px[] = {3.3, 2.8}, py[] = {2.6, 4.4};
  std::vector<float> heat(size * size * maps), boxes = {10, 20, 24, 48},
                                               scores(maps), places(2 * maps);
  for (uint32_t i = 0; i < heat.size(); ++i) {
    double dx = double(i / maps % size) - px[i % maps],
           dy = double(i / maps / size) - py[i % maps];
    heat[i] = float(5 - dx * dx - 2 * dy * dy + 0.5 * dx * dy);
  }
  runKernel("yk_keypoint", KeypointParams{1, size, maps},
            {heat.data(), boxes.data(), scores.data(), places.data()}, 2);
  for (uint32_t m = 0; m < maps; ++m) {
    EXPECT_NEAR(scores[m], 5, 1e-4);
    EXPECT_NEAR(places[2 * m], 10 + (px[m] + 0.5) * 2, 1e-4);
    EXPECT_NEAR(places[2 * m + 1], 20 + (py[m] + 0.5) * 4, 1e-4);
  }
}

TEST(Keypoint, StaysInTheCellOfAFlatMap) {
  std::vector<float> heat = {2, 2, 2, 2}, boxes = {0, 0, 8, 4}, scores(1),
                     places(2);
  runKernel("yk_keypoint", KeypointParams{},
            {heat.data(), boxes.data(), scores.data(), places.data()});
  EXPECT_EQ(scores[0], 2);
  EXPECT_EQ(places, (std::vector<float>{2, 1}));
}

} // namespace
