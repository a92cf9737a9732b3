//===- NmsTest.cpp - Suppressions of QNN ----------------------------------===//
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

constexpr std::size_t kImages = 2, kBoxes = 12, kClasses = 3;

/// Boxes and scores of each class of each image.
struct Detections {
  std::vector<Box> boxes[kImages][kClasses]; ///< One for all, or of each.
  Reals scores[kImages][kClasses];

  explicit Detections(std::uint64_t seed, bool areShared = true) {
    Random random(seed);
    for (std::size_t n = 0; n < kImages; ++n)
      for (std::size_t c = 0; c < kClasses; ++c) {
        boxes[n][c] = areShared && c > 0 ? boxes[n][0]
                                         : randomBoxes(random, kBoxes, 1, true);
        scores[n][c] = random.values(kReal, {kBoxes}, {}, 0, 1).numbers;
      }
  }

  /// [batch, boxes, groups, 4]
  Reals boxValues(std::size_t groups) const {
    Reals values;
    for (std::size_t n = 0; n < kImages; ++n)
      for (std::size_t b = 0; b < kBoxes; ++b)
        for (std::size_t g = 0; g < groups; ++g)
          values.insert(values.end(), boxes[n][g][b].begin(),
                        boxes[n][g][b].end());
    return values;
  }
  /// [batch, boxes, classes]
  Reals byBox() const {
    Reals values;
    for (std::size_t n = 0; n < kImages; ++n)
      for (std::size_t b = 0; b < kBoxes; ++b)
        for (std::size_t c = 0; c < kClasses; ++c)
          values.push_back(scores[n][c][b]);
    return values;
  }
  /// [batch, classes, boxes]
  Reals byClass() const {
    Reals values;
    for (std::size_t n = 0; n < kImages; ++n)
      for (const Reals &of : scores[n])
        values.insert(values.end(), of.begin(), of.end());
    return values;
  }

  std::vector<Row> best(std::size_t image, const SuppressionRule &rule,
                        std::size_t rows) const {
    std::vector<Row> all;
    for (std::size_t c = 0; c < kClasses; ++c)
      for (const Kept &k : suppressed(boxes[image][c], scores[image][c], rule))
        all.push_back({k.score, c, k.box});
    sortRows(all, rows);
    return all;
  }
};

/// What rows of all images become, zeros behind them.
struct Expected {
  Reals boxes, scores, labels, counts;

  void add(const Detections &d, std::size_t image, const std::vector<Row> &all,
           std::size_t rows) {
    counts.push_back(double(all.size()));
    for (std::size_t i = 0; i < rows; ++i) {
      bool isUsed = i < all.size();
      const Row row = isUsed ? all[i] : Row{0, 0, 0};
      for (double v : d.boxes[image][row.label][row.box])
        boxes.push_back(isUsed ? v : 0);
      scores.push_back(row.score);
      labels.push_back(double(row.label));
    }
  }
  void expect(OneNode &net) const {
    expectNear(net.run(0), boxes, 1e-6);
    expectNear(net.run(1), scores);
    expectExactly(net.run(2), labels);
    expectExactly(net.run(3), counts);
  }
};

void addBest(OneNode &net, std::int64_t rows) {
  net.output(kReal, {kImages, rows, 4})
      .output(kReal, {kImages, rows})
      .output(kWhole, {kImages, rows})
      .output(kCount, {kImages});
}

} // namespace

TEST(QnnNms, CombinedNmsKeepsTheBestOfAllClasses) {
  for (bool areShared : {true, false})
    for (bool pads : {false, true}) {
      Detections d(areShared ? 1 : 2, areShared);
      constexpr std::int64_t kPerClass = 4, kTotal = 40;
      std::int64_t groups = areShared ? 1 : kClasses,
                   rows = pads ? kPerClass * std::int64_t(kClasses) : kTotal;
      OneNode net("CombinedNms");
      net.input(floats({kImages, kBoxes, groups, 4},
                       d.boxValues(std::size_t(groups))))
          .input(floats({kImages, kBoxes, kClasses}, d.byBox()))
          .param("max_boxes_per_class", kPerClass)
          .param("max_total_boxes", kTotal)
          .real("iou_threshold", 0.25)
          .real("score_threshold", 0.375)
          .flag("pad_per_class", pads)
          .flag("clip_boxes", pads);
      addBest(net, rows);
      SuppressionRule rule = hard(0.375, 0.25);
      rule.most = kPerClass;
      Expected expected;
      for (std::size_t n = 0; n < kImages; ++n)
        expected.add(d, n, d.best(n, rule, std::size_t(rows)),
                     std::size_t(rows));
      for (double &v : expected.boxes)
        v = pads ? std::clamp(v, 0.0, 1.0) : v;
      expected.expect(net);
    }
}

