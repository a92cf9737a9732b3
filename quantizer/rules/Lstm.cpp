//===- Lstm.cpp - Quantizing LSTMs ----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One scale for the weights, or one for each of their rows. The cell state has
// a scale of its own in each step.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/RecurrentRule.h"
#include "quantizer/rules/Rules.h"

#include <algorithm>

using namespace yarrow::compass;

namespace yarrow {

namespace {

class LstmRule : RecurrentRule {
public:
  // From 4.5642 on a sigmoid is 1 within 8 bits.
  explicit LstmRule(LayerContext &layer)
      : RecurrentRule(layer, {4.564205, 2.6293793}) {}
  bool run();

private:
  bool isPerChannel() const { return layer.options.weightMethod.perChannel; }
  void quantizeWeights();
  void readCellStates();
  void setTables();
  void setMultipliers();
  void push(ScaleApproximation r) {
    scales.push_back(r.multiplier), shifts.push_back(r.shift);
  }
  ScaleApproximation approximate(float ratio) const {
    return layer.approximate(ratio, layer.options.multiplierWidth());
  }
  int64_t rows() const { return 4 * cells; }

  LinearParams state, gateIn, candidateIn, gate, candidate, argument, activated;
  std::vector<LinearParams> cell; ///< before the first step, behind each one
  ChannelParams channels;         ///< of the rows, towards the gates' table
  std::vector<int64_t> scales, shifts;
};

} // namespace

/// The state before the first step keeps its scale if it has no zero point.
void LstmRule::readCellStates() {
  int64_t steps = layer.shapeOf(layer.op->getOperand(0))[1];
  std::optional<double> clip = layer.number(keys::cell_clip);
  FloatRange all;
  for (int64_t t = 0; t < steps; ++t) {
    std::string name = "cell_state_" + std::to_string(t);
    FloatRange r = layer.intermediateRange(name);
    all = {std::min(all.min, r.min), std::max(all.max, r.max)};
    cell.push_back(between(name, clip));
  }
  if (clip)
    all = {std::max(all.min, float(-*clip)), std::min(all.max, float(*clip))};
  LinearParams first = cell.front();
  if (layer.numInputs() > 2) {
    LinearParams given = layer.input(2);
    FloatRange r = layer.inputRange(2);
    if (r.min < 0 || r.max > 0)
      first = given.zp == 0 && given.isSigned && given.bits == bits
                  ? given
                  : symmetric(r);
    alignState(2, first);
  }
  cell.insert(cell.begin(), first);
  argument = tableInput(all, 2);
}

void LstmRule::quantizeWeights() {
  auto columns = size_t(inputs + cells);
  std::vector<FloatRange> ranges(rows());
  for (size_t i = 0; i < weights.values.size(); ++i) {
    FloatRange &r = ranges[i / columns];
    r.min = std::min(r.min, weights.values[i]);
    r.max = std::max(r.max, weights.values[i]);
  }
  // At 16 bits a shift moves the products of the candidates by what belongs to
  // the input gate: they must be the same.
  channels =
      channelParams(ranges, isPerChannel() ? unsigned(rows()) : 1,
                    RangeMode::SymmetricRestricted, layer.options.weightBits,
                    layer.options.multiplierWidth(), {bits == 16},
                    [&](float w) { return gateIn.scale / (x.scale * w); });
  std::vector<int64_t> values;
  std::vector<float> weightScales, biasScales;
  for (size_t i = 0; i < weights.values.size(); ++i)
    integerWeights[i] =
        quantizeValue(weights.values[i], channels.channels[i / columns]);
  for (int64_t r = 0; r < rows(); ++r) {
    float scale = channels.channels[r].scale;
    weightScales.push_back(scale), biasScales.push_back(scale * x.scale);
    values.push_back(bias(r, biasScales.back(), r));
  }
  layer.setTensor(keys::weights, weights.shape, weightType(), integerWeights);
  layer.setTensor(keys::biases, {rows()}, DType::I32, values);
  if (!isPerChannel()) {
    layer.setExtra("weights_scale", floatText(weightScales[0]));
    layer.setExtra("weights_zp", "0");
    layer.setExtra("biases_scale", floatText(biasScales[0]));
    layer.setExtra("biases_zp", "0");
    return;
  }
  layer.setExtraTensor("weights_scale", weightScales);
  layer.setExtraTensor("weights_zp", {rows()}, DType::I32,
                       std::vector<int64_t>(rows(), 0));
  layer.setExtraTensor("biases_scale", biasScales);
  layer.setExtraTensor("biases_zp", {1}, DType::I64, {0});
}

void LstmRule::setTables() {
  for (TensorKey key : {keys::lut_it, keys::lut_ft, keys::lut_ot})
    setTable(key, 0, gateIn, gate.scale);
  setTable(keys::lut_ct, 1, candidateIn, candidate.scale);
  // The range of the cell state holds its clip, not the threshold.
  threshold.reset();
  setTable(keys::lut_h, 2, argument, activated.scale);
}

void LstmRule::setMultipliers() {
  push(approximate(x.scale / state.scale));
  int64_t count = isPerChannel() ? rows() : 1;
  for (int64_t r = 0; r < count; ++r)
    push(channels.requant[r]);
  int32_t gateShift = int32_t(shifts[1]);
  for (int64_t c = 0; c < (isPerChannel() ? cells : 1); ++c)
    push(approximate(candidateIn.scale /
                     (x.scale * channels.channels[cells + c].scale)));
  float product = gate.scale * candidate.scale; // scale of i * candidates
  ScaleApproximation toTable = approximate(argument.scale / product);
  push(toTable);
  push(approximate(state.scale / (gate.scale * activated.scale)));
  // At 16 bits sums are shifted before they are multiplied, so that they stay
  // within 32 bits: by what remains of their shifts, 15 at most.
  int64_t tableShift =
      bits == 16
          ? std::clamp<int64_t>(std::min<int64_t>(shifts[0], gateShift), 0, 15)
          : 0;
  std::vector<int64_t> stepShifts;
  for (size_t t = 0; t + 1 < cell.size(); ++t) {
    ScaleApproximation kept = approximate(candidate.scale / cell[t].scale),
                       next = approximate(cell[t + 1].scale / product);
    int32_t less = 0;
    if (bits == 16 && kept.shift < 15)
      less = std::min({15 - kept.shift, next.shift, toTable.shift});
    stepShifts.push_back(std::max(less, 0));
    push(kept), push(next);
  }
  bool isWide = layer.options.multiplierWidth() > 8 ||
                *std::max_element(scales.begin(), scales.end()) > 255;
  auto count1 = int64_t(scales.size());
  layer.setTensor(keys::scale, {count1}, isWide ? DType::U16 : DType::U8,
                  scales);
  layer.setTensor(keys::shift, {count1}, DType::I8, shifts);
  layer.setTensor(keys::diff_shifts, {int64_t(stepShifts.size())}, DType::I8,
                  stepShifts);
  layer.setInt(keys::lut_shift_value, tableShift);
  layer.setExtra("lut_shift_type", "int8");
}

bool LstmRule::run() {
  if (layer.options.weightBits > 8)
    return layer.stayInFloats(
        "an integer LSTM has only weights of 8 bits",
        "give this layer weight_bits of 8 to compute it in integers");
  if (bits != 8 && bits != 16)
    return layer.stayInFloats(
        "an integer LSTM has only 8 or 16 bits",
        "give this layer activation_bits of 8 or 16 to compute it in integers");
  if (!read(3))
    return false;
  state = stateParams("state", 1);
  alignState(1, state);
  gateIn = tableInput("gate_inputs", 0);
  candidateIn = tableInput("cell_inputs", 1);
  gate = between("gates"), candidate = between("candidates");
  activated = between("activated");
  readCellStates();
  quantizeWeights();
  setTables();
  setMultipliers();
  auto words = layer.words(keys::out_sequence);
  for (unsigned i = 0; i < layer.op->getNumResults(); ++i)
    layer.setOutput(i, words[i] == "C" ? cell.back() : state);
  return true;
}

bool quantizeLstm(LayerContext &layer) { return LstmRule(layer).run(); }

} // namespace yarrow
