//===- DebugCommandTest.cpp - What is typed into the debugger -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/debug/CommandLanguage.h"
#include "compiler/debug/MemoryText.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace yarrow;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(DebugCommand, AbbreviationsAreGdbs) {
  const std::pair<const char *, DebugCommand> lines[] = {
      {"s", DebugCommand::Step},
      {"n 3", DebugCommand::Next},
      {"si", DebugCommand::StepInstruction},
      {"ni", DebugCommand::NextInstruction},
      {"c", DebugCommand::Continue},
      {"cont", DebugCommand::Continue},
      {"b conv", DebugCommand::Break},
      {"tb conv", DebugCommand::TemporaryBreak},
      {"d 1", DebugCommand::Delete},
      {"i r", DebugCommand::Info},
      {"p out", DebugCommand::Print},
      {"x/4i $pc", DebugCommand::Examine},
      {"disas", DebugCommand::Disassemble},
      {"l", DebugCommand::List},
      {"fin", DebugCommand::Finish},
      {"bt", DebugCommand::Where},
      {"r", DebugCommand::Run},
      {"q", DebugCommand::Quit},
      {"h", DebugCommand::Help}};
  for (auto [text, command] : lines) {
    ParsedLine line = parseLine(text);
    EXPECT_EQ(line.command, command) << text << ": " << line.problem;
  }
}

TEST(DebugCommand, SplitsWordsAndFormats) {
  ParsedLine line = parseLine("  x/16xb   sram+4 ");
  EXPECT_EQ(line.suffix, "16xb");
  EXPECT_THAT(line.words, ElementsAre("sram+4"));
  EXPECT_EQ(parseLine("b /res2/Conv + /Add").rest(), "/res2/Conv + /Add");
  EXPECT_FALSE(parseLine("# a comment").command);
  EXPECT_FALSE(parseLine("   ").command);
}

TEST(DebugCommand, SaysWhatIsWrong) {
  EXPECT_THAT(parseLine("contineu").problem, HasSubstr("'continue'"));
  EXPECT_THAT(parseLine("w").problem, HasSubstr("where or write"));
  EXPECT_THAT(parseLine("zzzzzz").problem, HasSubstr("`help`"));
  EXPECT_THAT(parseLine("print/x a").problem, HasSubstr("no format"));
}

TEST(DebugCommand, ReadsExamineFormats) {
  auto how = parseExamine("16xb");
  ASSERT_TRUE(how);
  EXPECT_EQ(how->count, 16u);
  EXPECT_EQ(how->sizeBytes, 1u);
  EXPECT_EQ(parseExamine("")->sizeBytes, 4u);
  EXPECT_EQ(parseExamine("dg")->sizeBytes, 8u);
  for (const char *wrong : {"0x", "4q", "fb", "99999999999999999999"})
    EXPECT_FALSE(parseExamine(wrong)) << wrong;
}

TEST(DebugCommand, ReadsIndicesAsNumPy) {
  std::string problem;
  std::vector<int64_t> shape = {2, 5, 8};
  EXPECT_THAT(*parseIndices("1,:,2:4", shape, problem),
              ElementsAre(Pair(1, 2), Pair(0, 5), Pair(2, 4)));
  EXPECT_THAT(*parseIndices("-1, 1:", shape, problem),
              ElementsAre(Pair(1, 2), Pair(1, 5), Pair(0, 8)));
  EXPECT_THAT(*parseIndices("", {}, problem), ElementsAre());
  for (const char *wrong : {"2", "-3", "0,0,0,0", "a", "1:1", "0,,1", "0,:9",
                            "9223372036854775807"})
    EXPECT_FALSE(parseIndices(wrong, shape, problem)) << wrong;
  parseIndices("5", shape, problem);
  EXPECT_THAT(problem, HasSubstr("axis 0 is not within 0 to 1"));
}

TEST(DebugCommand, HelpNamesEveryCommand) {
  std::string all = debugHelp("", 80);
  for (const char *name : {"step", "break", "print", "disassemble", "write"})
    EXPECT_THAT(all, HasSubstr(name));
  EXPECT_THAT(debugHelp("b", 80), HasSubstr("pc ADDRESS"));
  EXPECT_EQ(debugHelp("nothing", 80), "");
}

TEST(MemoryText, ShowsStoredAndRealNumbers) {
  runtime::RunTensor tensor;
  tensor.name = "out";
  tensor.type = "int8";
  tensor.shape = {1, 3};
  tensor.scale = 2;
  tensor.zeroPoint = 1;
  const std::byte bytes[] = {std::byte(1), std::byte(0xff), std::byte(4)};
  runtime::RunTensors::Contents contents;
  contents.state = runtime::RunTensors::State::Whole;
  contents.address = 0xe0000010;
  contents.bytes = bytes;
  std::string text = tensorText(tensor, contents, {{0, 1}, {0, 3}});
  EXPECT_EQ(text, "out: int8[1,3], real = (stored + 1) / 2, whole, SRAM "
                  "0xe0000010\n"
                  "  [0,0]    1   -1    4\n"
                  "  real     1    0  2.5\n");
  EXPECT_EQ(tensorSummary(tensor, contents), "out: int8[1,3], -1 to 4: 1 -1 4");
}

TEST(MemoryText, ShowsBytesInTheirFormats) {
  const std::byte bytes[] = {std::byte(0), std::byte(0), std::byte(0x80),
                             std::byte(0xbf)};
  EXPECT_EQ(memoryText(bytes, 16, {2, 'x', 2}),
            "0x00000010:  0x0000  0xbf80\n");
  EXPECT_EQ(memoryText(bytes, 16, {1, 'f', 4}), "0x00000010:  -1\n");
  EXPECT_EQ(memoryText(bytes, 16, {4, 'd', 1}),
            "0x00000010:  0  0  -128  -65\n");
}
