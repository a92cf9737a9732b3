//===- TecProgramTest.cpp - TEC programs do what the host does ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/TecKernels.h"
#include "codegen/TecLinker.h"
#include "kernels/arithmetic/Eltwise.h"
#include "support/diagnostics/Compiler.h"
#include "test/unit/codegen/KernelCases.h"
#include "test/unit/codegen/TecSimulation.h"

#include <cstdint>
#include <gmock/gmock.h>
#include <random>
#include <set>

using namespace yarrow;
using namespace yarrow::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

namespace {

TecProgramInput inputFor(std::vector<TecStep> steps, uint32_t tecs,
                         bool optimize) {
  TecProgramInput input;
  input.steps = std::move(steps);
  input.regionCount = 3;
  input.tecs = tecs;
  input.optimize = optimize;
  input.groups = {{.programs = {{{.numSteps = input.steps.size()}}}}};
  input.groups[0].programs[0][0].finalWaits[unsigned(isa::Unit::Tec)] =
      uint32_t(tecs * input.steps.size());
  return input;
}

uint32_t outputBytes(const std::vector<TecStep> &steps) {
  uint32_t end = 0;
  for (const TecStep &step : steps)
    for (const TecBuffer &buffer : step.buffers)
      if (buffer.region == 2)
        end = std::max(end, buffer.offset + kCaseBytes);
  return end;
}

std::vector<uint8_t> runOnHost(const std::vector<TecStep> &steps,
                               uint64_t seed = 1) {
  std::vector<uint8_t> inputs = caseInputs(seed);
  std::vector<uint8_t> outputs(outputBytes(steps), 0xaa);
  for (const TecStep &step : steps) {
    std::vector<void *> buffers;
    for (const TecBuffer &buffer : step.buffers)
      buffers.push_back((buffer.region == 1 ? inputs : outputs).data() +
                        buffer.offset);
    // The struct's alignment is not that of a vector of char.
    std::vector<uint64_t> params((step.params.size() + 7) / 8);
    std::memcpy(params.data(), step.params.data(), step.params.size());
    kernels::lookupKernel(step.symbol)(params.data(), buffers.data(), 0, 1);
  }
  return outputs;
}

std::vector<uint8_t> runOnTecs(const TecProgramInput &input,
                               uint64_t seed = 1) {
  DiagnosticEngine diags;
  std::optional<TecProgram> program = buildTecProgram(input, diags);
  EXPECT_FALSE(diags.hasErrors()) << diags.all()[0].str();
  uint32_t sizeBytes = outputBytes(input.steps);
  TecSimulation simulation({kCaseSlots * kCaseBytes, sizeBytes});
  std::vector<uint8_t> inputs = caseInputs(seed);
  std::memcpy(simulation.at(1), inputs.data(), inputs.size());
  std::memset(simulation.at(2), 0xaa, sizeBytes);
  EXPECT_EQ(simulation.run(program->text, input.tecs), "");
  EXPECT_LE(simulation.stackBytes, isa::kSramStackBytes);
  ::testing::Test::RecordProperty("stackBytes", int(simulation.stackBytes));
  return {simulation.at(2), simulation.at(2) + sizeBytes};
}

void expectSameAsHost(const std::vector<TecStep> &steps, uint64_t seed,
                      uint32_t tecs, bool optimize) {
  std::vector<uint8_t> expected = runOnHost(steps, seed),
                       found = runOnTecs(inputFor(steps, tecs, optimize), seed);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t k = 0; k < steps.size(); ++k) {
    for (const TecBuffer &buffer : steps[k].buffers)
      if (buffer.region == 2)
        EXPECT_TRUE(std::equal(expected.begin() + buffer.offset,
                               expected.begin() + buffer.offset + kCaseBytes,
                               found.begin() + buffer.offset))
            << steps[k].symbol << ", output at " << buffer.offset << ", case "
            << k << " of seed " << seed << " on " << tecs << " TECs";
  }
  EXPECT_TRUE(found == expected);
}

} // namespace

TEST(TecProgram, LibraryKernels) {
  for (uint64_t seed = 1; seed <= 12; ++seed)
    expectSameAsHost(kernelCases(seed), seed, 1 + seed % 4, false);
}

TEST(TecProgram, LibraryFloatFunctions) {
  for (uint64_t seed = 1; seed <= 3; ++seed)
    expectSameAsHost(stepsOf(unaryFloatCases(seed)), seed, 2, false);
}

TEST(TecProgram, SpecializedKernelsOnOneTec) {
  expectSameAsHost(kernelCases(1), 1, 1, true);
}
TEST(TecProgram, SpecializedKernelsOnFourTecs) {
  expectSameAsHost(kernelCases(2), 2, 4, true);
}

