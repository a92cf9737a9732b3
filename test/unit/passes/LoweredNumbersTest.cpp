//===- LoweredNumbersTest.cpp - Small networks against plain loops --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Evaluator and NPU might share a fault: what both give is compared with loops
// over the definition's formula, in which every zero point is written out. The
// stored integer q means (q - zero point) * scale here, as in MLIR.
//
//===----------------------------------------------------------------------===//
#include "dialects/npu/Npu.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "passes/lower/Lower.h"
#include "test/Random.h"
#include "test/conformance/RunNpu.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace yarrow;
using yarrow::testing::Random;

namespace {

using Integers = std::vector<int64_t>;

/// An 8-bit tensor of the network.
struct Tensor {
  std::vector<int> shape;
  bool isSigned = false;
  int zeroPoint = 0;

  int64_t size() const {
    int64_t n = 1;
    for (int length : shape)
      n *= length;
    return n;
  }
  int64_t low() const { return isSigned ? -128 : 0; }
  int64_t clip(int64_t q) const { return std::clamp(q, low(), low() + 255); }
  std::string type() const {
    std::string text = "tensor<";
    for (int length : shape)
      text += std::to_string(length) + "x";
    return text + "!quant.uniform<" + (isSigned ? "i8" : "u8") +
           ":f32, 0.05:" + std::to_string(zeroPoint) + ">>";
  }
  Integers draw(Random &random) const {
    Integers values(size_t(size()), 0);
    for (int64_t &value : values)
      value = low() + random.below(256);
    return values;
  }
};

/// value / 2^shift, ties to even.
int64_t roundedShift(int64_t value, int shift) {
  int64_t step = int64_t(1) << shift, floor = value >> shift,
          rest = value - floor * step;
  if (2 * rest == step)
    return floor + (floor & 1);
  return floor + (2 * rest > step);
}

compass::TensorBytes bytesOf(const Integers &values) {
  return {values.begin(), values.end()};
}

std::string textOf(const Integers &values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

/// A network of the inputs %x0, %x1, ... and the text of its layers, of which
/// %y is the result.
struct Network {
  std::vector<Tensor> inputs;
  Tensor output;
  std::string layers;

  mlir::OwningOpRef<mlir::ModuleOp> parse(mlir::MLIRContext &context) const {
    mlir::DialectRegistry registry;
    compass::registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    std::string text = "func.func @main() -> " + output.type() + " {\n";
    for (size_t i = 0; i < inputs.size(); ++i) {
      std::string number = std::to_string(i);
      text += "%x" + number + " = compass.input() {compass.tops = [\"x" +
              number + "\"], input_index = " + number + " : i64} : () -> " +
              inputs[i].type() + "\n";
    }
    text += layers + "return %y : " + output.type() + "\n}\n";
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    return module;
  }

  /// The types of input i and so on, then the result's, as MLIR has them.
  static std::string signature(const std::vector<Tensor> &from,
                               const Tensor &to) {
    std::string text = " : (";
    for (const Tensor &tensor : from)
      text += (text.back() == '(' ? "" : ", ") + tensor.type();
    return text + ") -> " + to.type() + "\n";
  }

  /// How many commands of the engines and kernels of the TECs it becomes.
  template <typename Op> unsigned count() const {
    mlir::MLIRContext context;
    auto module = parse(context);
    if (!module)
      return 0;
    DiagnosticEngine diags;
    isa::Machine machine = isa::findTarget("X2_1204", diags).value();
    EXPECT_TRUE(npu::lowerToNpu(*module, machine, {}, diags));
    unsigned found = 0;
    module->walk([&](Op) { ++found; });
    return found;
  }

  /// Evaluator and NPU give what was computed here.
  void expect(const std::vector<Integers> &values,
              const Integers &expected) const {
    ASSERT_EQ(int64_t(expected.size()), output.size());
    std::vector<compass::TensorBytes> input;
    for (const Integers &value : values)
      input.push_back(bytesOf(value));
    for (bool optimize : {true, false})
      for (const char *target : {"X2_1204", "Z1_0701"}) {
        mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
        auto module = parse(context);
        ASSERT_TRUE(module);
        DiagnosticEngine diags;
        auto evaluator = compass::Evaluator::create(*module, diags);
        ASSERT_TRUE(evaluator) << layers;
        std::vector<compass::TensorBytesRef> refs(input.begin(), input.end());
        std::vector<compass::TensorBytes> evaluated;
        evaluator->run(refs, evaluated);
        EXPECT_EQ(evaluated.front(), bytesOf(expected)) << layers;
        conformance::SampleOutputs functional, timed;
        ASSERT_TRUE(conformance::compileAndRun(
            *module, {target, optimize}, {input}, functional, timed, diags))
            << layers << (diags.all().empty() ? "" : diags.all().front().str());
        EXPECT_EQ(functional[0][0], bytesOf(expected)) << target << layers;
        EXPECT_EQ(timed[0][0], bytesOf(expected)) << target << layers;
      }
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Residuals
//===----------------------------------------------------------------------===//

namespace {
/// y = x or c plus the other, where c is a convolution of 3x3 behind x.
struct Residual {
  static constexpr int kSize = 5, kChannels = 3;
  Tensor x{{1, kSize, kSize, kChannels}, false, 7};
  Tensor c{{1, kSize, kSize, kChannels}, true, -5};
  Tensor y{{1, kSize, kSize, kChannels}, false, 100};
  bool isSecond = true, isRelu = false;
  int scaleOfConv = 11, scaleOfInput = 3, scaleOfSum = 5, shiftOfSum = 6;
  Integers weights, biases;

  explicit Residual(Random &random)
      : weights(kChannels * 9 * kChannels), biases(kChannels) {
    for (int64_t &w : weights)
      w = int64_t(random.below(255)) - 127;
    for (int64_t &b : biases)
      b = int64_t(random.below(20000)) - 10000;
  }

  Network network() const {
    auto number = [](int value) { return std::to_string(value); };
    std::string conv =
        "%c = compass.convolution(%x0) {compass.tops = [\"c\"], num_output = "
        "3 : i64, kernel_x = 3 : i64, kernel_y = 3 : i64, pad_left = 1 : i64, "
        "pad_right = 1 : i64, pad_top = 1 : i64, pad_bottom = 1 : i64, "
        "weights = dense<" +
        nested() + "> : tensor<3x3x3x3xi8>, biases = dense<[" + textOf(biases) +
        "]> : tensor<3xi32>, scale_value = array<i64: 37>, shift_value = "
        "array<i64: 14>}" +
        Network::signature({x}, c);
    std::string sum =
        std::string("%y = compass.eltwise(") +
        (isSecond ? "%x0, %c" : "%c, %x0") +
        ") {compass.tops = [\"y\"], method = \"ADD\", with_activation = \"" +
        (isRelu ? "RELU" : "NONE") +
        "\", scale_value = array<i64: " + number(scaleOfSum) + ", " +
        number(isSecond ? scaleOfInput : scaleOfConv) + ", " +
        number(isSecond ? scaleOfConv : scaleOfInput) +
        ">, shift_value = array<i64: " + number(shiftOfSum) + ">}" +
        Network::signature(isSecond ? std::vector{x, c} : std::vector{c, x}, y);
    return {{x}, y, conv + sum};
  }

  Integers compute(const Integers &in) const {
    Integers out;
    for (int row = 0; row < kSize; ++row)
      for (int column = 0; column < kSize; ++column)
        for (int o = 0; o < kChannels; ++o) {
          int64_t conv = c.clip(
              roundedShift(sumAt(in, row, column, o) * 37, 14) + c.zeroPoint);
          int64_t input = in[size_t((row * kSize + column) * kChannels + o)];
          int64_t sum = (conv - c.zeroPoint) * scaleOfConv +
                        (input - x.zeroPoint) * scaleOfInput;
          if (isRelu)
            sum = std::max<int64_t>(sum, 0);
          out.push_back(
              y.clip(roundedShift(sum * scaleOfSum, shiftOfSum) + y.zeroPoint));
        }
    return out;
  }

private:
  /// The bias holds what the input's zero point comes to; beyond the border is
  /// the stored integer that means 0.
  int64_t sumAt(const Integers &in, int row, int column, int o) const {
    int64_t sum = biases[size_t(o)];
    for (int ky = 0; ky < 3; ++ky)
      for (int kx = 0; kx < 3; ++kx)
        for (int i = 0; i < kChannels; ++i) {
          int r = row + ky - 1, s = column + kx - 1;
          bool isInside = r >= 0 && r < kSize && s >= 0 && s < kSize;
          int64_t q = isInside ? in[size_t((r * kSize + s) * kChannels + i)]
                               : x.zeroPoint;
          sum += q * weights[size_t(((o * 3 + ky) * 3 + kx) * kChannels + i)];
        }
    return sum;
  }
  std::string nested() const {
    std::string text = "[";
    for (size_t i = 0; i < weights.size(); ++i) {
      for (size_t block : {27u, 9u, 3u})
        text += i % block == 0 ? "[" : "";
      text += std::to_string(weights[i]);
      for (size_t block : {3u, 9u, 27u})
        text += (i + 1) % block == 0 ? "]" : "";
      text += i + 1 < weights.size() ? ", " : "]";
    }
    return text;
  }
};
} // namespace

TEST(LoweredNumbers, ResidualsOfUnequalScales) {
  Random random(1);
  for (bool isSecond : {true, false})
    for (bool isRelu : {false, true}) {
      Residual residual(random);
      residual.isSecond = isSecond, residual.isRelu = isRelu;
      Network network = residual.network();
      EXPECT_EQ(network.count<npu::ConvOp>(), 1u);
      EXPECT_EQ(network.count<npu::KernelOp>(), 0u) << "the engine adds";
      Integers x = residual.x.draw(random);
      network.expect({x}, residual.compute(x));
    }
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

TEST(LoweredNumbers, ProductsOfThreeSizes) {
  Random random(2);
  const int batch = 2, m = 3, k = 5, n = 7;
  for (bool transA : {false, true})
    for (bool transB : {false, true}) {
      Tensor a{{batch, transA ? k : m, transA ? m : k}, false, 9};
      Tensor b{{batch, transB ? n : k, transB ? k : n}, true, -20};
      Tensor y{{batch, m, n}, true, 4};
      auto word = [](bool isTrue) { return isTrue ? "true" : "false"; };
      Network network{
          {a, b},
          y,
          std::string("%y = compass.matmul(%x0, %x1) {compass.tops = [\"y\"], "
                      "trans_a = ") +
              word(transA) + ", trans_b = " + word(transB) +
              ", scale_value = array<i64: 77>, shift_value = array<i64: 15>}" +
              Network::signature({a, b}, y)};
      EXPECT_EQ(network.count<npu::MatMulOp>(), 1u);
      Integers x = a.draw(random), z = b.draw(random), expected;
      for (int s = 0; s < batch; ++s)
        for (int i = 0; i < m; ++i)
          for (int j = 0; j < n; ++j) {
            int64_t sum = 0;
            for (int l = 0; l < k; ++l)
              sum += (x[size_t(s * m * k + (transA ? l * m + i : i * k + l))] -
                      a.zeroPoint) *
                     (z[size_t(s * k * n + (transB ? j * k + l : l * n + j))] -
                      b.zeroPoint);
            expected.push_back(
                y.clip(roundedShift(sum * 77, 15) + y.zeroPoint));
          }
      network.expect({x, z}, expected);
    }
}

//===----------------------------------------------------------------------===//
// Borders
//===----------------------------------------------------------------------===//

// Windows of 2x2 of which 1, 2 or 4 cells are inside: the mean's multiplier is
// exact.
TEST(LoweredNumbers, PoolingWithBorders) {
  Random random(3);
  const int size = 6, out = 4, channels = 5;
  Tensor x{{1, size, size, channels}, true, -33};
  Tensor y{{1, out, out, channels}, true, -33};
  for (const char *method : {"MAX", "AVG"})
    for (bool countsBorder : {false, true}) {
      bool isMax = method == std::string("MAX");
      Network network{
          {x},
          y,
          std::string("%y = compass.pooling(%x0) {compass.tops = [\"y\"], "
                      "method = \"") +
              method +
              "\", kernel_x = 2 : i64, kernel_y = 2 : i64, stride_x = 2 : "
              "i64, stride_y = 2 : i64, pad_left = 1 : i64, pad_right = 1 : "
              "i64, pad_top = 1 : i64, pad_bottom = 1 : i64, "
              "count_include_pad = " +
              (countsBorder ? "true" : "false") + "}" +
              Network::signature({x}, y)};
      EXPECT_EQ(network.count<npu::PoolOp>(), 1u);
      Integers in = x.draw(random), expected;
      for (int row = 0; row < out; ++row)
        for (int column = 0; column < out; ++column)
          for (int c = 0; c < channels; ++c) {
            int64_t most = -128, sum = 0, cells = 0;
            for (int r = 2 * row - 1; r <= 2 * row; ++r)
              for (int s = 2 * column - 1; s <= 2 * column; ++s) {
                if (r < 0 || r >= size || s < 0 || s >= size)
                  continue;
                int64_t q = in[size_t((r * size + s) * channels + c)];
                most = std::max(most, q);
                sum += q - x.zeroPoint;
                ++cells;
              }
            int shift = countsBorder || cells == 4 ? 2 : cells == 2 ? 1 : 0;
            expected.push_back(
                isMax ? most : y.clip(roundedShift(sum, shift) + y.zeroPoint));
          }
      network.expect({in}, expected);
    }
}

// Four different pads; the border is the stored integer that means 0.
TEST(LoweredNumbers, BordersOfTheZeroPoint) {
  Random random(4);
  const int rows = 3, columns = 4, channels = 3;
  const int top = 1, bottom = 2, left = 3, right = 0;
  for (bool isSigned : {false, true}) {
    int zeroPoint = isSigned ? -100 : 200;
    Tensor x{{1, rows, columns, channels}, isSigned, zeroPoint};
    Tensor y{{1, rows + top + bottom, columns + left + right, channels},
             isSigned,
             zeroPoint};
    Network network{
        {x},
        y,
        "%y = compass.pad(%x0) {compass.tops = [\"y\"], mode = \"CONSTANT\", "
        "constant_value = " +
            std::to_string(zeroPoint) +
            ".0 : f64, pads = [array<i64: 0, 0>, array<i64: 1, 2>, array<i64: "
            "3, 0>, array<i64: 0, 0>]}" +
            Network::signature({x}, y)};
    EXPECT_EQ(network.count<npu::KernelOp>(), 0u) << "copies do it";
    Integers in = x.draw(random), expected;
    for (int r = -top; r < rows + bottom; ++r)
      for (int s = -left; s < columns + right; ++s)
        for (int c = 0; c < channels; ++c)
          expected.push_back(
              r < 0 || r >= rows || s < 0 || s >= columns
                  ? zeroPoint
                  : in[size_t((r * columns + s) * channels + c)]);
    network.expect({in}, expected);
  }
}

//===----------------------------------------------------------------------===//
// Resize
//===----------------------------------------------------------------------===//

namespace {
/// The pixels that make output pixel i, and of how many eighths each is: twice
/// or four times the length, pixel centres half a pixel in.
struct Taps {
  int first, second;
  int64_t ofFirst, ofSecond;
};
Taps tapsAt(int i, int length, int ratio) {
  // (i + 1/2) / ratio - 1/2 in eighths.
  int eighths = (2 * i + 1 - ratio) * 4 / ratio;
  int floor = eighths >> 3;
  int64_t rest = eighths - floor * 8;
  return {std::clamp(floor, 0, length - 1),
          std::clamp(floor + 1, 0, length - 1), 8 - rest, rest};
}
} // namespace

TEST(LoweredNumbers, ResizeBilinear) {
  Random random(5);
  const int rows = 3, columns = 5, channels = 3, down = 4, across = 2;
  Tensor x{{1, rows, columns, channels}, false, 12};
  Tensor y{{1, rows * down, columns * across, channels}, false, 12};
  Network network{{x},
                  y,
                  "%y = compass.resize(%x0) {compass.tops = [\"y\"], method = "
                  "\"BILINEAR\", mode = \"HALF_PIXEL\", ratio_x = 2.0 : f64, "
                  "ratio_y = 4.0 : f64, interp_shift_value = 13 : i64}" +
                      Network::signature({x}, y)};
  Integers in = x.draw(random), expected;
  for (int row = 0; row < rows * down; ++row)
    for (int column = 0; column < columns * across; ++column)
      for (int c = 0; c < channels; ++c) {
        Taps v = tapsAt(row, rows, down), h = tapsAt(column, columns, across);
        auto at = [&](int r, int s) {
          return in[size_t((r * columns + s) * channels + c)];
        };
        int64_t sum = v.ofFirst * (h.ofFirst * at(v.first, h.first) +
                                   h.ofSecond * at(v.first, h.second)) +
                      v.ofSecond * (h.ofFirst * at(v.second, h.first) +
                                    h.ofSecond * at(v.second, h.second));
        expected.push_back(roundedShift(sum, 6));
      }
  network.expect({in}, expected);
}

TEST(LoweredNumbers, ResizeNearest) {
  Random random(6);
  const int rows = 6, columns = 5, channels = 2;
  Tensor x{{1, rows, columns, channels}, true, 12};
  Tensor y{{1, rows / 2, columns * 3, channels}, true, 12};
  Network network{{x},
                  y,
                  "%y = compass.resize(%x0) {compass.tops = [\"y\"], method = "
                  "\"NEAREST\", mode = \"ASYMMETRIC\", nearest_mode = "
                  "\"FLOOR\", size = array<i64: 1, 3, 15, 2>}" +
                      Network::signature({x}, y)};
  Integers in = x.draw(random), expected;
  for (int row = 0; row < rows / 2; ++row)
    for (int column = 0; column < columns * 3; ++column)
      for (int c = 0; c < channels; ++c)
        expected.push_back(
            in[size_t((row * 2 * columns + column / 3) * channels + c)]);
  network.expect({in}, expected);
}

//===----------------------------------------------------------------------===//
// Accumulators of 32 bits
//===----------------------------------------------------------------------===//

// 256 weights of 2^15 - 1 times inputs up to 256 leave 2^31 - 1 - 2147418112 =
// 65535 for the bias. One more weight is too much without any.
TEST(LoweredNumbers, ABiasTipsTheAccumulator) {
  struct Case {
    int weights;
    Integers biases;
    bool fits;
  } cases[] = {
      {256, {0, 1, 0}, true},         {256, {65535, 65535, 65534}, true},
      {256, {65536, 0, 0}, false},    {256, {0, 65536, 0}, false},
      {256, {0, 0, 65536}, false},    {256, {-65535, 0, 65535}, true},
      {256, {0, -65536, 0}, false},   {257, {0, 1, 0}, false},
      {1, {0, 0, 2139095295}, true},  {1, {0, 0, 2139095296}, false},
      {1, {-2139095296, 0, 0}, false}};
  for (const Case &c : cases) {
    std::string number = std::to_string(c.weights), hex;
    // The first weight of the second filter is negative.
    for (int i = 0; i < 3 * c.weights; ++i)
      hex += i == c.weights ? "0180" : "FF7F";
    Tensor x{{1, c.weights}, false, 0}, y{{1, 3}, true, 3};
    Network network{
        {x},
        y,
        "%y = compass.fully_connected(%x0) {compass.tops = [\"y\"], "
        "num_output = 3 : i64, weights = dense<\"0x" +
            hex + "\"> : tensor<3x" + number + "xi16>, biases = dense<[" +
            textOf(c.biases) +
            "]> : tensor<3xi32>, scale_value = array<i64: 3>, shift_value = "
            "array<i64: 26>}" +
            Network::signature({x}, y)};
    EXPECT_EQ(network.count<npu::ConvOp>(), c.fits ? 1u : 0u) << network.layers;
    EXPECT_EQ(network.count<npu::KernelOp>(), c.fits ? 0u : 1u)
        << network.layers;
    Integers expected;
    for (int o = 0; o < 3; ++o) {
      int64_t sum = int64_t(c.weights - (o == 1 ? 2 : 0)) * 32767 * 255 +
                    c.biases[size_t(o)];
      expected.push_back(y.clip(roundedShift(sum * 3, 26) + y.zeroPoint));
    }
    network.expect({Integers(size_t(c.weights), 255)}, expected);
  }
}
