//===- StateTest.cpp - What an executable keeps from run to run -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A program that gives what it was given the time before, through the C
// interface: the state begins with its first value, can be read, set and reset,
// and stays as it is when something is refused.
//
//===----------------------------------------------------------------------===//
#include "codegen/ElfWriter.h"
#include "runtime/SimulatedDevice.h"
#include "runtime/include/yarrow/yarrow.h"
#include "test/unit/codegen/KernelCases.h"
#include "test/unit/support/TempFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::testing;
using ::testing::Each;
using ::testing::HasSubstr;

namespace {

constexpr uint32_t kCount = 100, kInput = 3, kOutput = 4, kState = 5;
using Bytes = std::vector<unsigned char>;

TecStep copyStep(uint32_t from, uint32_t to) {
  TecStep step = makeStep("yk_copy", kernels::CopyParams{.elemBytes = 1,
                                                         .rank = 1,
                                                         .dims = {kCount},
                                                         .srcStride = {1},
                                                         .dstStride = {1}});
  step.buffers = {{from, 0}, {to, 0}};
  return step;
}

std::string tensorJson(const char *name, uint32_t region, const char *more) {
  return R"({"name":")" + std::string(name) + R"(","type":"int8","shape":[)" +
         std::to_string(kCount) +
         R"(],"scale":1,"zero_point":0,"counted_by":-1,"region":)" +
         std::to_string(region) + more + "}";
}

class State : public ::testing::Test {
protected:
  void SetUp() override {
    machine = isa::findTarget("X2_1204", diags).value();
    TecStep give = copyStep(kState, kOutput), keep = copyStep(kInput, kState);
    keep.waits[unsigned(isa::Unit::Tec)] = machine.tecs;
    TecProgramInput program{.steps = {give, keep}, .regionCount = 6};
    program.tecs = machine.tecs;
    program.groups = {{.programs = {{{.numSteps = 2}}}}};
    program.groups[0].programs[0][0].finalWaits[unsigned(isa::Unit::Tec)] =
        2 * machine.tecs;
    program.stackTopAddress = isa::kSramBaseAddress + machine.sramBytes;
    program.constantBytes = 10;
    built = buildTecProgram(program, diags).value();
    input.targetName = machine.name;
    input.deviceWord = machine.device.word();
    input.weights = {constants};
    input.inputs = {{"x", isa::DataS8, kCount}};
    input.outputs = {{"y", isa::DataS8, kCount}};
    input.states = {std::vector<char>(kCount, 7)};
    input.text = built.text;
    input.tecElf = built.elf;
    input.provenanceJson = provenance();
  }
  void TearDown() override {
    yarrow_close_session(session);
    yarrow_close(executable);
  }

  std::string provenance(uint32_t region = kState) const {
    return R"({"version":4,"model":"m","target":")" + machine.name +
           R"(","machine":)" + machine.toJson() + R"(,"inputs":[)" +
           tensorJson("x", kInput, "") + R"(],"outputs":[)" +
           tensorJson("y", kOutput, "") + R"(],"states":[)" +
           tensorJson("h", region,
                      R"(,"becomes":"hn","becomes_tensor":"hn_0")") +
           R"(],"layers":[],"queues":[[],[],[]],"tec_steps":[],"regions":[],"sram":[],"variants":[],"weight_file":"","weight_file_digest":""})";
  }
  void open() {
    ASSERT_TRUE(writeExecutable(input, path, diags));
    ASSERT_EQ(yarrow_open(path.c_str(), &executable), YARROW_OK)
        << yarrow_last_error();
    ASSERT_EQ(yarrow_create_session(executable, nullptr, &session), YARROW_OK)
        << yarrow_last_error();
  }
  /// The output of a run on as many bytes of \p value.
  Bytes run(unsigned char value) {
    Bytes x(kCount, value), y(kCount);
    EXPECT_EQ(yarrow_set_input(session, 0, x.data(), kCount), YARROW_OK);
    EXPECT_EQ(yarrow_run(session), YARROW_OK) << yarrow_last_error();
    EXPECT_EQ(yarrow_get_output(session, 0, y.data(), kCount), YARROW_OK);
    return y;
  }
  Bytes state() {
    Bytes bytes(kCount);
    EXPECT_EQ(yarrow_get_state(session, 0, bytes.data(), kCount), YARROW_OK)
        << yarrow_last_error();
    return bytes;
  }

  test::TempFolder folder;
  std::string path = folder / "aipu.bin";
  DiagnosticEngine diags;
  isa::Machine machine;
  TecProgram built;
  std::vector<std::byte> constants = std::vector<std::byte>(10);
  ExecutableInput input;
  yarrow_executable *executable = nullptr;
  yarrow_session *session = nullptr;
};
} // namespace

TEST_F(State, StaysFromRunToRun) {
  open();
  EXPECT_THAT(run(1), Each(7));
  EXPECT_THAT(run(2), Each(1));
  EXPECT_THAT(state(), Each(2));
  EXPECT_THAT(run(3), Each(2));
  // Another session has its own.
  yarrow_session *other = nullptr;
  ASSERT_EQ(yarrow_create_session(executable, nullptr, &other), YARROW_OK);
  std::swap(session, other);
  EXPECT_THAT(state(), Each(7));
  std::swap(session, other);
  EXPECT_THAT(state(), Each(3));
  yarrow_close_session(other);
}