/// Those of a recurrent layer come last in the program, and once for each time
/// step.
TEST(TecProgram, StepsThatAreOftenAreSpecialized) {
  std::vector<TecStep> steps;
  constexpr int kDifferent = 70;
  for (int zp = 0; zp < kDifferent; ++zp) {
    kernels::EltwiseIntParams p;
    p.shape = {.rank = 1, .dims = {4}, .strideA = {1}, .strideB = {1}};
    p.requant.zp = zp;
    steps.insert(steps.end(), zp + 1 == kDifferent ? 3 : 1,
                 makeStep("yk_eltwise_int", p));
  }
  DiagnosticEngine diags;
  auto program = buildTecProgram(inputFor(steps, 1, true), diags);
  ASSERT_TRUE(program);
  std::string_view elf(program->elf.data(), program->elf.size());
  auto isSpecialized = [&](const TecStep &step) {
    return elf.find(
               SpecializedKernel(step.symbol, step.params, 1).functionName) !=
           std::string_view::npos;
  };
  EXPECT_TRUE(isSpecialized(steps.back()));
  EXPECT_TRUE(isSpecialized(steps[0]));
  EXPECT_FALSE(isSpecialized(steps[kDifferent - 2]));
}

/// Every time step of a recurrent layer has multipliers of its own.
TEST(TecProgram, StepsThatAreAlikeShareAKernel) {
  std::vector<TecStep> steps;
  for (int i = 0; i < 90; ++i) {
    kernels::EltwiseIntParams p;
    p.shape = {.rank = 1, .dims = {24}, .strideA = {1}, .strideB = {1}};
    p.requant.scale = 1 + i % 7;
    p.requant.zp = i;
    steps.push_back(makeStep("yk_eltwise_int", p, uint32_t(i)));
  }
  TecProgramInput input = inputFor(steps, 2, true);
  EXPECT_TRUE(runOnTecs(input) == runOnHost(steps));
  DiagnosticEngine diags;
  auto program = buildTecProgram(input, diags);
  ASSERT_TRUE(program);
  constexpr uint32_t kRequant =
                         offsetof(kernels::EltwiseIntParams, requant) / 4,
                     kScale = offsetof(kernels::Requant, scale) / 4,
                     kZp = offsetof(kernels::Requant, zp) / 4;
  SpecializedKernel shared("yk_eltwise_int", steps.back().params, 2,
                           {kRequant + kScale, kRequant + kZp});
  std::string_view elf(program->elf.data(), program->elf.size());
  EXPECT_NE(elf.find(shared.functionName), std::string_view::npos);
}

/// A kernel takes time to compile.
TEST(TecProgram, FewStepsThatAreAlikeCallTheLibrary) {
  std::vector<TecStep> steps;
  for (int i = 0; i < 67; ++i) {
    kernels::EltwiseIntParams p;
    p.shape = {.rank = 1, .dims = {4}, .strideA = {1}, .strideB = {1}};
    p.requant.zp = i;
    steps.push_back(makeStep("yk_eltwise_int", p));
  }
  DiagnosticEngine diags;
  auto program = buildTecProgram(inputFor(steps, 1, true), diags);
  ASSERT_TRUE(program);
  constexpr uint32_t kZp = (offsetof(kernels::EltwiseIntParams, requant) +
                            offsetof(kernels::Requant, zp)) /
                           4;
  SpecializedKernel shared("yk_eltwise_int", steps.back().params, 1, {kZp});
  std::string_view elf(program->elf.data(), program->elf.size());
  EXPECT_EQ(elf.find(shared.functionName), std::string_view::npos);
}

TEST(TecProgram, StacksInSram) {
  auto steps = kernelCases();
  steps.resize(12);
  auto input = inputFor(steps, 4, true);
  input.stackTopAddress = isa::kSramBaseAddress + (1 << 20);
  EXPECT_TRUE(runOnTecs(input) == runOnHost(steps));
}

TEST(TecProgram, StartsTheEngines) {
  DiagnosticEngine diags;
  TecProgramInput input = inputFor({}, 2, false);
  input.groups[0].programs[0][0].queues[unsigned(isa::Unit::TensorEngine)] = {
      0, 40};
  input.groups[0].programs[0][0].queues[unsigned(isa::Unit::DmaStore)] = {40,
                                                                          8};
  auto program = buildTecProgram(input, diags);
  ASSERT_TRUE(program);
  TecSimulation simulation({4096, 4096});
  ASSERT_EQ(simulation.run(program->text, 2), "");
  EXPECT_THAT(simulation.submissions,
              ElementsAre(TecSimulation::Submission{0, 0x123400, 40},
                          TecSimulation::Submission{2, 0x123428, 8}));
  EXPECT_THAT(simulation.bases, ElementsAre(Pair(1, simulation.address(1)),
                                            Pair(2, simulation.address(2))));
}

