//===- Directions.cpp - Both directions of a sequence ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/operators/Directions.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Tensor;

Order nnapi::orderOf(const OperationReader &r) {
  return r.flag("time_major") ? Order::TimeFirst : Order::BatchFirst;
}

std::optional<AuxiliaryInput>
nnapi::readAuxiliary(OperationReader &r, const Sequence &x,
                     const std::vector<std::string> &weights) {
  AuxiliaryInput aux;
  auto hasWeights = allOrNone(r, weights);
  if (!hasWeights)
    return std::nullopt;
  if (!isPresent(r, "aux_input")) {
    if (!*hasWeights)
      return aux;
    r.bad("weights of an auxiliary input are given without the input",
          weights[0], "no such weights");
    return std::nullopt;
  }
  aux.isLinked = *hasWeights;
  aux.sequence = readSequence(r, "aux_input", x.order);
  if (!aux.sequence)
    return std::nullopt;
  if (aux.sequence->steps == x.steps && aux.sequence->batch == x.batch)
    return aux;
  r.bad("the auxiliary input does not have the steps and batches of the input",
        std::to_string(aux.sequence->steps) + " steps of " +
            std::to_string(aux.sequence->batch),
        std::to_string(x.steps) + " steps of " + std::to_string(x.batch));
  return std::nullopt;
}

bool nnapi::writeDirections(OperationReader &r, const Sequence &like,
                            const Direction &forward,
                            const Direction &backward) {
  bool isMerged = r.flag("merge_outputs");
  std::vector<Tensor *> states = forward.lastStates;
  states.insert(states.end(), backward.lastStates.begin(),
                backward.lastStates.end());
  std::size_t sequences = isMerged ? 1 : 2;
  if (r.outputs.size() != sequences &&
      r.outputs.size() != sequences + states.size())
    return r.bad("the operation has a wrong number of outputs",
                 std::to_string(r.outputs.size()),
                 std::to_string(sequences) + " or " +
                     std::to_string(sequences + states.size()));
  if (isMerged) {
    Expressions e(r, "merged");
    std::vector<Tensor *> both;
    for (std::size_t t = 0; t < forward.rows.size(); ++t)
      both.push_back(e.joined({forward.rows[t], backward.rows[t]}, 1));
    writeSequence(r, both, like, forward.size + backward.size, 0);
  } else {
    writeSequence(r, forward.rows, like, forward.size, 0);
    writeSequence(r, backward.rows, like, backward.size, 1);
  }
  for (std::size_t i = 0; i < states.size(); ++i)
    writeOutput(r, states[i], sequences + i);
  return true;
}
