//===- Recurrent.cpp - Quantizing recurrent layers ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A GRU has four blocks of weights with scales of their own (of x and of h, for
// the gates and for the candidates), and tables for its functions, whose inputs
// have ranges that calibration takes between the kernels of the layer
// (dialects/compass/sequence/GruProgram.cpp). Spec: integer semantics 4.15 and
// 4.25, which also tell where the reference takes another scale than the
// integers have: here each multiplier is the ratio of the scales that the
// integers do have.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/sequence/SequenceOps.h"
#include "kernels/activation/UnaryFn.h"
#include "quantizer/rules/Rules.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

namespace {

/// A block of the weights [3 * cells, inputs + cells].
struct Block {
  int64_t firstRow, rows, firstColumn, columns;
  float scale = 1;
};

class GruRule {
public:
  explicit GruRule(LayerContext &layer) : layer(layer) {}
  bool run();

private:
  LinearParams symmetric(FloatRange r, unsigned bits) const {
    return linearParams(r.min, r.max, RangeMode::SymmetricRestricted, bits,
                        /*isSigned=*/true);
  }
  bool readWeights();
  void quantizeBlock(Block &block);
  void setBiases();
  LinearParams tableInput(const char *name, double bound) const;
  void setTable(const char *key, kernels::UnaryFn fn, const LinearParams &in,
                float outScale);
  void alignFirstState(const LinearParams &state);

  /// Weights of 8 bits, activations of 8 bits: q in [-127, 127].
  static constexpr unsigned kBits = 8;
  static constexpr float kOne = 127; ///< Stored value of a gate that is open.

  LayerContext &layer;
  LayerContext::FloatConstant weights, biases;
  int64_t inputs = 0, cells = 0;
  LinearParams x, state;
  Block gatesOfX{}, gatesOfH{}, candidatesOfX{}, candidatesOfH{};
  std::vector<int64_t> integerWeights;
};

} // namespace

bool GruRule::readWeights() {
  auto w = layer.floats("weights"), b = layer.floats("biases");
  if (!w || !b)
    return layer.unsupported("the layer has no float weights and biases");
  weights = std::move(*w), biases = std::move(*b);
  inputs = layer.shapeOf(layer.op->getOperand(0)).back();
  cells = weights.shape[1] - inputs;
  integerWeights.resize(weights.values.size());
  gatesOfX = {0, 2 * cells, 0, inputs};
  gatesOfH = {0, 2 * cells, inputs, cells};
  candidatesOfX = {2 * cells, cells, 0, inputs};
  candidatesOfH = {2 * cells, cells, inputs, cells};
  return true;
}

void GruRule::quantizeBlock(Block &block) {
  auto forEach = [&](auto fn) {
    for (int64_t r = 0; r < block.rows; ++r)
      for (int64_t c = 0; c < block.columns; ++c)
        fn(size_t((block.firstRow + r) * (inputs + cells) + block.firstColumn +
                  c));
  };
  FloatRange range;
  forEach([&](size_t i) {
    range.min = std::min(range.min, weights.values[i]);
    range.max = std::max(range.max, weights.values[i]);
  });
  LinearParams p = symmetric(range, kBits);
  block.scale = p.scale;
  forEach([&](size_t i) {
    integerWeights[i] = quantizeValue(weights.values[i], p);
  });
}

/// Biases at the scales of the products that they are added to. The zero point
/// of x adds zp * sum(w) to its products.
void GruRule::setBiases() {
  std::vector<int64_t> values;
  auto add = [&](int64_t first, int64_t count, float scale, const Block *ofX) {
    for (int64_t i = first; i < first + count; ++i) {
      double b = std::nearbyint(double(biases.values[i]) * scale);
      int64_t sum = 0;
      for (int64_t c = 0; ofX && c < inputs; ++c)
        sum += integerWeights[i * (inputs + cells) + c];
      b += double(x.zp) * double(sum);
      values.push_back(int64_t(std::clamp(b, -2147483648.0, 2147483647.0)));
    }
  };
  float gates = x.scale * gatesOfX.scale,
        candidates = x.scale * candidatesOfX.scale,
        hidden = state.scale * candidatesOfH.scale;
  add(0, 2 * cells, gates, &gatesOfX);
  add(2 * cells, cells, candidates, &candidatesOfX);
  add(3 * cells, cells, hidden, nullptr);
  layer.setTensor("biases", {4 * cells}, DType::I32, values);
  layer.setExtraTensor("biases_scale", {gates, candidates});
  layer.setExtraTensor("biases_zp", {0.0f, 0.0f});
}

/// The range of a function's argument, no wider than where the function still
/// changes: beyond it 8 bits of the result stay the same.
LinearParams GruRule::tableInput(const char *name, double bound) const {
  FloatRange r = layer.intermediateRange(name);
  return symmetric(
      {std::max(r.min, float(-bound)), std::min(r.max, float(bound))}, kBits);
}

