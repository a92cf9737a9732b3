//===- Lstm.cpp - LSTMs of real numbers -----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// States are inputs and outputs: nothing is kept from one run to the next.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/operators/Directions.h"
#include "parser/nnapi/operators/LstmCell.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Tensor;

/// Nobody reads the scratch buffer; the sums have its lengths, in HAL 1.0 with
/// an axis of gates.
static void writeScratch(OperationReader &r, const LstmCell &cell,
                         const Sequence &x, Tensor *sums) {
  constexpr std::size_t kHalAxes = 3;
  bool isHal = !r.match.indexOf("output_state_in");
  if (isHal && r.outputOperand(0).dims.size() == kHalAxes)
    sums = Expressions(r, "scratch")
               .reshaped(sums, {x.batch, cell.units,
                                std::int64_t(cell.gates().size())});
  writeOutput(r, sums, 0);
}

/// One step has a scratch buffer first and its output last; a sequence its
/// outputs first, and last states that may be left out.
bool nnapi::readLstm(OperationReader &r) {
  bool isOneStep = std::string_view(r.entry.name) == "LSTM";
  auto x = readSequence(r, "input", isOneStep ? Order::OneStep : orderOf(r));
  auto cell = x ? readLstmCell(r, "", "output_state_in", "cell_state_in", *x)
                : std::nullopt;
  if (!cell)
    return false;
  LstmRun run = runLstm(r, *cell, *x, nullptr, false);
  if (isOneStep)
    writeScratch(r, *cell, *x, run.lastSums);
  writeOutput(r, run.lastOutput, 1);
  writeOutput(r, run.lastCell, 2);
  writeSequence(r, run.outputs, *x, cell->outputs, isOneStep ? 3 : 0);
  return true;
}

/// What links an auxiliary input to both directions; a coupled input gate has
/// no weights.
static const std::vector<std::string> kLinks = {
    "fw_aux_w_forget", "fw_aux_w_cell", "fw_aux_w_output",
    "bw_aux_w_forget", "bw_aux_w_cell", "bw_aux_w_output"};

static Direction directionOf(OperationReader &r, const LstmCell &cell,
                             const Sequence &x, const Sequence *aux,
                             bool isReverse) {
  LstmRun run = runLstm(r, cell, x, aux, isReverse);
  return {run.outputs, cell.outputs, {run.lastOutput, run.lastCell}};
}

bool nnapi::readBidirectionalLstm(OperationReader &r) {
  auto x = readSequence(r, "input", orderOf(r));
  auto forward = x ? readLstmCell(r, "fw_", "fw_act_state", "fw_cell_state", *x)
                   : std::nullopt;
  if (!forward)
    return false;
  auto aux = readAuxiliary(r, *x, kLinks);
  if (!aux)
    return false;
  const Sequence &back = aux->backward(*x);
  auto backward = readLstmCell(r, "bw_", "bw_act_state", "bw_cell_state", back);
  if (!backward)
    return false;
  if (aux->isLinked && (!readAuxWeights(r, *forward, *aux->sequence) ||
                        !readAuxWeights(r, *backward, *aux->sequence)))
    return false;
  return writeDirections(r, *x,
                         directionOf(r, *forward, *x, aux->linked(), false),
                         directionOf(r, *backward, back, aux->linked(), true));
}
