//===- QuantizedLstm.cpp - QUANTIZED_LSTM ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/operators/LstmCell.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Node;
using graph::Tensor;

namespace {

/// The operands that a cell may have beside its states, by their names here and
/// in the layer.
struct Part {
  std::string input, layer;
};

std::vector<Part> allParts() {
  std::vector<Part> parts;
  for (Gate gate : kGates) {
    std::string name = nameOf(gate);
    for (auto [kind, layer] :
         {std::pair("w_input_to_", "_x"), std::pair("w_rec_to_", "_h"),
          std::pair("b_", "_bias"), std::pair("peephole_", "_peephole"),
          std::pair("ln_", "_norm")})
      if (gate != Gate::Cell || std::string_view(kind) != "peephole_")
        parts.push_back({kind + name, name + layer});
  }
  parts.push_back({"w_proj", "projection"});
  parts.push_back({"b_proj", "projection_bias"});
  return parts;
}

/// Biases are plain integers: their scales follow from the others'.
Tensor *plainBias(OperationReader &r, const std::string &name) {
  Tensor *bias = r.input(name);
  if (!bias->quantization)
    return bias;
  if (bias->constant)
    return r.constant(name, *bias->constant);
  r.refuse("a bias with a scale is computed at run time", name, "a constant");
  return nullptr;
}

} // namespace

static bool checkForm(OperationReader &r) {
  auto hasInputGate =
      allOrNone(r, {"w_input_to_input", "w_rec_to_input", "b_input"});
  if (!hasInputGate)
    return false;
  bool isCoupled = !*hasInputGate;
  auto peepholes = allOrNone(r, {"peephole_forget", "peephole_output"});
  auto norms = allOrNone(r, {"ln_forget", "ln_cell", "ln_output"});
  if (!peepholes || !norms)
    return false;
  for (auto [name, isThere] :
       {std::pair("peephole_input", *peepholes), std::pair("ln_input", *norms)})
    if (isPresent(r, name) != (isThere && !isCoupled))
      return r.bad("operands of the input gate do not match the other gates",
                   name, isThere && !isCoupled ? "given" : "left out");
  if (isPresent(r, "b_proj") && !isPresent(r, "w_proj"))
    return r.bad("a projection has no weights", "b_proj", "w_proj as well");
  return r.rank("input") == 2 && r.rank("output_in") == 2 &&
                 r.rank("cell_state_in") == 2
             ? true
             : r.bad("input or states are not matrices",
                     std::to_string(r.rank("input")) + " axes", "two axes");
}

bool nnapi::readQuantizedLstm(OperationReader &r) {
  if (!checkForm(r))
    return false;
  std::vector<Tensor *> from = {r.input("input"), r.input("output_in"),
                                r.input("cell_state_in")};
  Attribute names;
  names.kind = Attribute::Kind::Strings;
  for (const Part &part : allParts()) {
    if (!isPresent(r, part.input))
      continue;
    bool isBias = part.input.rfind("b_", 0) == 0;
    from.push_back(isBias ? plainBias(r, part.input) : r.input(part.input));
    if (!from.back())
      return false;
    names.texts.push_back(part.layer);
  }
  Attribute steps;
  steps.kind = Attribute::Kind::Floats;
  for (Gate gate : kGates)
    steps.numbers.push_back(
        float(r.real(std::string("scale_") + nameOf(gate) + "_gate")));
  Node &node = r.add("QuantizedLstm", from, {r.output(0), r.output(1)});
  node.domain = kDomain;
  node.attributes["parts"] = std::move(names);
  node.attributes["gate_steps"] = std::move(steps);
  node.attributes["hidden_step"] = Attribute::of(float(r.real("scale_hidden")));
  node.attributes["hidden_zp"] = Attribute::of(r.scalar("zp_hidden"));
  node.attributes["cell_clip"] = Attribute::of(float(r.real("cell_clip")));
  node.attributes["projection_clip"] =
      Attribute::of(float(r.real("proj_clip")));
  writeOutput(r, r.output(0), 2);
  return true;
}
