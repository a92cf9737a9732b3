//===- Recurrent.cpp - LSTM, GRU and RNN ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/operators/Recurrent.h"
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Scalars.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

/// Gates that look at the cell, which no layer has: step by step.
///
///   i = f(Xt Wi + Ht-1 Ri + Pi Ct-1 + bi), f likewise
///   c = g(Xt Wc + Ht-1 Rc + bc), Ct = f Ct-1 + i c
///   o = f(Xt Wo + Ht-1 Ro + Po Ct + bo), Ht = o h(Ct)
static LogicalResult emitPeepholes(NodeEmitter &n, Recurrent &r) {
  enum { I, O, F, C }; // ONNX's order, of P without the last one
  if (!n.constant(7) ||
      n.constant(7)->numElements() != r.directions * 3 * r.cells)
    return n.refuse(
        "peepholes that are computed or have another shape are not supported",
        "tensor " + n.tensor(7).name + " " + shapeText(n.shape(7)),
        "constants " + shapeText({r.directions, 3 * r.cells}));
  SmallVector<Value> y, hs, cs;
  Value x = r.sequence();
  for (int64_t d = 0; d < r.directions; ++d) {
    std::vector<float> bias;
    for (int64_t row = 0; row < 4 * r.cells; ++row)
      bias.push_back(float(r.bias(d, row, false) + r.bias(d, row, true)));
    ElementsAttr weights = r.packedWeights(d, {I, O, F, C}),
                 biases = n.build.floats({4 * r.cells}, bias);
    Value h = r.state(5, d), c = r.state(6, d);
    SmallVector<Value> states{size_t(r.steps)};
    for (int64_t i = 0; i < r.steps; ++i) {
      int64_t t = r.isReversed(d) ? r.steps - 1 - i : i;
      Value both = n.layer("Concat", {r.step(x, t), h}, {{"axis", 1}});
      Value sums = n.layer("FullyConnected", {both},
                           {{"weights", weights},
                            {"biases", biases},
                            {"num_output", 4 * r.cells}});
      auto gate = [&](int64_t which, size_t function, Value cell) {
        Value sum = n.layer("Slice", {sums},
                            {{"begin", Shape{0, which * r.cells}},
                             {"end", Shape{r.batch, (which + 1) * r.cells}},
                             {"strides", Shape{1, 1}}});
        if (cell && sum) {
          std::vector<float> p;
          for (int64_t k = 0; k < r.cells; ++k)
            p.push_back(
                float(n.constant(7)->numberAt((d * 3 + which) * r.cells + k)));
          sum = eltwise(
              n, "ADD", sum,
              eltwise(n, "MUL", cell, n.build.constantOf({1, r.cells}, p)));
        }
        return n.layer("Activation", {sum},
                       {{"method", r.activations[function]}});
      };
      Value kept = eltwise(n, "MUL", gate(F, 0, c), c),
            added = eltwise(n, "MUL", gate(I, 0, c), gate(C, 1, {}));
      if (!kept || !added)
        return failure();
      c = eltwise(n, "ADD", kept, added);
      h = eltwise(n, "MUL", gate(O, 0, c),
                  n.layer("Activation", {c}, {{"method", r.activations[2]}}));
      if (!h)
        return failure();
      states[size_t(t)] = h;
    }
    y.push_back(r.inSequence(states));
    hs.push_back(h);
    cs.push_back(c);
  }
  if (n.isTaken(0) && failed(r.outSequence(y)))
    return failure();
  if (n.isTaken(1) && failed(r.outState(1, hs)))
    return failure();
  return n.isTaken(2) ? r.outState(2, cs) : success();
}

LogicalResult graph::emitLstm(NodeEmitter &n) {
  Recurrent r(n, 4);
  if (failed(r.read({"SIGMOID", "TANH", "TANH"})))
    return failure();
  if (n.node.integer("input_forget", 0) != 0)
    return n.refuse("coupled gates are not supported", "input_forget 1",
                    "input_forget 0");
  bool hasPeepholes =
      n.has(7) &&
      !(n.constant(7) && llvm::all_of(n.constant(7)->numbers(),
                                      [](double v) { return v == 0; }));
  if (hasPeepholes)
    return emitPeepholes(n, r);
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
      Value both = n.layer("Concat", {r.step(x, t), state}, {{"axis", 1}});
      Value sum = n.layer(
          "FullyConnected", {both},
          {{"weights", weights}, {"biases", biases}, {"num_output", r.cells}});
      state = n.layer("Activation", {sum}, {{"method", r.activations[0]}});
      if (!state)
        return failure();
      states[size_t(t)] = state;
    }
    y.push_back(r.inSequence(states));
    h.push_back(state);
  }
  if (n.isTaken(0) && failed(r.outSequence(y)))
    return failure();
  return n.isTaken(1) ? r.outState(1, h) : success();
}
