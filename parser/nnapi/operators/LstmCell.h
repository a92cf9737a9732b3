//===- LstmCell.h - The cell that all LSTMs repeat --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One cell of LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM and, with a prefix to the
// names of its operands, of either direction of BIDIRECTIONAL_SEQUENCE_LSTM:
//
//   i = sigmoid(norm(Wi x + Ri h + pi c) + bi), or 1 - f with coupled gates
//   f = sigmoid(norm(Wf x + Rf h + pf c) + bf)
//   c' = clip(f c + i g(norm(Wc x + Rc h) + bc))
//   o = sigmoid(norm(Wo x + Ro h + po c') + bo)
//   h' = o g(c'), or clip(P (o g(c')) + bp) with a projection
//
// The weights of all gates are one matrix: one product serves them all, and
// that of the input serves all steps.
//
//   auto cell = readLstmCell(r, "fw_", "fw_act_state", "fw_cell_state", x);
//   if (auto run = runLstm(r, *cell, x, nullptr, false))
//     writeSequence(r, run->outputs, x, cell->outputs, 0);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_NNAPI_OPERATORS_LSTMCELL_H
#define YARROW_PARSER_NNAPI_OPERATORS_LSTMCELL_H

#include "parser/nnapi/operators/RecurrentSequence.h"
#include <array>

namespace yarrow::nnapi {

/// In the order of the operands.
enum class Gate : std::size_t { Input, Forget, Cell, Output };
inline constexpr std::size_t kNumGates = 4;
/// "forget"; parts of the names of operands end in it.
const char *nameOf(Gate gate);

template <typename T> struct OfGates {
  std::array<T, kNumGates> all = {};
  T &operator[](Gate gate) { return all[std::size_t(gate)]; }
  const T &operator[](Gate gate) const { return all[std::size_t(gate)]; }
};

struct LstmCell {
  std::string prefix;
  bool isCoupled = false; ///< There is no input gate.
  bool isNormalised = false;
  std::int64_t units = 0, outputs = 0;
  graph::Tensor *inputWeights = nullptr, ///< [gates * units, inputs]
      *stateWeights = nullptr,           ///< [gates * units, outputs]
          *auxWeights = nullptr,         ///< Null, or as inputWeights.
              *biases = nullptr, ///< [gates * units]; null where they are added
                                 ///< later.
                  *projection = nullptr,
                *projectionBias = nullptr, ///< May be null.
                    *firstOutput = nullptr, *firstCell = nullptr;
  OfGates<graph::Tensor *> peephole, norm, lateBias; ///< May be null.
  std::int64_t activation = 0;
  double cellClip = 0, projectionClip = 0; ///< 0: none.

  std::vector<Gate> gates() const;
};

/// Which operands of the cell there are; checks their lengths.
std::optional<LstmCell> readLstmCell(OperationReader &r,
                                     const std::string &prefix,
                                     const std::string &outputState,
                                     const std::string &cellState,
                                     const Sequence &x);
/// The weights of an auxiliary input beside it: "fw_aux_w_input".
bool readAuxWeights(OperationReader &r, LstmCell &cell, const Sequence &aux);

struct LstmRun {
  std::vector<graph::Tensor *> outputs; ///< Of each step, [batch, outputs].
  graph::Tensor *lastOutput = nullptr, *lastCell = nullptr;
  /// What the gates of the last step are of, [batch, gates * units].
  graph::Tensor *lastSums = nullptr;
};

/// All steps; \p aux may be null. Reports an activation that is none.
std::optional<LstmRun> runLstm(OperationReader &r, const LstmCell &cell,
                               const Sequence &x, const Sequence *aux,
                               bool isReverse);

} // namespace yarrow::nnapi

#endif // YARROW_PARSER_NNAPI_OPERATORS_LSTMCELL_H
