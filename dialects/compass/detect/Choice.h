//===- Choice.h - Steps that choose boxes by score --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// For programs of layers that keep the boxes above a threshold
// (kernels/detection/Choose.h).
//
//   Choice choice;
//   choice.scores = matrixOf(op->getOperand(0)), choice.from = operand(0);
//   choice.perClass = {result(1), describe(getResult(1))}; ...
//   ChosenBoxes chosen = chooseBoxes(program, choice);
//   takeChosen(op, program, chosen, choice, /*index=*/0);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_DETECT_CHOICE_H
#define YARROW_DIALECTS_COMPASS_DETECT_CHOICE_H

#include "dialects/compass/LayerProgram.h"
#include "kernels/detection/Choose.h"
#include "kernels/detection/Take.h"

namespace yarrow::compass {

/// A buffer and what it holds.
struct TypedBinding {
  BufferBinding buffer;
  TensorInfo info;
};
TypedBinding typedOperand(mlir::Operation *op, unsigned index);
TypedBinding typedResult(mlir::Operation *op, unsigned index);

/// What happens if more scores are above the threshold than there is room for.
enum class Overflow { First, Greatest, Least };

struct Choice {
  kernels::ScoreMatrix scores;
  BufferBinding from;
  int32_t threshold = 0; ///< A key of kernels/OrderKeys.h.
  uint32_t capacity = 1;
  Overflow overflow = Overflow::First;
  /// Lists of the classes that have boxes; left out where they are not wanted.
  std::optional<TypedBinding> perClass, labels, classCount;
};

/// Scores [batch, boxes, classes] without the first \p skipped classes.
kernels::ScoreMatrix matrixOf(const TensorInfo &scores, int64_t skipped = 0);

struct ChosenBoxes {
  kernels::BoxRows rows;
  BufferBinding places;
};
ChosenBoxes chooseBoxes(LayerProgram &program, const Choice &choice);

/// Writes the scores of the chosen boxes, with \p zp added, to a result.
void takeChosen(mlir::Operation *op, LayerProgram &program,
                const ChosenBoxes &chosen, const Choice &choice, unsigned index,
                int32_t zp = 0);
/// Limits to what integers of a tensor hold.
void setLimits(const TensorInfo &info, int32_t &lo, int32_t &hi);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_DETECT_CHOICE_H