TEST(QnnNms, WantsScores) {
  OneNode net("CombinedNms");
  net.input(floats({kImages, kBoxes, 1, 4}, Reals(kImages * kBoxes * 4)))
      .input(floats({kImages, kBoxes, 0}, {}))
      .param("max_boxes_per_class", 4)
      .param("max_total_boxes", 40)
      .real("iou_threshold", 0.25)
      .real("score_threshold", 0.375);
  addBest(net, 40);
  EXPECT_FALSE(net.import());
  ASSERT_FALSE(net.diags.all().empty());
  const Diagnostic &d = net.diags.all().front();
  EXPECT_NE(d.message.find("in[1] has no scores"), std::string::npos)
      << d.str();
  EXPECT_EQ(d.foundText, "[2,12,0]");
  EXPECT_EQ(d.expectedText, "lengths of 1 or more");
}

TEST(QnnNms, MultiClassNmsTakesFeaturesAlong) {
  for (double sigma : {0.0, 0.4}) {
    Detections d(3);
    constexpr std::int64_t kRows = 9;
    Random random(4);
    Values features = random.values(kReal, {kImages, kBoxes, 2, 3}),
           numbers = random.values(kWhole, {kImages, kBoxes}, {}, 0, 99);
    OneNode net("MultiClassNms");
    net.input(floats({kImages, kBoxes, 4}, d.boxValues(1)))
        .input(floats({kImages, kBoxes, kClasses}, d.byBox()))
        .input(features)
        .input(numbers)
        .real("iou_threshold", 0.25)
        .real("score_threshold", 0.5)
        .real("soft_nms_sigma", sigma);
    addBest(net, kRows);
    net.output(kReal, {kImages, kRows, 2, 3}).output(kWhole, {kImages, kRows});
    SuppressionRule rule = hard(0.5, 0.25);
    if (sigma > 0) {
      rule.least = 0.5;
      rule.lowered = [=](double score, double iou) {
        return score * std::exp(-0.5 * iou * iou / sigma);
      };
    }
    Expected expected;
    Reals moved, movedNumbers;
    for (std::size_t n = 0; n < kImages; ++n) {
      std::vector<Row> all = d.best(n, rule, kRows);
      expected.add(d, n, all, kRows);
      for (std::size_t i = 0; i < kRows; ++i) {
        for (std::size_t k = 0; k < 6; ++k)
          moved.push_back(
              i < all.size()
                  ? features.numbers[(n * kBoxes + all[i].box) * 6 + k]
                  : 0);
        movedNumbers.push_back(
            i < all.size() ? numbers.numbers[n * kBoxes + all[i].box] : 0);
      }
    }
    expected.expect(net);
    expectNear(net.run(4), moved, 0);
    expectExactly(net.run(5), movedNumbers);
  }
}

TEST(QnnNms, MultiClassNmsOfBytesGivesStoredBoxes) {
  Random random(5);
  Values boxes = randomReals(random, {1, 6, 4}, 0, 1, kByte),
         scores = randomReals(random, {1, 6, 1}, 0, 1, kByte);
  OneNode net("MultiClassNms");
  net.input(boxes).input(scores).real("iou_threshold", 0.3);
  net.output(kByte, {1, 4, 4}, boxes.encoding)
      .output(kByte, {1, 4}, scores.encoding)
      .output(kWhole, {1, 4})
      .output(kCount, {1});
  std::vector<Box> of;
  Reals reals = boxes.reals(), expectedBoxes, expectedScores;
  for (std::size_t i = 0; i < 6; ++i)
    of.push_back(
        {reals[4 * i], reals[4 * i + 1], reals[4 * i + 2], reals[4 * i + 3]});
  std::vector<Kept> kept = suppressed(of, scores.reals(), hard(0, 0.3));
  kept.resize(std::min<std::size_t>(kept.size(), 4));
  for (const Kept &k : kept) {
    expectedBoxes.insert(expectedBoxes.end(), of[k.box].begin(),
                         of[k.box].end());
    expectedScores.push_back(k.score);
  }
  expectedBoxes.resize(16), expectedScores.resize(4);
  expectNear(net.run(0), expectedBoxes, 1e-6);
  expectNear(net.run(1), expectedScores, 1e-6);
  expectExactly(net.run(3), {double(kept.size())});
}

