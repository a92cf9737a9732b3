//===- RunLoweringTest.cpp - Runs of layers on several cores --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Random networks of what a run can hold: convolutions of several windows and
// strides, depthwise ones, pools, sums and Concats. Two to four cores whose
// arrays are slow compute them together, to the evaluator's bytes.
//
//===----------------------------------------------------------------------===//
#include "dialects/npu/Npu.h"
#include "dialects/npu/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "passes/lower/Lower.h"
#include "test/Random.h"
#include "test/conformance/RunNpu.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

using namespace yarrow;
using yarrow::testing::Random;

namespace {

/// Images of one size and scale.
struct Image {
  std::string name;
  unsigned height, channels;
};

class NetworkText {
public:
  explicit NetworkText(unsigned seed) : random(seed) {}

  std::string make() {
    width = 8 + random.below(9);
    Image x{"x", 24 + random.below(16), 16};
    inputBytes = size_t(x.height) * width * x.channels;
    line("%x = compass.input() {compass.tops = [\"x\"]} : () -> " + typeOf(x));
    Image last = x;
    for (unsigned n = 3 + random.below(6); n > 0; --n)
      last = layer(last);
    // A run ends somewhere, and its result is read behind it.
    last = conv(last, 1, 1, 16, false);
    return "func.func @main() -> " + typeOf(last) + " {\n" + body +
           "  return %" + last.name + " : " + typeOf(last) + "\n}\n";
  }
  size_t inputBytes = 0;
  Random random;

private:
  std::string typeOf(const Image &i) const {
    return "tensor<1x" + std::to_string(i.height) + "x" +
           std::to_string(width) + "x" + std::to_string(i.channels) +
           "x!quant.uniform<u8:f32, 0.05:7>>";
  }
  void line(const std::string &text) { body += "  " + text + "\n"; }
  Image next(unsigned height, unsigned channels) {
    return {"v" + std::to_string(count++), height, channels};
  }
  std::string head(const Image &y) const {
    return "compass.tops = [\"" + y.name + "\"], ";
  }
  static std::string integer(const char *key, unsigned value) {
    return std::string(key) + " = " + std::to_string(value) + " : i64, ";
  }
  std::string window(unsigned kernel, unsigned stride) const {
    unsigned pad = kernel / 2;
    return integer("kernel_x", kernel) + integer("kernel_y", kernel) +
           integer("pad_left", pad) + integer("pad_right", pad) +
           integer("pad_top", pad) + integer("pad_bottom", pad) +
           integer("stride_y", stride) + integer("stride_x", 1);
  }
  std::string constants(unsigned outputs, const std::string &shape,
                        size_t weights) {
    std::string hex, biases;
    char digits[3];
    for (size_t i = 0; i < weights; ++i) {
      std::snprintf(digits, sizeof digits, "%02X",
                    (random.below(7) + 253) & 255);
      hex += digits;
    }
    for (unsigned i = 0; i < outputs; ++i)
      biases += (i ? ", " : "") + std::to_string(random.below(200));
    return "weights = dense<\"0x" + hex + "\"> : tensor<" + shape +
           "xi8>, biases = dense<[" + biases + "]> : tensor<" +
           std::to_string(outputs) +
           "xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} "
           ": ";
  }
  Image conv(const Image &x, unsigned kernel, unsigned stride, unsigned outputs,
             bool isDepthwise) {
    Image y = next((x.height + stride - 1) / stride, outputs);
    unsigned inputs = isDepthwise ? 1 : x.channels;
    std::string k = std::to_string(kernel);
    line("%" + y.name + " = compass." +
         (isDepthwise ? "depthwise_conv" : "convolution") + "(%" + x.name +
         ") {" + head(y) + integer("num_output", outputs) +
         (isDepthwise ? integer("multiplier", 1) + integer("group", outputs)
                      : "") +
         window(kernel, stride) +
         constants(outputs,
                   std::to_string(outputs) + "x" + k + "x" + k + "x" +
                       std::to_string(inputs),
                   size_t(outputs) * kernel * kernel * inputs) +
         "(" + typeOf(x) + ") -> " + typeOf(y));
    return y;
  }
  Image pool(const Image &x) {
    Image y = next((x.height + 1) / 2, x.channels);
    line("%" + y.name + " = compass.pooling(%" + x.name + ") {" + head(y) +
         window(3, 2) + "method = \"" + (random.below(2) ? "MAX" : "AVG") +
         "\"} : (" + typeOf(x) + ") -> " + typeOf(y));
    return y;
  }
  Image sum(const Image &a, const Image &b) {
    Image y = next(a.height, a.channels);
    line("%" + y.name + " = compass.eltwise(%" + a.name + ", %" + b.name +
         ") {" + head(y) +
         "scale_value = array<i64: 1, 1, 1>, shift_value = array<i64: 1>} : (" +
         typeOf(a) + ", " + typeOf(b) + ") -> " + typeOf(y));
    return y;
  }
  Image concat(const Image &a, const Image &b) {
    Image y = next(a.height, a.channels + b.channels);
    line("%" + y.name + " = compass.concat(%" + a.name + ", %" + b.name +
         ") {" + head(y) +
         "axis = 3 : i64, scale_value = array<i64: 1, 1>, shift_value = "
         "array<i64: 0, 0>} : (" +
         typeOf(a) + ", " + typeOf(b) + ") -> " + typeOf(y));
    return y;
  }
  Image layer(const Image &x) {
    switch (random.below(6)) {
    case 0:
      return conv(x, 1 + 2 * random.below(3), 1, 16 + 16 * random.below(2),
                  false);
    case 1:
      return conv(x, 3, 1, x.channels, true);
    case 2:
      return x.height > 20 ? pool(x) : conv(x, 3, 1, 16, false);
    case 3: // a residual block
      return sum(conv(conv(x, 1, 1, 32, false), 3, 1, x.channels, false), x);
    case 4: { // branches
      Image squeezed = conv(x, 1, 1, 16, false);
      Image a = conv(squeezed, 1, 1, 16, false);
      return concat(a, conv(squeezed, 3, 1, 16, false));
    }
    default:
      return x.height > 20 ? conv(x, 3, 2, 32, false)
                           : conv(x, 5, 1, 16, false);
    }
  }

