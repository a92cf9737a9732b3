//===- WhereLimitTest.cpp - Masked values as a minimum or maximum ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A choice whose mask and constant are known becomes a minimum or a maximum.
// All values of a type go through it and through the choice that it replaces,
// whose mask and constant are inputs, with random scales and zero points.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerProgram.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "test/unit/compass/ComputeLayer.h"
#include "llvm/Support/FormatVariadic.h"

using namespace yarrow;
using namespace yarrow::compass;
using yarrow::testing::Random;

namespace {

constexpr int kValues = 256;

struct Scaled {
  int zp, scale, shift;
};

/// Both forms of Where(i & 1, x, c), or of Where(i & 1, c, x).
std::string network(bool isFirst, const Scaled &x, const Scaled &c, int zpOut,
                    int constant) {
  std::string mask;
  for (int i = 0; i < kValues; ++i)
    mask += (i ? ", " : "") + std::to_string(i & 1);
  auto type = [](int zp) {
    return llvm::formatv("!quant.uniform<i8:f32, 0.5:{0}>", -zp).str();
  };
  std::string all = "tensor<256x" + type(x.zp) + ">",
              one = "tensor<1x" + type(c.zp) + ">",
              out = "tensor<256x" + type(zpOut) + ">";
  const Scaled &a = isFirst ? x : c, &b = isFirst ? c : x;
  std::string text = llvm::formatv(
      "func.func @main() -> ({0}, {0}) {{\n"
      "%x = compass.input() : () -> {1}\n"
      "%mi = compass.input() {{input_index = 1 : i64} : () -> tensor<256xui8>\n"
      "%ci = compass.input() {{input_index = 2 : i64} : () -> {2}\n"
      "%m = compass.constant() {{weights = dense<[{3}]> : tensor<256xui8>} : "
      "() -> tensor<256xui8>\n"
      "%c = compass.constant() {{weights = dense<{4}> : tensor<1xi8>} : () -> "
      "{2}\n",
      out, all, one, mask, constant);
  for (const char *suffix : {"", "i"})
    text += llvm::formatv(
        "%y{0} = compass.where(%m{0}, {1}, {2}) {{scale_value = array<i64: "
        "{3}, "
        "{4}>, shift_value = array<i64: {5}, {6}>} : (tensor<256xui8>, {7}, "
        "{8}) -> {9}\n",
        suffix, isFirst ? "%x" : std::string("%c") + suffix,
        isFirst ? std::string("%c") + suffix : "%x", a.scale, b.scale, a.shift,
        b.shift, isFirst ? all : one, isFirst ? one : all, out);
  return text + "return %y, %yi : " + out + ", " + out + "\n}";
}

TEST(WhereLimit, HasTheBytesOfTheChoice) {
  Random random(3);
  int limits = 0;
  for (int round = 0; round < 200; ++round) {
    auto scaled = [&] {
      return Scaled{int(random.below(200)) - 100, 1 + int(random.below(250)),
                    int(random.below(10))};
    };
    Scaled x = scaled(), c = scaled();
    bool isFirst = random.oneIn(2);
    int constant = random.oneIn(2) ? -128 : int(random.below(256)) - 128;
    std::string text =
        network(isFirst, x, c, int(random.below(200)) - 100, constant);
    mlir::DialectRegistry registry;
    registerDialects(registry);
    mlir::MLIRContext context(registry);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    module->walk([&](mlir::Operation *op) {
      if (op->getName().getStringRef() == "compass.where")
        if (auto program = programOf(op); succeeded(program))
          limits += program->calls().front().symbol() == "yk_eltwise_int";
    });
    yarrow::DiagnosticEngine diags;
    auto evaluator = Evaluator::create(*module, diags);
    ASSERT_TRUE(evaluator) << text;
    std::vector<int8_t> values;
    std::vector<uint8_t> mask;
    for (int i = 0; i < kValues; ++i)
      values.push_back(int8_t(i / 2 * 2 + int(random.below(2)))),
          mask.push_back(uint8_t(i & 1));
    std::vector<TensorBytes> inputs = {
        bytesOf(values), bytesOf(mask),
        bytesOf(std::vector<int8_t>{int8_t(constant)})};
    std::vector<TensorBytesRef> refs(inputs.begin(), inputs.end());
    std::vector<TensorBytes> outputs;
    evaluator->run(refs, outputs);
    ASSERT_EQ(outputs[0], outputs[1]) << text;
  }
  // Most constants lie within what is stored of x.
  EXPECT_GT(limits, 20);
  EXPECT_LT(limits, 200);
}

} // namespace
