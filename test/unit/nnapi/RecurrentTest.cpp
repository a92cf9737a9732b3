//===- RecurrentTest.cpp - RNNs and LSTMs of NNAPI ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/diagnostics/Import.h"
#include "test/unit/nnapi/RecurrentModels.h"
#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::test;
using ::testing::DoubleNear;
using ::testing::Pointwise;
using ::testing::SizeIs;

namespace {

void expectNear(RecurrentModel &model, std::size_t output,
                const std::vector<double> &expected) {
  std::vector<float> given = model.run(output);
  for (const Diagnostic &d : model.diags.all())
    if (d.isError())
      ADD_FAILURE() << d.message << " " << d.foundText;
  ASSERT_FALSE(expected.empty());
  EXPECT_THAT(std::vector<double>(given.begin(), given.end()),
              Pointwise(DoubleNear(1e-5), expected))
      << "output " << output;
}

/// One code of a diagnostic, and a part of its text.
void expectProblem(RecurrentModel &model, DiagId id, const char *part) {
  EXPECT_THAT(model.run(0), ::testing::IsEmpty());
  ASSERT_FALSE(model.diags.all().empty());
  EXPECT_EQ(model.diags.all().front().id, id);
  EXPECT_THAT(model.diags.all().front().message, ::testing::HasSubstr(part));
}

std::vector<double> merged(const std::vector<double> &a,
                           const std::vector<double> &b, std::size_t size) {
  std::vector<double> both;
  for (std::size_t row = 0; row < a.size() / size; ++row)
    for (const auto *side : {&a, &b})
      both.insert(both.end(), side->begin() + long(row * size),
                  side->begin() + long((row + 1) * size));
  return both;
}

/// Every combination of coupled gates, peepholes, projection and layer
/// normalization.
class LstmForms : public ::testing::TestWithParam<int> {
protected:
  CellForm form() const {
    CellForm f;
    f.isCoupled = GetParam() & 1;
    f.hasPeepholes = GetParam() & 2;
    f.hasProjection = GetParam() & 4;
    f.hasProjectionBias = f.hasProjection && GetParam() & 8;
    f.isNormalised = GetParam() & 8;
    f.outputs = f.hasProjection ? 3 : f.units;
    return f;
  }
};

} // namespace

TEST_P(LstmForms, OneStep) {
  RecurrentModel lstm("LSTM", form());
  Expected e = lstm.expectedLstm("");
  EXPECT_THAT(lstm.run(0), SizeIs(lstm.form.batch * lstm.form.units *
                                  (lstm.form.isCoupled ? 3 : 4)));
  expectNear(lstm, 1, e.lastOutput);
  expectNear(lstm, 2, e.lastCell);
  expectNear(lstm, 3, e.sequence);
}

TEST_P(LstmForms, Sequence) {
  CellForm f = form();
  f.isTimeMajor = GetParam() % 3 == 0;
  f.areWeightsInputs = GetParam() % 3 == 1;
  f.cellClip = 0.3, f.projectionClip = 0.2;
  RecurrentModel lstm("UNIDIRECTIONAL_SEQUENCE_LSTM", f);
  Expected e = lstm.expectedLstm("");
  expectNear(lstm, 0, lstm.ordered(e.sequence, f.outputs));
  expectNear(lstm, 1, e.lastOutput);
  expectNear(lstm, 2, e.lastCell);
}

TEST_P(LstmForms, BothDirections) {
  CellForm f = form();
  f.hasAux = GetParam() % 3 != 0;
  f.hasAuxWeights = GetParam() % 3 == 1;
  f.isTimeMajor = GetParam() & 1;
  RecurrentModel lstm("BIDIRECTIONAL_SEQUENCE_LSTM", f);
  Expected forward = lstm.expectedLstm("fw_"),
           backward = lstm.expectedLstm("bw_");
  expectNear(lstm, 0, lstm.ordered(forward.sequence, f.outputs));
  expectNear(lstm, 1, lstm.ordered(backward.sequence, f.outputs));
  expectNear(lstm, 2, forward.lastOutput);
  expectNear(lstm, 3, forward.lastCell);
  expectNear(lstm, 4, backward.lastOutput);
  expectNear(lstm, 5, backward.lastCell);
}

TEST_P(LstmForms, MergedDirections) {
  CellForm f = form();
  f.isMerged = true;
  f.hasLastStates = GetParam() & 1;
  RecurrentModel lstm("BIDIRECTIONAL_SEQUENCE_LSTM", f);
  expectNear(lstm, 0,
             merged(lstm.ordered(lstm.expectedLstm("fw_").sequence, f.outputs),
                    lstm.ordered(lstm.expectedLstm("bw_").sequence, f.outputs),
                    std::size_t(f.outputs)));
  if (f.hasLastStates)
    expectNear(lstm, 4, lstm.expectedLstm("bw_").lastCell);
}