TEST(QnnNms, NonMaxSuppressionPadsWithTheLeastScore) {
  for (double least : {0.25, 2.0}) {
    Detections d(6);
    constexpr std::int64_t kMost = 5, kRows = kImages * kClasses * kMost;
    OneNode net("NonMaxSuppression");
    net.input(floats({kImages, kBoxes, 4}, d.boxValues(1)))
        .input(floats({kImages, kClasses, kBoxes}, d.byClass()))
        .real("iou_threshold", 0.25)
        .real("score_threshold", least)
        .param("max_boxes_selected", kMost)
        .output(kWhole, {kRows, 3})
        .output(kCount, {kImages});
    SuppressionRule rule = hard(least, 0.25);
    rule.most = kMost;
    Reals triples, counts, worst = {0, 0, 0};
    double lowest = 1e9;
    for (std::size_t n = 0; n < kImages; ++n) {
      counts.push_back(0);
      for (std::size_t c = 0; c < kClasses; ++c)
        for (const Kept &k : suppressed(d.boxes[n][c], d.scores[n][c], rule)) {
          Reals triple = {double(n), double(c), double(k.box)};
          triples.insert(triples.end(), triple.begin(), triple.end());
          ++counts.back();
          if (k.score < lowest)
            lowest = k.score, worst = triple;
        }
    }
    while (triples.size() < std::size_t(kRows) * 3)
      triples.insert(triples.end(), worst.begin(), worst.end());
    expectExactly(net.run(0), triples);
    expectExactly(net.run(1), counts);
  }
}

namespace {

struct LimitForm {
  int method = 0; ///< hard, linear, gaussian
  bool hasIndices = false;
  std::int64_t before = -1;
};

void expectLimit(const LimitForm &form) {
  constexpr std::size_t kRois = 14, kRows = 44;
  constexpr double kIou = 0.25, kSigma = 0.5, kFirst = 0.25, kLater = 0.125;
  Random random(std::uint64_t(form.method + 10));
  // The first eight boxes are of image 0, the others of image 1.
  std::vector<Box> boxes = randomBoxes(random, kRois * kClasses, 10);
  Reals scores = random.values(kReal, {kRois * kClasses}, {}, 0, 1).numbers;
  Reals images(kRois, 0);
  std::fill(images.begin() + 8, images.end(), 1);
  OneNode net("BoxWithNmsLimit");
  net.input(floats({kRois, kClasses * 4}, flat(boxes)))
      .input(floats({kRois, kClasses}, scores))
      .input(integers({kRois}, images))
      .param("nms_kernel_method", form.method, kWhole)
      .real("nms_score_threshold", kLater)
      .real("score_threshold", kFirst)
      .param("pre_nms_limit", double(form.before), kWhole)
      .real("iou_threshold", kIou)
      .real("sigma", kSigma);
  net.output(kReal, {kRows, 4})
      .output(kReal, {kRows})
      .output(kWhole, {kRows})
      .output(kWhole, {kRows})
      .output(kWhole, {kImages});
  if (form.hasIndices)
    net.output(kWhole, {kRows}).output(kWhole, {kClasses});

  SuppressionRule rule = hard(-1, kIou, true);
  if (form.method != 0) {
    rule.least = kLater;
    rule.lowered = [&](double score, double iou) {
      if (form.method == 1)
        return iou < kIou ? score : score * (1 - iou);
      return score * std::exp(-iou * iou / kSigma);
    };
  }
  Reals outBoxes, outScores, labels, outImages, splits, places,
      perClass(kClasses, 0);
  for (std::size_t n = 0; n < kImages; ++n) {
    std::vector<Row> enough;
    for (std::size_t c = 0; c < kClasses; ++c)
      for (std::size_t b = n ? 8 : 0; b < (n ? kRois : 8); ++b)
        if (scores[b * kClasses + c] >= kFirst)
          enough.push_back({scores[b * kClasses + c], c, b});
    if (form.before >= 0)
      sortRows(enough, std::size_t(form.before));
    splits.push_back(0);
    for (std::size_t c = 0; c < kClasses; ++c) {
      std::vector<Box> of;
      Reals ofScores;
      std::vector<std::size_t> which;
      for (const Row &row : enough)
        if (row.label == c)
          which.push_back(row.box);
      std::ranges::sort(which);
      for (std::size_t b : which) {
        of.push_back(boxes[b * kClasses + c]);
        ofScores.push_back(scores[b * kClasses + c]);
      }
      for (const Kept &k : suppressed(of, ofScores, rule)) {
        outBoxes.insert(outBoxes.end(), of[k.box].begin(), of[k.box].end());
        outScores.push_back(k.score);
        labels.push_back(double(c)), outImages.push_back(double(n));
        places.push_back(double(which[k.box]));
        ++splits.back(), ++perClass[c];
      }
    }
  }
  ASSERT_LT(outScores.size(), kRows);
  outBoxes.resize(kRows * 4), outScores.resize(kRows), labels.resize(kRows);
  outImages.resize(kRows), places.resize(kRows);
  expectNear(net.run(0), outBoxes, 1e-6);
  expectNear(net.run(1), outScores);
  expectExactly(net.run(2), labels);
  expectExactly(net.run(3), outImages);
  expectExactly(net.run(4), splits);
  if (form.hasIndices) {
    expectExactly(net.run(5), places);
    expectExactly(net.run(6), perClass);
  }
}

} // namespace

