//===- LstmSteps.h - The cell that all LSTMs repeat -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// LSTMs of NNAPI and QNN, whose forms ONNX lacks, as nodes step by step:
//
//   i = sigmoid(norm(Wi x + Ri h + pi c) + bi), or 1 - f with coupled gates
//   f = sigmoid(norm(Wf x + Rf h + pf c) + bf)
//   c' = clip(f c + i g(norm(Wc x + Rc h) + bc))
//   o = sigmoid(norm(Wo x + Ro h + po c') + bo)
//   h' = o g(c'), or clip(P (o g(c')) + bp) with a projection
//
// The weights of all gates are one matrix: one product serves them all, and the
// product of the input serves all steps.
//
//   Expressions e(maker, "steps");
//   Tensor *products = e.product(rows, cell.inputWeights, cell.biases);
//   LstmRun run = runLstm(maker, cell, products, steps, false);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_LSTMSTEPS_H
#define YARROW_PARSER_GRAPH_LSTMSTEPS_H

#include "parser/graph/Expressions.h"
#include <array>
#include <functional>

namespace yarrow::graph {

/// In the order of the rows of weights.
enum class Gate : std::size_t { Input, Forget, Cell, Output };
inline constexpr std::size_t kNumGates = 4;
inline constexpr Gate kGates[] = {Gate::Input, Gate::Forget, Gate::Cell,
                                  Gate::Output};

template <typename T> struct OfGates {
  std::array<T, kNumGates> all = {};
  T &operator[](Gate gate) { return all[std::size_t(gate)]; }
  const T &operator[](Gate gate) const { return all[std::size_t(gate)]; }
};

struct LstmCell {
  std::string prefix;     ///< Of names.
  bool isCoupled = false; ///< There is no input gate.
  bool isNormalised = false;
  std::int64_t units = 0, outputs = 0;
  Tensor *inputWeights = nullptr; ///< [gates * units, inputs]
  Tensor *stateWeights = nullptr; ///< [gates * units, outputs]
  Tensor *auxWeights = nullptr;   ///< Null, or as inputWeights.
  /// [gates * units]; null where they are added later.
  Tensor *biases = nullptr;
  Tensor *projection = nullptr, *projectionBias = nullptr; ///< May be null.
  Tensor *firstOutput = nullptr, *firstCell = nullptr;
  OfGates<Tensor *> peephole, norm, lateBias;                  ///< May be null.
  std::function<Tensor *(Expressions &, Tensor *)> activation; ///< g
  double cellClip = 0, projectionClip = 0;                     ///< 0: none.

  /// Those that have weights.
  std::vector<Gate> gates() const;
};

struct LstmRun {
  std::vector<Tensor *> outputs; ///< Of each step, [batch, outputs].
  Tensor *lastOutput = nullptr, *lastCell = nullptr;
  /// What the gates of the last step are of, [batch, gates * units].
  Tensor *lastSums = nullptr;
  /// What they give, and o g(c'), [batch, units].
  OfGates<Tensor *> lastGates;
  Tensor *lastHidden = nullptr;
};

/// All steps, from the last one to the first where \p isReverse; \p products
/// [steps * batch, gates * units] are those of the input, time first.
LstmRun runLstm(NodeMaker &make, const LstmCell &cell, Tensor *products,
                std::int64_t steps, bool isReverse);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_LSTMSTEPS_H
