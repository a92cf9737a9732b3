//===- TokenModel.cpp - A network that decodes token by token -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/generate/TokenModel.h"
#include "support/diagnostics/Generate.h"

using namespace yarrow;

bool yarrow::checkTokenShape(const TokenShape &shape, const std::string &path,
                             DiagnosticEngine &diags) {
  std::string found;
  if (shape.inputs.size() != 1 || shape.inputs[0] != 1 || !shape.takesInt32)
    found = std::to_string(shape.inputs.size()) + " inputs" +
            (shape.inputs.empty()
                 ? ""
                 : ", the first one of " + std::to_string(shape.inputs[0]) +
                       (shape.takesInt32 ? " int32" : " elements"));
  else if (shape.outputs.size() != 1 || shape.outputs[0] < 2)
    found = std::to_string(shape.outputs.size()) + " outputs";
  else if (shape.states.empty())
    found = "no state";
  if (found.empty())
    return true;
  diags
      .report(diag::GenerateForm, {path},
              "the network does not decode token by token")
      .found(found)
      .expected("an input of one int32 token, an output of logits, and state")
      .hint("read a GGUF model without --input-shape tokens=...: then it "
            "decodes");
  return false;
}

std::optional<std::size_t> yarrow::positionsOf(const TokenShape &shape) {
  constexpr std::size_t cacheAxes = 4, positionAxis = 2;
  std::optional<std::size_t> least;
  for (const std::vector<int64_t> &state : shape.states)
    if (state.size() == cacheAxes) {
      auto length = std::size_t(state[positionAxis]);
      least = least ? std::min(*least, length) : length;
    }
  return least;
}
