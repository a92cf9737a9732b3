//===- ControlFlowTest.cpp - IF and WHILE ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/diagnostics/Import.h"
#include "test/unit/nnapi_run/Runs.h"
#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::nnapi;
using namespace yarrow::test;
using ::testing::ElementsAre;

namespace {

Operand truth() { return NnBuilder::tensor(OperandType::TENSOR_BOOL8, {1}); }

/// One operation on one tensor of any length.
NnModel unary(const char *operation) {
  NnBuilder b;
  auto x = b.input(b.floats({0})), y = b.output(b.floats({0}));
  b.add(operation, {x}, {y});
  return b.model;
}

/// Whether n > 0.
NnModel counts() {
  NnBuilder b;
  b.input(b.floats({0}));
  auto n = b.input(b.floats({1})), more = b.output(truth());
  b.add("GREATER", {n, b.constant<float>(b.floats({1}), {0})}, {more});
  return b.model;
}

/// x becomes twice as long, n one less.
NnModel doubles() {
  NnBuilder b;
  auto x = b.input(b.floats({0})), n = b.input(b.floats({1})),
       twice = b.output(b.floats({0})), less = b.output(b.floats({1}));
  b.add("CONCATENATION", {x, x, b.scalar(0)}, {twice});
  b.add("SUB", {n, b.constant<float>(b.floats({1}), {1}), b.scalar(0)}, {less});
  return b.model;
}

NnModel loop(NnModel condition, NnModel body) {
  NnBuilder b;
  auto x = b.input(b.floats({0})), n = b.input(b.floats({1})),
       y = b.output(b.floats({0})), end = b.output(b.floats({1}));
  auto c = b.subgraph(std::move(condition)), r = b.subgraph(std::move(body));
  b.add("WHILE", {c, r, x, n}, {y, end});
  return b.model;
}

} // namespace

TEST(NnControlFlowTest, IfRunsOneBranch) {
  NnBuilder b;
  auto c = b.input(truth()), x = b.input(b.floats({3})),
       y = b.output(b.floats({3}));
  auto onTrue = b.subgraph(unary("ABS")), onFalse = b.subgraph(unary("NEG"));
  b.add("IF", {c, onTrue, onFalse, x}, {y});
  auto backend = std::make_shared<CountingBackend>();
  ModelRunner runner(shared(b.model), backend);
  Value x0 = valueOf<float>({3}, {-1, 2, -3});
  RunResult taken, other;
  run(runner, {valueOf<std::uint8_t>({1}, {1}), x0}, taken);
  ASSERT_EQ(taken.status, RunStatus::Done);
  EXPECT_THAT(elementsOf<float>(taken.outputs[0]), ElementsAre(1, 2, 3));
  EXPECT_EQ(backend->compiled, 1);
  run(runner, {valueOf<std::uint8_t>({1}, {0}), x0}, other);
  EXPECT_THAT(elementsOf<float>(other.outputs[0]), ElementsAre(1, -2, 3));
}

TEST(NnControlFlowTest, OperationsShareThePlanOfAModel) {
  NnModel inner;
  {
    NnBuilder b;
    auto x = b.input(b.floats({3})), y = b.output(b.floats({3}));
    b.add("ABS", {x}, {y});
    inner = b.model;
  }
  NnBuilder b;
  auto c = b.input(truth()), x = b.input(b.floats({3})),
       y = b.between(b.floats({3})), z = b.output(b.floats({3}));
  auto branch = b.subgraph(inner), other = b.subgraph(inner);
  b.model.referenced[1] = b.model.referenced[0];
  b.add("IF", {c, branch, other, x}, {y});
  b.add("IF", {c, other, branch, y}, {z});
  auto backend = std::make_shared<CountingBackend>();
  ModelRunner runner(shared(b.model), backend);
  DiagnosticEngine diags;
  EXPECT_TRUE(runner.prepare(diags));
  EXPECT_EQ(backend->compiled, 1);
  RunResult r;
  run(runner,
      {valueOf<std::uint8_t>({1}, {1}), valueOf<float>({3}, {-1, 2, -3})}, r);
  ASSERT_EQ(r.status, RunStatus::Done);
  EXPECT_THAT(elementsOf<float>(r.outputs[0]), ElementsAre(1, 2, 3));
  EXPECT_EQ(backend->compiled, 1);
}

TEST(NnControlFlowTest, TensorsOfALoopMayGrow) {
  ModelRunner runner(shared(loop(counts(), doubles())), evaluatorBackend());
  RunResult r;
  run(runner, {valueOf<float>({1}, {7}), valueOf<float>({1}, {2})}, r);
  ASSERT_EQ(r.status, RunStatus::Done);
  EXPECT_THAT(elementsOf<float>(r.outputs[0]), ElementsAre(7, 7, 7, 7));
  EXPECT_EQ(r.numbers.loopRounds, 2u);
}

TEST(NnControlFlowTest, ALoopMayHaveNoRound) {
  ModelRunner runner(shared(loop(counts(), doubles())), evaluatorBackend());
  RunResult r;
  run(runner, {valueOf<float>({1}, {7}), valueOf<float>({1}, {0})}, r);
  EXPECT_THAT(elementsOf<float>(r.outputs[0]), ElementsAre(7));
}

TEST(NnControlFlowTest, ALoopWithoutEndIsEnded) {
  NnBuilder body;
  auto x = body.input(body.floats({0})), n = body.input(body.floats({1})),
       x1 = body.output(body.floats({0})), n1 = body.output(body.floats({1}));
  body.add("RELU", {x}, {x1});
  body.add("RELU", {n}, {n1});
  ModelRunner runner(shared(loop(counts(), body.model)), evaluatorBackend());
  RunOptions options;
  options.loopTimeout = std::chrono::milliseconds(50);
  RunResult r;
  run(runner, {valueOf<float>({1}, {7}), valueOf<float>({1}, {1})}, r, options);
  EXPECT_EQ(r.status, RunStatus::LoopTimeout);
  EXPECT_EQ(r.diags.all()[0].id, diag::NnapiRun);
}
