//===- DiagnosticsTest.cpp - Rendering, counting, suggestions -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/Diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <thread>

using namespace yarrow;

TEST(Diagnostics, RendersEveryPart) {
  DiagnosticEngine diags;
  diags
      .report(DiagId::IrMissingKey, {"net.txt", 12, "conv1"},
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
  EXPECT_EQ(diags.report(DiagId::ConfigUnused, {}, "key x").str(),
            "note N0504: key x");
  EXPECT_EQ(diags.report(DiagId::IrLayerCount, {"a.txt"}, "m").str(),
            "a.txt: warning W0211: m");
}

TEST(Diagnostics, CountsOnlyErrors) {
  DiagnosticEngine diags;
  diags.report(DiagId::IrLayerCount, {}, "w");
  diags.report(DiagId::ConfigUnused, {}, "n");
  EXPECT_FALSE(diags.hasErrors());
  diags.report(DiagId::IrSyntax, {}, "e");
  EXPECT_TRUE(diags.hasErrors());
  EXPECT_EQ(diags.numErrors(), 1u);
}

TEST(Diagnostics, ReferencesSurviveLaterReports) {
  DiagnosticEngine diags;
  Diagnostic &first = diags.report(DiagId::IrSyntax, {}, "first");
  std::thread other([&] {
    for (int i = 0; i < 1000; ++i)
      diags.report(DiagId::IrSyntax, {}, "other");
  });
  for (int i = 0; i < 1000; ++i)
    diags.report(DiagId::IrSyntax, {}, "mine");
  other.join();
  EXPECT_EQ(first.message, "first");
  EXPECT_EQ(diags.numErrors(), 2001u);
}

TEST(Diagnostics, CodesAreWellFormedAndUnique) {
  std::set<std::string_view> codes;
#define DIAG(ID, CODE, SUMMARY)                                                \
  EXPECT_TRUE(codes.insert(diagCode(DiagId::ID)).second) << CODE;              \
  EXPECT_EQ(diagSummary(DiagId::ID), SUMMARY);
#include "support/Diagnostics.def"
  for (std::string_view code : codes)
    EXPECT_THAT(std::string(code), testing::MatchesRegex("[EWN][0-9]{4}"));
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
