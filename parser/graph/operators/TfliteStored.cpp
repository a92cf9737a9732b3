//===- TfliteStored.cpp - TFLite's LSTM in integers -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

namespace {

Quantization storedAs(ElementType type, float step, int64_t zero) {
  Quantization q;
  q.stored = type;
  q.scales = {step};
  q.zeroPoints = {zero};
  return q;
}

/// The steps of a sequence, [batch, steps, inputs] or time first.
class Steps {
public:
  explicit Steps(NodeEmitter &n)
      : n(n), isOneStep(n.node.integer("one_step", 0) != 0),
        axis(n.node.integer("time_major", 0) ? 0 : 1) {}

  int64_t count() const { return isOneStep ? 1 : n.shape(0)[size_t(axis)]; }
  int64_t batch() const { return n.shape(0)[isOneStep ? 0 : size_t(1 - axis)]; }
  int64_t inputs() const { return n.shape(0).back(); }

  Value at(Value x, int64_t step) const {
    if (isOneStep)
      return x;
    Shape begin(3, 0), end(n.shape(0));
    begin[size_t(axis)] = step;
    end[size_t(axis)] = step + 1;
    Value one =
        count() == 1
            ? x
            : n.layer(
                  "Slice", {x},
                  {{"begin", begin}, {"end", end}, {"strides", Shape(3, 1)}});
    return n.build.reshape(one, {batch(), inputs()});
  }

  /// All of [batch, outputs] as the sequence has them.
  Value joined(ArrayRef<Value> steps) const {
    if (isOneStep)
      return steps.front();
    SmallVector<Value> parts;
    for (Value step : steps) {
      Shape shape(shapeOf(step));
      shape.insert(shape.begin() + axis, 1);
      parts.push_back(n.build.reshape(step, shape));
    }
    return parts.size() == 1 ? parts.front()
                             : n.layer("Concat", parts, {{"axis", axis}});
  }

private:
  NodeEmitter &n;
  bool isOneStep;
  int64_t axis;
};

/// A state before the first step: zeros, as \p q stores them.
Value firstState(NodeEmitter &n, int64_t batch, int64_t length,
                 const Quantization &q) {
  std::vector<float> zeros(size_t(batch * length));
  Value state = n.build.constantOf({batch, length}, zeros);
  n.noteStoredAs(state, q);
  return state;
}

} // namespace

/// The rows of the part \p name; -1 if the layer has none.
static int64_t rowsOf(NodeEmitter &n, StringRef name) {
  const auto &names = n.node.attribute("parts")->texts;
  auto it = std::ranges::find(names, name.str());
  if (it == names.end())
    return -1;
  const Shape &shape = n.shape(1 + size_t(it - names.begin()));
  return shape.empty() ? -1 : shape[0];
}

/// Input x, what the attribute `parts` names, and the states of a run before,
/// if there is one: a layer for each step.
LogicalResult graph::emitTfliteStoredLstm(NodeEmitter &n) {
  size_t axes = n.node.integer("one_step", 0) ? 2 : 3;
  int64_t units = rowsOf(n, "forget_x"), projected = rowsOf(n, "projection");
  if (n.rank(0) != int64_t(axes) || units < 1)
    return n.bad("the input or the weights have a wrong number of axes",
                 shapeText(n.shape(0)), std::to_string(axes) + " axes");
  Steps steps(n);
  constexpr int64_t kMostSteps = 4096;
  if (steps.count() > kMostSteps)
    return n.refuse("this many steps are not supported",
                    std::to_string(steps.count()),
                    std::to_string(kMostSteps) + " or less");
  Quantization ofOutput =
      storedAs(ElementType::I8, n.node.number("output_step", 1),
               n.node.integer("output_zp", 0));
  Quantization ofCell =
      storedAs(ElementType::I16, n.node.number("cell_step", 1), 0);
  size_t numParts = n.node.attribute("parts")->texts.size();
  bool isKept = n.node.inputs.size() > 1 + numParts;
  Value x = n.plain(0),
        h = isKept ? n.plain(1 + numParts)
                   : firstState(n, steps.batch(),
                                projected < 0 ? units : projected, ofOutput),
        c = isKept ? n.plain(2 + numParts)
                   : firstState(n, steps.batch(), units, ofCell);
  SmallVector<Value> operands = {x, h, c};
  for (size_t i = 1; i <= numParts; ++i)
    operands.push_back(n.plain(i));
  if (llvm::is_contained(operands, Value()))
    return failure();
  std::vector<double> gateSteps;
  for (float step : n.node.attribute("gate_steps")->numbers)
    gateSteps.push_back(step);
  auto number = [&](const char *key) { return double(n.node.number(key, 0)); };
  SmallVector<Value> outputs;
  for (int64_t step = 0; step < steps.count(); ++step) {
    operands[0] = steps.at(x, step);
    operands[1] = h, operands[2] = c;
    SmallVector<Value> results =
        n.build.layers("StoredLSTM", operands,
                       {{"parts", n.node.attribute("parts")->texts},
                        {"gate_steps", gateSteps},
                        {"hidden_step", number("hidden_step")},
                        {"hidden_zp", n.node.integer("hidden_zp", 0)},
                        {"cell_clip", number("cell_clip")},
                        {"projection_clip", number("projection_clip")}},
                       {DType::F32, DType::F32});
    h = results[0], c = results[1];
    if (!h)
      return failure();
    n.noteStoredAs(h, ofOutput);
    n.noteStoredAs(c, ofCell);
    outputs.push_back(h);
  }
  if (isKept && (failed(n.outPlain(1, h)) || failed(n.outPlain(2, c))))
    return failure();
  return n.outPlain(0, steps.joined(outputs));
}