TEST_F(State, IsDescribed) {
  open();
  ASSERT_EQ(yarrow_num_states(executable), 1u);
  EXPECT_EQ(yarrow_num_inputs(executable), 1u);
  EXPECT_EQ(yarrow_num_outputs(executable), 1u);
  yarrow_tensor tensor;
  ASSERT_EQ(yarrow_state(executable, 0, &tensor), YARROW_OK);
  EXPECT_STREQ(tensor.name, "h");
  EXPECT_EQ(tensor.type, YARROW_INT8);
  EXPECT_EQ(tensor.size_bytes, kCount);
  EXPECT_EQ(yarrow_state(executable, 1, &tensor), YARROW_ERROR_ARGUMENT);
}

TEST_F(State, IsSetAndReset) {
  open();
  run(1);
  Bytes given(kCount, 42);
  ASSERT_EQ(yarrow_set_state(session, 0, given.data(), kCount), YARROW_OK);
  EXPECT_THAT(run(2), Each(42));
  ASSERT_EQ(yarrow_reset_states(session), YARROW_OK);
  EXPECT_THAT(state(), Each(7));
  EXPECT_THAT(run(3), Each(7));
}

TEST_F(State, IsNotTouchedByMistakes) {
  open();
  run(5);
  Bytes given(2 * kCount, 42);
  for (size_t bytes : {size_t(0), size_t(kCount - 1), size_t(kCount + 1)}) {
    EXPECT_EQ(yarrow_set_state(session, 0, given.data(), bytes),
              YARROW_ERROR_ARGUMENT)
        << bytes;
    EXPECT_THAT(yarrow_last_error(), HasSubstr("state 0 'h' differs in size"));
    EXPECT_EQ(yarrow_get_state(session, 0, given.data(), bytes),
              YARROW_ERROR_ARGUMENT);
  }
  EXPECT_EQ(yarrow_set_state(session, 1, given.data(), kCount),
            YARROW_ERROR_ARGUMENT);
  EXPECT_EQ(yarrow_get_state(session, 1, given.data(), kCount),
            YARROW_ERROR_ARGUMENT);
  EXPECT_EQ(yarrow_get_state(nullptr, 0, given.data(), kCount),
            YARROW_ERROR_ARGUMENT);
  EXPECT_EQ(yarrow_reset_states(nullptr), YARROW_ERROR_ARGUMENT);
  EXPECT_THAT(given, Each(42));
  EXPECT_THAT(state(), Each(5));
}

TEST_F(State, IsAsBeforeARunThatFails) {
  open();
  run(5);
  yarrow_close_session(session);
  session = nullptr;
  auto model = runtime::Executable::open(path, diags);
  ASSERT_TRUE(model);
  // Enough for the first copy, not for the second.
  for (uint64_t budget : {uint64_t(200), uint64_t(400), uint64_t(800)}) {
    auto limited = runtime::simulatedSession(model, {.budget = budget}, diags);
    ASSERT_TRUE(limited);
    std::vector<std::byte> x(kCount, std::byte(9));
    ASSERT_TRUE(limited->setInput(0, x, diags));
    DiagnosticEngine own;
    bool isDone = limited->run(own);
    EXPECT_THAT(limited->state(0), Each(isDone ? std::byte(9) : std::byte(7)))
        << budget;
  }
}

TEST_F(State, HasOnePlaceForOneSample) {
  open();
  auto model = runtime::Executable::open(path, diags);
  ASSERT_TRUE(model);
  EXPECT_FALSE(runtime::simulatedSession(model, {.frames = 2}, diags));
  ASSERT_FALSE(diags.all().empty());
  EXPECT_THAT(diags.all().back().str(), HasSubstr("2 samples at a time"));
}

TEST_F(State, HasATypeAndAShapeThatThereIs) {
  const std::string right = R"("h","type":"int8","shape":[100])";
  for (const char *wrong :
       {R"("h","type":"int9","shape":[100])", R"("h","type":"","shape":[100])",
        R"("h","type":"int8","shape":[-100])",
        R"("h","type":"int8","shape":[1099511627776,1099511627776])",
        R"("h","type":"float32","shape":[100])"}) {
    input.provenanceJson = provenance();
    size_t at = input.provenanceJson.find(right);
    ASSERT_NE(at, std::string::npos);
    input.provenanceJson.replace(at, right.size(), wrong);
    ASSERT_TRUE(writeExecutable(input, path, diags));
    DiagnosticEngine own;
    EXPECT_FALSE(runtime::Executable::open(path, own)) << wrong;
    ASSERT_FALSE(own.all().empty());
    EXPECT_THAT(own.all()[0].str(), HasSubstr("E0701")) << wrong;
  }
}

TEST_F(State, AgreesWithTheRestOfTheFile) {
  auto expectWrong = [&](const char *what) {
    ASSERT_TRUE(writeExecutable(input, path, diags));
    DiagnosticEngine own;
    EXPECT_FALSE(runtime::Executable::open(path, own));
    ASSERT_FALSE(own.all().empty());
    EXPECT_THAT(own.all()[0].str(), HasSubstr(what));
  };
  input.provenanceJson = provenance(kState + 1);
  expectWrong("is in a wrong region");
  input.provenanceJson = provenance();
  input.states = {std::vector<char>(kCount + 28, 7)};
  expectWrong("differs in size from its shape");
  input.states = {std::vector<char>(kCount - 1, 7)};
  expectWrong("is not inside its memory section");
  input.states = {std::vector<char>(kCount, 7)};
  size_t at = input.provenanceJson.find("\"states\"");
  input.provenanceJson.replace(at, 8, "\"stated\"");
  expectWrong("differs in the number of states");
}
