//===- ModelRunnerTest.cpp - Models run part by part ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/diagnostics/Import.h"
#include "test/unit/nnapi_run/Runs.h"
#include <gmock/gmock.h>
#include <thread>

using namespace yarrow;
using namespace yarrow::nnapi;
using namespace yarrow::test;
using ::testing::ElementsAre;

namespace {

/// y = x * weights, both given by the run.
NnModel productModel() {
  NnBuilder b;
  auto x = b.input(b.floats({1, 2})), w = b.input(b.floats({1, 2})),
       y = b.output(b.floats({1, 1}));
  b.add("FULLY_CONNECTED",
        {x, w, b.constant<float>(b.floats({1}), {0}), b.scalar(0)}, {y});
  return b.model;
}

/// y = relu(x), any number of rows.
NnModel reluModel() {
  NnBuilder b;
  auto x = b.input(b.floats({0, 2})), y = b.output(b.floats({0, 2}));
  b.add("RELU", {x}, {y});
  return b.model;
}

} // namespace

TEST(ModelRunnerTest, WeightsOfARunAreConstantsOfItsProgram) {
  auto backend = std::make_shared<CountingBackend>();
  ModelRunner runner(shared(productModel()), backend);
  Value x = valueOf<float>({1, 2}, {1, 10});
  for (float w : {2.f, 3.f, 2.f}) {
    RunResult r;
    run(runner, {x, valueOf<float>({1, 2}, {w, 1})}, r);
    ASSERT_EQ(r.status, RunStatus::Done);
    EXPECT_THAT(elementsOf<float>(r.outputs[0]), ElementsAre(w + 10));
  }
  // The third run found the first one's program.
  EXPECT_EQ(backend->compiled, 2);
}

TEST(ModelRunnerTest, EachNumberOfRowsIsAProgram) {
  auto backend = std::make_shared<CountingBackend>();
  ModelRunner runner(shared(reluModel()), backend);
  for (std::uint32_t rows : {1u, 3u, 1u}) {
    RunResult r;
    run(runner, {valueOf<float>({rows, 2}, std::vector<float>(rows * 2, -1))},
        r);
    ASSERT_EQ(r.status, RunStatus::Done);
    EXPECT_THAT(r.outputs[0].dims, ElementsAre(rows, 2));
  }
  EXPECT_EQ(backend->compiled, 2);
}

TEST(ModelRunnerTest, NoRowsMakeNoRows) {
  auto backend = std::make_shared<CountingBackend>();
  ModelRunner runner(shared(reluModel()), backend);
  RunResult r;
  run(runner, {valueOf<float>({0, 2}, {})}, r);
  ASSERT_EQ(r.status, RunStatus::Done);
  EXPECT_THAT(r.outputs[0].dims, ElementsAre(0, 2));
  EXPECT_TRUE(r.outputs[0].bytes.empty());
  EXPECT_EQ(backend->compiled, 0);
}

TEST(ModelRunnerTest, PrepareCompilesWhatTheModelStates) {
  auto backend = std::make_shared<CountingBackend>();
  NnBuilder b;
  auto x = b.input(b.floats({2})), y = b.output(b.floats({2}));
  b.add("RELU", {x}, {y});
  ModelRunner runner(shared(b.model), backend);
  DiagnosticEngine diags;
  EXPECT_TRUE(runner.prepare(diags));
  EXPECT_EQ(backend->compiled, 1);
  RunResult r;
  run(runner, {valueOf<float>({2}, {-1, 2})}, r);
  EXPECT_THAT(elementsOf<float>(r.outputs[0]), ElementsAre(0, 2));
  EXPECT_EQ(backend->compiled, 1);
}

TEST(ModelRunnerTest, InputsMustHaveTheirSize) {
  ModelRunner runner(shared(reluModel()), evaluatorBackend());
  RunResult r;
  run(runner, {valueOf<float>({2, 2}, {1, 2, 3})}, r);
  EXPECT_EQ(r.status, RunStatus::BadData);
  ASSERT_EQ(r.diags.numErrors(), 1u);
  EXPECT_EQ(r.diags.all()[0].id, diag::NnapiRun);
  EXPECT_EQ(r.diags.all()[0].foundText, "12 bytes");
}

TEST(ModelRunnerTest, LengthsMustBeTheModels) {
  ModelRunner runner(shared(reluModel()), evaluatorBackend());
  RunResult r;
  run(runner, {valueOf<float>({1, 3}, {1, 2, 3})}, r);
  EXPECT_EQ(r.status, RunStatus::BadData);
  EXPECT_EQ(r.diags.all()[0].foundText, "[1,3]");
}

TEST(ModelRunnerTest, ResultsMustHaveTheLengthsThatTheModelStates) {
  NnBuilder b;
  auto x = b.input(b.floats({1, 4})), y = b.output(b.floats({3, 2}));
  b.add("RESHAPE",
        {x, b.constant<std::int32_t>(b.tensor(OperandType::TENSOR_INT32, {2}),
                                     {2, -1})},
        {y});
  ModelRunner runner(shared(b.model), evaluatorBackend());
  RunResult r;
  run(runner, {valueOf<float>({1, 4}, {1, 2, 3, 4})}, r);
  EXPECT_EQ(r.status, RunStatus::BadData);
  EXPECT_EQ(r.diags.all()[0].id, diag::NnapiRun);
}

