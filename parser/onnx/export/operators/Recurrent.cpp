//===- Recurrent.cpp - Long short-term memory and gated units -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/ExtraKeys.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "parser/onnx/export/Exports.h"
#include "llvm/ADT/StringSwitch.h"

using namespace yarrow;
using namespace yarrow::onnx;
using namespace mlir;

namespace {

/// What the layers share: rows of weights gate by gate, each [W | R].
class RecurrentExport {
protected:
  RecurrentExport(LayerExport &n)
      : n(n), batch(n.in(0).shape[0]),
        steps(compass::intKey(n.op, compass::keys::time_steps)),
        inputs(compass::intKey(n.op, compass::keys::input_size)),
        cells(compass::intKey(n.op, compass::keys::cell_size)) {}

  /// Weights and biases as real values, and the functions of the gates.
  LogicalResult read(std::vector<std::string> defaults);
  std::vector<float> part(int64_t from, int64_t to,
                          ArrayRef<int64_t> gates) const;
  /// Biases of the gates, \p more after them.
  std::string biasesOf(ArrayRef<int64_t> gates, std::vector<float> more);
  std::string state(unsigned operand, const Lengths &shape);
  /// The node's inputs up to the first state.
  std::vector<std::string> nodeInputs(ArrayRef<int64_t> gates,
                                      std::vector<float> stateBiases);
  AttributeList attributes() const;
  /// The results that the layer has: \p all states, in \p order, if the word is
  /// \p nameOfAll, else of \p last that of the word.
  LogicalResult results(StringRef nameOfAll, const std::string &all,
                        const Order &order,
                        ArrayRef<std::pair<StringRef, std::string>> last);
  bool isReverse() const {
    return compass::wordKey(n.op, compass::keys::direction, "FORWARD") ==
           "REVERSE";
  }

  LayerExport &n;
  int64_t batch, steps, inputs, cells;
  std::vector<float> weights, biases;
  std::vector<std::string> functions;

private:
  LogicalResult readActivations(std::vector<std::string> defaults);
};

/// A BasicLSTM: gates in the order i, c, f, o.
class LstmExport : RecurrentExport {
public:
  LstmExport(LayerExport &n) : RecurrentExport(n) {}
  LogicalResult run();

private:
  LogicalResult oneNode();
  LogicalResult stepByStep();
};

/// A GRUv1 (reset after the product) or GRUv3: gates in the order r, z, h.
class GruExport : RecurrentExport {
public:
  GruExport(LayerExport &n, bool isAfter)
      : RecurrentExport(n), isAfter(isAfter) {}
  LogicalResult run();

private:
  bool isAfter;
};

} // namespace

LogicalResult
RecurrentExport::readActivations(std::vector<std::string> defaults) {
  auto words = n.op->getAttrOfType<ArrayAttr>(compass::keys::activations);
  size_t count = defaults.size();
  functions = std::move(defaults);
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
      return n.refuse(compass::keys::activations,
                      Twine("with ") + name + " is not exported");
    functions.push_back(op.str());
  }
  if (functions.size() == count)
    return success();
  return n.refuse(compass::keys::activations,
                  "with a wrong number of functions");
}

LogicalResult RecurrentExport::read(std::vector<std::string> defaults) {
  using compass::KeyName;
  for (KeyName key : {KeyName(compass::keys::threshold),
                      KeyName(compass::keys::activation_alpha),
                      KeyName(compass::keys::activation_beta)})
    if (n.op->hasAttr(key))
      return n.refuse(key, Twine("with ") + key + " is not exported");
  auto w = compass::viewConstant(
           compass::tensorKey(n.op, compass::keys::weights)),
       b = compass::viewConstant(
           compass::tensorKey(n.op, compass::keys::biases));
  weights = compass::floatsOf(*w), biases = compass::floatsOf(*b);
  if (!n.isInteger())
    return readActivations(std::move(defaults));
  auto ofWeights = compass::extraNumbers(n.op, "weights_scale"),
       ofBiases = compass::extraNumbers(n.op, "biases_scale");
  auto known = [&](size_t count) {
    return count == 1 || count == biases.size();
  };
  if (!known(ofWeights.size()) || !known(ofBiases.size()))
    return n
        .refuse(compass::keys::weights,
                "does not give the scales of its integers")
        .expected("weights_scale and biases_scale, each with one value or a "
                  "value for each row");
  int64_t width = inputs + cells;
  size_t rows = weights.size() / size_t(width);
  for (size_t row = 0; row < biases.size(); ++row) {
    // What the zero point of x adds is in the biases, but for those of the
    // state alone.
    double sum = 0, bias = double(b->intAt(int64_t(row)));
    double scale = ofWeights[ofWeights.size() == 1 ? 0 : row];
    for (int64_t i = 0; i < width && row < rows; ++i) {
      float &weight = weights[row * size_t(width) + size_t(i)];
      sum += i < inputs ? double(weight) : 0;
      weight = float(double(weight) / scale);
    }
    biases[row] = float((bias - n.in(0).zp * sum) /
                        ofBiases[ofBiases.size() == 1 ? 0 : row]);
  }
  return readActivations(std::move(defaults));
}

