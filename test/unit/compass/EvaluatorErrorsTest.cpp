//===- EvaluatorErrorsTest.cpp - Modules that cannot be evaluated ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/network/Evaluator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "support/diagnostics/Operators.h"
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::compass;

namespace {

/// What creating an evaluator of \p text reports.
std::vector<Diagnostic> problemsOf(const char *text) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  DiagnosticEngine diags;
  EXPECT_EQ(Evaluator::create(*module, diags), nullptr);
  return {diags.all().begin(), diags.all().end()};
}

TEST(EvaluatorErrors, RefusesWhatIsNoLayer) {
  std::vector<Diagnostic> problems =
      problemsOf("func.func private @other()\n"
                 "func.func @main() {\n"
                 "  func.call @other() : () -> ()\n"
                 "  return\n"
                 "}");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].id, diag::OpUnsupported);
}

TEST(EvaluatorErrors, NeedsAMainFunction) {
  std::vector<Diagnostic> problems = problemsOf("func.func private @other()");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].id, diag::OpInvalid);
}

} // namespace