TEST(QnnNms, BoxWithNmsLimitLowersScoresInThreeWays) {
  for (int method : {0, 1, 2})
    for (bool hasIndices : {false, true})
      expectLimit({method, hasIndices});
}

TEST(QnnNms, BoxWithNmsLimitTakesTheBestBefore) {
  expectLimit({.method = 0, .hasIndices = true, .before = 6});
  expectLimit({.method = 2, .before = 9});
}

TEST(QnnNms, RefusesWhatKeepsNothing) {
  Detections d(7);
  OneNode net("NonMaxSuppression");
  net.input(floats({kImages, kBoxes, 4}, d.boxValues(1)))
      .input(floats({kImages, kClasses, kBoxes}, d.byClass()))
      .real("iou_threshold", 0.25)
      .output(kWhole, {0, 3});
  EXPECT_FALSE(net.import());
}

namespace {

struct DetectorForm {
  bool isRegular = false, isShared = true, usesBackground = false,
       outputsBackground = true;
  std::int64_t background = 0, limit = -1;
  DataType type = kReal;
};

void expectDetector(const DetectorForm &form, std::uint64_t seed) {
  constexpr std::size_t kAnchors = 9, kRows = 12;
  constexpr double kScore = 0.375, kIou = 0.25;
  const double factors[] = {0.125, 0.125, 0.25, 0.25};
  Random random(seed);
  std::size_t groups = form.isShared ? 1 : kClasses;
  Values scores = randomReals(random, {kImages, kAnchors, kClasses}, 0, 1,
                              form.type),
         deltas =
             randomReals(random, {kImages, std::int64_t(kAnchors * groups), 4},
                         -2, 2, form.type),
         anchors =
             randomReals(random, {kAnchors * kImages, 4}, 0.2, 1, form.type);
  const Reals scoreReals = scores.reals(), deltaReals = deltas.reals(),
              anchorReals = anchors.reals();
  OneNode net("DetectionOutput");
  net.input(scores)
      .input(deltas)
      .input(anchors)
      .list("delta_scaling_factors", {4}, {factors, factors + 4}, kReal)
      .real("confidence_threshold", kScore)
      .real("iou_threshold", kIou)
      .param("nms_type", form.isRegular)
      .param("background_class_idx", double(form.background))
      .flag("use_bg_in_nms", form.usesBackground)
      .flag("output_background", form.outputsBackground)
      .flag("share_location", form.isShared)
      .param("detection_limit", double(form.limit), kWhole)
      .output(form.type, {kImages, kRows}, scores.encoding)
      .output(kReal, {kImages, kRows, 4})
      .output(kWhole, {kImages, kRows})
      .output(kCount, {kImages});

  std::vector<std::size_t> classes;
  for (std::size_t c = 0; c < kClasses; ++c)
    if (std::int64_t(c) != form.background || form.usesBackground)
      classes.push_back(c);
  Reals outScores, outBoxes, labels, counts;
  for (std::size_t n = 0; n < kImages; ++n) {
    auto boxOf = [&](std::size_t a, std::size_t c) {
      const double *d =
          &deltaReals[4 * ((n * kAnchors + a) * groups + c % groups)];
      const double *at = &anchorReals[4 * (n * kAnchors + a)];
      Box box;
      for (std::size_t k : {0, 1}) {
        double centre = at[k] + d[k] * factors[k] * at[k + 2],
               side = std::exp(d[k + 2] * factors[k + 2]) * at[k + 2];
        box[k] = centre - side / 2, box[k + 2] = centre + side / 2;
      }
      return box;
    };
    auto scoreOf = [&](std::size_t a, std::size_t c) {
      return scoreReals[(n * kAnchors + a) * kClasses + c];
    };
    std::vector<Row> all;
    SuppressionRule rule = hard(kScore, kIou, true);
    if (form.isRegular) {
      if (form.limit > 0)
        rule.most = std::size_t(form.limit);
      for (std::size_t c : classes) {
        std::vector<Box> boxes;
        Reals of;
        for (std::size_t a = 0; a < kAnchors; ++a)
          boxes.push_back(boxOf(a, c)), of.push_back(scoreOf(a, c));
        for (const Kept &k : suppressed(boxes, of, rule))
          all.push_back({k.score, c, k.box});
      }
    } else {
      std::vector<Box> boxes;
      Reals of;
      for (std::size_t a = 0; a < kAnchors; ++a) {
        std::size_t best = *std::ranges::max_element(
            classes, {}, [&](std::size_t c) { return scoreOf(a, c); });
        boxes.push_back(boxOf(a, best)), of.push_back(scoreOf(a, best));
      }
      for (const Kept &k : suppressed(boxes, of, rule)) {
        std::vector<Row> ofBox;
        for (std::size_t c : classes)
          if (scoreOf(k.box, c) >= kScore)
            ofBox.push_back({scoreOf(k.box, c), c, k.box});
        sortRows(ofBox, form.limit > 0 ? std::size_t(form.limit) : kClasses);
        all.insert(all.end(), ofBox.begin(), ofBox.end());
      }
    }
    sortRows(all, kRows);
    counts.push_back(double(all.size()));
    for (std::size_t i = 0; i < kRows; ++i) {
      bool isUsed = i < all.size();
      outScores.push_back(isUsed ? all[i].score : 0);
      Box box = isUsed ? boxOf(all[i].box, all[i].label) : Box{};
      outBoxes.insert(outBoxes.end(), box.begin(), box.end());
      bool isAfter = !form.outputsBackground && isUsed &&
                     std::int64_t(all[i].label) > form.background;
      labels.push_back(isUsed ? double(all[i].label) - isAfter : 0);
    }
  }
  expectNear(net.run(0), outScores);
  expectNear(net.run(1), outBoxes);
  expectExactly(net.run(2), labels);
  expectExactly(net.run(3), counts);
}

} // namespace

TEST(QnnNms, DetectionOutputSuppressesClassByClass) {
  expectDetector({.isRegular = true}, 20);
  expectDetector({.isRegular = true, .isShared = false, .type = kByte}, 24);
  expectDetector({.isRegular = true, .isShared = false, .limit = 2}, 21);
  expectDetector({.isRegular = true,
                  .isShared = false,
                  .usesBackground = true,
                  .background = 1},
                 22);
  expectDetector(
      {.isRegular = true, .outputsBackground = false, .background = 1}, 23);
}

TEST(QnnNms, DetectionOutputSuppressesByTheBestClass) {
  expectDetector({}, 30);
  expectDetector({.limit = 1}, 31);
  expectDetector({.type = kByte}, 33);
  expectDetector({.isShared = false, .outputsBackground = false, .limit = 2},
                 32);
}
