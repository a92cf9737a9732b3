//===- DisassemblerTest.cpp - Programs and descriptors as text ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/Disassembler.h"
#include "test/unit/codegen/KernelCases.h"

#include <gmock/gmock.h>
#include <sstream>

using namespace yarrow;
using namespace yarrow::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

static std::string_view view(const std::vector<char> &bytes) {
  return {bytes.data(), bytes.size()};
}

TEST(Disassembler, TecProgram) {
  TecStep step = makeStep("yk_lut", kernels::LutParams{.count = 99});
  step.waits[unsigned(isa::Unit::DmaLoad)] = 3;
  TecProgramInput input{
      .steps = {step},
      .groups = {{{{{.numSteps = 1, .queues = {{{0, 40}}}}}}}},
      .regionCount = 3,
      .optimize = false};
  DiagnosticEngine diags;
  auto program = buildTecProgram(input, diags);
  ASSERT_TRUE(program);
  TecProgram::Range range = program->stepRanges[0];
  std::ostringstream os;
  disassembleTec(os, view(program->text), view(program->elf),
                 {{range.begin, range.end, "layer 7 gelu"}});
  EXPECT_THAT(os.str(),
              AllOf(HasSubstr("_start:\n      40: "),
                    HasSubstr("step.0.yk_lut:  ; layer 7 gelu\n"),
                    HasSubstr("npu.wait\tload, a"),
                    HasSubstr("npu.submit\tte, a"), HasSubstr("npu.setbase\ta"),
                    HasSubstr("npu.signal\n"), HasSubstr("npu.end\n"),
                    HasSubstr("jalr\t"), HasSubstr("; yk_lut\n"),
                    HasSubstr("vluxei"), HasSubstr("bytes of constants")));
  EXPECT_THAT(os.str(), Not(HasSubstr("unknown")));

  std::ostringstream bare;
  disassembleTec(bare, view(program->text), "",
                 {{range.begin, range.end, "layer 7 gelu"}});
  EXPECT_THAT(bare.str(),
              AllOf(HasSubstr("\n; layer 7 gelu\n"), Not(HasSubstr("step.0"))));
}

TEST(Disassembler, ForeignBytes) {
  std::ostringstream os;
  disassembleTec(os, std::string(64, ' ') + "\xff\xff\xff\xff tail", "no elf",
                 {});
  EXPECT_THAT(os.str(), HasSubstr(".word\t0xffffffff"));
  disassembleTec(os, "short", "", {});
}

TEST(Disassembler, Descriptors) {
  isa::Conv conv;
  conv.inHeight = 32;
  conv.waits[unsigned(isa::Unit::DmaLoad)] = 3;
  std::vector<uint32_t> words;
  for (int i = 0; i < 3; ++i)
    conv.encode(words);
  std::string bytes(reinterpret_cast<char *>(words.data()), 4 * words.size());
  std::ostringstream os;
  EXPECT_TRUE(disassembleDescriptors(os, bytes, {"conv1", "conv1", "conv2"}));
  EXPECT_THAT(os.str(),
              AllOf(HasSubstr("\n; conv1\n       0: "), HasSubstr("32"),
                    HasSubstr("wait.load=3"), HasSubstr("\n; conv2\n")));
  std::ostringstream torn;
  EXPECT_FALSE(disassembleDescriptors(
      torn, std::string_view(bytes).substr(0, bytes.size() - 4), {}));
  EXPECT_THAT(torn.str(), HasSubstr("not a descriptor"));
  // A file may name no section of descriptors: no bytes at no address.
  std::ostringstream none;
  EXPECT_TRUE(disassembleDescriptors(none, std::string_view(), {}));
  EXPECT_EQ(none.str(), "");
}
