//===- CheckOperationTest.cpp - What NNAPI asks of an operation -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/CheckModel.h"
#include "support/diagnostics/Import.h"
#include "test/unit/nnapi/NnModels.h"
#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::nnapi;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using yarrow::test::Dims;
using yarrow::test::NnBuilder;

namespace {

/// Of the model's last operation: each message, and what was found.
std::vector<std::string> problemsOfOperation(const NnModel &model,
                                             int level = kRuntimeFeatureLevel) {
  DiagnosticEngine diags;
  EXPECT_NE(checkOperation(model, model.operations.back(), level, diags),
            diags.hasErrors());
  std::vector<std::string> messages;
  for (const Diagnostic &d : diags.all()) {
    EXPECT_EQ(d.id, diag::NnapiModel);
    messages.push_back(d.message +
                       (d.foundText.empty() ? "" : ", found " + d.foundText));
  }
  return messages;
}

NnBuilder relu(Operand operand) {
  NnBuilder b;
  auto x = b.input(operand), y = b.output(operand);
  b.add("RELU", {x}, {y});
  return b;
}

} // namespace

TEST(CheckOperation, KnowsTheOperations) {
  NnBuilder b = relu(NnBuilder::floats({1}));
  EXPECT_THAT(problemsOfOperation(b.model), IsEmpty());
  b.model.operations[0].code = 5000;
  EXPECT_THAT(problemsOfOperation(b.model),
              ElementsAre(HasSubstr("number 5000")));
}

TEST(CheckOperation, ReportsWhere) {
  NnBuilder b = relu(NnBuilder::floats({1}));
  b.model.operands[1].name = "y";
  b.model.operands[1].type = OperandType::TENSOR_INT32;
  DiagnosticEngine diags;
  EXPECT_FALSE(checkOperation(b.model, b.model.operations[0], 27, diags));
  EXPECT_EQ(diags.all()[0].place.file, "model: operation RELU of y");
}

TEST(CheckOperation, WantsOperandsThatExist) {
  NnBuilder b = relu(NnBuilder::floats({1}));
  b.model.operations[0] = {19, {7}, {8}};
  EXPECT_THAT(problemsOfOperation(b.model),
              ElementsAre(HasSubstr("inputs do not exist, found operand 7"),
                          HasSubstr("outputs do not exist, found operand 8")));
}

TEST(CheckOperation, CountsOutputs) {
  NnBuilder b = relu(NnBuilder::floats({1}));
  b.model.operations[0].outputs.clear();
  EXPECT_THAT(problemsOfOperation(b.model),
              ElementsAre(HasSubstr("0 outputs")));
  b.model.operations[0].outputs = {1, 1};
  EXPECT_THAT(problemsOfOperation(b.model),
              ElementsAre(HasSubstr("2 outputs")));
}

TEST(CheckOperation, CountsInputs) {
  NnBuilder b = relu(NnBuilder::floats({1}));
  b.model.operations[0].inputs = {};
  EXPECT_THAT(problemsOfOperation(b.model),
              ElementsAre(HasSubstr("has 0 inputs")));
  b.model.operations[0].inputs = {0, 0};
  EXPECT_THAT(problemsOfOperation(b.model),
              ElementsAre(HasSubstr("has 2 inputs")));
}

TEST(CheckOperation, WantsTypesOfTheForm) {
  NnBuilder b = relu(NnBuilder::tensor(OperandType::TENSOR_INT32, {1}));
  EXPECT_THAT(problemsOfOperation(b.model),
              ElementsAre(HasSubstr("does not support TENSOR_INT32")));
  b = NnBuilder();
  auto x = b.input(b.floats({1})), y = b.output(b.floats({1}));
  b.add("ADD", {x, x, b.scalar(1.f)}, {y});
  EXPECT_THAT(problemsOfOperation(b.model),
              ElementsAre(HasSubstr("input fuse is FLOAT32")));
}

TEST(CheckOperation, WantsTypesOfTheResult) {
  NnBuilder b = relu(NnBuilder::floats({1}));
  b.model.operands[1].type = OperandType::TENSOR_FLOAT16;
  EXPECT_THAT(problemsOfOperation(b.model),
              ElementsAre(HasSubstr("output: does not have the type")));
}

TEST(CheckOperation, WantsWhatIsNotOptional) {
  NnBuilder b;
  auto x = b.input(b.floats({1, 4})), y = b.output(b.floats({1, 2}));
  auto w = b.constant<float>(b.floats({2, 4}), {1, 2, 3, 4, 5, 6, 7, 8});
  b.add("FULLY_CONNECTED",
        {x, w, b.omitted(OperandType::TENSOR_FLOAT32), b.scalar(0)}, {y});
  EXPECT_THAT(problemsOfOperation(b.model),
              ElementsAre(HasSubstr("bias: cannot be left out")));
}

TEST(CheckOperation, KnowsLevels) {
  NnBuilder b =
      relu(NnBuilder::tensor(OperandType::TENSOR_QUANT8_ASYMM_SIGNED, {1}, 1));
  EXPECT_THAT(problemsOfOperation(b.model, 30), IsEmpty());
  EXPECT_THAT(problemsOfOperation(b.model, 29),
              ElementsAre(HasSubstr("its types or inputs need a later")));
  b = relu(NnBuilder::floats({1}));
  b.model.operations[0].code = 38; // ABS
  EXPECT_THAT(problemsOfOperation(b.model, 28),
              ElementsAre(HasSubstr("needs a later feature level")));
}

TEST(CheckOperation, CountsAxes) {
  EXPECT_THAT(problemsOfOperation(relu(NnBuilder::floats({1, 1, 1, 1})).model),
              IsEmpty());
  EXPECT_THAT(
      problemsOfOperation(relu(NnBuilder::floats({1, 1, 1, 1, 1})).model),
      ElementsAre(HasSubstr("has 5 axes, not 1 to 4")));
  EXPECT_THAT(problemsOfOperation(relu(NnBuilder::floats({})).model),
              IsEmpty());
}

TEST(CheckOperation, KeepsModelsToControl) {
  NnBuilder b;
  auto c = b.input(b.tensor(OperandType::TENSOR_BOOL8, {1}));
  auto y = b.output(b.floats({1, 4}));
  NnModel inner = relu(NnBuilder::floats({1, 4})).model;
  auto t = b.subgraph(inner);
  b.add("IF", {c, t, t, t}, {y});
  EXPECT_THAT(problemsOfOperation(b.model),
              ElementsAre(HasSubstr("inputs: cannot be a model")));
}
