//===- Recurrent.h - What LSTM, GRU and RNN have in common ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   Recurrent r(n, 4);
//   if (failed(r.read({"SIGMOID", "TANH", "TANH"})))
//     return failure();
//   Value x = r.sequence(), h = r.state(5, 0);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_OPERATORS_RECURRENT_H
#define YARROW_PARSER_GRAPH_OPERATORS_RECURRENT_H

#include "parser/graph/Emitter.h"
#include <algorithm>

namespace yarrow::graph {

/// What the three operators share. Weights are W [dirs, gates * H, I] and
/// R [dirs, gates * H, H], biases B [dirs, 2 * gates * H].
class Recurrent {
public:
  Recurrent(NodeEmitter &n, int64_t gates) : n(n), gates(gates) {}

  NodeEmitter &n;
  int64_t gates, directions = 1, steps = 0, batch = 0, inputs = 0, cells = 0;
  bool isBatchFirst = false;
  std::vector<std::string> activations;

  llvm::LogicalResult read(llvm::ArrayRef<llvm::StringRef> defaults) {
    std::string direction = n.node.text("direction", "forward");
    directions = direction == "bidirectional" ? 2 : 1;
    isReverse = direction == "reverse";
    isBatchFirst = n.node.integer("layout", 0) != 0;
    if (n.rank(0) != 3 || n.rank(1) != 3 || n.rank(2) != 3)
      return n.bad("input or weights have a wrong number of axes",
                   shapeText(n.shape(0)), "three axes each");
    steps = n.shape(0)[isBatchFirst ? 1 : 0];
    batch = n.shape(0)[isBatchFirst ? 0 : 1];
    inputs = n.shape(0)[2];
    cells = n.shape(2)[2];
    if (n.shape(1) != Shape{directions, gates * cells, inputs} ||
        n.shape(2) != Shape{directions, gates * cells, cells})
      return n.bad("the weights do not match the input",
                   shapeText(n.shape(1)) + " and " + shapeText(n.shape(2)),
                   shapeText({directions, gates * cells, inputs}) + " and " +
                       shapeText({directions, gates * cells, cells}));
    if (!n.constant(1) || !n.constant(2) || (n.has(3) && !n.constant(3)))
      return n.refuse("weights are computed at run time",
                      "tensor " + n.tensor(1).name, "constants");
    if (n.has(3) &&
        n.constant(3)->numElements() != directions * 2 * gates * cells)
      return n.bad("biases have a wrong shape", shapeText(n.shape(3)),
                   shapeText({directions, 2 * gates * cells}));
    if (mlir::failed(checkLengths()))
      return mlir::failure();
    if (n.node.number("clip", 0) != 0)
      return n.refuse("clipping is not supported",
                      std::to_string(n.node.number("clip", 0)), "no clip");
    return readActivations(defaults);
  }

  bool isReversed(int64_t direction) const {
    return isReverse || direction == 1;
  }

  /// Gate \p gate of weights \p input, as it is for \p direction.
  double weight(size_t input, int64_t direction, int64_t row,
                int64_t column) const {
    const Shape &shape = n.shape(input);
    return n.constant(input)->numberAt((direction * shape[1] + row) * shape[2] +
                                       column);
  }
  /// Of the first half or, with \p isState, of the second.
  double bias(int64_t direction, int64_t row, bool isState) const {
    if (!n.has(3))
      return 0;
    return n.constant(3)->numberAt((direction * 2 + isState) * gates * cells +
                                   row);
  }

  /// [gates * H, I + H], the gates in the order of \p from.
  mlir::ElementsAttr packedWeights(int64_t direction,
                                   llvm::ArrayRef<int64_t> from) const {
    std::vector<float> values;
    for (int64_t gate : from)
      for (int64_t c = 0; c < cells; ++c) {
        int64_t row = gate * cells + c;
        for (int64_t i = 0; i < inputs; ++i)
          values.push_back(float(weight(1, direction, row, i)));
        for (int64_t i = 0; i < cells; ++i)
          values.push_back(float(weight(2, direction, row, i)));
      }
    return n.build.floats({int64_t(from.size()) * cells, inputs + cells},
                          values);
  }

  /// [batch, steps, inputs], as layers have it.
  mlir::Value sequence() {
    mlir::Value x = n.plain(0);
    return isBatchFirst ? x : n.build.transpose(x, {1, 0, 2});
  }