/// Columns \p from to \p to of the gates.
std::vector<float> RecurrentExport::part(int64_t from, int64_t to,
                                         ArrayRef<int64_t> gates) const {
  std::vector<float> values;
  for (int64_t gate : gates)
    for (int64_t row = gate * cells; row < (gate + 1) * cells; ++row)
      for (int64_t i = from; i < to; ++i)
        values.push_back(weights[size_t(row * (inputs + cells) + i)]);
  return values;
}

/// A first state, or zeros.
std::string RecurrentExport::state(unsigned operand, const Lengths &shape) {
  if (operand < n.op->getNumOperands())
    return n.real(operand, plainOrder(shape.size()));
  return n.floats(operand == 1 ? "h0" : "c0", shape,
                  std::vector<float>(size_t(batch * cells), 0));
}

LogicalResult
RecurrentExport::results(StringRef nameOfAll, const std::string &all,
                         const Order &order,
                         ArrayRef<std::pair<StringRef, std::string>> last) {
  unsigned i = 0;
  for (Attribute word :
       n.op->getAttrOfType<ArrayAttr>(compass::keys::out_sequence)) {
    StringRef name = cast<StringAttr>(word).getValue();
    bool isAll = name.equals_insensitive(nameOfAll);
    auto state = llvm::find_if(
        last, [&](auto &s) { return name.equals_insensitive(s.first); });
    if (!isAll && state == last.end())
      return n.refuse(compass::keys::out_sequence,
                      Twine("with ") + name + " is not exported");
    if (failed(n.result(i++, isAll ? all : state->second,
                        isAll ? order : plainOrder(2))))
      return failure();
  }
  return success();
}

std::string RecurrentExport::biasesOf(ArrayRef<int64_t> gates,
                                      std::vector<float> more) {
  std::vector<float> values;
  for (int64_t gate : gates)
    values.insert(values.end(), biases.begin() + gate * cells,
                  biases.begin() + (gate + 1) * cells);
  llvm::append_range(values, more);
  return n.floats("biases", {1, int64_t(values.size())}, values);
}

std::vector<std::string>
RecurrentExport::nodeInputs(ArrayRef<int64_t> gates,
                            std::vector<float> stateBiases) {
  auto rows = int64_t(gates.size()) * cells;
  return {n.real(0, {1, 0, 2}),
          n.floats("weights", {1, rows, inputs}, part(0, inputs, gates)),
          n.floats("state_weights", {1, rows, cells},
                   part(inputs, inputs + cells, gates)),
          biasesOf(gates, std::move(stateBiases)),
          "", // All sequences have all steps.
          state(1, {1, batch, cells})};
}

AttributeList RecurrentExport::attributes() const {
  return {{"hidden_size", cells},
          {"activations", functions},
          {"direction", std::string(isReverse() ? "reverse" : "forward")}};
}

LogicalResult LstmExport::oneNode() {
  constexpr int64_t kOnnxGates[] = {0, 3, 2, 1}; // i, o, f, c
  std::vector<std::string> from =
      nodeInputs(kOnnxGates, std::vector<float>(size_t(4 * cells), 0));
  from.push_back(state(2, {1, batch, cells}));
  std::vector<std::string> out =
      n.nodeOf(3, "LSTM", std::move(from), attributes());
  std::string all =
      n.node("Reshape", {out[0], n.integers("shape", {steps, batch, cells})});
  std::string rows = n.integers("state_shape", {batch, cells});
  std::string h = n.node("Reshape", {out[1], rows}),
              c = n.node("Reshape", {out[2], rows});
  return results("Y", all, {1, 0, 2}, {{"H", h}, {"C", c}});
}

LogicalResult GruExport::run() {
  if (failed(read({"Sigmoid", "Tanh"})))
    return failure();
  constexpr int64_t kOnnxGates[] = {1, 0, 2}; // z, r, h
  // What is reset with the product of the state is a bias of that.
  std::vector<float> ofState(size_t(3 * cells), 0);
  if (isAfter)
    std::copy(biases.begin() + 3 * cells, biases.end(),
              ofState.begin() + 2 * cells);
  AttributeList keys = attributes();
  keys.push_back({"linear_before_reset", int64_t(isAfter)});
  std::vector<std::string> out =
      n.nodeOf(2, "GRU", nodeInputs(kOnnxGates, ofState), keys);
  std::string all =
      n.node("Reshape", {out[0], n.integers("shape", {steps, batch, cells})});
  std::string h =
      n.node("Reshape", {out[1], n.integers("state_shape", {batch, cells})});
  return results("H", all, {1, 0, 2}, {{"Hn", h}});
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
  double clip = *compass::numberOf(n.op->getAttr(compass::keys::cell_clip));
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
  return results("Y", n.node("Concat", all, {{"axis", int64_t(1)}}),
                 plainOrder(3), {{"H", h}, {"C", c}});
}

LogicalResult LstmExport::run() {
  if (failed(read({"Sigmoid", "Tanh", "Tanh"})))
    return failure();
  return n.op->hasAttr(compass::keys::cell_clip) ? stepByStep() : oneNode();
}

LogicalResult onnx::exportLstm(LayerExport &n) { return LstmExport(n).run(); }
LogicalResult onnx::exportGruV1(LayerExport &n) {
  return GruExport(n, /*isAfter=*/true).run();
}
LogicalResult onnx::exportGruV3(LayerExport &n) {
  return GruExport(n, /*isAfter=*/false).run();
}
