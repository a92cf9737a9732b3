//===- LstmCell.h - The operands of an LSTM's cell --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One cell of LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM and, with a prefix to the
// names of its operands, of either direction of BIDIRECTIONAL_SEQUENCE_LSTM;
// its steps are those of parser/graph/LstmSteps.h.
//
//   auto cell = readLstmCell(r, "fw_", "fw_act_state", "fw_cell_state", x);
//   LstmRun run = runLstm(r, *cell, x, nullptr, false);
//   writeSequence(r, run.outputs, x, cell->outputs, 0);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_NNAPI_OPERATORS_LSTMCELL_H
#define YARROW_PARSER_NNAPI_OPERATORS_LSTMCELL_H

#include "parser/graph/LstmSteps.h"
#include "parser/nnapi/operators/RecurrentSequence.h"

namespace yarrow::nnapi {

using graph::Gate;
using graph::kGates;
using graph::kNumGates;
using graph::LstmCell;
using graph::LstmRun;
using graph::OfGates;

/// "forget"; parts of the names of operands end in it.
const char *nameOf(Gate gate);

/// Which operands of the cell there are; checks their lengths.
std::optional<LstmCell> readLstmCell(OperationReader &r,
                                     const std::string &prefix,
                                     const std::string &outputState,
                                     const std::string &cellState,
                                     const Sequence &x);
/// The weights of an auxiliary input beside it: "fw_aux_w_input".
bool readAuxWeights(OperationReader &r, LstmCell &cell, const Sequence &aux);

/// All steps; \p aux may be null.
LstmRun runLstm(OperationReader &r, const LstmCell &cell, const Sequence &x,
                const Sequence *aux, bool isReverse);

} // namespace yarrow::nnapi

#endif // YARROW_PARSER_NNAPI_OPERATORS_LSTMCELL_H
