//===- IrTextTest.cpp - Grammar of Compass IR text ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/IrDocument.h"

#include <gmock/gmock.h>

#include <sstream>

using namespace yarrow;
using namespace yarrow::compass;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

namespace {

IrDocument parseGood(std::string_view text) {
  DiagnosticEngine diags;
  std::optional<IrDocument> document = parseIrText(text, "net.txt", diags);
  std::ostringstream problems;
  diags.print(problems);
  EXPECT_TRUE(document) << problems.str();
  return document ? *document : IrDocument();
}

/// "code:line" of every problem.
std::vector<std::string> problemsOf(std::string_view text) {
  DiagnosticEngine diags;
  EXPECT_FALSE(parseIrText(text, "net.txt", diags)) << text;
  std::vector<std::string> result;
  for (const Diagnostic &diag : diags.all()) {
    EXPECT_EQ(diag.place.file, "net.txt");
    result.push_back(std::string(diag.id->code) + ":" +
                     std::to_string(diag.place.line));
  }
  return result;
}

std::string onlyProblem(std::string_view text) {
  DiagnosticEngine diags;
  EXPECT_FALSE(parseIrText(text, "net.txt", diags)) << text;
  EXPECT_EQ(diags.all().size(), 1u) << text;
  return diags.all().empty() ? "" : diags.all().front().str();
}

constexpr const char *smallNet = "model_name=net\n"
                                 "layer_number=2\n"
                                 "\n"
                                 "layer_id=0\n"
                                 "layer_name=in\n"
                                 "layer_bottom=[]\n"
                                 "layer_top=[123]\n"
                                 "layer_top_shape=[[1,2]]\n"
                                 "\n"
                                 "layer_id=1\n"
                                 "layer_name=relu\n"
                                 "layer_bottom=[123]\n"
                                 "epsilon=1e-05\n"
                                 "\n";

} // namespace

TEST(IrText, SplitsIntoSections) {
  IrDocument document = parseGood(smallNet);
  EXPECT_EQ(document.fileName, "net.txt");
  EXPECT_EQ(document.header.entries.size(), 2u);
  ASSERT_EQ(document.layers.size(), 2u);
  EXPECT_EQ(document.layers[0].layerName(), "in");
  EXPECT_EQ(document.layers[1].line, 10u);
  const IrEntry *top = document.layers[0].find("layer_top");
  ASSERT_NE(top, nullptr);
  EXPECT_EQ(top->line, 7u);
  EXPECT_THAT(top->value.asWordList(), Optional(ElementsAre("123")));
  EXPECT_EQ(document.layers[0].find("no_such_key"), nullptr);
  EXPECT_EQ(irText(document), smallNet);
}

TEST(IrText, ToleratesBlanksQuotesAndLineEnds) {
  IrDocument document = parseGood("\xEF\xBB\xBF  layer_id = 0 \r\n"
                                  "\tspatial =[ 153 , 153 ] \r\n"
                                  "types=['int8', \"uint8\"]\r\n"
                                  "region=[[ 1, 2 ] ,[3]]\r\n"
                                  "empty=\r\n"
                                  "quoted='x'");
  EXPECT_EQ(irText(document), "layer_id=0\n"
                              "spatial=[153,153]\n"
                              "types=[int8,uint8]\n"
                              "region=[[1,2],[3]]\n"
                              "empty=\n"
                              "quoted=x\n");
  EXPECT_TRUE(document.header.entries.empty());
}

TEST(IrText, KeepsSpellings) {
  const char *text = "a=0.000000\nb=1e-05\nc=True\nd=[None,NONE]\n"
                     "e=[[]]\nf=[]\ng=\nh=./net.bin\ni=007\n"
                     "j=a/b_c-d;e'f:0 g\n\n\n";
  EXPECT_EQ(irText(parseGood(text)), text);
}

