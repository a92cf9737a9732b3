//===- VariantsTest.cpp - Programs for inputs of several shapes -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One executable that reverses 4, 8 or 12 bytes: which of the three, the
// lengths of the input tell.
//
//===----------------------------------------------------------------------===//
#include "codegen/ElfWriter.h"
#include "runtime/SimulatedDevice.h"
#include "runtime/include/yarrow/yarrow.h"
#include "support/diagnostics/Compiler.h"
#include "support/diagnostics/Executables.h"
#include "test/Seal.h"
#include "test/TemporaryFile.h"
#include "test/unit/codegen/KernelCases.h"
#include "test/unit/codegen/TecSimulation.h"

#include <fstream>
#include <gtest/gtest.h>
#include <random>

using namespace yarrow;
using namespace yarrow::testing;

namespace {

constexpr uint32_t kLengths[] = {4, 8, 12};
constexpr uint32_t kTecs = 2, kShapeRegion = 5;

TecStep reverse(uint32_t count) {
  TecStep step =
      makeStep("yk_copy", kernels::CopyParams{.elemBytes = 1,
                                              .rank = 1,
                                              .dims = {count},
                                              .srcStride = {-1},
                                              .dstStride = {1},
                                              .srcOffset = int32_t(count) - 1});
  step.buffers = {{3, 0}, {4, 0}};
  return step;
}

TecItem blockOf(size_t firstStep, size_t numSteps) {
  TecItem block{.firstStep = firstStep, .numSteps = numSteps};
  block.finalWaits[unsigned(isa::Unit::Tec)] = uint32_t(kTecs * numSteps);
  return block;
}

TecProgramInput program() {
  TecProgramInput input;
  TecGroup group;
  for (uint32_t length : kLengths) {
    group.programs.push_back({blockOf(input.steps.size(), 1)});
    input.steps.push_back(reverse(length));
    input.variants.push_back({{1, length}, {length, 1}});
  }
  input.groups = {group};
  input.regionCount = 6;
  input.tecs = kTecs;
  input.optimize = false;
  return input;
}

std::vector<char> textOf(const TecProgramInput &input) {
  DiagnosticEngine diags;
  std::optional<TecProgram> built = buildTecProgram(input, diags);
  EXPECT_FALSE(diags.hasErrors()) << diags.all()[0].str();
  return built ? built->text : std::vector<char>();
}

/// The program on TECs alone, with these lengths in the global parameters.
class Choice {
public:
  explicit Choice(const TecProgramInput &input)
      : text(textOf(input)), simulation({4096, 4096, 4096, 4096, 4096, 4096}) {
    for (int i = 0; i < 12; ++i)
      simulation.at(3)[i] = uint8_t(i + 1);
    std::memset(simulation.at(4), 0, 16);
    std::memset(simulation.at(kShapeRegion), 0, 16);
  }
  std::string run(std::vector<uint32_t> lengths) {
    // Region 6 is none of the program's.
    std::vector<uint32_t> words{8, uint32_t(lengths.size())};
    words.insert(words.end(), lengths.begin(), lengths.end());
    std::memcpy(simulation.at(6), words.data(), 4 * words.size());
    simulation.globalParameters = simulation.address(6);
    return simulation.run(text, kTecs);
  }
  /// How many bytes were reversed.
  int numReversed() const {
    int count = 0;
    while (count < 12 && simulation.at(4)[count])
      ++count;
    for (int i = 0; i < count; ++i)
      EXPECT_EQ(simulation.at(4)[i], count - i);
    return count;
  }
  std::vector<uint32_t> outputLengths() const {
    std::vector<uint32_t> words(2);
    std::memcpy(words.data(), simulation.at(kShapeRegion), 8);
    return words;
  }

  std::vector<char> text;
  TecSimulation simulation;
};

} // namespace

TEST(Variants, TheLengthsOfTheInputsChoose) {
  TecProgramInput input = program();
  for (uint32_t length : kLengths) {
    Choice choice(input);
    EXPECT_EQ(choice.run({1, length}), "");
    EXPECT_EQ(choice.numReversed(), int(length));
    EXPECT_EQ(choice.outputLengths(), (std::vector<uint32_t>{length, 1}));
  }
}

// A driver leaves zeros where an application gives no shapes, and describes
// tensors of the largest.
TEST(Variants, NoLengthsChooseTheLargest) {
  TecProgramInput input = program();
  Choice zeros(input);
  EXPECT_EQ(zeros.run({0, 0}), "");
  EXPECT_EQ(zeros.numReversed(), 12);
  Choice none(input);
  none.simulation.globalParameters = 0;
  EXPECT_EQ(none.simulation.run(none.text, kTecs), "");
  EXPECT_EQ(none.numReversed(), 12);
}

