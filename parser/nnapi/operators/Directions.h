//===- Directions.h - Both directions of a sequence -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the bidirectional operations share: the auxiliary input, and outputs
// that are apart or merged.
//
//   auto aux = readAuxiliary(r, *x, {"fw_aux_weights", "bw_aux_weights"});
//   ... forward of x and aux->linked(), backward of aux->backward(x)
//   return writeDirections(r, *x, forward, backward);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_NNAPI_OPERATORS_DIRECTIONS_H
#define YARROW_PARSER_NNAPI_OPERATORS_DIRECTIONS_H

#include "parser/nnapi/operators/RecurrentSequence.h"

namespace yarrow::nnapi {

/// The second input of a bidirectional operation is given to both directions
/// with weights of its own (it is linked), or to the backward one instead of
/// the first.
struct AuxiliaryInput {
  std::optional<Sequence> sequence;
  bool isLinked = false;
  const Sequence *linked() const { return isLinked ? &*sequence : nullptr; }
  const Sequence &backward(const Sequence &x) const {
    return sequence && !isLinked ? *sequence : x;
  }
};

/// \p weights are the operands that link it.
std::optional<AuxiliaryInput>
readAuxiliary(OperationReader &r, const Sequence &x,
              const std::vector<std::string> &weights);

/// What one direction gives.
struct Direction {
  std::vector<graph::Tensor *> rows; ///< Of each step, [batch, size].
  std::int64_t size = 0;
  std::vector<graph::Tensor *> lastStates;
};

/// Writes the outputs: both directions, or one of both where the operation
/// merges them, and then the last states, which may be left out.
bool writeDirections(OperationReader &r, const Sequence &like,
                     const Direction &forward, const Direction &backward);

/// "time_major" as the order of a sequence's axes.
Order orderOf(const OperationReader &r);

} // namespace yarrow::nnapi

#endif // YARROW_PARSER_NNAPI_OPERATORS_DIRECTIONS_H
