//===- ResizeLoweringTest.cpp - Resized images on the engines -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "mlir/Parser/Parser.h"
#include "test/Random.h"
#include "test/conformance/RunNpu.h"

#include <gtest/gtest.h>

using namespace yarrow;
using yarrow::testing::Random;

static constexpr int kResizeNetworks = 32, kResizeLayers = 12;

namespace {
class ResizeLowering : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Networks, ResizeLowering,
                         ::testing::Range(0, kResizeNetworks));

/// Resizes of one image, each an output of the network.
class ResizeNetwork {
public:
  explicit ResizeNetwork(Random &random) : random(random) {
    type = random.of<std::string>({"i8", "u8", "i16", "u16"});
    batch = random.oneIn(4) ? 2 : 1;
    channels = random.of({1u, 2u, 3u, 5u, 8u, 16u, 21u, 48u, 70u});
    height = random.of({1u, 2u, 5u, 8u, 13u});
    width = random.of({1u, 2u, 4u, 7u, 12u});
    for (int i = 0; i < kResizeLayers; ++i)
      addLayer();
  }
  std::string text() const {
    return "func.func @main() -> (" + types +
           ") {\n  %x = compass.input() "
           "{compass.tops = [\"x\"]} : () -> " +
           tensor(height, width) + "\n" + layers + "  return " + names + " : " +
           types + "\n}\n";
  }
  uint64_t inputBytes() const {
    return uint64_t(batch) * height * width * channels *
           (type.ends_with("16") ? 2 : 1);
  }

private:
  std::string tensor(uint32_t rows, uint32_t columns) const {
    std::string text = "tensor<";
    for (uint32_t length : {batch, rows, columns, channels})
      text += std::to_string(length) + "x";
    return text + "!quant.uniform<" + type + ":f32, 0.05:3>>";
  }
  /// By whole factors mostly, as networks do.
  uint32_t lengthOf(uint32_t in) {
    switch (random.below(5)) {
    case 0:
      return random.between(1, 3 * in + 2);
    case 1:
      return std::max(1u, in / random.between(2, 3));
    case 2:
      return in * 3 / 2 + 1;
    default:
      return in * random.of({1u, 2u, 2u, 3u, 4u, 8u});
    }
  }
  void addLayer() {
    uint32_t rows = lengthOf(height), columns = lengthOf(width);
    std::string result = tensor(rows, columns),
                name = "%y" + std::to_string(count++);
    std::string size;
    for (uint32_t length : {batch, rows, columns, channels})
      size += (size.empty() ? "" : ", ") + std::to_string(length);
    layers += "  " + name + " = compass.resize(%x) {compass.tops = [\"" +
              name.substr(1) + "\"], size = array<i64: " + size +
              ">, method = \"" +
              random.of<std::string>({"BILINEAR", "BILINEAR", "NEAREST"}) +
              "\", mode = \"" +
              random.of<std::string>({"HALF_PIXEL", "HALF_PIXEL_SYMMETRIC",
                                      "PYTORCH_HALF_PIXEL", "ALIGN_CORNERS",
                                      "ASYMMETRIC", "TF_HALF_PIXEL_FOR_NN"}) +
              "\", nearest_mode = \"" +
              random.of<std::string>({"ROUND_PREFER_FLOOR", "FLOOR", "CEIL",
                                      "ROUND_PREFER_CEIL", "SIMPLE"}) +
              "\", interp_shift_value = " +
              std::to_string(random.of({13u, 13u, 7u, 4u, 0u, 16u})) +
              " : i64, antialias = " + (random.oneIn(10) ? "true" : "false") +
              "} : (" + tensor(height, width) + ") -> " + result + "\n";
    names += (names.empty() ? "" : ", ") + name;
    types += (types.empty() ? "" : ", ") + result;
  }

  Random &random;
  std::string type, layers, names, types;
  uint32_t batch, channels, height, width;
  int count = 0;
};
} // namespace

TEST_P(ResizeLowering, EnginesGiveTheKernelsBytes) {
  Random random(uint64_t(GetParam()) + 1);
  ResizeNetwork network(random);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::DialectRegistry registry;
  compass::registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(network.text(), &context);
  ASSERT_TRUE(module) << network.text();
  DiagnosticEngine diags;
  auto evaluator = compass::Evaluator::create(*module, diags);
  ASSERT_TRUE(evaluator) << network.text();
  compass::TensorBytes input(network.inputBytes());
  for (char &byte : input)
    byte = random.oneIn(2) ? random.of<char>({char(-128), 127, 0, char(-1)})
                           : char(random.below(256));
  conformance::SampleOutputs expected(1), functional, timed;
  evaluator->run({compass::TensorBytesRef(input)}, expected.front());
  // The small one cuts images in bands.
  std::string target = random.of<std::string>({"X2_1204", "Z1_0701"});
  ASSERT_TRUE(conformance::compileAndRun(*module, {target}, {{input}},
                                         functional, timed, diags))
      << (diags.all().empty() ? "" : diags.all().front().str());
  for (size_t i = 0; i < expected.front().size(); ++i) {
    EXPECT_TRUE(functional.front()[i] == expected.front()[i])
        << i << " on " << target << "\n"
        << network.text();
    EXPECT_TRUE(timed.front()[i] == expected.front()[i]) << i;
  }
}