TEST(Variants, OtherLengthsAreAFault) {
  TecProgramInput input = program();
  for (std::vector<uint32_t> lengths :
       {std::vector<uint32_t>{1, 5}, {4, 1}, {1, 0}, {0, 4}, {2, 8}}) {
    Choice choice(input);
    EXPECT_NE(choice.run(lengths), "");
    EXPECT_EQ(choice.numReversed(), 0);
    EXPECT_EQ(choice.outputLengths(), std::vector<uint32_t>(2));
  }
}

// Of a program for several cores: each group does its part of the variant, if
// it has one.
TEST(Variants, GroupsDoTheirPart) {
  TecProgramInput input = program();
  input.steps.push_back(reverse(2));
  TecGroup second;
  second.programs = {{}, {blockOf(3, 1)}, {}};
  input.groups.push_back(second);
  for (uint32_t variant = 0; variant < 3; ++variant) {
    Choice choice(input);
    choice.simulation.group = 1;
    EXPECT_EQ(choice.run({1, kLengths[variant]}), "");
    EXPECT_EQ(choice.numReversed(), variant == 1 ? 2 : 0);
    // The first group has told them.
    EXPECT_EQ(choice.outputLengths(), std::vector<uint32_t>(2));
  }
}

TEST(Variants, EachGroupHasAProgramForEach) {
  TecProgramInput input = program();
  input.groups[0].programs.pop_back();
  DiagnosticEngine diags;
  EXPECT_FALSE(buildTecProgram(input, diags));
  ASSERT_EQ(diags.all().size(), 1u);
  EXPECT_EQ(diags.all()[0].id, diag::CodegenFailed);
}

namespace {

/// The whole file.
class VariantsFile {
public:
  VariantsFile() {
    DiagnosticEngine diags;
    machine = *isa::findTarget("X2_1204", diags);
    TecProgramInput input = program();
    input.stackTopAddress = isa::kSramBaseAddress + machine.sramBytes;
    input.tecs = machine.tecs;
    for (auto &items : input.groups[0].programs)
      items[0].finalWaits[unsigned(isa::Unit::Tec)] = machine.tecs;
    built = *buildTecProgram(input, diags);
  }

  std::string bytes(const std::string &replaced = "",
                    const std::string &by = "") const {
    ExecutableInput input;
    input.targetName = machine.name;
    input.deviceWord = machine.device.word();
    input.text = built.text;
    input.tecElf = built.elf;
    input.inputs = {{"x", isa::DataS8, 12}};
    input.outputs = {{"y", isa::DataS8, 12}};
    std::string variants;
    for (int64_t length : kLengths) {
      input.shapes.push_back({{{1, length}}, {{length, 1}}});
      std::string text = std::to_string(length);
      variants += (variants.empty() ? "" : ",") +
                  (R"({"inputs":[[1,)" + text + R"(]],"outputs":[[)" + text +
                   R"(,1]],"first_layer":0})");
    }
    const char *tensor =
        R"("type":"int8","scale":1,"zero_point":0,"counted_by":-1,)";
    input.provenanceJson =
        R"({"version":4,"model":"m","target":"X2_1204","machine":)" +
        machine.toJson() + R"(,"inputs":[{"name":"x",)" + tensor +
        R"("shape":[1,12],"region":3}],"outputs":[{"name":"y",)" + tensor +
        R"("shape":[12,1],"region":4}],"layers":[],"queues":[[],[],[]],"tec_steps":[],"regions":[],"sram":[],"weight_file":"","weight_file_digest":"","variants":[)" +
        variants + "]}";
    if (size_t at = input.provenanceJson.find(replaced); !replaced.empty())
      input.provenanceJson.replace(at, replaced.size(), by);
    DiagnosticEngine diags;
    return *executableBytes(input, diags);
  }

  isa::Machine machine;
  TecProgram built;
};

std::shared_ptr<const runtime::Executable> parse(const std::string &bytes,
                                                 DiagnosticEngine &diags) {
  return runtime::Executable::parse(bytes, "variants.bin", diags);
}

} // namespace

TEST(Variants, AnExecutableIsOneForEachShape) {
  VariantsFile file;
  std::string bytes = file.bytes();
  DiagnosticEngine diags;
  auto model = parse(bytes, diags);
  ASSERT_TRUE(model) << diags.all()[0].str();
  ASSERT_EQ(model->variants().size(), 3u);
  EXPECT_EQ(model->variant(), 2u);
  EXPECT_EQ(model->inputs()[0].sizeBytes, 12u);
  for (size_t i = 0; i < 3; ++i) {
    auto variant = model->withVariant(i);
    EXPECT_EQ(variant->inputs()[0].shape,
              (std::vector<int64_t>{1, kLengths[i]}));
    EXPECT_EQ(variant->outputs()[0].shape,
              (std::vector<int64_t>{kLengths[i], 1}));
    auto session = runtime::simulatedSession(variant, {}, diags);
    ASSERT_TRUE(session);
    std::vector<std::byte> x(kLengths[i]);
    for (size_t k = 0; k < x.size(); ++k)
      x[k] = std::byte(k + 1);
    ASSERT_TRUE(session->setInput(0, x, diags));
    ASSERT_TRUE(session->run(diags)) << diags.all()[0].str();
    std::reverse(x.begin(), x.end());
    EXPECT_TRUE(std::ranges::equal(session->output(0), x));
  }
  EXPECT_EQ(model->inputs()[0].sizeBytes, 12u) << "the first stays as it is";
}

