//===- StoredLstm.cpp - LSTMs that compute in integers --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// As converters write them: int8 at both ends and in the weights, int16 in the
// cell, whose step is a power of 2. It is NNAPI's QUANTIZED_LSTM, step by step.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/ModelState.h"
#include "parser/tflite/OperatorReader.h"
#include "parser/tflite/States.h"
#include "parser/tflite/operators/LstmInputs.h"

using namespace yarrow;
using namespace yarrow::tflite;
using graph::Attribute;
using graph::Constant;
using graph::Node;
using graph::Quantization;
using graph::Tensor;

namespace {

constexpr const char *kGateNames[] = {"input", "forget", "cell", "output"};
/// Intermediates: what each gate's norm reads, then what the projection does.
constexpr std::size_t kHidden = 4;

bool isStoredAs(const Tensor *tensor, ElementType type) {
  return tensor && tensor->quantization &&
         tensor->quantization->stored == type &&
         tensor->quantization->isPerTensor();
}

bool isConstantOf(const Tensor *tensor, ElementType type) {
  return isStoredAs(tensor, type) && tensor->constant &&
         tensor->constant->type == type;
}

/// What the layer's operands behind the states are, in their order.
struct Parts {
  std::vector<Tensor *> tensors = {};
  Attribute names = {};
  bool isWhole = true;

  Parts() { names.kind = Attribute::Kind::Strings; }

  void add(Tensor *tensor, const std::string &name, bool fits) {
    tensors.push_back(tensor);
    names.texts.push_back(name);
    isWhole &= fits;
  }
};

/// Biases are plain integers: their scales follow from the others'.
void addBias(OperatorReader &r, Parts &parts, std::size_t input,
             const std::string &name) {
  const Tensor *bias = r.input(input);
  bool fits = bias->constant && bias->constant->type == ElementType::I32;
  parts.add(fits ? r.constant(name, *bias->constant) : nullptr, name, fits);
}

Parts partsOf(OperatorReader &r) {
  Parts parts;
  for (std::size_t g = 0; g < std::size(kGateNames); ++g) {
    std::string gate = kGateNames[g];
    auto add = [&](std::size_t input, const char *what, ElementType type) {
      if (r.has(input))
        parts.add(r.input(input), gate + what,
                  isConstantOf(r.input(input), type));
    };
    add(kInputWeights + g, "_x", ElementType::I8);
    add(kStateWeights + g, "_h", ElementType::I8);
    if (r.has(kBiases + g))
      addBias(r, parts, kBiases + g, gate + "_bias");
    // Of input, forget and output gate: the cell's own has none.
    constexpr std::size_t kCellGate = 2;
    if (g != kCellGate)
      add(kPeepholes + (g > kCellGate ? g - 1 : g), "_peephole",
          ElementType::I16);
    add(kNormCoefficients + g, "_norm", ElementType::I16);
  }
  if (r.has(kProjection))
    parts.add(r.input(kProjection), "projection",
              isConstantOf(r.input(kProjection), ElementType::I8));
  if (r.has(kProjection + 1))
    addBias(r, parts, kProjection + 1, "projection_bias");
  return parts;
}

/// How the tensor \p i that is computed on the way is stored.
std::optional<Quantization> intermediate(const OperatorReader &r,
                                         std::size_t i) {
  if (i >= r.intermediates.size() || !r.intermediates[i])
    return std::nullopt;
  const auto &q = r.intermediates[i]->quantization;
  return q && q->isPerTensor() ? q : std::nullopt;
}

} // namespace

bool tflite::readStoredLstm(OperatorReader &r, bool isOneStep) {
  Tensor *output = r.input(kFirstStates), *cell = r.input(kFirstStates + 1);
  if (r.model.inFloats || !isStoredAs(r.input(kInput), ElementType::I8) ||
      !isStoredAs(r.output(0), ElementType::I8) ||
      !isStoredAs(output, ElementType::I8) ||
      !isStoredAs(cell, ElementType::I16))
    return false;
  Parts parts = partsOf(r);
  if (!parts.isWhole)
    return false;
  Attribute steps;
  steps.kind = Attribute::Kind::Floats;
  for (std::size_t g = 0; g < std::size(kGateNames); ++g) {
    auto step = intermediate(r, g);
    // Without a norm nobody reads it.
    if (!step && r.has(kNormCoefficients + g))
      return false;
    steps.numbers.push_back(step ? step->scales[0] : 1);
  }
  // Without a projection it is the output's.
  auto hidden = intermediate(r, kHidden);
  if (!hidden || !r.has(kProjection))
    hidden = output->quantization;
  std::vector<Tensor *> from = {r.input(kInput)};
  from.insert(from.end(), parts.tensors.begin(), parts.tensors.end());
  std::vector<Tensor *> to = {r.output(0)};
  KeptTensor h = keepVariable(r, kFirstStates, "output_state"),
             c = keepVariable(r, kFirstStates + 1, "cell_state");
  if (h.past) {
    from.insert(from.end(), {h.past, c.past});
    to.insert(to.end(), {h.present, c.present});
  }
  Node &node = r.add("StoredLstm", from, to);
  node.domain = kDomain;
  node.attributes["parts"] = std::move(parts.names);
  node.attributes["gate_steps"] = std::move(steps);
  node.attributes["hidden_step"] = Attribute::of(hidden->scales[0]);
  node.attributes["hidden_zp"] =
      Attribute::of(std::int64_t(hidden->zeroPoints[0]));
  node.attributes["output_step"] =
      Attribute::of(output->quantization->scales[0]);
  node.attributes["output_zp"] =
      Attribute::of(std::int64_t(output->quantization->zeroPoints[0]));
  node.attributes["cell_step"] = Attribute::of(cell->quantization->scales[0]);
  node.attributes["cell_clip"] = Attribute::of(r.options.number("cell_clip"));
  node.attributes["projection_clip"] =
      Attribute::of(r.options.number("proj_clip"));
  node.attributes["one_step"] = Attribute::of(std::int64_t(isOneStep));
  node.attributes["time_major"] =
      Attribute::of(std::int64_t(!isOneStep && r.options.flag("time_major")));
  return true;
}
