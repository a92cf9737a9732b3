//===- DiagnosticsTest.cpp - Rendering, counting, suggestions -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/Diagnostics.h"
#include "support/diagnostics/Ir.h"
#include "support/diagnostics/Settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <thread>

using namespace yarrow;

TEST(Diagnostics, RendersEveryPart) {
  DiagnosticEngine diags;
  diags
      .report(diag::IrMissingKey, {"net.txt", 12, "conv1"},
              "layer has no key kernel_x")
      .found("keys kernel_y, stride_x")
      .expected("kernel_x=<int>")
      .hint("kernel_x=3 would fit\nthe weights");
  std::ostringstream os;
  diags.print(os);
  EXPECT_EQ(
      os.str(),
      "net.txt:12: error E0202: layer 'conv1': layer has no key kernel_x\n"
      "  found: keys kernel_y, stride_x\n"
      "  expected: kernel_x=<int>\n"
      "  hint: kernel_x=3 would fit\n"
      "        the weights\n");
}

TEST(Diagnostics, LeavesOutEmptyParts) {
  DiagnosticEngine diags;
  EXPECT_EQ(diags.report(diag::ConfigUnused, {}, "key x").str(),
            "note N0504: key x");
  EXPECT_EQ(diags.report(diag::IrLayerCount, {"a.txt"}, "m").str(),
            "a.txt: warning W0211: m");
}

TEST(Diagnostics, CountsOnlyErrors) {
  DiagnosticEngine diags;
  diags.report(diag::IrLayerCount, {}, "w");
  diags.report(diag::ConfigUnused, {}, "n");
  EXPECT_FALSE(diags.hasErrors());
  diags.report(diag::IrSyntax, {}, "e");
  EXPECT_TRUE(diags.hasErrors());
  EXPECT_EQ(diags.numErrors(), 1u);
}

TEST(Diagnostics, ReferencesSurviveLaterReports) {
  DiagnosticEngine diags;
  Diagnostic &first = diags.report(diag::IrSyntax, {}, "first");
  std::thread other([&] {
    for (int i = 0; i < 1000; ++i)
      diags.report(diag::IrSyntax, {}, "other");
  });
  for (int i = 0; i < 1000; ++i)
    diags.report(diag::IrSyntax, {}, "mine");
  other.join();
  EXPECT_EQ(first.message, "first");
  EXPECT_EQ(diags.numErrors(), 2001u);
}

TEST(Diagnostics, AddKeepsEveryPart) {
  DiagnosticEngine own, diags;
  Diagnostic &first =
      own.report(diag::IrBadValue,
                 {"net.txt", 3, std::string(501, 'n'), "two", 7}, "m")
          .found("f")
          .expected("e")
          .hint("h\nh");
  own.report(diag::IrLayerCount, {"net.txt"}, "w");
  diags.report(diag::IrSyntax, {}, "before");
  for (const Diagnostic &d : own.all())
    diags.add(d);
  ASSERT_EQ(diags.all().size(), 3u);
  const Diagnostic &added = diags.all()[1];
  EXPECT_EQ(added.id, diag::IrBadValue);
  EXPECT_EQ(added.place.token, "two");
  EXPECT_EQ(added.place.column, 7u);
  EXPECT_EQ(added.str(), first.str());
  EXPECT_EQ(diags.all()[2].str(), "net.txt: warning W0211: w");
  EXPECT_EQ(diags.numErrors(), 2u);
}

TEST(Diagnostics, AddedOnesAreTheEnginesOwn) {
  DiagnosticEngine diags;
  Diagnostic one{diag::IrSyntax, {}, "one", {}, {}, {}};
  diags.add(one).found("only here");
  EXPECT_EQ(one.foundText, "");
  EXPECT_EQ(diags.all()[0].foundText, "only here");
  one.place.layer.assign(501, 'n');
  EXPECT_EQ(diags.add(one).place.layer, std::string(500, 'n') + "...");
}

