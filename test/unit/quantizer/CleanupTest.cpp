//===- CleanupTest.cpp - Simpler networks that compute the same -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "passes/cleanup/Cleanup.h"
#include "dialects/compass/Layers.h"
#include "test/unit/quantizer/TestNetwork.h"

using namespace yarrow;
using namespace yarrow::compass;

namespace {

/// Cleans \p body up, which reads %x and returns, and checks the values.
class Cleaned : public TestNetwork {
public:
  Cleaned(const std::string &input, const std::string &output,
          const std::string &body)
      : TestNetwork("func.func @main() -> " + output +
                    " {\n%x = "
                    "compass.input() : () -> " +
                    input + "\n" + body + "\n}") {
    recordLayerIds(*module);
    EXPECT_TRUE(runCleanup(*module, diags)) << problems();
    std::vector<int64_t> shape = shapeOf(*original);
    shape[0] *= 4;
    Similarity s = similarity({normalSamples(shape)});
    EXPECT_GT(s.sqnrDb(), 110); // float32 rounding is at 140 dB
    EXPECT_EQ(outputName(*module), outputName(*original));
  }
  unsigned layers() {
    unsigned n = 0;
    module->walk([&](mlir::Operation *op) { n += recordOf(op) != nullptr; });
    return n - 1; // the input
  }

private:
  static std::vector<int64_t> shapeOf(mlir::ModuleOp m) {
    std::vector<int64_t> shape;
    m.walk([&](mlir::Operation *op) {
      if (op->getName().getStringRef() == "compass.input")
        for (int64_t d : describe(op->getResult(0)).shape)
          shape.push_back(d);
    });
    return shape;
  }
  static std::string outputName(mlir::ModuleOp m) {
    std::string name;
    m.walk([&](mlir::Operation *op) {
      if (op->getName().getStringRef() == "func.return")
        name = tensorNameOf(op->getOperand(0));
    });
    return name;
  }
};

const std::string kConv = R"(
%c = compass.convolution(%x) {
  weights = dense<[[[[0.5, -0.25]]], [[[0.75, 0.3]]]]> : tensor<2x1x1x2xf32>,
  biases = dense<[0.1, -0.2]> : tensor<2xf32>
} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> loc("conv")
)";
const std::string kImage = "tensor<1x4x4x2xf32>";

std::string unary(const std::string &op, const std::string &attrs = "") {
  return "%y = compass." + op + "(%c) " + attrs + " : (" + kImage + ") -> " +
         kImage + " loc(\"y\")\nreturn %y : " + kImage;
}

} // namespace

TEST(Cleanup, BatchNormFolds) {
  Cleaned net(kImage, kImage,
              kConv + unary("batch_norm",
                            "{axis = 3, weights = dense<[2.0, -0.5]> : "
                            "tensor<2xf32>, biases = dense<[0.3, 0.7]> : "
                            "tensor<2xf32>}"));
  EXPECT_EQ(net.layers(), 1u);
}

TEST(Cleanup, ConstantsFoldIntoWeights) {
  for (const char *op : {"add", "sub", "mul"}) {
    for (const char *operands : {"%c, %k", "%k, %c"}) {
      Cleaned net(kImage, kImage,
                  kConv +
                      "%k = compass.constant() {weights = dense<[1.5, -2.0]> : "
                      "tensor<2xf32>} : () -> tensor<2xf32>\n%y = compass." +
                      op + "(" + operands + ") : (" +
                      (operands[1] == 'c' ? kImage + ", tensor<2xf32>"
                                          : "tensor<2xf32>, " + kImage) +
                      ") -> " + kImage + " loc(\"y\")\nreturn %y : " + kImage);
      EXPECT_EQ(net.layers(), 1u) << op << operands;
    }
  }
}

TEST(Cleanup, ActivationsFuseAndMerge) {
  Cleaned relu(kImage, kImage,
               kConv + unary("activation", "{method = \"RELU\"}"));
  EXPECT_EQ(relu.layers(), 1u);
  Cleaned both(kImage, kImage,
               kConv + "%a = compass.activation(%c) {method = \"RELU\"} : (" +
                   kImage + ") -> " + kImage +
                   "\n%y = compass.activation(%a) {method = \"CLIP\", clip_min "
                   "= -1.0, clip_max = 6.0} : (" +
                   kImage + ") -> " + kImage +
                   " loc(\"y\")\nreturn %y : " + kImage);
  EXPECT_EQ(both.layers(), 1u);
  EXPECT_EQ(wordKey(both.find("convolution"), keys::with_activation), "RELU6");
  Cleaned leaky(kImage, kImage,
                kConv + unary("activation", "{method = \"LEAKYRELU\", "
                                            "negative_slope_value = 0.1}"));
  EXPECT_EQ(leaky.layers(), 1u);
  // A function that is no clip stays a layer.
  Cleaned tanh(kImage, kImage,
               kConv + unary("activation", "{method = \"TANH\"}"));
  EXPECT_EQ(tanh.layers(), 2u);
}

