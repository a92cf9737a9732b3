//===- BoxReferences.h - Boxes as QNN's definitions have them ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Overlaps, suppressions and random boxes for tests, in double precision.
//
//   std::vector<Kept> kept = suppressed(boxes, scores, rule);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_QNN_BOXREFERENCES_H
#define YARROW_TEST_UNIT_QNN_BOXREFERENCES_H

#include "test/unit/qnn/Numbers.h"
#include <array>

namespace yarrow::test {

/// Two opposite corners.
using Box = std::array<double, 4>;

inline double overlap(const Box &a, const Box &b) {
  auto sides = [](const Box &box, std::size_t axis) {
    return std::minmax(box[axis], box[axis + 2]);
  };
  double common = 1, areaA = 1, areaB = 1;
  for (std::size_t axis : {0, 1}) {
    auto [lowA, highA] = sides(a, axis);
    auto [lowB, highB] = sides(b, axis);
    common *= std::max(0.0, std::min(highA, highB) - std::max(lowA, lowB));
    areaA *= highA - lowA, areaB *= highB - lowB;
  }
  double both = areaA + areaB - common;
  return both > 0 ? common / both : 0;
}

struct Kept {
  std::size_t box;
  double score;
};

struct SuppressionRule {
  double leastScore = 0; ///< That takes part.
  double least = 0;      ///< A lowered score that stays.
  /// What a score becomes beside a better box of this overlap; below 0: gone.
  std::function<double(double score, double iou)> lowered;
  std::size_t most = ~std::size_t(0);
};

/// By falling score, of equal ones the first.
inline std::vector<Kept> suppressed(const std::vector<Box> &boxes,
                                    const Reals &scores,
                                    const SuppressionRule &rule) {
  std::vector<Kept> pending, kept;
  for (std::size_t i = 0; i < boxes.size(); ++i)
    if (scores[i] >= rule.leastScore)
      pending.push_back({i, scores[i]});
  while (!pending.empty() && kept.size() < rule.most) {
    auto best = std::ranges::max_element(pending, {}, &Kept::score);
    Kept chosen = *best;
    pending.erase(best);
    kept.push_back(chosen);
    for (Kept &other : pending)
      other.score = rule.lowered(other.score,
                                 overlap(boxes[chosen.box], boxes[other.box]));
    std::erase_if(pending, [&](const Kept &k) { return k.score < rule.least; });
  }
  return kept;
}

/// One that overlaps more than \p threshold goes, or as much as that.
inline SuppressionRule hard(double leastScore, double threshold,
                            bool dropsEqual = false) {
  double least = -1e30;
  return {leastScore, least, [=](double score, double iou) {
            return iou > threshold || (dropsEqual && iou == threshold)
                       ? 2 * least
                       : score;
          }};
}

/// Low corners in 0 .. \p side, sides up to half of it; those with \p flips
/// have their corners in any order.
inline std::vector<Box> randomBoxes(Random &random, std::size_t count,
                                    double side, bool flips = false) {
  std::vector<Box> boxes;
  for (std::size_t i = 0; i < count; ++i) {
    Box box;
    for (std::size_t axis : {0, 1}) {
      double low = random.between(0, side),
             high = low + random.between(side / 10, side / 2);
      if (flips && random.below(2))
        std::swap(low, high);
      box[axis] = double(float(low)), box[axis + 2] = double(float(high));
    }
    boxes.push_back(box);
  }
  return boxes;
}

inline Reals flat(const std::vector<Box> &boxes) {
  Reals values;
  for (const Box &box : boxes)
    values.insert(values.end(), box.begin(), box.end());
  return values;
}

/// A row of many, sorted by falling score; of equal scores the first one.
struct Row {
  double score;
  std::size_t label, box;
};

inline void sortRows(std::vector<Row> &rows, std::size_t most) {
  std::ranges::stable_sort(rows, std::greater<>(), &Row::score);
  rows.resize(std::min(rows.size(), most));
}

} // namespace yarrow::test

#endif // YARROW_TEST_UNIT_QNN_BOXREFERENCES_H
