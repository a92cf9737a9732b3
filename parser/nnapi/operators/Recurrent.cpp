//===- Recurrent.cpp - Recurrent networks without gates -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   h' = activation(W x + R h + b)
//
// States are inputs and outputs: nothing is kept from one run to the next.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/operators/Directions.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Tensor;

namespace {

/// The names of one direction's operands.
struct RnnNames {
  std::string prefix, recurrent, state;
  std::string weights() const { return prefix + "weights"; }
  std::string bias() const { return prefix + "bias"; }
  std::string aux() const { return prefix + "aux_weights"; }
};
const RnnNames kAlone = {"", "recurrent_weights", "hidden_in"};
const RnnNames kForward = {"fw_", "fw_recurrent", "fw_hidden"};
const RnnNames kBackward = {"bw_", "bw_recurrent", "bw_hidden"};

} // namespace

/// What the cell adds to the product of its state, of all steps.
static Tensor *inputProducts(Expressions &e, const RnnNames &names,
                             const Sequence &x, const Sequence *aux) {
  OperationReader &r = e.r;
  Tensor *products =
      e.product(x.rows, r.input(names.weights()), r.input(names.bias()));
  return aux ? e.add(products, e.product(aux->rows, r.input(names.aux())))
             : products;
}

static std::optional<Direction> runRnn(OperationReader &r,
                                       const RnnNames &names, const Sequence &x,
                                       const Sequence *aux, bool isReverse) {
  if (r.rank(names.weights()) != 2) {
    r.bad("the weights are not a matrix", names.weights(), "[units,inputs]");
    return std::nullopt;
  }
  std::int64_t units = r.dims(names.weights())[0];
  if (!checkDims(r, names.weights(), {units, x.size}) ||
      !checkDims(r, names.recurrent, {units, units}) ||
      !checkDims(r, names.bias(), {units}) ||
      !checkDims(r, names.state, {x.batch, units}) ||
      (aux && !checkDims(r, names.aux(), {units, aux->size})))
    return std::nullopt;
  Expressions e(r, names.prefix + "steps");
  std::vector<Tensor *> ofStep =
      e.split(inputProducts(e, names, x, aux), std::size_t(x.steps), 0);
  Direction result{std::vector<Tensor *>(ofStep.size()), units, {}};
  Tensor *state = r.input(names.state);
  for (std::int64_t t : stepsInOrder(x.steps, isReverse)) {
    Tensor *sum = e.add(ofStep[std::size_t(t)],
                        e.product(state, r.input(names.recurrent)));
    state = activated(e, sum, r.scalar("fuse"), kAnyActivation);
    if (!state)
      return std::nullopt;
    result.rows[std::size_t(t)] = state;
  }
  result.lastStates = {state};
  return result;
}

/// One step has its state first; a sequence its outputs.
bool nnapi::readRnn(OperationReader &r) {
  bool isOneStep = std::string_view(r.entry.name) == "RNN";
  auto x = readSequence(r, "input", isOneStep ? Order::OneStep : orderOf(r));
  auto run = x ? runRnn(r, kAlone, *x, nullptr, false) : std::nullopt;
  if (!run)
    return false;
  writeOutput(r, run->lastStates.front(), isOneStep ? 0 : 1);
  writeSequence(r, run->rows, *x, run->size, isOneStep ? 1 : 0);
  return true;
}

bool nnapi::readBidirectionalRnn(OperationReader &r) {
  auto x = readSequence(r, "input", orderOf(r));
  auto aux = x ? readAuxiliary(r, *x, {kForward.aux(), kBackward.aux()})
               : std::nullopt;
  auto forward =
      aux ? runRnn(r, kForward, *x, aux->linked(), false) : std::nullopt;
  auto backward =
      forward ? runRnn(r, kBackward, aux->backward(*x), aux->linked(), true)
              : std::nullopt;
  return backward && writeDirections(r, *x, *forward, *backward);
}