TEST(Cleanup, AnInputReadTwiceIsNotFused) {
  Cleaned net(kImage, kImage,
              kConv + "%a = compass.activation(%c) {method = \"RELU\"} : (" +
                  kImage + ") -> " + kImage + "\n%y = compass.add(%a, %c) : (" +
                  kImage + ", " + kImage + ") -> " + kImage +
                  " loc(\"y\")\nreturn %y : " + kImage);
  EXPECT_EQ(net.layers(), 3u);
}

TEST(Cleanup, FormulasOfNormsBecomeNorms) {
  const std::string x = "tensor<1x4x4x2xf32>", m = "tensor<1x1x1x2xf32>";
  auto layer = [](const std::string &name, const std::string &op,
                  const std::string &operands, const std::string &keys,
                  const std::string &types) {
    return "%" + name + " = compass." + op + "(" + operands + ") {" + keys +
           "} : " + types + " loc(\"" + name + "\")\n";
  };
  const std::string mean = "method = \"MEAN\", axis = array<i64: 1, 2>";
  Cleaned net(
      x, x,
      "%e = compass.constant() {weights = dense<[1.0e-3]> : tensor<1xf32>} : "
      "() -> tensor<1xf32>\n"
      "%k = compass.constant() {weights = dense<[1.5, -2.0]> : "
      "tensor<2xf32>} : () -> tensor<2xf32>\n" +
          layer("m", "reduce", "%x", mean, "(" + x + ") -> " + m) +
          layer("d", "sub", "%x, %m", "", "(" + x + ", " + m + ") -> " + x) +
          layer("s", "mul", "%d, %d", "", "(" + x + ", " + x + ") -> " + x) +
          layer("v", "reduce", "%s", mean, "(" + x + ") -> " + m) +
          layer("w", "add", "%v, %e", "",
                "(" + m + ", tensor<1xf32>) -> " + m) +
          layer("r", "sqrt", "%w", "", "(" + m + ") -> " + m) +
          layer("q", "div", "%d, %r", "", "(" + x + ", " + m + ") -> " + x) +
          layer("p", "mul", "%q, %k", "",
                "(" + x + ", tensor<2xf32>) -> " + x) +
          layer("y", "sub", "%k, %p", "",
                "(tensor<2xf32>, " + x + ") -> " + x) +
          "return %y : " + x);
  EXPECT_EQ(net.layers(), 1u);
  mlir::Operation *norm = net.find("instance_norm");
  ASSERT_TRUE(norm);
  // That of the division, which it took the place of: its bits can be chosen.
  auto id = norm->getAttrOfType<mlir::IntegerAttr>(kLayerIdAttr);
  ASSERT_TRUE(id);
  EXPECT_EQ(id.getInt(), 9);
}

TEST(Cleanup, BordersBecomePadding) {
  Cleaned net(
      "tensor<1x3x4x2xf32>", "tensor<1x4x6x2xf32>",
      "%p = compass.pad(%x) {pads = [array<i64: 0, 0>, array<i64: 1, 0>, "
      "array<i64: 1, 1>, array<i64: 0, 0>]} : (tensor<1x3x4x2xf32>) -> "
      "tensor<1x4x6x2xf32>\n%c = compass.convolution(%p) {weights = "
      "dense<[[[[0.5, -0.25]]], [[[0.75, 0.3]]]]> : tensor<2x1x1x2xf32>, "
      "biases = dense<[0.1, -0.2]> : tensor<2xf32>} : (tensor<1x4x6x2xf32>) "
      "-> tensor<1x4x6x2xf32> loc(\"y\")\nreturn %c : tensor<1x4x6x2xf32>");
  EXPECT_EQ(net.layers(), 1u);
}