TEST(IrText, LayersNeedNoBlankLine) {
  IrDocument document =
      parseGood("model_name=a\nlayer_id=0\nx=1\nlayer_id=1\nx=2\n");
  EXPECT_EQ(document.header.entries.size(), 1u);
  ASSERT_EQ(document.layers.size(), 2u);
  EXPECT_EQ(document.layers[1].entries.size(), 2u);
}

TEST(IrText, BlankLinesWithinALayerSeparateNothing) {
  IrDocument document =
      parseGood("model_name=a\n\n\nlayer_number=2\n\nlayer_id=0\n"
                "layer_name=x\n\nlayer_type=Abs\n\nkernel_x=1\n\n"
                "layer_name=y\nlayer_id=1\n");
  EXPECT_EQ(document.header.entries.size(), 2u);
  ASSERT_EQ(document.layers.size(), 2u);
  EXPECT_EQ(document.layers[0].entries.size(), 4u);
  EXPECT_EQ(document.layers[1].layerName(), "y");
}

TEST(IrText, TakesFilesWithoutHeader) {
  EXPECT_EQ(parseGood("layer_name=a\nlayer_id=0\n").layers.size(), 1u);
  EXPECT_EQ(parseGood("\nlayer_name=a\n").layers.size(), 1u);
  EXPECT_FALSE(parseGood("\nsubgraph_name=a\n\nlayer_id=0").hasSubgraphs());
}

TEST(IrText, KeepsSubgraphsApart) {
  const char *text = "model_name=a\n\nlayer_id=0\n\nsubgraph_name=then\n"
                     "layer_number=1\n\nlayer_id=0\nx=1\n\n"
                     "subgraph_name=else\n\nlayer_id=0\nx=2\n\n";
  IrDocument document = parseGood(text);
  EXPECT_EQ(document.layers.size(), 1u);
  ASSERT_TRUE(document.hasSubgraphs());
  ASSERT_EQ(document.subgraphs.size(), 2u);
  EXPECT_EQ(document.subgraphs[0].header.entries.size(), 2u);
  EXPECT_EQ(document.subgraphs[1].layers.size(), 1u);
  EXPECT_EQ(irText(document), text);
}

TEST(IrText, RepeatedKeys) {
  // One value is kept once, with a warning.
  DiagnosticEngine repeated;
  auto document = parseIrText("a=[1, 2]\na=[1,2]\n", "net.txt", repeated);
  ASSERT_TRUE(document);
  EXPECT_EQ(irText(*document), "a=[1,2]\n");
  ASSERT_EQ(repeated.all().size(), 1u);
  EXPECT_THAT(
      repeated.all()[0].str(),
      AllOf(HasSubstr("net.txt:2: warning W0212"), HasSubstr("as in line 1")));
  std::string problem =
      onlyProblem("layer_id=0\nlayer_name=conv\na=1\nb=2\na=2\n");
  EXPECT_THAT(problem, HasSubstr("net.txt:5"));
  EXPECT_THAT(problem, HasSubstr("E0204"));
  EXPECT_THAT(problem, HasSubstr("conv"));
  EXPECT_THAT(problem, HasSubstr("'1' as in line 3"));
}

// Of the header as of a layer, and of a sub-graph's header: the second line is
// told, whichever key it is, and the first one's value stays.
TEST(IrText, RepeatedKeysOfHeaders) {
  const char *keys[] = {"model_name",   "layer_number",  "precision",
                        "model_domain", "input_tensors", "output_tensors",
                        "model_bin",    "weights_digest"};
  std::string header;
  for (const char *key : keys)
    header += std::string(key) + "=1\n";
  unsigned line = 0;
  for (const char *key : keys) {
    std::string again = std::string(key) + "=2\n";
    std::string problem = onlyProblem(header + again + "\nlayer_id=0\n");
    EXPECT_THAT(problem, HasSubstr("net.txt:9: error E0204: " +
                                   std::string(key) + " is given twice"));
    EXPECT_THAT(problem, HasSubstr("'1' as in line " + std::to_string(++line)));
  }
  // The same key of another section is another one.
  parseGood(header + "\nlayer_id=0\nmodel_name=2\n");
}

