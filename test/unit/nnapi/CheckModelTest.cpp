//===- CheckModelTest.cpp - What NNAPI asks of a model --------------------===//
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
using ::testing::UnorderedElementsAre;
using yarrow::test::Dims;
using yarrow::test::NnBuilder;

namespace {

std::vector<std::string> problemsOf(const NnModel &model,
                                    int level = kRuntimeFeatureLevel) {
  DiagnosticEngine diags;
  EXPECT_NE(checkModel(model, level, diags), diags.hasErrors());
  std::vector<std::string> messages;
  for (const Diagnostic &d : diags.all()) {
    EXPECT_EQ(d.id, diag::NnapiModel);
    messages.push_back(d.message);
  }
  return messages;
}

/// y = RELU(RELU(x)): operands x 0, y 1, and 2 between.
NnBuilder twoSteps() {
  NnBuilder b;
  b.input(b.floats({1, 4}));
  b.output(b.floats({1, 4}));
  b.between(b.floats({1, 4}));
  b.add("RELU", {0}, {2});
  b.add("RELU", {2}, {1});
  return b;
}

/// A branch of IF: y = RELU(x).
NnModel branch(Dims dims = {1, 4}) {
  NnBuilder b;
  auto x = b.input(b.floats(dims)), y = b.output(b.floats(dims));
  b.add("RELU", {x}, {y});
  return b.model;
}

NnBuilder choice(NnModel whenTrue, NnModel whenFalse) {
  NnBuilder b;
  auto c = b.input(b.tensor(OperandType::TENSOR_BOOL8, {1}));
  auto x = b.input(b.floats({1, 4})), y = b.output(b.floats({1, 4}));
  auto t = b.subgraph(std::move(whenTrue)),
       f = b.subgraph(std::move(whenFalse));
  b.add("IF", {c, t, f, x}, {y});
  return b;
}

/// A round of WHILE's condition: x < 5, of a value and a state.
NnModel condition() {
  NnBuilder b;
  auto x = b.input(b.floats({1}));
  b.input(b.floats({1}));
  auto y = b.output(b.tensor(OperandType::TENSOR_BOOL8, {1}));
  b.add("LESS", {x, b.constant<float>(b.floats({1}), {5})}, {y});
  return b.model;
}

/// A round of its body: x + state, and the state as it is.
NnModel body() {
  NnBuilder b;
  auto x = b.input(b.floats({1})), s = b.input(b.floats({1}));
  auto y = b.output(b.floats({1})), t = b.output(b.floats({1}));
  b.add("ADD", {x, s, b.scalar(0)}, {y});
  b.add("RELU", {s}, {t});
  return b.model;
}

NnBuilder loop(NnModel cond, NnModel round) {
  NnBuilder b;
  auto x = b.input(b.floats({1})), s = b.input(b.floats({1}));
  auto y = b.output(b.floats({1}));
  auto c = b.subgraph(std::move(cond)), r = b.subgraph(std::move(round));
  b.add("WHILE", {c, r, x, s}, {y});
  return b;
}

} // namespace

TEST(CheckModel, TakesWhatIsRight) {
  EXPECT_THAT(problemsOf(twoSteps().model), IsEmpty());
  EXPECT_THAT(problemsOf(choice(branch(), branch()).model), IsEmpty());
  EXPECT_THAT(problemsOf(loop(condition(), body()).model), IsEmpty());
}

TEST(CheckModel, WantsOperationsAndOutputs) {
  EXPECT_THAT(problemsOf({}),
              ElementsAre(HasSubstr("no operations"), HasSubstr("no outputs")));
}

TEST(CheckModel, ReportsAllProblemsAtOnce) {
  NnBuilder b = twoSteps();
  b.model.operands[0].scale = 1;
  b.model.operands[2].zeroPoint = 7;
  EXPECT_THAT(problemsOf(b.model),
              ElementsAre(HasSubstr("scale"), HasSubstr("zero point")));
}