TEST(Cleanup, TransposesCancelThroughLayers) {
  // As converters leave the shortcut of a residual network.
  Cleaned net("tensor<1x4x6x2xf32>", "tensor<1x2x3x4xf32>", R"(
%t = compass.transpose(%x) {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32>
%s = compass.slice(%t) {begin = array<i64: 0, 0, 0, 0>, end = array<i64: 1, 2, 4, 6>, strides = array<i64: 1, 1, 2, 2>} : (tensor<1x2x4x6xf32>) -> tensor<1x2x2x3xf32>
%p = compass.pad(%s) {pads = [array<i64: 0, 0>, array<i64: 1, 1>, array<i64: 0, 0>, array<i64: 0, 0>]} : (tensor<1x2x2x3xf32>) -> tensor<1x4x2x3xf32>
%a = compass.activation(%p) {method = "TANH"} : (tensor<1x4x2x3xf32>) -> tensor<1x4x2x3xf32>
%r = compass.transpose(%a) {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x4x2x3xf32>) -> tensor<1x2x3x4xf32> loc("y")
return %r : tensor<1x2x3x4xf32>)");
  EXPECT_EQ(net.count("transpose"), 0u);
  EXPECT_EQ(net.layers(), 3u);
}

TEST(Cleanup, TransposesCancelThroughTwoOperands) {
  Cleaned net("tensor<1x4x6x2xf32>", "tensor<1x4x6x4xf32>", R"(
%t = compass.transpose(%x) {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32>
%s = compass.softmax(%t) {axis = 1} : (tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32>
%k = compass.constant() {weights = dense<[[[[1.0]], [[2.0]]]]> : tensor<1x2x1x1xf32>} : () -> tensor<1x2x1x1xf32>
%a = compass.add(%s, %k) : (tensor<1x2x4x6xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x4x6xf32>
%u = compass.transpose(%x) {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32>
%c = compass.concat(%a, %u) {axis = 1} : (tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>) -> tensor<1x4x4x6xf32>
%r = compass.transpose(%c) {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x4x4x6xf32>) -> tensor<1x4x6x4xf32> loc("y")
return %r : tensor<1x4x6x4xf32>)");
  EXPECT_EQ(net.count("transpose"), 0u);
  EXPECT_EQ(net.layers(), 4u); // softmax, the constant, add, concat
}

TEST(Cleanup, TransposesBecomeReshapesOrFlags) {
  Cleaned unit("tensor<1x1x1x8xf32>", "tensor<1x8xf32>", R"(
%t = compass.transpose(%x) {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x1x1x8xf32>) -> tensor<1x8x1x1xf32>
%r = compass.reshape(%t) {shape = array<i64: 1, 8>} : (tensor<1x8x1x1xf32>) -> tensor<1x8xf32> loc("y")
return %r : tensor<1x8xf32>)");
  EXPECT_EQ(unit.layers(), 1u);
  Cleaned product("tensor<1x3x5xf32>", "tensor<1x3x3xf32>", R"(
%t = compass.transpose(%x) {perm = array<i64: 0, 2, 1>} : (tensor<1x3x5xf32>) -> tensor<1x5x3xf32>
%m = compass.matmul(%x, %t) : (tensor<1x3x5xf32>, tensor<1x5x3xf32>) -> tensor<1x3x3xf32> loc("y")
return %m : tensor<1x3x3xf32>)");
  EXPECT_EQ(product.layers(), 1u);
}

TEST(Cleanup, IdentitiesGoButOutputsKeepTheirNames) {
  Cleaned net(kImage, kImage, kConv + R"(
%s = compass.slice(%c) {begin = array<i64: 0, 0, 0, 0>, end = array<i64: 1, 4, 4, 2>, strides = array<i64: 1, 1, 1, 1>} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
%r = compass.reshape(%s) {shape = array<i64: 1, 32>} : (tensor<1x4x4x2xf32>) -> tensor<1x32xf32>
%q = compass.reshape(%r) {shape = array<i64: 1, 4, 4, 2>} : (tensor<1x32xf32>) -> tensor<1x4x4x2xf32> loc("y")
return %q : tensor<1x4x4x2xf32>)");
  EXPECT_EQ(net.layers(), 1u);
  // An input has a name of its own: the copy must stay.
  Cleaned copy("tensor<1x4xf32>", "tensor<1x4xf32>",
               "%r = compass.reshape(%x) {shape = array<i64: 1, 4>} : "
               "(tensor<1x4xf32>) -> tensor<1x4xf32> loc(\"y\")\nreturn %r : "
               "tensor<1x4xf32>");
  EXPECT_EQ(copy.layers(), 1u);
}

TEST(Cleanup, ConstantLayersAreComputed) {
  Cleaned net("tensor<1x4xf32>", "tensor<1x4xf32>", R"(
%k = compass.constant() {weights = dense<[1.0, 4.0, 9.0, 16.0]> : tensor<4xf32>} : () -> tensor<4xf32>
%s = compass.sqrt(%k) : (tensor<4xf32>) -> tensor<4xf32>
%r = compass.reshape(%s) {shape = array<i64: 1, 4>} : (tensor<4xf32>) -> tensor<1x4xf32>
%y = compass.add(%x, %r) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32> loc("y")
return %y : tensor<1x4xf32>)");
  EXPECT_EQ(net.layers(), 2u);
  EXPECT_EQ(net.count("sqrt"), 0u);
}

TEST(Cleanup, InputsThatNobodyReadStay) {
  TestNetwork net(R"(
func.func @main() -> tensor<1x4xf32> {
  %x = compass.input() {input_index = 0} : () -> tensor<1x4xf32>
  %y = compass.input() {input_index = 1} : () -> tensor<1x4xf32>
  %a = compass.abs(%y) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %b = compass.exp(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %b : tensor<1x4xf32>
})");
  ASSERT_TRUE(runCleanup(*net.module, net.diags)) << net.problems();
  EXPECT_EQ(net.count("input"), 2u);
  EXPECT_EQ(net.count("abs"), 0u);
}
