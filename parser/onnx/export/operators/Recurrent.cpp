//===- Recurrent.cpp - Long short-term memory -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/WeightsOnly.h"
#include "parser/onnx/export/Exports.h"
#include "llvm/ADT/StringSwitch.h"

using namespace yarrow;
using namespace yarrow::onnx;
using namespace mlir;

namespace {

/// A BasicLSTM: rows of weights gate by gate in the order i, c, f, o, each
/// [W | R].
class LstmExport {
public:
  LstmExport(LayerExport &n)
      : n(n), batch(n.in(0).shape[0]),
        steps(compass::intKey(n.op, "time_steps")),
        inputs(compass::intKey(n.op, "input_size")),
        cells(compass::intKey(n.op, "cell_size")) {}

  LogicalResult run();

private:
  LogicalResult read();
  LogicalResult readActivations();
  LogicalResult oneNode();
  LogicalResult stepByStep();
  LogicalResult results(const std::string &y, const std::string &h,
                        const std::string &c, const Order &order);
  std::vector<float> part(int64_t from, int64_t to,
                          ArrayRef<int64_t> gates) const;
  std::string state(unsigned operand, const Lengths &shape);
  bool isReverse() const {
    return compass::wordKey(n.op, "direction", "FORWARD") == "REVERSE";
  }

  LayerExport &n;
  int64_t batch, steps, inputs, cells;
  std::vector<float> weights, biases;
  std::vector<std::string> functions;
};

} // namespace

LogicalResult LstmExport::readActivations() {
  auto words = n.op->getAttrOfType<ArrayAttr>("activations");
  functions = {"Sigmoid", "Tanh", "Tanh"};
  if (!words)
    return success();
  functions.clear();
  for (Attribute word : words) {
    StringRef name = cast<StringAttr>(word).getValue();
    StringRef op = llvm::StringSwitch<StringRef>(name.upper())
                       .Case("SIGMOID", "Sigmoid")
                       .Case("TANH", "Tanh")
                       .Case("RELU", "Relu")
                       .Case("SOFTSIGN", "Softsign")
                       .Case("SOFTPLUS", "Softplus")
                       .Default("");
    if (op.empty())
      return n.refuse("activations",
                      Twine("with ") + name + " is not exported");
    functions.push_back(op.str());
  }
  return functions.size() == 3 ? success()
                               : LogicalResult(n.refuse(
                                     "activations", "without three functions"));
}

LogicalResult LstmExport::read() {
  for (StringRef key : {"threshold", "activation_alpha", "activation_beta"})
    if (n.op->hasAttr(key))
      return n.refuse(key, Twine("with ") + key + " is not exported");
  auto w = compass::viewConstant(compass::tensorKey(n.op, "weights")),
       b = compass::viewConstant(compass::tensorKey(n.op, "biases"));
  weights = compass::floatsOf(*w), biases = compass::floatsOf(*b);
  if (!n.isInteger())
    return readActivations();
  auto ofWeights = compass::extraNumbers(n.op, "weights_scale"),
       ofBiases = compass::extraNumbers(n.op, "biases_scale");
  auto known = [&](size_t count) {
    return count == 1 || count == biases.size();
  };
  if (!known(ofWeights.size()) || !known(ofBiases.size()))
    return n.refuse("weights", "does not say the scales of its integers")
        .expected("weights_scale and biases_scale, one or one for each row");
  int64_t width = inputs + cells;
  for (size_t row = 0; row < biases.size(); ++row) {
    // What the zero point of x adds is in the biases.
    double sum = 0, bias = double(b->intAt(int64_t(row)));
    double scale = ofWeights[ofWeights.size() == 1 ? 0 : row];
    for (int64_t i = 0; i < width; ++i) {
      float &weight = weights[row * size_t(width) + size_t(i)];
      sum += i < inputs ? double(weight) : 0;
      weight = float(double(weight) / scale);
    }
    biases[row] = float((bias - n.in(0).zp * sum) /
                        ofBiases[ofBiases.size() == 1 ? 0 : row]);
  }
  return readActivations();
}

/// Columns \p from to \p to of the gates.
std::vector<float> LstmExport::part(int64_t from, int64_t to,
                                    ArrayRef<int64_t> gates) const {
  std::vector<float> values;
  for (int64_t gate : gates)
    for (int64_t row = gate * cells; row < (gate + 1) * cells; ++row)
      for (int64_t i = from; i < to; ++i)
        values.push_back(weights[size_t(row * (inputs + cells) + i)]);
  return values;
}

/// A first state, or zeros.
std::string LstmExport::state(unsigned operand, const Lengths &shape) {
  if (operand < n.op->getNumOperands())
    return n.real(operand, plainOrder(shape.size()));
  return n.floats(operand == 1 ? "h0" : "c0", shape,
                  std::vector<float>(size_t(batch * cells), 0));
}

