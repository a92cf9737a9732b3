//===- Networks.h - Small networks for harnesses of data --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A float network from MLIR text in a context of its own, for harnesses that
// feed a network with data instead of changing it. A new one from time to
// time: attributes that were ever made stay in their context.
//
//   mlir::ModuleOp module = fuzz::smallNetwork();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_FUZZ_NETWORKS_H
#define YARROW_TEST_FUZZ_NETWORKS_H

#include "dialects/compass/Compass.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "test/fuzz/Fuzz.h"

#include <memory>

namespace yarrow::fuzz {

/// Convolutions, a sum, a table and a softmax of 3 classes: every kind of rule
/// that takes a range.
inline constexpr const char *kSmallNetwork = R"(
func.func @main() -> tensor<1x1x1x3xf32> {
  %x = compass.input() : () -> tensor<1x2x2x3xf32> loc("input")
  %a = compass.convolution(%x) {
    weights = dense<[[[[0.5, -0.25, 0.125]]], [[[0.75, 0.3, -0.9]]], [[[0.2, 0.1, 0.4]]]]> : tensor<3x1x1x3xf32>,
    biases = dense<[0.1, -0.2, 0.3]> : tensor<3xf32>, with_activation = "RELU"
  } : (tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32> loc("conv")
  %s = compass.eltwise(%a, %x) {method = "ADD"}
    : (tensor<1x2x2x3xf32>, tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32> loc("sum")
  %l = compass.activation(%s) {method = "SIGMOID"}
    : (tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32> loc("sigmoid")
  %p = compass.convolution(%l) {
    weights = dense<[
      [[[-0.625, 0.0, 0.625], [-0.125, 0.5, -0.25]],
       [[0.375, -0.375, 0.25], [-0.5, 0.125, -0.625]]],
      [[[0.0, 0.625, -0.125], [0.5, -0.25, 0.375]],
       [[-0.375, 0.25, -0.5], [0.125, -0.625, 0.0]]],
      [[[0.625, -0.125, 0.5], [-0.25, 0.375, -0.375]],
       [[0.25, -0.5, 0.125], [-0.625, 0.0, 0.625]]]]> : tensor<3x2x2x3xf32>,
    biases = dense<[0.1, -0.2, 0.0]> : tensor<3xf32>
  } : (tensor<1x2x2x3xf32>) -> tensor<1x1x1x3xf32> loc("head")
  %y = compass.softmax(%p) {axis = 3}
    : (tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32> loc("softmax")
  return %y : tensor<1x1x1x3xf32>
})";

inline mlir::ModuleOp smallNetwork() {
  constexpr unsigned usesPerContext = 1000;
  static std::unique_ptr<mlir::MLIRContext> context;
  static mlir::OwningOpRef<mlir::ModuleOp> module;
  static unsigned used = 0;
  if (context && ++used < usesPerContext)
    return *module;
  used = 0;
  module = nullptr;
  mlir::DialectRegistry registry;
  compass::registerDialects(registry);
  context = std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  module =
      mlir::parseSourceString<mlir::ModuleOp>(kSmallNetwork, context.get());
  require(bool(module), "the harness's network is valid");
  return *module;
}

} // namespace yarrow::fuzz

#endif // YARROW_TEST_FUZZ_NETWORKS_H