/// What a run of \p model is refused for.
static std::string refusalOf(NnModel model, std::vector<Value> inputs) {
  ModelRunner runner(shared(std::move(model)), evaluatorBackend());
  RunResult r;
  run(runner, std::move(inputs), r);
  EXPECT_NE(r.status, RunStatus::Done);
  EXPECT_EQ(r.diags.numErrors(), 1u);
  if (r.diags.all().empty())
    return "";
  EXPECT_EQ(r.diags.all()[0].id, diag::NnapiRun);
  return r.diags.all()[0].message + ": " + r.diags.all()[0].foundText;
}

TEST(ModelRunnerTest, RulesAreAskedOfTheValuesOfARun) {
  NnBuilder b;
  auto x = b.input(b.floats({2, 3})),
       pads = b.input(b.tensor(OperandType::TENSOR_INT32, {2, 2}));
  b.add("PAD", {x, pads}, {b.output(b.floats({0, 0}))});
  EXPECT_EQ(refusalOf(b.model, {valueOf<float>({2, 3}, {1, 2, 3, 4, 5, 6}),
                                valueOf<std::int32_t>({2, 2}, {0, 0, -1, 0})}),
            "paddings: has an invalid value: -1");
}

TEST(ModelRunnerTest, RulesAreAskedOfTheLengthsOfARun) {
  NnBuilder b;
  auto c = b.input(b.tensor(OperandType::TENSOR_BOOL8, {0, 0})),
       x = b.input(b.floats({0, 0})), y = b.input(b.floats({0, 0}));
  b.add("SELECT", {c, x, y}, {b.output(b.floats({0, 0}))});
  EXPECT_EQ(refusalOf(b.model, {valueOf<std::uint8_t>({1, 2}, {0, 1}),
                                valueOf<float>({2, 2}, {1, 2, 3, 4}),
                                valueOf<float>({1, 2}, {5, 6})}),
            "x: its shape does not match the operation: [2, 2]");
}

TEST(ModelRunnerTest, TruthIsAnyBit) {
  NnBuilder b;
  auto x = b.input(b.tensor(OperandType::TENSOR_BOOL8, {4})),
       y = b.output(b.tensor(OperandType::TENSOR_BOOL8, {4}));
  b.add("LOGICAL_NOT", {x}, {y});
  ModelRunner runner(shared(b.model), evaluatorBackend());
  RunResult r;
  run(runner, {valueOf<std::uint8_t>({4}, {0, 1, 2, 255})}, r);
  EXPECT_THAT(elementsOf<std::uint8_t>(r.outputs[0]), ElementsAre(1, 0, 0, 0));
}

TEST(ModelRunnerTest, BuffersMayBeginAnywhere) {
  ModelRunner runner(shared(reluModel()), evaluatorBackend());
  Value x = valueOf<float>({4, 2}, {-1, 2, -3, 4, -5, 6, -7, 8});
  std::vector<std::byte> room(x.bytes.size() + sizeof(float));
  for (std::size_t offset = 0; offset < sizeof(float); ++offset) {
    std::ranges::copy(x.bytes, room.begin() + std::ptrdiff_t(offset));
    Value moved = {x.dims, std::span(room).subspan(offset, x.bytes.size())};
    RunResult r;
    run(runner, {moved}, r);
    ASSERT_EQ(r.status, RunStatus::Done);
    EXPECT_THAT(elementsOf<float>(r.outputs[0]),
                ElementsAre(0, 2, 0, 4, 0, 6, 0, 8));
  }
}

TEST(ModelRunnerTest, ADeadlineThatHasPassedEndsTheRun) {
  ModelRunner runner(shared(reluModel()), evaluatorBackend());
  RunOptions options;
  options.deadline = RunOptions::Clock::now() - std::chrono::seconds(1);
  RunResult r;
  run(runner, {valueOf<float>({1, 2}, {1, 2})}, r, options);
  EXPECT_EQ(r.status, RunStatus::Timeout);
}

TEST(ModelRunnerTest, ThreadsShareThePrograms) {
  auto backend = std::make_shared<CountingBackend>();
  ModelRunner runner(shared(productModel()), backend);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 8; ++i) {
        float w = float(i % 2 + 1);
        RunResult r;
        run(runner,
            {valueOf<float>({1, 2}, {float(t), 0}),
             valueOf<float>({1, 2}, {w, 0})},
            r);
        wrong += r.status != RunStatus::Done ||
                 elementsOf<float>(r.outputs[0])[0] != float(t) * w;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(backend->compiled, 2);
}

TEST(ModelRunnerTest, TheNpuHasTheEvaluatorsBytesAndCycles) {
  DiagnosticEngine diags;
  auto machine = isa::findTarget("Z1_0701", diags);
  ASSERT_TRUE(machine);
  ModelRunner host(shared(productModel()), evaluatorBackend()),
      npu(shared(productModel()), npuBackend(*machine));
  std::vector<Value> inputs = {valueOf<float>({1, 2}, {0.1f, 0.7f}),
                               valueOf<float>({1, 2}, {0.3f, -0.9f})};
  RunResult a, b;
  run(host, inputs, a);
  run(npu, inputs, b);
  ASSERT_EQ(b.status, RunStatus::Done);
  EXPECT_EQ(elementsOf<float>(a.outputs[0]), elementsOf<float>(b.outputs[0]));
  EXPECT_EQ(a.numbers.cycles, 0u);
  EXPECT_GT(b.numbers.cycles, 0u);
  // 800 MHz.
  EXPECT_EQ(b.numbers.nanoseconds, b.numbers.cycles * 1000 / 800);
}
