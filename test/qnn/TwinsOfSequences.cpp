//===- TwinsOfSequences.cpp - Recurrent layers ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/qnn/TwinMaker.h"

using namespace yarrow;
using namespace yarrow::qnntwins;

/// NNAPI's names of QNN's inputs, in their order.
static constexpr const char *kBeforeState[] = {
    "w_input_to_forget", "w_input_to_cell", "w_input_to_output",
    "w_rec_to_forget",   "w_rec_to_cell",   "w_rec_to_output",
    "b_forget",          "b_cell",          "b_output"};
static constexpr const char *kAfterState[] = {
    "ln_input",         "ln_forget",      "ln_cell",        "ln_output",
    "w_input_to_input", "w_rec_to_input", "peephole_input", "peephole_forget",
    "peephole_output",  "b_input",        "w_proj",         "b_proj"};

bool qnntwins::twinLstm(TwinMaker &t) {
  constexpr std::int64_t kTanh = 4;
  if (t.scalar("activation") != kTanh)
    return t.none("QNN's activation is tanh");
  std::vector<std::string> inputs = {t.tensor("input")};
  auto append = [&](const std::vector<std::string> &names) {
    inputs.insert(inputs.end(), names.begin(), names.end());
  };
  append(t.constants(kBeforeState));
  append({t.has("output_state_in") ? t.tensor("output_state_in") : t.null(),
          t.has("cell_state_in") ? t.tensor("cell_state_in") : t.null()});
  append(t.constants(kAfterState));
  if (!t.why.empty())
    return false;
  t.real("cell_clip_threshold", t.number("cell_clip"));
  t.real("output_clip_threshold", t.number("proj_clip"));
  bool isSequence = t.at(inputs[0]).dims.size() == 3;
  if (isSequence) {
    t.flag("time_major", t.scalar("time_major"));
    if (t.numOutputs() != 1)
      return t.none("states of the sequence's end");
    // QNN's other results are mandatory: the last states.
    Dims units = t.at(inputs[1]).dims, x = t.at(inputs[0]).dims,
         y = t.outputDims();
    std::int64_t batch = x[t.scalar("time_major") ? 1 : 0];
    t.add(t.op.c_str(), inputs,
          {t.output(0), t.between(inputs[0], {batch, units[0]}, "cell"),
           t.between(inputs[0], {batch, y.back()}, "hidden")});
    return true;
  }
  // NNAPI's results: scratch, output state, cell state, output.
  t.add(t.op.c_str(), inputs, {t.output(3), t.output(2), t.output(1)});
  return true;
}