  unsigned width = 8, count = 0;
  std::string body;
};

/// As test/conformance/three_cores.json: layers take long, and the bus is fast.
std::string machineFile(unsigned cores) {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      ("yarrow_run_lowering_" + std::to_string(::getpid()) + "_" +
       std::to_string(cores) + ".json");
  std::ofstream(path) << "{\"name\": \"cores\", \"base\": \"X2_1204\", "
                         "\"cores\": "
                      << cores
                      << ", \"sramBytes\": 262144, \"macArray\": "
                         "{\"inputLanes\": 4, \"outputLanes\": 4, \"pixels\": "
                         "2}, \"ddrBytesPerCycle\": 128}";
  return path.string();
}

/// Some core computes several layers between two barriers.
bool hasRuns(mlir::ModuleOp network, const std::string &target) {
  mlir::OwningOpRef<mlir::ModuleOp> module = network.clone();
  DiagnosticEngine diags;
  isa::Machine machine = isa::findTarget(target, diags).value();
  npu::LowerOptions options = npu::lowerAttempts(/*optimize=*/true).front();
  options.cores = machine.cores;
  options.rowRuns = true;
  EXPECT_TRUE(npu::lowerToNpu(*module, machine, options, diags));
  size_t most = 0;
  auto main = module->lookupSymbol<mlir::func::FuncOp>(npu::kMainFunction);
  for (auto division : main.getOps<npu::CoresOp>()) {
    std::set<int64_t> layers;
    division.getParts()[0].walk([&](mlir::Operation *op) {
      if (auto layer = op->getAttrOfType<mlir::IntegerAttr>(npu::kLayerAttr))
        layers.insert(layer.getInt());
    });
    most = std::max(most, layers.size());
  }
  return most > 1;
}

void loadDialects(mlir::MLIRContext &context) {
  mlir::DialectRegistry registry;
  compass::registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

class RunLowering : public ::testing::TestWithParam<unsigned> {};

} // namespace

TEST_P(RunLowering, GivesTheEvaluatorsBytes) {
  NetworkText network(GetParam());
  std::string text = network.make();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  loadDialects(context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module) << text;
  DiagnosticEngine diags;
  auto evaluator = compass::Evaluator::create(*module, diags);
  ASSERT_TRUE(evaluator);
  compass::TensorBytes input(network.inputBytes);
  for (char &byte : input)
    byte = char(network.random.below(256));
  conformance::SampleOutputs expected(1), functional, timed;
  evaluator->run({compass::TensorBytesRef(input)}, expected.front());
  std::string machine = machineFile(2 + GetParam() % 3);
  ASSERT_TRUE(conformance::compileAndRun(*module, {machine}, {{input}},
                                         functional, timed, diags))
      << text << (diags.all().empty() ? "" : diags.all().front().str());
  std::filesystem::remove(machine);
  EXPECT_TRUE(functional == expected) << text;
  EXPECT_TRUE(timed == expected) << text;
}

TEST(RunLoweringOfAll, MostNetworksHaveRuns) {
  std::string machine = machineFile(3);
  unsigned runs = 0;
  for (unsigned seed = 1; seed < 25; ++seed) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    loadDialects(context);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        NetworkText(seed).make(), &context);
    ASSERT_TRUE(module);
    runs += hasRuns(*module, machine);
  }
  std::filesystem::remove(machine);
  EXPECT_GE(runs, 20u);
}

INSTANTIATE_TEST_SUITE_P(Networks, RunLowering, ::testing::Range(1u, 25u));
