//===- ScoreRows.h - Whether an output is scores of classes -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Answers can be compared only if there are any: the largest of a row of
// scores. Coordinates of boxes and landmarks have the same shape, [1,136] or
// [1,4], and heat maps do not have rows of scores. So there are two tests:
// whether the network computes rows of possible scores, and, unless a Softmax
// decides it, whether the numbers behave like scores: both signs, different
// answers among samples, and a variation with the sample as large as within a
// row. Coordinates stay near their place.
//
//   ScoreRows rows(output);                  // of the float network
//   for (...) rows.add(reference, values);   // all samples
//   if (rows.areScores()) use(rows.agreement());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_METRICS_SCOREROWS_H
#define YARROW_QUANTIZER_METRICS_SCOREROWS_H

#include "mlir/IR/Value.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace yarrow {

/// What the network says of an output.
enum class ScoreEvidence {
  None,     ///< Boxes, heat maps, what a Sigmoid or a rectifier gives.
  Possible, ///< A row of numbers from a layer that may give logits.
  Certain,  ///< A row that a Softmax makes.
};

struct RowShape {
  std::size_t classes = 0; ///< Numbers in a row; 0 if there are no rows.
  ScoreEvidence evidence = ScoreEvidence::None;
};

/// What computes an output, before moves and conversions; or null.
mlir::Operation *makerOf(mlir::Value output);

/// \p output of the float network, or of another form of it.
RowShape rowShapeOf(mlir::Value output);

/// How often two networks have the same answer, and whether there are answers.
class ScoreRows {
public:
  ScoreRows() = default;
  explicit ScoreRows(RowShape shape) : shape(shape) {}

  /// Of one run: rows of the float network and of the other one.
  void add(std::span<const float> reference, std::span<const float> values);
  void merge(const ScoreRows &other);

  bool areScores() const;
  uint64_t rows() const { return count; }
  uint64_t agreeing() const { return agreed; }
  /// From 0 to 1.
  double agreement() const {
    return count ? double(agreed) / double(count) : 1;
  }

  /// For processes that exchange them (support/Packing.h): all members.
  template <typename Pack> void pack(Pack &p) {
    auto evidence = int(shape.evidence);
    p(shape.classes)(evidence)(count)(agreed)(hasNegative);
    shape.evidence = ScoreEvidence(evidence);
    p(haveAnswersDiffered)(answer)(sums)(squares);
  }

private:
  RowShape shape;
  uint64_t count = 0, agreed = 0;
  bool hasNegative = false, haveAnswersDiffered = false;
  int64_t answer = -1; ///< Of the first row.
  /// Of the reference, by column.
  std::vector<double> sums, squares;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_METRICS_SCOREROWS_H
