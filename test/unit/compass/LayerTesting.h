//===- LayerTesting.h - One layer from MLIR text ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Parses a function body of Compass layers and collects what verifying it and
// naming its kernels reports.
//
//   Layers net(R"(%x = compass.input() : () -> tensor<4xf32>
//                 %y = compass.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>)");
//   EXPECT_EQ(net.errors(), "");
//   net.layer()->getName(); // compass.exp, the last layer
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_COMPASS_LAYERTESTING_H
#define YARROW_TEST_UNIT_COMPASS_LAYERTESTING_H

#include "dialects/compass/Compass.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include <string>

namespace yarrow::compass {

class Layers {
public:
  explicit Layers(const std::string &body) {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    mlir::ScopedDiagnosticHandler collect(&context,
                                          [&](mlir::Diagnostic &diag) {
                                            text += diag.str() + "\n";
                                            return mlir::success();
                                          });
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @main() {\n" + body + "\nreturn\n}", &context);
    if (!module)
      return;
    for (mlir::Operation &op :
         module->lookupSymbol<mlir::func::FuncOp>("main").getBody().front()) {
      if (!mlir::isa<CompassOp>(op) || op.getNumOperands() == 0)
        continue;
      last = &op;
      if (auto made = programOf(&op); succeeded(made))
        program = std::move(*made);
    }
  }

  /// All messages, a line each.
  const std::string &errors() const { return text; }
  mlir::Operation *layer() const { return last; }
  /// The one kernel of the last layer that has a program.
  const KernelCall &kernel() const { return *program.single(); }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Operation *last = nullptr;
  LayerProgram program;
  std::string text;
};

} // namespace yarrow::compass

#endif // YARROW_TEST_UNIT_COMPASS_LAYERTESTING_H
