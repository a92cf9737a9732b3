//===- ExecutableTest.cpp - From kernel calls to outputs ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A TEC program in an executable, loaded and run as a user's is.
//
//===----------------------------------------------------------------------===//
#include "codegen/ElfWriter.h"
#include "runtime/SimulatedDevice.h"
#include "test/unit/codegen/KernelCases.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace yarrow;
using namespace yarrow::testing;

namespace {

constexpr uint32_t kValues = 1000;

/// output 0 = reversed input, through the workspace; output 1 = table[input],
/// where the table is among the constants.
TecProgramInput reverseAndLookUp(uint32_t tecs, bool optimize) {
  TecStep copy =
      makeStep("yk_copy", kernels::CopyParams{.elemBytes = 1,
                                              .rank = 1,
                                              .dims = {kValues},
                                              .srcStride = {-1},
                                              .dstStride = {1},
                                              .srcOffset = kValues - 1});
  TecStep back = makeStep("yk_copy", kernels::CopyParams{.elemBytes = 1,
                                                         .rank = 1,
                                                         .dims = {kValues},
                                                         .srcStride = {1},
                                                         .dstStride = {1}});
  TecStep lut = makeStep("yk_lut", kernels::LutParams{.count = kValues});
  copy.buffers = {{3, 0}, {isa::kWorkspaceRegion, 128}};
  back.buffers = {{isa::kWorkspaceRegion, 128}, {4, 0}};
  back.waits[unsigned(isa::Unit::Tec)] = tecs;
  lut.buffers = {{3, 0}, {isa::kWeightRegion, 100}, {5, 0}};
  TecProgramInput input{.steps = {copy, back, lut}, .regionCount = 6};
  input.tecs = tecs;
  input.optimize = optimize;
  input.groups = {{.programs = {{{.numSteps = 3}}}}};
  input.groups[0].programs[0][0].finalWaits[unsigned(isa::Unit::Tec)] =
      3 * tecs;
  return input;
}

std::string tensorJson(const char *name, const char *quantized) {
  return R"({"name":")" + std::string(name) + R"(","type":"int8","shape":[)" +
         std::to_string(kValues) + "]," + quantized + "}";
}

/// What the loader compares with the rest of the file.
std::string provenanceOf(const isa::Machine &machine) {
  return R"({"version":4,"model":"m","target":")" + machine.name +
         R"(","machine":)" + machine.toJson() + R"(,"inputs":[)" +
         tensorJson(
             "x", R"("scale":2.5,"zero_point":1,"region":3,"counted_by":-1)") +
         R"(],"outputs":[)" +
         tensorJson("reversed",
                    R"("scale":1,"zero_point":0,"region":4,"counted_by":-1)") +
         "," +
         tensorJson("looked_up",
                    R"("scale":7,"zero_point":-2,"region":5,"counted_by":-1)") +
         R"(],"layers":[],"queues":[[],[],[]],"tec_steps":[],"regions":[],"sram":[],"variants":[],"weight_file":"","weight_file_digest":""})";
}

/// The program for a target, as it may be written.
class WrittenProgram {
public:
  WrittenProgram(const char *target, bool optimize) : table(256) {
    machine = isa::findTarget(target, diags).value();
    TecProgramInput program = reverseAndLookUp(machine.tecs, optimize);
    program.stackTopAddress = isa::kSramBaseAddress + machine.sramBytes;
    program.constantBytes = 100 + 256;
    built = buildTecProgram(program, diags).value();
    for (int i = 0; i < 256; ++i)
      table[size_t(i)] = std::byte(255 - 3 * i);
    input.targetName = target;
    input.deviceWord = machine.device.word();
    input.weights = {padding, table};
    input.workspaceBytes = 128 + kValues;
    input.inputs = {{"x", isa::DataS8, kValues, 2.5f, 1}};
    input.outputs = {{"reversed", isa::DataS8, kValues},
                     {"looked_up", isa::DataS8, kValues, 7.0f, -2}};
    input.provenanceJson = provenanceOf(machine);
  }
  /// Null after diagnostics.
  std::shared_ptr<const runtime::Executable> open() {
    input.text = built.text;
    input.tecElf = built.elf;
    std::string path = std::filesystem::temp_directory_path() /
                       ("yarrow-run-" + std::to_string(getpid()) + ".bin");
    EXPECT_TRUE(writeExecutable(input, path, diags));
    auto executable = runtime::Executable::open(path, diags);
    std::filesystem::remove(path);
    return executable;
  }

  isa::Machine machine;
  TecProgram built;
  std::vector<std::byte> padding = std::vector<std::byte>(100), table;
  ExecutableInput input;
  DiagnosticEngine diags;
};

void runOn(const char *target, bool optimize) {
  WrittenProgram program(target, optimize);
  auto executable = program.open();
  for (const Diagnostic &diag : program.diags.all())
    ADD_FAILURE() << diag.str();
  ASSERT_TRUE(executable);
  ASSERT_EQ(executable->outputs().size(), 2u);
  EXPECT_EQ(executable->outputs()[1].scale, 7.0f);
  EXPECT_EQ(executable->outputs()[1].zeroPoint, -2);
  EXPECT_EQ(executable->inputs()[0].type, isa::DataS8);

  auto session = runtime::simulatedSession(
      executable, {.machine = &program.machine}, program.diags);
  ASSERT_TRUE(session);
  std::vector<std::byte> x(kValues);
  for (uint32_t i = 0; i < kValues; ++i)
    x[i] = std::byte(7 * i + i / 256);
  ASSERT_TRUE(session->setInput(0, x, program.diags));
  ASSERT_TRUE(session->run(program.diags)) << program.diags.all()[0].str();
  for (uint32_t i = 0; i < kValues; ++i) {
    ASSERT_EQ(session->output(0)[i], x[kValues - 1 - i]) << i;
    ASSERT_EQ(session->output(1)[i], program.table[size_t(int8_t(x[i]) + 128)])
        << i;
  }
}

uint32_t wordOf(const std::vector<char> &bytes, size_t at) {
  uint32_t word;
  std::memcpy(&word, &bytes[at], 4);
  return word;
}

/// What is said of symbols that \p change gives to the program, or of a program
/// that it gives to the symbols.
template <typename Change> std::string problemOf(Change change) {
  WrittenProgram program("X2_1204", true);
  change(program.built);
  EXPECT_FALSE(program.open());
  return program.diags.all().empty() ? "" : program.diags.all()[0].message;
}

} // namespace

TEST(Executable, RunsOnFourTecs) { runOn("X2_1204", false); }
TEST(Executable, RunsSpecialized) { runOn("X2_1204", true); }
TEST(Executable, RunsOnOneTec) { runOn("Z1_0701", true); }

// Symbols of another program would name the wrong places.
TEST(Executable, HasTheSymbolsOfItsProgram) {
  constexpr const char *kOther =
      "section .yarrow.tec has a different program from .text";
  EXPECT_EQ(problemOf([](TecProgram &built) {
              built.text[built.text.size() / 2] ^= 1;
            }),
            kOther);
  // Both move by so many bytes.
  constexpr size_t kEntry = 24, kSegments = 28, kAddress = 8; // ELF32
  for (uint32_t bytes : {0x10u, 0x7fff0000u})
    EXPECT_EQ(problemOf([&](TecProgram &built) {
                auto move = [&](size_t at) {
                  uint32_t word = wordOf(built.elf, at) + bytes;
                  std::memcpy(&built.elf[at], &word, 4);
                };
                move(kEntry);
                move(wordOf(built.elf, kSegments) + kAddress);
              }),
              kOther)
        << bytes;
}