TEST(Diagnostics, SuggestsTheNearest) {
  DiagnosticEngine diags;
  Diagnostic &d = diags.report(diag::IrBadValue, {}, "m");
  EXPECT_FALSE(d.suggest("Softmax", {"ReLU", "Gelu"}));
  EXPECT_EQ(d.hintText, "");
  EXPECT_TRUE(d.suggest("relu", {"ReLU", "Gelu"}));
  EXPECT_EQ(d.hintText, "did you mean ReLU?");
  d.hint("another");
  EXPECT_FALSE(d.suggest("Softmax", {"ReLU", "Gelu"}));
  EXPECT_EQ(d.hintText, "another");
}

TEST(Diagnostics, CodesAreWellFormedAndUnique) {
  std::set<std::string_view> codes;
  for (DiagId id : allDiagIds()) {
    std::string code(id->code);
    EXPECT_TRUE(codes.insert(id->code).second) << code;
    EXPECT_THAT(code, ::testing::MatchesRegex("[EWN][0-9]{4}"));
  }
}

TEST(Diagnostics, EveryCodeIsExplained) {
  for (DiagId id : allDiagIds()) {
    std::string_view explanation = id->explanation;
    EXPECT_EQ(id->summary.find('\n'), std::string_view::npos);
    EXPECT_GT(explanation.size(), id->summary.size()) << id->code;
    EXPECT_TRUE(explanation.ends_with(".")) << id->code;
    EXPECT_FALSE(id->wrongExample.empty()) << id->code;
    EXPECT_FALSE(id->rightExample.empty()) << id->code;
    EXPECT_NE(id->wrongExample, id->rightExample) << id->code;
    // The text is printed as it stands, on terminals of 90 columns or more.
    for (std::string_view text = explanation; !text.empty();) {
      std::size_t end = std::min(text.find('\n'), text.size());
      EXPECT_LE(end, 90u) << id->code << ": " << text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
}

TEST(Diagnostics, FindsCodesInAnyCase) {
  EXPECT_EQ(findDiag("E0203"), diag::IrBadValue);
  EXPECT_EQ(findDiag("w0211"), diag::IrLayerCount);
  EXPECT_EQ(findDiag("E020"), std::nullopt);
  EXPECT_EQ(findDiag(""), std::nullopt);
}

TEST(NearestName, FindsSlips) {
  std::vector<std::string> ops = {"Convolution", "DepthwiseConv", "ReLU",
                                  "Gelu", "Pooling"};
  EXPECT_EQ(nearestName("Convolutoin", ops), "Convolution");
  EXPECT_EQ(nearestName("relu", ops), "ReLU");
  EXPECT_EQ(nearestName("Poling", ops), "Pooling");
  EXPECT_EQ(nearestName("kernel_w", {"kernel_x", "kernel_width"}), "kernel_x");
}

TEST(NearestName, StaysSilentWhenNothingIsNear) {
  EXPECT_EQ(nearestName("Softmax", {"Convolution", "ReLU"}), "");
  EXPECT_EQ(nearestName("x", {}), "");
  EXPECT_EQ(nearestName("", {"ab"}), "");
  EXPECT_EQ(nearestName(std::string(1 << 20, 'a'), {"aaaa"}), "");
}

TEST(Diagnostics, CutsLongLayerNames) {
  DiagnosticEngine diags;
  std::string name(500, 'n');
  Diagnostic &whole = diags.report(diag::IrBadValue, {"net.txt", 1, name}, "");
  EXPECT_EQ(whole.place.layer, name);
  Diagnostic &cut =
      diags.report(diag::IrBadValue, {"net.txt", 1, name + "nn"}, "");
  EXPECT_EQ(cut.place.layer, name + "...");
}

TEST(DidYouMean, AsksOnlyWithAName) {
  EXPECT_EQ(didYouMean("[Common]"), "did you mean [Common]?");
  EXPECT_EQ(didYouMean(""), "");
}