// Names that were handed out stay valid.
TEST(Variants, TheCInterfaceChooses) {
  TemporaryFile file;
  std::ofstream(file.path(), std::ios::binary) << VariantsFile().bytes();
  yarrow_executable *model = nullptr;
  ASSERT_EQ(yarrow_open(file.path().c_str(), &model), YARROW_OK)
      << yarrow_last_error();
  EXPECT_EQ(yarrow_num_variants(model), 3u);
  yarrow_tensor largest, input;
  EXPECT_EQ(yarrow_input(model, 0, &largest), YARROW_OK);
  EXPECT_EQ(largest.size_bytes, 12u);
  EXPECT_EQ(yarrow_choose_variant(model, 3), YARROW_ERROR_ARGUMENT);
  for (size_t i : {0, 2, 1}) {
    ASSERT_EQ(yarrow_choose_variant(model, i), YARROW_OK);
    EXPECT_EQ(yarrow_input(model, 0, &input), YARROW_OK);
    EXPECT_EQ(input.size_bytes, kLengths[i]);
    EXPECT_EQ(input.shape[1], kLengths[i]);
    EXPECT_STREQ(largest.name, "x");
    yarrow_session *session = nullptr;
    ASSERT_EQ(yarrow_create_session(model, nullptr, &session), YARROW_OK);
    std::vector<char> x(kLengths[i]), y(kLengths[i]);
    x[0] = 7;
    EXPECT_EQ(yarrow_set_input(session, 0, x.data(), x.size()), YARROW_OK);
    EXPECT_EQ(yarrow_run(session), YARROW_OK) << yarrow_last_error();
    EXPECT_EQ(yarrow_get_output(session, 0, y.data(), y.size()), YARROW_OK);
    EXPECT_EQ(y.back(), 7);
    yarrow_close_session(session);
  }
  yarrow_close(model);
  EXPECT_EQ(yarrow_num_variants(nullptr), 0u);
}

TEST(Variants, WhatTheDriverReadsMustAgree) {
  const std::pair<const char *, const char *> changes[] = {
      {R"({"inputs":[[1,4]])", R"({"inputs":[[1,5]])"}, // the least shape
      {R"({"inputs":[[1,12]])", R"({"inputs":[[1,11]])"},
      {R"({"inputs":[[1,8]])", R"({"inputs":[[1,13]])"},
      {R"({"inputs":[[1,8]])", R"({"inputs":[[8]])"},
      {R"({"inputs":[[1,8]])", R"({"inputs":[[1,8],[1]])"},
      {R"({"inputs":[[1,8]])", R"({"inputs":[[1,-8]])"},
      {R"("outputs":[[8,1]])", R"("outputs":[])"},
      {R"("outputs":[[8,1]])", R"("outputs":[[8,2]])"},
      {R"("first_layer":0)", R"("first_layer":1)"},
  };
  VariantsFile file;
  for (auto [text, change] : changes) {
    std::string bytes = file.bytes(text, change);
    DiagnosticEngine diags;
    EXPECT_FALSE(parse(bytes, diags)) << text << " -> " << change;
    ASSERT_TRUE(diags.hasErrors()) << text << " -> " << change;
    EXPECT_EQ(diags.all()[0].id, diag::ExecutableMalformed) << change;
  }
}

// Whatever is in the file: a diagnostic, a fault, or a result; no crash.
TEST(Variants, MutationsNeverCrash) {
  const std::string whole = VariantsFile().bytes();
  std::mt19937 random(5);
  unsigned opened = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = whole;
    for (unsigned i = 0, n = 1 + random() % 3; i < n; ++i)
      bytes[random() % bytes.size()] = char(random());
    bytes = sealed(std::move(bytes));
    DiagnosticEngine diags;
    auto model = parse(bytes, diags);
    EXPECT_EQ(model == nullptr, diags.hasErrors());
    if (!model)
      continue;
    ++opened;
    for (size_t i = 0; i < model->variants().size(); ++i)
      EXPECT_EQ(model->withVariant(i)->variant(), i);
  }
  EXPECT_GT(opened, 20u);
}