TEST(CheckModel, WantsEdgesThatExistOnce) {
  NnBuilder b = twoSteps();
  b.model.inputs = {0, 0};
  b.model.outputs = {1, 9};
  EXPECT_THAT(
      problemsOf(b.model),
      ElementsAre(HasSubstr("operand 0: is listed twice among the inputs"),
                  HasSubstr("outputs of the model do not exist")));
}

TEST(CheckModel, WantsEdgesOfTheirLifetimes) {
  NnBuilder b = twoSteps();
  b.model.operands[2].lifetime = Lifetime::Input; // but it is not listed
  b.model.outputs = {1, 0};                       // an input
  EXPECT_THAT(
      problemsOf(b.model),
      ElementsAre(HasSubstr("operand 2: is not among the inputs"),
                  HasSubstr("operand 0: cannot be one of the outputs")));
}

TEST(CheckModel, WantsEveryVariableWrittenOnce) {
  NnBuilder b = twoSteps();
  b.between(b.floats({1})); // operand 3
  b.add("RELU", {0}, {2});
  EXPECT_THAT(problemsOf(b.model),
              ElementsAre(HasSubstr("operand 2: several operations write it"),
                          HasSubstr("operand 3: no operation writes it")));
}

TEST(CheckModel, WritesNoInputsAndConstants) {
  NnBuilder b = twoSteps();
  b.add("RELU", {0}, {b.constant<float>(b.floats({1, 4}), {1, 2, 3, 4})});
  b.add("RELU", {2}, {0});
  EXPECT_THAT(problemsOf(b.model),
              ::testing::Each(HasSubstr("that the operation cannot write")));
  EXPECT_EQ(problemsOf(b.model).size(), 2u);
}

TEST(CheckModel, FindsCycles) {
  NnBuilder b = twoSteps();
  b.model.operations[0].inputs = {2}; // reads what it writes
  EXPECT_THAT(problemsOf(b.model),
              ElementsAre(HasSubstr("depend on each other in a cycle")));
}

TEST(CheckModel, WantsConstantsOfTheirSize) {
  NnBuilder b = twoSteps();
  b.constant<float>(b.floats({3}), {1, 2});
  b.constant<float>(b.floats({0, 2}), {1, 2});
  EXPECT_THAT(problemsOf(b.model),
              ElementsAre(HasSubstr("operand 3: the size of the value"),
                          HasSubstr("operand 4: all lengths of a constant")));
}

TEST(CheckModel, KnowsTheLevelsOfTypes) {
  NnBuilder b;
  auto half = b.tensor(OperandType::TENSOR_FLOAT16, {1});
  auto x = b.input(half), y = b.output(half);
  b.add("RELU", {x}, {y});
  EXPECT_THAT(problemsOf(b.model, 29), IsEmpty());
  EXPECT_THAT(problemsOf(b.model, 28),
              ElementsAre(HasSubstr("its types or inputs need a later")));
}

TEST(CheckModel, WantsModelsWhereOperandsPrintSo) {
  NnBuilder b = choice(branch(), branch());
  b.model.operands[3].modelIndex = 2;
  EXPECT_THAT(problemsOf(b.model),
              ElementsAre(HasSubstr("refers to a model that does not exist")));
  b = choice(branch(), branch());
  b.model.operands[3].lifetime = Lifetime::Temporary;
  EXPECT_THAT(problemsOf(b.model), ElementsAre(HasSubstr("of type MODEL")));
}

TEST(CheckModel, ChecksBranchesToo) {
  NnModel broken = branch();
  broken.operations.clear();
  EXPECT_THAT(problemsOf(choice(branch(), broken).model),
              ElementsAre(HasSubstr("no operations")));
}

TEST(CheckModel, WantsBranchesThatFit) {
  EXPECT_THAT(
      problemsOf(choice(branch(), branch({1, 5})).model),
      ElementsAre(HasSubstr("else_model: inputs of the model differ"),
                  HasSubstr("else_model: outputs of the model differ")));
  NnModel more = twoSteps().model;
  more.operands[2].lifetime = Lifetime::Output;
  more.outputs.push_back(2);
  EXPECT_THAT(problemsOf(choice(more, branch()).model),
              ElementsAre(HasSubstr("then_model: outputs of the model differ "
                                    "in number")));
  // Lengths that are not known yet may become the same.
  EXPECT_THAT(problemsOf(choice(branch({0, 4}), branch({})).model), IsEmpty());
}

