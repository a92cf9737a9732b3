//===- Gru.cpp - Quantizing GRUs ------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A GRU has four blocks of weights with scales of their own: of x and of h, for
// the gates and for the candidates.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/RecurrentRule.h"
#include "quantizer/rules/Rules.h"

#include <algorithm>

using namespace yarrow::compass;
using yarrow::kernels::UnaryFn;

namespace yarrow {

namespace {

/// A block of the weights [3 * cells, inputs + cells].
struct Block {
  int64_t firstRow, rows, firstColumn, columns;
  float scale = 1;
};

class GruRule : RecurrentRule {
public:
  GruRule(LayerContext &layer, bool resetsAfter)
      : RecurrentRule(layer, resetsAfter ? TableBounds{4.564202, 2.629377}
                                         : TableBounds{4.8, 2.8}),
        resetsAfter(resetsAfter) {}
  bool run();

private:
  void quantizeWeights();
  void quantizeBlock(Block &block);
  void setBiases();
  void setMultipliers(float gateIn, float candidateIn, float candidate);

  static constexpr unsigned kBits = 8;
  static constexpr float kOne = 127; ///< Stored value of a gate that is open.

  const bool resetsAfter; ///< GRUv1
  LinearParams state;
  Block gatesOfX{}, gatesOfH{}, candidatesOfX{}, candidatesOfH{};
};

} // namespace

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
  LinearParams p = symmetric(range);
  block.scale = p.scale;
  forEach([&](size_t i) {
    integerWeights[i] = quantizeValue(weights.values[i], p);
  });
}

void GruRule::quantizeWeights() {
  gatesOfX = {0, 2 * cells, 0, inputs};
  gatesOfH = {0, 2 * cells, inputs, cells};
  candidatesOfX = {2 * cells, cells, 0, inputs};
  candidatesOfH = {2 * cells, cells, inputs, cells};
  for (Block *block : {&gatesOfX, &gatesOfH, &candidatesOfX, &candidatesOfH})
    quantizeBlock(*block);
  layer.setTensor(keys::weights, weights.shape, weightType(), integerWeights);
  layer.setExtraTensor("weights_scale",
                       {gatesOfX.scale, gatesOfH.scale, candidatesOfX.scale,
                        candidatesOfH.scale});
  layer.setExtraTensor("weights_zp", {4}, DType::I32, {0, 0, 0, 0});
}

/// Biases at the scales of the products that they are added to.
void GruRule::setBiases() {
  std::vector<int64_t> values;
  values.reserve(std::size_t(4 * cells));
  float gates = x.scale * gatesOfX.scale,
        candidates = x.scale * candidatesOfX.scale,
        hidden = state.scale * candidatesOfH.scale;
  for (int64_t i = 0; i < 3 * cells; ++i)
    values.push_back(bias(i, i < 2 * cells ? gates : candidates, i));
  for (int64_t i = 3 * cells; resetsAfter && i < 4 * cells; ++i)
    values.push_back(bias(i, hidden, std::nullopt));
  layer.setTensor(keys::biases, {int64_t(values.size())}, DType::I32, values);
  layer.setExtraTensor("biases_scale", {gates, candidates});
  layer.setExtraTensor("biases_zp", {0.0f, 0.0f});
}

void GruRule::setMultipliers(float gateIn, float candidateIn, float candidate) {
  float ofGates = x.scale * gatesOfX.scale,
        ofCandidates = x.scale * candidatesOfX.scale;
  LinearParams hidden = between("hidden");
  // r * hidden; or r * h, of which 8 bits are dropped, times the weights.
  float ofReset = resetsAfter ? kOne * hidden.scale
                              : kOne * state.scale / 256 * candidatesOfH.scale;
  const float ratios[] = {
      ofGates / (state.scale * gatesOfH.scale), // products of h to those of x
      gateIn / ofGates,                         // to the table
      ofCandidates / ofReset,                   // the reset part to x.Wc
      candidateIn / ofCandidates,               // to the table
      state.scale / candidate,                  // (1 - u) * c to u * h
      1 / kOne};                                // to the state
  unsigned width = layer.options.multiplierWidth();
  std::vector<int64_t> scales, shifts;
  for (float ratio : ratios) {
    ScaleApproximation r = layer.approximate(ratio, width);
    scales.push_back(r.multiplier);
    shifts.push_back(r.shift);
  }
  std::string type(multiplierType(width));
  auto sixOf = [](const std::string &word) {
    std::string text = "[" + word;
    for (int i = 1; i < 6; ++i)
      text += "," + word;
    return text + "]";
  };
  layer.setInts(keys::scale_value, scales);
  layer.setInts(keys::shift_value, shifts);
  layer.setExtra("scale_type", sixOf(type));
  layer.setExtra("shift_type", sixOf("int8"));
  if (!resetsAfter)
    return;
  ScaleApproximation r = layer.approximate(
      hidden.scale / (state.scale * candidatesOfH.scale), width);
  layer.setInt(keys::hidden_scale_value, r.multiplier);
  layer.setInt(keys::hidden_shift_value, r.shift);
  layer.setExtra("hidden_scale_type", type);
  layer.setExtra("hidden_shift_type", "int8");
}

/// Gates are stored as q / 127, so that 127 - q is 1 - u exactly.
static bool isWithinOne(const RecurrentFunction &f) {
  switch (f.fn) {
  case UnaryFn::Sigmoid:
  case UnaryFn::Tanh:
  case UnaryFn::Softsign:
    return true;
  case UnaryFn::HardSigmoid: // of AFFINE the bounds are infinite
    return f.args.clipMin >= -1 && f.args.clipMax <= 1;
  case UnaryFn::Clip:
    return f.args.alpha >= -1 && f.args.beta <= 1;
  default:
    return false;
  }
}

bool GruRule::run() {
  if (bits != kBits || layer.options.weightBits > kBits)
    return layer.stayInFloats(
        "an integer GRU has only 8 bits: with 16, its integer form would shift "
        "the biases away step by step",
        "give this layer activation_bits and weight_bits of 8 to compute it in "
        "integers");
  if (!read(2))
    return false;
  if (!isWithinOne(functions[0]))
    return layer.stayInFloats(
        "the integer form of a GRU needs gates within -1..1",
        "use SIGMOID, TANH, SOFTSIGN or HARDSIGMOID");
  state = stateParams("state", 1);
  alignState(1, state);
  quantizeWeights();
  setBiases();
  LinearParams gateIn = tableInput("gate_inputs", 0),
               candidateIn = tableInput("candidate_inputs", 1),
               candidate = between("candidates");
  setTable(keys::lut_rt, 0, gateIn, kOne);
  setTable(keys::lut_zt, 0, gateIn, kOne);
  setTable(keys::lut_ht, 1, candidateIn, candidate.scale);
  setMultipliers(gateIn.scale, candidateIn.scale, candidate.scale);
  for (unsigned i = 0; i < layer.op->getNumResults(); ++i)
    layer.setOutput(i, state);
  return true;
}

bool quantizeResettingAfter(LayerContext &layer) {
  return GruRule(layer, /*resetsAfter=*/true).run();
}

bool quantizeResettingBefore(LayerContext &layer) {
  return GruRule(layer, /*resetsAfter=*/false).run();
}

} // namespace yarrow
