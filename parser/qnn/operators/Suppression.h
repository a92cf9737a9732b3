//===- Suppression.h - Non-maximum suppression of QNN's boxes ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Lists of boxes, one for each class of each image, and the best boxes that
// they keep. Results have the largest possible number of rows; unused rows hold
// 0.
//
//   Suppressed kept = suppress(f, boxes, scores, limits);
//   Best best = bestOf(f, kept, images, rows);
//   f.write(best.scores, 1);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_OPERATORS_SUPPRESSION_H
#define YARROW_PARSER_QNN_OPERATORS_SUPPRESSION_H

#include "parser/qnn/operators/Formulas.h"

namespace yarrow::qnn {

struct SuppressionLimits {
  std::int64_t most = 0; ///< Boxes of a list.
  double leastScore = 0; ///< That is kept.
  /// A box that overlaps a better one more than this goes.
  double overlap = 0;
  std::string method = "HARD";
  double sigma = 0; ///< GAUSSIAN: exp(-iou^2 / (2 * sigma))
};

/// The greatest float below \p bound: what is above it is \p bound or more.
double below(double bound);

/// What lists keep, by falling score.
struct Suppressed {
  graph::Tensor *scores = nullptr; ///< [lists, most]
  graph::Tensor *places = nullptr; ///< [lists, most], in the list.
  graph::Tensor *counts = nullptr; ///< [lists]
  std::int64_t lists = 0, most = 0;
};

/// Of boxes [lists, boxes, 4] with opposite corners and scores [lists, boxes].
Suppressed suppress(Formula &f, graph::Tensor *boxes, graph::Tensor *scores,
                    std::int64_t lists, const SuppressionLimits &limits);

/// The best of all lists of an image.
struct Best {
  graph::Tensor *scores = nullptr; ///< [images, rows]
  graph::Tensor *lists = nullptr;  ///< [images, rows], of those of the image.
  graph::Tensor *places = nullptr; ///< [images, rows], in the list.
  graph::Tensor *counts = nullptr; ///< [images], rows that are used.
  graph::Tensor *isUsed = nullptr; ///< [images, rows]
  std::int64_t images = 0, rows = 0;
};

/// Of equal scores the first list and place.
Best bestOf(Formula &f, const Suppressed &kept, std::int64_t images,
            std::int64_t rows);

/// Of entries [images, entries] with their values the \p rows greatest of those
/// that count: places is where they stand, lists is null.
Best greatestOf(Formula &f, graph::Tensor *values, graph::Tensor *counts,
                std::int64_t images, std::int64_t entries, std::int64_t rows);

/// Rows of \p x [images, boxes, ...], which has \p shape, for the rows of \p
/// best: those at \p places, zeros for rows that are not used.
graph::Tensor *rowsFor(Formula &f, const Best &best, graph::Tensor *x,
                       graph::Shape shape, graph::Tensor *places, bool isWhole);
/// Zeros for rows that are not used.
graph::Tensor *usedOf(Formula &f, const Best &best, graph::Tensor *x,
                      bool isWhole);
/// The least float: a score of what does not count.
graph::Tensor *noScore(Formula &f);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_OPERATORS_SUPPRESSION_H