  /// Step \p t of \p sequence, [batch, inputs].
  mlir::Value step(mlir::Value sequence, int64_t t) {
    mlir::Value one = n.layer("Slice", {sequence},
                              {{"begin", Shape{0, t, 0}},
                               {"end", Shape{batch, t + 1, inputs}},
                               {"strides", Shape{1, 1, 1}}});
    return n.build.reshape(one, {batch, inputs});
  }

  /// States of all steps, [batch, H] each, as [batch, steps, H].
  mlir::Value inSequence(llvm::SmallVector<mlir::Value> states) {
    for (mlir::Value &state : states)
      state = n.build.reshape(state, {batch, 1, cells});
    return states.size() == 1 ? states[0]
                              : n.layer("Concat", states, {{"axis", 1}});
  }

  /// The first state of one direction: input \p i, or zeros.
  mlir::Value state(size_t i, int64_t direction) {
    if (!n.has(i))
      return n.build.constantOf(
          {batch, cells}, std::vector<float>(size_t(batch * cells), 0.0f));
    // [dirs, batch, H], or [batch, dirs, H].
    mlir::Value all = n.plain(i);
    if (all && directions > 1) {
      Shape begin(3, 0), end(shapeOf(all));
      size_t axis = isBatchFirst ? 1 : 0;
      begin[axis] = direction;
      end[axis] = direction + 1;
      all = n.layer(
          "Slice", {all},
          {{"begin", begin}, {"end", end}, {"strides", Shape{1, 1, 1}}});
    }
    return n.build.reshape(all, {batch, cells});
  }

  /// All states, of each direction [batch, steps, H], as output 0: [steps,
  /// dirs, batch, H] or [batch, steps, dirs, H].
  llvm::LogicalResult outSequence(llvm::ArrayRef<mlir::Value> y) {
    llvm::SmallVector<mlir::Value> parts;
    for (mlir::Value part : y)
      parts.push_back(n.build.reshape(part, {batch, steps, 1, cells}));
    mlir::Value all =
        parts.size() == 1 ? parts[0] : n.layer("Concat", parts, {{"axis", 2}});
    return n.out(0, isBatchFirst ? all : n.build.transpose(all, {1, 2, 0, 3}));
  }

  /// A last state of each direction, [batch, H], as output \p i.
  llvm::LogicalResult outState(size_t i, llvm::ArrayRef<mlir::Value> states) {
    llvm::SmallVector<mlir::Value> parts;
    for (mlir::Value part : states)
      parts.push_back(n.build.reshape(
          part, isBatchFirst ? llvm::ArrayRef<int64_t>({batch, 1, cells})
                             : llvm::ArrayRef<int64_t>({1, batch, cells})));
    return n.out(
        i, parts.size() == 1
               ? parts[0]
               : n.layer("Concat", parts, {{"axis", isBatchFirst ? 1 : 0}}));
  }

private:
  /// Sequences of one batch that end at different times have no layer.
  llvm::LogicalResult checkLengths() {
    if (!n.has(4))
      return mlir::success();
    auto lengths = n.integers(4, "the list of lengths");
    if (mlir::failed(lengths))
      return mlir::failure();
    if (std::ranges::all_of(*lengths, [&](int64_t l) { return l == steps; }))
      return mlir::success();
    return n.refuse("sequences of different lengths are not supported",
                    shapeText(*lengths), "all of " + std::to_string(steps));
  }

  llvm::LogicalResult
  readActivations(llvm::ArrayRef<llvm::StringRef> defaults) {
    const Attribute *given = n.node.attribute("activations");
    if (!given || given->texts.empty()) {
      for (llvm::StringRef word : defaults)
        activations.push_back(word.str());
      return mlir::success();
    }
    if (given->texts.size() != defaults.size() * size_t(directions))
      return n.bad("activations have a wrong length",
                   std::to_string(given->texts.size()),
                   std::to_string(defaults.size() * size_t(directions)));
    for (size_t i = 0; i < given->texts.size(); ++i) {
      std::string word = llvm::StringRef(given->texts[i]).upper();
      // One layer has the same functions in both directions.
      if (i >= defaults.size() && activations[i - defaults.size()] != word)
        return n.refuse(
            "directions with different activations are not supported",
            given->texts[i], activations[i - defaults.size()]);
      if (i < defaults.size())
        activations.push_back(word);
      if (word != "SIGMOID" && word != "TANH" && word != "RELU")
        return n.refuse("this activation is not supported", given->texts[i],
                        "Sigmoid, Tanh or Relu");
    }
    return mlir::success();
  }

  bool isReverse = false;
};

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_OPERATORS_RECURRENT_H