/// The results that the layer has, of all states in \p order and the last ones.
LogicalResult LstmExport::results(const std::string &y, const std::string &h,
                                  const std::string &c, const Order &order) {
  unsigned i = 0;
  for (Attribute word : n.op->getAttrOfType<ArrayAttr>("out_sequence")) {
    StringRef name = cast<StringAttr>(word).getValue();
    bool isAll = name.equals_insensitive("Y");
    std::string value = isAll ? y : name.equals_insensitive("H") ? h : c;
    if (failed(n.result(i++, value, isAll ? order : plainOrder(2))))
      return failure();
  }
  return success();
}

LogicalResult LstmExport::oneNode() {
  constexpr int64_t kOnnxGates[] = {0, 3, 2, 1}; // i, o, f, c
  std::vector<float> bias;
  for (int64_t gate : kOnnxGates)
    bias.insert(bias.end(), biases.begin() + gate * cells,
                biases.begin() + (gate + 1) * cells);
  bias.resize(size_t(8 * cells), 0);
  std::vector<std::string> out = n.nodeOf(
      3, "LSTM",
      {n.real(0, {1, 0, 2}),
       n.floats("weights", {1, 4 * cells, inputs}, part(0, inputs, kOnnxGates)),
       n.floats("state_weights", {1, 4 * cells, cells},
                part(inputs, inputs + cells, kOnnxGates)),
       n.floats("biases", {1, 8 * cells}, bias), "",
       state(1, {1, batch, cells}), state(2, {1, batch, cells})},
      {{"hidden_size", cells},
       {"activations", functions},
       {"direction", std::string(isReverse() ? "reverse" : "forward")}});
  std::string all =
      n.node("Reshape", {out[0], n.integers("shape", {steps, batch, cells})});
  std::string rows = n.integers("state_shape", {batch, cells});
  return results(all, n.node("Reshape", {out[1], rows}),
                 n.node("Reshape", {out[2], rows}), {1, 0, 2});
}

/// The weights' transpose, as MatMul takes it.
static std::vector<float> transposed(const std::vector<float> &rows,
                                     size_t columns) {
  std::vector<float> result(rows.size());
  size_t count = rows.size() / columns;
  for (size_t r = 0; r < count; ++r)
    for (size_t c = 0; c < columns; ++c)
      result[c * count + r] = rows[r * columns + c];
  return result;
}

/// ONNX's LSTM cannot limit the cell state.
LogicalResult LstmExport::stepByStep() {
  double clip = *compass::numberOf(n.op->getAttr("cell_clip"));
  constexpr int64_t kGates[] = {0, 1, 2, 3};
  std::string gates =
      n.node("MatMul",
             {n.real(0, plainOrder(3)),
              n.floats("weights", {inputs, 4 * cells},
                       transposed(part(0, inputs, kGates), size_t(inputs)))});
  gates = n.node("Add", {gates, n.floats("biases", {4 * cells}, biases)});
  std::vector<std::string> ofStep = {gates};
  if (steps > 1)
    ofStep = n.nodeOf(size_t(steps), "Split",
                      {gates, n.integers("steps", Lengths(size_t(steps), 1))},
                      {{"axis", int64_t(1)}});
  std::string stateWeights =
      n.floats("state_weights", {cells, 4 * cells},
               transposed(part(inputs, inputs + cells, kGates), size_t(cells)));
  std::string h = state(1, {batch, cells}), c = state(2, {batch, cells}),
              rows = n.integers("rows", {batch, 4 * cells}),
              oneStep = n.integers("step", {batch, 1, cells}),
              fourGates = n.integers("gates", Lengths(4, cells));
  std::vector<std::string> all(static_cast<size_t>(steps));
  for (int64_t i = 0; i < steps; ++i) {
    auto t = size_t(isReverse() ? steps - 1 - i : i);
    std::string sum = n.node("Add", {n.node("Reshape", {ofStep[t], rows}),
                                     n.node("MatMul", {h, stateWeights})});
    std::vector<std::string> g =
        n.nodeOf(4, "Split", {sum, fourGates}, {{"axis", int64_t(1)}});
    std::string added = n.node(
        "Mul", {n.node(functions[0], {g[0]}), n.node(functions[1], {g[1]})});
    std::string kept = n.node("Mul", {n.node(functions[0], {g[2]}), c});
    c = n.node("Clip",
               {n.node("Add", {kept, added}), n.forms.scalar(float(-clip)),
                n.forms.scalar(float(clip))});
    h = n.node("Mul",
               {n.node(functions[0], {g[3]}), n.node(functions[2], {c})});
    all[t] = n.node("Reshape", {h, oneStep});
  }
  return results(n.node("Concat", all, {{"axis", int64_t(1)}}), h, c,
                 plainOrder(3));
}

LogicalResult LstmExport::run() {
  if (failed(read()))
    return failure();
  return n.op->hasAttr("cell_clip") ? stepByStep() : oneNode();
}

LogicalResult onnx::exportLstm(LayerExport &n) { return LstmExport(n).run(); }