TEST(CheckModel, WantsOneCondition) {
  NnBuilder b = choice(branch(), branch());
  for (const Dims &dims : {Dims{2}, Dims{0}, Dims{}}) {
    b.model.operands[0].dims = dims;
    EXPECT_THAT(problemsOf(b.model), ElementsAre(HasSubstr("the condition")));
  }
  NnModel wide = condition();
  wide.operands[0].dims = wide.operands[2].dims = {4};
  EXPECT_THAT(
      problemsOf(loop(wide, body()).model),
      UnorderedElementsAre(
          HasSubstr("cond_model: inputs of the model differ"),
          HasSubstr("cond_model: its output is not a single truth value")));
}

TEST(CheckModel, WantsLoopsThatFit) {
  NnModel few = branch({1}); // one input, one output
  EXPECT_THAT(problemsOf(loop(condition(), few).model),
              ElementsAre(HasSubstr("body_model: inputs of the model differ "
                                    "in number")));
  NnModel other = body();
  other.operands[3].dims = {2};
  other.operands[1].dims = {2};
  EXPECT_THAT(problemsOf(loop(condition(), other).model),
              ElementsAre(HasSubstr("body_model: inputs of the model differ"),
                          HasSubstr("body_model: outputs of the model differ"),
                          HasSubstr("sum: the shapes do not broadcast")));
}

TEST(CheckModel, WantsModelsThatAreNotNestedTooDeep) {
  auto nested = [](int depth) {
    NnModel model = branch();
    for (int i = 0; i < depth; ++i) {
      // Of several depths the greatest counts.
      NnBuilder b;
      auto c = b.constant<std::uint8_t>(
          b.tensor(OperandType::TENSOR_BOOL8, {1}), {1});
      auto x = b.input(b.floats({1, 4})), y = b.output(b.floats({1, 4}));
      auto flat = b.subgraph(branch()), deep = b.subgraph(std::move(model));
      b.add("IF", {c, flat, deep, x}, {y});
      model = b.model;
    }
    return model;
  };
  EXPECT_THAT(problemsOf(nested(kMostNestedModels)), IsEmpty());
  EXPECT_THAT(problemsOf(nested(kMostNestedModels + 1)),
              ElementsAre("models of IF and WHILE are nested too deeply"));
}

TEST(CheckModel, ChecksSharedModelsOnce) {
  // 2^40 paths lead to the innermost.
  auto inner = std::make_shared<const NnModel>(branch());
  for (int depth = 0; depth < 40; ++depth) {
    NnBuilder b;
    auto x = b.input(b.floats({1, 4})), y = b.output(b.floats({1, 4}));
    auto c =
        b.constant<std::uint8_t>(b.tensor(OperandType::TENSOR_BOOL8, {1}), {1});
    auto t = b.subgraph({}), f = b.subgraph({});
    b.add("IF", {c, t, f, x}, {y});
    b.model.referenced = {inner, inner};
    inner = std::make_shared<const NnModel>(b.model);
  }
  EXPECT_THAT(problemsOf(*inner), IsEmpty());
}

TEST(CheckModel, KeepsTheClientsOrder) {
  NnBuilder b = twoSteps();
  EXPECT_THAT(orderOf(b.model).value(), ElementsAre(0, 1));
  std::swap(b.model.operations[0], b.model.operations[1]);
  EXPECT_THAT(problemsOf(b.model), IsEmpty());
  EXPECT_THAT(orderOf(b.model).value(), ElementsAre(1, 0));
  auto z = b.output(b.floats({1, 4}));
  b.add("TANH", {0}, {z});
  EXPECT_THAT(orderOf(b.model).value(), ElementsAre(1, 0, 2));
}
