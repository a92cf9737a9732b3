//===- StepsTest.cpp - What commands ask of the library -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/run/IoFiles.h"
#include "compiler/session/Convert.h"
#include "compiler/session/Runner.h"
#include "dialects/npu/ControlFlow.h"
#include "test/unit/session/Digits.h"

#include <gtest/gtest.h>

#include <filesystem>

using namespace yarrow;
namespace fs = std::filesystem;

namespace {

std::shared_ptr<const session::Network> integers(const session::Call &call) {
  auto quantized =
      session::quantize(digits::network(call), digits::samples(), {}, call);
  return quantized ? quantized->network : nullptr;
}

std::string contentOf(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Steps, HandedOver) {
  DiagnosticEngine diags;
  session::Call call{diags};
  auto network = digits::network(call);
  // Kept by somebody else: it is copied, and stays.
  auto copied = session::quantize(network, digits::samples(), {}, call);
  auto given =
      session::quantize(std::move(network), digits::samples(), {}, call);
  ASSERT_TRUE(copied && given);
  std::shared_ptr<const session::Network> alone = given->network;
  given.reset();
  EXPECT_EQ(alone->name(), "digits");
  EXPECT_EQ(alone->inputNames().size(), 1u);
  auto kept = session::compile(*copied->network, {}, call);
  auto own = session::compile(std::move(alone), {}, call);
  ASSERT_TRUE(kept && own);
  EXPECT_TRUE(kept->bytes() == own->bytes());
  EXPECT_TRUE(own->summary());
}

TEST(Steps, Files) {
  DiagnosticEngine diags;
  session::Call call{diags};
  auto network = integers(call);
  ASSERT_TRUE(network);
  fs::path folder = fs::path(::testing::TempDir()) / "session_files";
  fs::create_directories(folder);
  session::CompileFiles files{(folder / "aipu.bin").string()};
  files.npuDump = (folder / "npu.mlir").string();
  auto expected = session::compile(*network, {.winograd = "auto"}, call);
  auto compiled =
      session::compileToFiles(network, {.winograd = "auto"}, files, call);
  ASSERT_TRUE(expected && compiled.numbers);
  EXPECT_GT(compiled.numbers->count.commands, 0u);
  ASSERT_TRUE(compiled.forms);
  EXPECT_EQ(compiled.forms->target, "X2_1204");
  EXPECT_TRUE(contentOf(folder / "aipu.bin") == expected->bytes());
  EXPECT_NE(contentOf(folder / "npu.mlir").find("@npu_main"),
            std::string::npos);
  fs::remove_all(folder);
  // Nothing is asked for: it is only tried.
  auto tried = session::compileToFiles(network, {}, {}, call);
  EXPECT_TRUE(tried.numbers);
  EXPECT_FALSE(tried.forms);
  EXPECT_FALSE(
      session::compileToFiles(network, {.target = "X9"}, {}, call).numbers);
}

TEST(Steps, UntilAPhase) {
  DiagnosticEngine diags;
  session::Call call{diags};
  config::BuildConfig config = config::defaultBuildConfig();
  config.calibrationData = digits::path("calibration.npy");
  auto ranges =
      session::quantizeUntil(digits::network(call), config, "calibrate", call);
  ASSERT_TRUE(ranges.module);
  auto lowered = session::compileUntil(integers(call), {}, "lower", call);
  ASSERT_TRUE(lowered.module);
  EXPECT_TRUE(lowered.module->lookupSymbol(npu::kMainFunction));
  EXPECT_FALSE(
      session::compileUntil(integers(call), {.tiling = "no"}, "lower", call)
          .module);
}

TEST(Steps, CountCycles) {
  DiagnosticEngine diags;
  session::Call call{diags};
  auto network = integers(call);
  ASSERT_TRUE(network);
  auto executable = session::compile(*network, {}, call);
  auto measured = session::measure(*executable, {}, {}, call);
  auto counted = session::countCycles(*network, {}, call);
  ASSERT_TRUE(measured && counted);
  EXPECT_EQ(counted->cycles, measured->report.cycles);
}

TEST(Steps, SamplesInOrder) {
  DiagnosticEngine diags;
  session::Call call{diags};
  auto executable = session::compile(integers(call), {}, call);
  ASSERT_TRUE(executable);
  session::Data images = digits::data("heldout.npy", 12);
  auto expected = session::run(*executable, images, {}, call);
  auto runner = session::Runner::make(executable->program(), {}, diags);
  ASSERT_TRUE(expected && runner);
  auto samples = makeRunInputs({*images.parts.front().array},
                               runner->executable().inputs(), diags);
  ASSERT_TRUE(samples);
  std::string all;
  EXPECT_TRUE(runner->runEach(
      *samples,
      [&](const IoBytes &outputs) {
        all.append(outputs[0].begin(), outputs[0].end());
        return true;
      },
      call));
  const std::vector<char> &bytes = expected->front().bytes;
  EXPECT_EQ(all, std::string(bytes.begin(), bytes.end()));
  // The caller has seen enough.
  EXPECT_FALSE(
      runner->runEach(*samples, [](const IoBytes &) { return false; }, call));
  EXPECT_FALSE(diags.hasErrors());
}

TEST(Steps, Evaluate) {
  DiagnosticEngine diags;
  session::Call call{diags};
  auto network = digits::network(call);
  auto quantized = session::quantize(network, digits::samples(), {}, call);
  auto executable = session::compile(*quantized->network, {}, call);
  auto runner = session::Runner::make(executable->program(), {}, diags);
  ASSERT_TRUE(runner);
  AccuracyTask task;
  task.floating = network->module();
  task.integer = quantized->network->module();
  task.data = {*digits::data("heldout.npy", 6).parts.front().array};
  task.integersAreReal = true;
  auto result = session::evaluate(task, runner.get(), call);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->samples, 6u);
  EXPECT_TRUE(result->row("npu"));
  EXPECT_GT(result->comparedBytes, 0u);
  EXPECT_EQ(result->differingBytes, 0u);
}

TEST(Steps, MadeUpRanges) {
  DiagnosticEngine diags;
  session::Call call{diags};
  auto network = digits::network(call);
  auto integers = session::withMadeUpRanges(network, call);
  ASSERT_TRUE(integers);
  EXPECT_TRUE(integers->isQuantized());
  EXPECT_FALSE(network->isQuantized());
}

} // namespace