INSTANTIATE_TEST_SUITE_P(All, LstmForms, ::testing::Range(0, 16));

TEST(NnapiLstm, HasTheFunctionsOfTheDefinition) {
  for (std::int64_t code : {0, 1, 3, 4, 6}) {
    CellForm f;
    f.activation = code;
    RecurrentModel lstm("LSTM", f);
    expectNear(lstm, 3, lstm.expectedLstm("").sequence);
  }
  for (std::int64_t code : {-1, 2, 5, 7}) {
    CellForm f;
    f.activation = code;
    RecurrentModel lstm("LSTM", f);
    expectProblem(lstm, diag::ImportBadNode, "unknown activation function");
  }
}

TEST(NnapiLstm, WantsAllPartsOfAForm) {
  RecurrentModel lstm("LSTM", {});
  auto leaveOut = [&](const char *name) {
    for (nnapi::Operand &operand : lstm.model.operands)
      if (operand.name == name)
        operand.lifetime = nnapi::Lifetime::None;
  };
  leaveOut("w_rec_to_input");
  expectProblem(lstm, diag::ImportBadNode, "an input is left out");
}

TEST(NnapiLstm, ChecksLengths) {
  RecurrentModel lstm("LSTM", {});
  for (nnapi::Operand &operand : lstm.model.operands)
    if (operand.name == "w_input_to_cell")
      std::swap(operand.dims[0], operand.dims[1]);
  expectProblem(lstm, diag::ImportBadNode, "w_input_to_cell has a wrong shape");
}

TEST(NnapiRnn, OneStep) {
  CellForm f;
  f.activation = 1;
  RecurrentModel rnn("RNN", f);
  Expected e = rnn.expectedRnn("");
  expectNear(rnn, 0, e.lastOutput);
  expectNear(rnn, 1, e.sequence);
}

TEST(NnapiRnn, Sequence) {
  for (bool isTimeMajor : {false, true}) {
    CellForm f;
    f.isTimeMajor = isTimeMajor;
    f.areWeightsInputs = isTimeMajor;
    RecurrentModel rnn("UNIDIRECTIONAL_SEQUENCE_RNN", f);
    Expected e = rnn.expectedRnn("");
    expectNear(rnn, 0, rnn.ordered(e.sequence, f.units));
    expectNear(rnn, 1, e.lastOutput);
  }
}

TEST(NnapiRnn, BothDirectionsWithAnAuxiliaryInput) {
  for (int kind : {0, 1, 2}) {
    CellForm f;
    f.activation = 2;
    f.hasAux = kind > 0;
    f.hasAuxWeights = kind == 1;
    RecurrentModel rnn("BIDIRECTIONAL_SEQUENCE_RNN", f);
    Expected forward = rnn.expectedRnn("fw_"),
             backward = rnn.expectedRnn("bw_");
    expectNear(rnn, 0, rnn.ordered(forward.sequence, f.units));
    expectNear(rnn, 1, rnn.ordered(backward.sequence, f.units));
    expectNear(rnn, 2, forward.lastOutput);
    expectNear(rnn, 3, backward.lastOutput);
  }
}

TEST(NnapiRnn, AnAuxiliaryInputFitsTheOther) {
  CellForm f;
  f.hasAuxWeights = true;
  RecurrentModel without("BIDIRECTIONAL_SEQUENCE_RNN", f);
  expectProblem(without, diag::ImportBadNode,
                "weights of an auxiliary input are given without the input");
  const Diagnostic &d = without.diags.all().front();
  EXPECT_EQ(d.foundText, "fw_aux_weights");
  EXPECT_EQ(d.expectedText, "no such weights");
  f.hasAux = true;
  RecurrentModel longer("BIDIRECTIONAL_SEQUENCE_RNN", f);
  for (nnapi::Operand &operand : longer.model.operands)
    if (operand.name == "aux_input")
      ++operand.dims[0];
  expectProblem(
      longer, diag::ImportBadNode,
      "the auxiliary input does not have the steps and batches of the input");
}

TEST(NnapiRnn, MergedDirections) {
  CellForm f;
  f.isMerged = true;
  RecurrentModel rnn("BIDIRECTIONAL_SEQUENCE_RNN", f);
  expectNear(rnn, 0,
             merged(rnn.ordered(rnn.expectedRnn("fw_").sequence, f.units),
                    rnn.ordered(rnn.expectedRnn("bw_").sequence, f.units),
                    std::size_t(f.units)));
  expectNear(rnn, 2, rnn.expectedRnn("bw_").lastOutput);
}

TEST(NnapiRnn, MergesNoStatesInTheWrongPlace) {
  CellForm f;
  f.isMerged = true;
  RecurrentModel rnn("BIDIRECTIONAL_SEQUENCE_RNN", f);
  rnn.model.operations[0].outputs.pop_back();
  rnn.model.outputs.pop_back();
  expectProblem(rnn, diag::ImportBadNode, "wrong number of outputs");
}
