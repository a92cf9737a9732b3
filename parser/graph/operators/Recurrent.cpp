//===- Recurrent.cpp - LSTM, GRU and RNN ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Scalars.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

namespace {

/// What the three operators share. Weights are W [dirs, gates * H, I] and
/// R [dirs, gates * H, H], biases B [dirs, 2 * gates * H].
class Recurrent {
public:
  Recurrent(NodeEmitter &n, int64_t gates) : n(n), gates(gates) {}

  NodeEmitter &n;
  int64_t gates, directions = 1, steps = 0, batch = 0, inputs = 0, cells = 0;
  bool isBatchFirst = false;
  std::vector<std::string> activations;

  LogicalResult read(ArrayRef<StringRef> defaults) {
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
      return n.bad("weights do not fit the input",
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
    if (failed(checkLengths()))
      return failure();
    if (n.node.number("clip", 0) != 0)
      return n.refuse("with clip is not imported",
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
  ElementsAttr packedWeights(int64_t direction, ArrayRef<int64_t> from) const {
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
  Value sequence() {
    Value x = n.plain(0);
    return isBatchFirst ? x : n.build.transpose(x, {1, 0, 2});
  }

  /// The first state of one direction: input \p i, or zeros.
  Value state(size_t i, int64_t direction) {
    if (!n.has(i))
      return n.build.constantOf(
          {batch, cells}, std::vector<float>(size_t(batch * cells), 0.0f));
    // [dirs, batch, H], or [batch, dirs, H].
    Value all = n.plain(i);
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
  LogicalResult outSequence(ArrayRef<Value> y) {
    SmallVector<Value> parts;
    for (Value part : y)
      parts.push_back(n.build.reshape(part, {batch, steps, 1, cells}));
    Value all =
        parts.size() == 1 ? parts[0] : n.layer("Concat", parts, {{"axis", 2}});
    return n.out(0, isBatchFirst ? all : n.build.transpose(all, {1, 2, 0, 3}));
  }

  /// A last state of each direction, [batch, H], as output \p i.
  LogicalResult outState(size_t i, ArrayRef<Value> states) {
    SmallVector<Value> parts;
    for (Value part : states)
      parts.push_back(n.build.reshape(
          part, isBatchFirst ? ArrayRef<int64_t>({batch, 1, cells})
                             : ArrayRef<int64_t>({1, batch, cells})));
    return n.out(
        i, parts.size() == 1
               ? parts[0]
               : n.layer("Concat", parts, {{"axis", isBatchFirst ? 1 : 0}}));
  }

private:
  /// Sequences of one batch that end at different times have no layer.
  LogicalResult checkLengths() {
    if (!n.has(4))
      return success();
    auto lengths = n.integers(4, "the list of lengths");
    if (failed(lengths))
      return failure();
    if (std::ranges::all_of(*lengths, [&](int64_t l) { return l == steps; }))
      return success();
    return n.refuse("sequences of different lengths are not imported",
                    shapeText(*lengths), "all of " + std::to_string(steps));
  }

  LogicalResult readActivations(ArrayRef<StringRef> defaults) {
    const graph::Attribute *given = n.node.attribute("activations");
    if (!given || given->texts.empty()) {
      for (StringRef word : defaults)
        activations.push_back(word.str());
      return success();
    }
    if (given->texts.size() != defaults.size() * size_t(directions))
      return n.bad("activations have a wrong length",
                   std::to_string(given->texts.size()),
                   std::to_string(defaults.size() * size_t(directions)));
    for (size_t i = 0; i < given->texts.size(); ++i) {
      std::string word = StringRef(given->texts[i]).upper();
      // One layer has the same functions in both directions.
      if (i >= defaults.size() && activations[i - defaults.size()] != word)
        return n.refuse("directions with different activations",
                        given->texts[i], activations[i - defaults.size()]);
      if (i < defaults.size())
        activations.push_back(word);
      if (word != "SIGMOID" && word != "TANH" && word != "RELU")
        return n.refuse("with this activation is not imported", given->texts[i],
                        "Sigmoid, Tanh or Relu");
    }
    return success();
  }

  bool isReverse = false;
};

} // namespace

LogicalResult graph::emitLstm(NodeEmitter &n) {
  Recurrent r(n, 4);
  if (failed(r.read({"SIGMOID", "TANH", "TANH"})))
    return failure();
  if (n.has(7) &&
      !(n.constant(7) && llvm::all_of(n.constant(7)->numbers(),
                                      [](double v) { return v == 0; })))
    return n.refuse("with peepholes is not imported",
                    "tensor " + n.tensor(7).name, "no weights P");
  if (n.node.integer("input_forget", 0) != 0)
    return n.refuse("with coupled gates is not imported", "input_forget 1",
                    "input_forget 0");
  // ONNX has i, o, f, c; layers i, c, f, o.
  constexpr int64_t kGates[] = {0, 3, 2, 1};
  SmallVector<Value> y, h, c;
  Value x = r.sequence();
  for (int64_t d = 0; d < r.directions; ++d) {
    std::vector<float> bias;
    for (int64_t gate : kGates)
      for (int64_t k = 0; k < r.cells; ++k)
        bias.push_back(float(r.bias(d, gate * r.cells + k, false) +
                             r.bias(d, gate * r.cells + k, true)));
    Keys keys = {{"weights", r.packedWeights(d, kGates)},
                 {"biases", n.build.floats({4 * r.cells}, bias)},
                 {"time_steps", r.steps},
                 {"input_size", r.inputs},
                 {"cell_size", r.cells},
                 {"activations", r.activations},
                 {"direction", r.isReversed(d) ? "reverse" : "forward"},
                 {"out_sequence", std::vector<std::string>{"Y", "H", "C"}}};
    // Of TFLite: ONNX clips the gates' arguments.
    if (float clip = n.node.number("cell_clip", 0))
      keys.push_back({"cell_clip", double(clip)});
    SmallVector<Value> results =
        n.build.layers("BasicLSTM", {x, r.state(5, d), r.state(6, d)}, keys,
                       {DType::F32, DType::F32, DType::F32});
    if (!results[0])
      return failure();
    y.push_back(results[0]);
    h.push_back(results[1]);
    c.push_back(results[2]);
  }
  if (n.isTaken(0) && failed(r.outSequence(y)))
    return failure();
  if (n.isTaken(1) && failed(r.outState(1, h)))
    return failure();
  return n.isTaken(2) ? r.outState(2, c) : success();
}

LogicalResult graph::emitGru(NodeEmitter &n) {
  Recurrent r(n, 3);
  if (failed(r.read({"SIGMOID", "TANH"})))
    return failure();
  bool isAfter = n.node.integer("linear_before_reset", 0) != 0;
  // ONNX has z, r, h; layers r, z, h.
  constexpr int64_t kGates[] = {1, 0, 2};
  SmallVector<Value> y, h;
  Value x = r.sequence();
  for (int64_t d = 0; d < r.directions; ++d) {
    std::vector<float> bias;
    for (int64_t gate : kGates)
      for (int64_t k = 0; k < r.cells; ++k) {
        int64_t row = gate * r.cells + k;
        // The state's bias of the hidden gate is reset with its product.
        bool isApart = isAfter && gate == 2;
        bias.push_back(float(r.bias(d, row, false) +
                             (isApart ? 0 : r.bias(d, row, true))));
      }
    if (isAfter)
      for (int64_t k = 0; k < r.cells; ++k)
        bias.push_back(float(r.bias(d, 2 * r.cells + k, true)));
    SmallVector<Value> results = n.build.layers(
        isAfter ? "GRUv1" : "GRUv3", {x, r.state(5, d)},
        {{"weights", r.packedWeights(d, kGates)},
         {"biases", n.build.floats({int64_t(bias.size())}, bias)},
         {"time_steps", r.steps},
         {"input_size", r.inputs},
         {"cell_size", r.cells},
         {"activations", r.activations},
         {"direction", r.isReversed(d) ? "reverse" : "forward"},
         {"out_sequence", std::vector<std::string>{"H", "Hn"}}},
        {DType::F32, DType::F32});
    if (!results[0])
      return failure();
    y.push_back(results[0]);
    h.push_back(results[1]);
  }
  if (n.isTaken(0) && failed(r.outSequence(y)))
    return failure();
  return n.isTaken(1) ? r.outState(1, h) : success();
}

LogicalResult graph::emitRnn(NodeEmitter &n) {
  Recurrent r(n, 1);
  if (failed(r.read({"TANH"})))
    return failure();
  SmallVector<Value> y, h;
  Value x = r.sequence();
  for (int64_t d = 0; d < r.directions; ++d) {
    std::vector<float> bias;
    for (int64_t k = 0; k < r.cells; ++k)
      bias.push_back(float(r.bias(d, k, false) + r.bias(d, k, true)));
    ElementsAttr weights = r.packedWeights(d, {0}),
                 biases = n.build.floats({r.cells}, bias);
    Value state = r.state(5, d);
    SmallVector<Value> states{size_t(r.steps)};
    // One product of [x_t | h] for each step.
    for (int64_t i = 0; i < r.steps; ++i) {
      int64_t t = r.isReversed(d) ? r.steps - 1 - i : i;
      Value step = n.layer("Slice", {x},
                           {{"begin", Shape{0, t, 0}},
                            {"end", Shape{r.batch, t + 1, r.inputs}},
                            {"strides", Shape{1, 1, 1}}});
      step = n.build.reshape(step, {r.batch, r.inputs});
      Value both = n.layer("Concat", {step, state}, {{"axis", 1}});
      Value sum = n.layer(
          "FullyConnected", {both},
          {{"weights", weights}, {"biases", biases}, {"num_output", r.cells}});
      state = n.layer("Activation", {sum}, {{"method", r.activations[0]}});
      if (!state)
        return failure();
      states[size_t(t)] = n.build.reshape(state, {r.batch, 1, r.cells});
    }
    y.push_back(states.size() == 1 ? states[0]
                                   : n.layer("Concat", states, {{"axis", 1}}));
    h.push_back(state);
  }
  if (n.isTaken(0) && failed(r.outSequence(y)))
    return failure();
  return n.isTaken(1) ? r.outState(1, h) : success();
}
