//===- DiagnosticPrinterTest.cpp ------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/DiagnosticPrinter.h"
#include "support/diagnostics/Ir.h"
#include "support/diagnostics/Settings.h"
#include "test/unit/support/TempFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace yarrow;

namespace {

TEST(DiagnosticPrinter, ShowsTheLineBetweenMessageAndDetails) {
  test::TempFolder folder;
  std::string path = folder / "net.txt";
  std::ofstream(path) << "layer_id=0\nstride_x=two\n";
  DiagnosticEngine diags;
  Diagnostic &d = diags.report(diag::IrBadValue, {path, 2, "conv"}, "wrong");
  d.found("two").expected("an integer");
  DiagnosticPrinter printer({});
  EXPECT_EQ(printer.text(d), path + ":2: error E0203: layer 'conv': wrong\n"
                                    "   2 | stride_x=two\n"
                                    "     |          ^~~\n"
                                    "  found: two\n"
                                    "  expected: an integer");
}

TEST(DiagnosticPrinter, DoesWithoutAFile) {
  DiagnosticEngine diags;
  Diagnostic &d =
      diags.report(diag::IrBadValue, {"/no/such/file", 2}, "bad \033[1m");
  EXPECT_EQ(DiagnosticPrinter({}).text(d),
            "/no/such/file:2: error E0203: bad ?[1m");
}

TEST(DiagnosticPrinter, ColorsTheSeverity) {
  DiagnosticEngine diags;
  Diagnostic &d = diags.report(diag::ConfigNotApplied, {"f"}, "m");
  EXPECT_EQ(DiagnosticPrinter({.useColor = true}).text(d),
            "f: \033[1;35mwarning W0508\033[0m: m");
}

TEST(DiagnosticsJson, HasEveryKeyAndIsUtf8) {
  test::TempFolder folder;
  std::string path = folder / "net.txt";
  std::ofstream(path) << "layer_id=0\nstride_x=two\n";
  DiagnosticEngine diags;
  diags.report(diag::IrBadValue, {path, 2, "conv"}, "wrong")
      .found("\xFF")
      .hint("a hint");
  diags.report(diag::ConfigUnused, {}, "note");
  auto json = diagnosticsJson(diags);
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0].dump(),
            R"({"code":"E0203","severity":"error","file":")" + path +
                R"(","line":2,"column":10,"length":3,"layer":"conv",)"
                R"("message":"wrong","found":"?","expected":null,)"
                R"("hint":"a hint"})");
  EXPECT_EQ(json[1].dump(),
            R"({"code":"N0504","severity":"note","file":null,"line":null,)"
            R"("column":null,"length":null,"layer":null,"message":"note",)"
            R"("found":null,"expected":null,"hint":null})");
}

} // namespace