/// 256 entries: the first two are the first of 255 points from -127 to 127.
void GruRule::setTable(const char *key, kernels::UnaryFn fn,
                       const LinearParams &in, float outScale) {
  LinearParams out;
  out.scale = outScale, out.qmin = -127, out.qmax = 127;
  std::vector<int64_t> table;
  for (int64_t q = -128; q <= 127; ++q) {
    double at = double(std::max<int64_t>(q, -127)) / in.scale;
    table.push_back(quantizeValue(float(kernels::unaryValue(fn, at)), out));
  }
  layer.setTensor(key, {int64_t(table.size())}, DType::I8, table);
}

/// The first state must have the scale of the others: a Cast before the layer
/// gives it, as in the reference where it has a zero point.
void GruRule::alignFirstState(const LinearParams &to) {
  if (layer.numInputs() < 2)
    return;
  LinearParams from = layer.input(1);
  if (from.scale == to.scale && from.zp == 0 && from.bits == to.bits &&
      from.isSigned)
    return;
  layer.castInput(1, to);
}

bool GruRule::run() {
  if (layer.options.activationBits != kBits || layer.options.weightBits > kBits)
    return layer.unsupported(
        "a GRU is quantized to 8 bits only: with 16 bits the integer IR shifts "
        "the biases away step by step",
        "set activation_bits and weight_bits to 8 for this layer");
  std::vector<std::string> functions = layer.words("activations");
  if (!functions.empty() &&
      functions != std::vector<std::string>{"SIGMOID", "TANH"})
    return layer.unsupported(
        "a GRU with other activations than SIGMOID and TANH cannot be "
        "quantized");
  if (!readWeights())
    return false;
  x = layer.input(0);
  FloatRange states = layer.intermediateRange("state");
  state = symmetric(states, kBits);
  alignFirstState(state);
  for (Block *block : {&gatesOfX, &gatesOfH, &candidatesOfX, &candidatesOfH})
    quantizeBlock(*block);
  layer.setTensor("weights", weights.shape, DType::I8, integerWeights);
  layer.setExtraTensor("weights_scale",
                       {gatesOfX.scale, gatesOfH.scale, candidatesOfX.scale,
                        candidatesOfH.scale});
  layer.setExtraTensor("weights_zp", {4}, DType::I32, {0, 0, 0, 0});
  setBiases();

  // Gates are stored as q / 127, so that 127 - q is 1 - u exactly.
  LinearParams gateIn = tableInput("gate_inputs", 4.564202),
               candidateIn = tableInput("candidate_inputs", 2.629377),
               hidden = symmetric(layer.intermediateRange("hidden"), kBits);
  float candidate =
      symmetric(layer.intermediateRange("candidates"), kBits).scale;
  setTable("lut_rt", kernels::UnaryFn::Sigmoid, gateIn, kOne);
  setTable("lut_zt", kernels::UnaryFn::Sigmoid, gateIn, kOne);
  setTable("lut_ht", kernels::UnaryFn::Tanh, candidateIn, candidate);
  float ofGates = x.scale * gatesOfX.scale,
        ofCandidates = x.scale * candidatesOfX.scale;
  const float ratios[] = {
      ofGates / (state.scale * gatesOfH.scale), // products of h to those of x
      gateIn.scale / ofGates,                   // to the table
      ofCandidates / (kOne * hidden.scale),     // r * hidden
      candidateIn.scale / ofCandidates,         // to the table
      state.scale / candidate,                  // (1 - u) * c to u * h
      1 / kOne};                                // to the state
  unsigned bits = layer.options.multiplierWidth();
  std::vector<int64_t> scales, shifts;
  for (float ratio : ratios) {
    ScaleApproximation r = layer.approximate(ratio, bits);
    scales.push_back(r.multiplier);
    shifts.push_back(r.shift);
  }
  std::string type(multiplierType(bits));
  auto sixOf = [](const std::string &word) {
    std::string text = "[" + word;
    for (int i = 1; i < 6; ++i)
      text += "," + word;
    return text + "]";
  };
  layer.setInts("scale_value", scales);
  layer.setInts("shift_value", shifts);
  layer.setExtra("scale_type", sixOf(type));
  layer.setExtra("shift_type", sixOf("int8"));
  ScaleApproximation r = layer.approximate(
      hidden.scale / (state.scale * candidatesOfH.scale), bits);
  layer.setInt("hidden_scale_value", r.multiplier);
  layer.setInt("hidden_shift_value", r.shift);
  layer.setExtra("hidden_scale_type", type);
  layer.setExtra("hidden_shift_type", "int8");
  for (unsigned i = 0; i < layer.op->getNumResults(); ++i)
    layer.setOutput(i, state);
  return true;
}

bool quantizeRecurrent(LayerContext &layer) {
  if (!llvm::isa<GRUv1Op>(layer.op))
    return layer.unsupported("the quantizer has no rule for this layer");
  return GruRule(layer).run();
}

} // namespace yarrow