TEST(IrText, ReportsAllProblems) {
  EXPECT_THAT(problemsOf("model_name\n"
                         "a=[1,2\n"
                         "fine=1\n"
                         "2b=1\n"
                         "c=[1],2\n"
                         "\n"
                         "layer_id=[0\n"
                         "fine=2\n"
                         "fine=3\n"),
              ElementsAre("E0201:1", "E0201:2", "E0201:4", "E0201:5", "E0201:7",
                          "E0204:9"));
}

TEST(IrText, ExplainsProblems) {
  EXPECT_THAT(onlyProblem("# a comment\n"), HasSubstr("no comments"));
  EXPECT_THAT(onlyProblem("a=3 # why\n"), HasSubstr("no comments"));
  EXPECT_THAT(onlyProblem("a=1 b=2\n"), HasSubstr("second '='"));
  EXPECT_THAT(onlyProblem("a=1,2\n"), HasSubstr("list without brackets"));
  EXPECT_THAT(onlyProblem("a=[1,,2]\n"), HasSubstr("empty item"));
  EXPECT_THAT(onlyProblem("a=[1,]\n"), HasSubstr("empty item"));
  EXPECT_THAT(onlyProblem("a=x\ty\n"), HasSubstr("a tab inside a value"));
  EXPECT_THAT(onlyProblem("a=[1\n"), HasSubstr("without its ']'"));
  EXPECT_THAT(onlyProblem("a=[1,\n"), HasSubstr("without its ']'"));
  EXPECT_THAT(onlyProblem("a=1]\n"), HasSubstr("']' without '['"));
  EXPECT_THAT(onlyProblem("a=[[1][2]]\n"), HasSubstr("missing comma"));
  EXPECT_THAT(onlyProblem("a=[1]b=2\n"), HasSubstr("after the end"));
  EXPECT_THAT(onlyProblem("a=[x=1]\n"), HasSubstr("'=' inside a list"));
  EXPECT_THAT(onlyProblem("a=b\xC3\xA9\n"), HasSubstr("'\\xc3'"));
  EXPECT_THAT(onlyProblem(std::string_view("a=b\0c\n", 6)),
              HasSubstr("'\\x00'"));
  EXPECT_THAT(onlyProblem("=1\n"), HasSubstr("key"));
  EXPECT_THAT(onlyProblem("a=" + std::string(100000, '[') + "\n"),
              HasSubstr("too deeply"));
}

TEST(IrText, StopsAfterManyProblems) {
  std::string text;
  for (int i = 0; i != 100000; ++i)
    text += "nonsense\n";
  EXPECT_EQ(problemsOf(text).size(), 51u);
}

TEST(IrText, TakesEmptyFiles) {
  EXPECT_TRUE(parseGood("").layers.empty());
  EXPECT_TRUE(parseGood("\n\n \n").header.entries.empty());
  EXPECT_TRUE(parseGood("a=1").header.find("a"));
}

TEST(IrText, IsLinearInHugeSections) {
  std::string text;
  for (int i = 0; i != 200000; ++i)
    text += "key" + std::to_string(i) + "=1\n";
  for (int i = 0; i != 50000; ++i)
    text += "layer_id=" + std::to_string(i) + "\n";
  IrDocument document = parseGood(text);
  EXPECT_EQ(document.header.entries.size(), 200000u);
  EXPECT_EQ(document.layers.size(), 50000u);
}

TEST(IrSection, SetsAndAppends) {
  IrSection section;
  section.append("a", IrValue::integer(1));
  section.set("b", IrValue::wordList({"x"}));
  section.set("a", IrValue::floating(0.5));
  IrDocument document;
  document.layers.push_back(section);
  EXPECT_EQ(irText(document), "a=0.5\nb=[x]\n\n");
}