TEST(TecProgram, StepsWaitForCountersAndOneAnother) {
  // The second step reads what all TECs wrote in the first.
  kernels::CopyParams copy{.elemBytes = 1,
                           .rank = 1,
                           .dims = {1000},
                           .srcStride = {1},
                           .dstStride = {1}};
  kernels::CopyParams reverse = copy;
  reverse.srcStride[0] = -1;
  reverse.srcOffset = 999;
  TecStep first = makeStep("yk_copy", copy),
          second = makeStep("yk_copy", reverse);
  first.buffers = {{1, 0}, {0, 64}}; // to SRAM
  second.buffers = {{0, 64}, {2, 0}};
  second.waits[unsigned(isa::Unit::Tec)] = 4;
  auto input = inputFor({first, second}, 4, true);
  std::vector<uint8_t> found = runOnTecs(input), expected = caseInputs(1);
  expected.resize(1000);
  std::reverse(expected.begin(), expected.end());
  found.resize(1000);
  EXPECT_TRUE(found == expected);

  DiagnosticEngine diags;
  input.steps[0].waits[unsigned(isa::Unit::DmaLoad)] = 1;
  auto program = buildTecProgram(input, diags);
  TecSimulation simulation({kCaseSlots * kCaseBytes, kCaseBytes});
  EXPECT_EQ(simulation.run(program->text, 4), "all TECs wait");
  simulation.counters[unsigned(isa::Unit::DmaLoad)] = 1;
  EXPECT_EQ(simulation.run(program->text, 4), "");
}

TEST(TecProgram, MoreTasksThanTecsEndAndFewerFault) {
  DiagnosticEngine diags;
  auto input =
      inputFor({makeStep("yk_lut", kernels::LutParams{.count = 9})}, 2, false);
  auto program = buildTecProgram(input, diags);
  ASSERT_TRUE(program);
  TecSimulation four({kCaseSlots * kCaseBytes, kCaseBytes});
  EXPECT_EQ(four.run(program->text, 4), "");
  TecSimulation one({kCaseSlots * kCaseBytes, kCaseBytes});
  EXPECT_THAT(one.run(program->text, 1), HasSubstr("illegal"));
}

TEST(TecProgram, HeaderAndStepRanges) {
  DiagnosticEngine diags;
  auto steps = kernelCases();
  steps.resize(12);
  for (bool optimize : {false, true}) {
    auto program = buildTecProgram(inputFor(steps, 4, optimize), diags);
    ASSERT_TRUE(program);
    ASSERT_GT(program->text.size(), isa::kTextHeaderBytes);
    EXPECT_EQ(std::memcmp(program->text.data(), isa::kTextMagic,
                          sizeof(isa::kTextMagic)),
              0);
    ASSERT_EQ(program->stepRanges.size(), steps.size());
    uint32_t last = isa::kTextHeaderBytes;
    for (TecProgram::Range range : program->stepRanges) {
      EXPECT_GE(range.begin, last);
      EXPECT_GT(range.end, range.begin);
      last = range.end;
    }
    EXPECT_LE(last, program->text.size());
  }
}

TEST(TecProgram, SameInputSameBytes) {
  DiagnosticEngine diags;
  auto steps = kernelCases();
  steps.resize(12);
  for (bool optimize : {false, true}) {
    auto first = buildTecProgram(inputFor(steps, 4, optimize), diags);
    auto second = buildTecProgram(inputFor(steps, 4, optimize), diags);
    EXPECT_TRUE(first->text == second->text);
    EXPECT_TRUE(first->elf == second->elf);
  }
}

TEST(TecProgram, ManyParametersOfOneKernel) {
  std::vector<TecStep> steps;
  for (uint32_t i = 0; i < 40; ++i)
    steps.push_back(makeStep("yk_lut", kernels::LutParams{.count = 50 + i}, i));
  EXPECT_TRUE(runOnTecs(inputFor(steps, 1, true)) == runOnHost(steps));
}

TEST(TecProgram, RunsAnywhere) {
  DiagnosticEngine diags;
  auto steps = kernelCases();
  auto input = inputFor(steps, 1, false);
  auto program = buildTecProgram(input, diags);
  TecSimulation simulation({kCaseSlots * kCaseBytes, outputBytes(steps)});
  std::memcpy(simulation.at(1), caseInputs(1).data(), caseInputs(1).size());
  std::memset(simulation.at(2), 0xaa, outputBytes(steps));
  EXPECT_EQ(simulation.run(program->text, 1, /*textAddress=*/0x51040), "");
  EXPECT_EQ(std::memcmp(simulation.at(2), runOnHost(steps).data(),
                        outputBytes(steps)),
            0);
}

TEST(TecProgram, RefusesWrongSteps) {
  auto expectError = [](const TecStep &step, const char *text) {
    DiagnosticEngine diags;
    EXPECT_FALSE(buildTecProgram(inputFor({step}, 1, false), diags));
    ASSERT_EQ(diags.numErrors(), 1u);
    EXPECT_EQ(diags.all()[0].id, diag::CodegenFailed);
    EXPECT_THAT(diags.all()[0].str(), HasSubstr(text));
  };
  TecStep good = makeStep("yk_lut", kernels::LutParams{}), step = good;
  step.symbol = "yk_lutt";
  expectError(step, "did you mean yk_lut?");
  step = good;
  step.params.pop_back();
  expectError(step, "bytes of parameters");
  step = good;
  step.buffers.pop_back();
  expectError(step, "number of buffers");
  step = good;
  step.buffers[1].region = 3;
  expectError(step, "region");
}
