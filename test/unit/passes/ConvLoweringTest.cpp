//===- ConvLoweringTest.cpp - Convolutions of any geometry ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Random layers of Convolution, ConvTranspose and their 3-D forms: what
// evaluator and NPU give against loops over the definition's formula, in which
// every zero point is added and nothing is absorbed or interleaved.
//
//===----------------------------------------------------------------------===//
#include "mlir/Parser/Parser.h"
#include "test/Random.h"
#include "test/conformance/RunNpu.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

using namespace yarrow;
using yarrow::testing::Random;

namespace {

/// Axes are planes, rows and columns; of an image there is one plane.
struct RandomConv {
  bool isTransposed, isVolume, isDepthwise = false;
  int batch, channels, outputs, groups;
  int in[3], out[3], kernel[3], stride[3], dilation[3], before[3], after[3],
      extra[3];
  int zp, outZp, weightZp, shift;
  std::vector<int> x, weights, biases;

  RandomConv(Random &random, bool isTransposed, bool isVolume)
      : isTransposed(isTransposed), isVolume(isVolume) {
    chooseGeometry(random);
    fill(random);
  }

  /// A kernel of 4x4 in steps of 2: each output of a tile of 2x2 has 2x2 taps.
  static RandomConv manyTransposed(Random &random, int channels, int outputs) {
    RandomConv c(random, /*isTransposed=*/true, /*isVolume=*/false);
    c.batch = c.groups = 1;
    c.channels = channels, c.outputs = outputs;
    for (int a = 1; a < 3; ++a) {
      c.kernel[a] = 4, c.stride[a] = 2, c.dilation[a] = 1;
      c.before[a] = c.after[a] = 1, c.extra[a] = 0;
      c.in[a] = 3, c.out[a] = 6;
    }
    c.zp = 3, c.weightZp = 0, c.shift = 12;
    c.fill(random);
    return c;
  }

  /// Of one to four output channels, and many outputs: neighbours of a row are
  /// computed as channels.
  static RandomConv fewOutputs(Random &random) {
    RandomConv c(random, /*isTransposed=*/false, /*isVolume=*/false);
    c.batch = c.groups = 1;
    c.channels = 1 + int(random.below(9));
    c.outputs = 1 + int(random.below(4));
    for (int a = 1; a < 3; ++a) {
      c.kernel[a] = 2 + int(random.below(4));
      c.stride[a] = 1 + int(random.below(2)), c.dilation[a] = 1;
      c.before[a] = int(random.below(uint32_t(c.kernel[a])));
      c.after[a] = int(random.below(uint32_t(c.kernel[a])));
      c.out[a] = random.of({24, 25, 28, 33});
      c.in[a] =
          (c.out[a] - 1) * c.stride[a] + c.kernel[a] - c.before[a] - c.after[a];
    }
    c.weightZp = 0, c.shift = 7;
    c.fill(random);
    return c;
  }

  /// A filter for each channel, of rows whose last columns are computed apart.
  static RandomConv ofRows(Random &random) {
    RandomConv c(random, /*isTransposed=*/false, /*isVolume=*/false);
    c.batch = 1, c.isDepthwise = true;
    c.channels = c.groups = c.outputs = 4 * (1 + int(random.below(6)));
    for (int a = 1; a < 3; ++a) {
      c.kernel[a] = 2 + int(random.below(4));
      c.stride[a] = 1 + int(random.below(2)), c.dilation[a] = 1;
      c.before[a] = int(random.below(uint32_t(c.kernel[a])));
      c.after[a] = int(random.below(uint32_t(c.kernel[a])));
      c.out[a] = random.of({16, 24, 32, 48});
      c.in[a] =
          (c.out[a] - 1) * c.stride[a] + c.kernel[a] - c.before[a] - c.after[a];
    }
    c.weightZp = 0, c.shift = 5;
    c.fill(random);
    return c;
  }

  void chooseGeometry(Random &random) {
    auto upTo = [&](int n) { return 1 + int(random.below(uint32_t(n))); };
    batch = upTo(2), groups = upTo(2);
    channels = groups * upTo(4), outputs = groups * upTo(4);
    for (int a = 0; a < 3; ++a) {
      bool isReal = isVolume || a > 0;
      kernel[a] = isReal ? upTo(4) : 1, stride[a] = isReal ? upTo(3) : 1;
      dilation[a] = isReal ? upTo(2) : 1;
      in[a] = isReal ? upTo(5) : 1;
      before[a] = isReal ? int(random.below(uint32_t(kernel[a]))) : 0;
      after[a] = isReal ? int(random.below(uint32_t(kernel[a]))) : 0;
      extra[a] = isReal && !isVolume ? int(random.below(2)) : 0;
      int span = (kernel[a] - 1) * dilation[a] + 1;
      if (isTransposed) {
        out[a] =
            (in[a] - 1) * stride[a] + span + extra[a] - before[a] - after[a];
        for (; out[a] < 1; ++out[a], ++in[a])
          out[a] += stride[a] - 1;
      } else {
        extra[a] = 0;
        in[a] = std::max(in[a], span - before[a] - after[a]);
        out[a] = (in[a] + before[a] + after[a] - span) / stride[a] + 1;
      }
    }
    zp = int(random.below(9)) - 4, outZp = int(random.below(9)) - 4;
    weightZp = random.oneIn(3) ? 3 : 0;
    shift = 3 + int(random.below(3));
  }

  void fill(Random &random) {
    auto fill = [&](std::vector<int> &v, int n, int low, int high) {
      v.clear();
      for (int i = 0; i < n; ++i)
        v.push_back(low + int(random.below(uint32_t(high - low + 1))));
    };
    fill(x, batch * in[0] * in[1] * in[2] * channels, -128, 127);
    fill(weights,
         outputs / groups * kernel[0] * kernel[1] * kernel[2] * channels, -9,
         9);
    fill(biases, outputs, -500, 500);
  }

  int filterRows() const { return isTransposed ? outputs / groups : outputs; }
  int filterDepth() const {
    return isTransposed ? channels : channels / groups;
  }

  /// The weight of output channel o, tap and input channel c of its group.
  int weight(int o, int tapZ, int tapY, int tapX, int c) const {
    int row = isTransposed ? o % (outputs / groups) : o;
    int depth = filterDepth();
    int from = isTransposed ? o / (outputs / groups) * (channels / groups) : 0;
    int at = ((row * kernel[1] + tapY) * kernel[2] + tapX) * kernel[0] + tapZ;
    return weights[at * depth + from + c] + weightZp;
  }

  std::vector<int> expected() const {
    int pixels = out[0] * out[1] * out[2];
    std::vector<int64_t> sums(batch * pixels * outputs);
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] = biases[i % outputs];
    forEachPair([&](int n, const int *from, const int *to, const int *tap) {
      for (int o = 0; o < outputs; ++o)
        for (int c = 0; c < channels / groups; ++c) {
          int group = o / (outputs / groups) * (channels / groups);
          int cell =
              ((n * in[0] + from[0]) * in[1] + from[1]) * in[2] + from[2];
          int pixel = ((n * out[0] + to[0]) * out[1] + to[1]) * out[2] + to[2];
          sums[pixel * outputs + o] +=
              int64_t(x[cell * channels + group + c] + zp) *
              weight(o, tap[0], tap[1], tap[2], c);
        }
    });
    std::vector<int> results;
    for (int64_t sum : sums) {
      int64_t unit = int64_t(1) << shift, rounded = (sum + unit / 2) >> shift;
      if ((sum & (unit - 1)) == unit / 2 && rounded % 2 != 0)
        --rounded; // ties to even
      results.push_back(int(std::clamp<int64_t>(rounded - outZp, -128, 127)));
    }
    return results;
  }

  /// fn(n, input place, output place, tap) for all that meet.
  template <typename Fn> void forEachPair(Fn fn) const {
    const int *driver = isTransposed ? in : out,
              *driven = isTransposed ? out : in;
    for (int n = 0; n < batch; ++n)
      for (int i = 0; i < driver[0] * driver[1] * driver[2]; ++i)
        for (int k = 0; k < kernel[0] * kernel[1] * kernel[2]; ++k) {
          int a[3] = {i / driver[2] / driver[1], i / driver[2] % driver[1],
                      i % driver[2]};
          int tap[3] = {k / kernel[2] / kernel[1], k / kernel[2] % kernel[1],
                        k % kernel[2]};
          int b[3];
          bool meets = true;
          for (int d = 0; d < 3; ++d) {
            b[d] = a[d] * stride[d] + tap[d] * dilation[d] - before[d];
            meets &= b[d] >= 0 && b[d] < driven[d];
          }
          if (meets)
            fn(n, isTransposed ? a : b, isTransposed ? b : a, tap);
        }
  }

  std::string text() const;
};

std::string hex(const std::vector<int> &values, bool isWide) {
  std::string bytes;
  for (int v : values)
    bytes.append(reinterpret_cast<const char *>(&v), isWide ? 4 : 1);
  return "dense<\"0x" + llvm::toHex(bytes) + "\">";
}

std::string RandomConv::text() const {
  auto dims = [&](const int *lengths, int last) {
    std::string s = std::to_string(batch) + "x";
    for (int a = isVolume ? 0 : 1; a < 3; ++a)
      s += std::to_string(lengths[a]) + "x";
    return s + std::to_string(last) + "x";
  };
  auto tensor = [&](const int *lengths, int last, int zeroPoint) {
    return "tensor<" + dims(lengths, last) +
           "!quant.uniform<i8:f32, 0.05:" + std::to_string(-zeroPoint) + ">>";
  };
  std::string in0 = tensor(in, channels, zp),
              out0 = tensor(out, outputs, outZp);
  std::string keys;
  auto key = [&](const std::string &name, int value) {
    keys += name + " = " + std::to_string(value) + " : i64, ";
  };
  const char *const image[3][2] = {
      {"", ""}, {"pad_top", "pad_bottom"}, {"pad_left", "pad_right"}};
  for (int a = isVolume ? 0 : 1; a < 3; ++a) {
    std::string axis(1, "zyx"[a]);
    key("kernel_" + axis, kernel[a]);
    key("stride_" + axis, stride[a]);
    key("dilation_" + axis, dilation[a]);
    key(isVolume ? "pad_" + axis + "_begin" : image[a][0], before[a]);
    key(isVolume ? "pad_" + axis + "_end" : image[a][1], after[a]);
    if (isTransposed && !isVolume)
      key("output_padding_" + axis, extra[a]);
  }
  key("group", groups);
  key("num_output", outputs);
  std::vector<int> absorbed = biases;
  int rows = filterRows(), rowLength = int(weights.size()) / rows;
  for (int o = 0; o < outputs; ++o)
    for (int i = 0; i < rowLength; ++i)
      absorbed[o] += zp * (weights[o % rows * rowLength + i] + weightZp);
  std::string shape = std::to_string(rows) + "x" + std::to_string(kernel[1]) +
                      "x" + std::to_string(kernel[2]) + "x" +
                      (isVolume ? std::to_string(kernel[0]) + "x" : "") +
                      std::to_string(filterDepth());
  std::string name = std::string(isTransposed  ? "conv_transpose"
                                 : isDepthwise ? "depthwise_conv"
                                               : "convolution") +
                     (isVolume ? "_3d" : "");
  return "func.func @main() -> " + out0 +
         " {\n  %x = compass.input() {compass.tops = [\"x\"]} : () -> " + in0 +
         "\n  %y = compass." + name + "(%x) {compass.tops = [\"y\"], " + keys +
         "scale_value = array<i64: 1>, shift_value = array<i64: " +
         std::to_string(shift) + ">, compass.extra = [[\"weights_zp\", \"" +
         std::to_string(weightZp) + "\"]], weights = " + hex(weights, false) +
         " : tensor<" + shape + "xi8>, biases = " + hex(absorbed, true) +
         " : tensor<" + std::to_string(outputs) + "xi32>} : (" + in0 + ") -> " +
         out0 + "\n  return %y : " + out0 + "\n}\n";
}

class ConvLowering : public ::testing::Test {
protected:
  void check(const RandomConv &conv) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    mlir::DialectRegistry registry;
    compass::registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    std::string text = conv.text();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    DiagnosticEngine diags;
    auto evaluator = compass::Evaluator::create(*module, diags);
    ASSERT_TRUE(evaluator) << text;
    compass::TensorBytes input(conv.x.begin(), conv.x.end());
    conformance::SampleOutputs evaluated(1), functional, timed;
    evaluator->run({compass::TensorBytesRef(input)}, evaluated.front());
    std::vector<int> expected = conv.expected(),
                     found(evaluated[0][0].begin(), evaluated[0][0].end());
    for (int &v : found)
      v = int8_t(v);
    ASSERT_EQ(found, expected) << text;
    ASSERT_TRUE(conformance::compileAndRun(*module, {"X2_1204"}, {{input}},
                                           functional, timed, diags))
        << (diags.all().empty() ? "" : diags.all().front().str()) << text;
    EXPECT_TRUE(functional == evaluated) << text;
    EXPECT_TRUE(timed == evaluated) << text;
  }
};

// Of few channels: most have their kernel's columns folded into channels.
TEST_F(ConvLowering, Images) {
  Random random(4);
  for (int i = 0; i < 80 && !HasFailure(); ++i)
    check(RandomConv(random, /*isTransposed=*/false, /*isVolume=*/false));
}

TEST_F(ConvLowering, Transposed) {
  Random random(1);
  for (int i = 0; i < 40 && !HasFailure(); ++i)
    check(RandomConv(random, /*isTransposed=*/true, /*isVolume=*/false));
}

// Weights of 2 MB, in parts of some channels: the corrections of the zero point
// differ by phase and channel.
TEST_F(ConvLowering, TransposedInBlocksOfChannels) {
  Random random(5);
  check(RandomConv::manyTransposed(random, /*channels=*/512, /*outputs=*/256));
}

TEST_F(ConvLowering, FewOutputs) {
  Random random(6);
  for (int i = 0; i < 12 && !HasFailure(); ++i)
    check(RandomConv::fewOutputs(random));
}

TEST_F(ConvLowering, DepthwiseRows) {
  Random random(7);
  for (int i = 0; i < 12 && !HasFailure(); ++i)
    check(RandomConv::ofRows(random));
}

TEST_F(ConvLowering, Volumes) {
  Random random(2);
  for (int i = 0; i < 16 && !HasFailure(); ++i)
    check(RandomConv(random, /*isTransposed=*/false, /*isVolume=*/true));
}

TEST_F(ConvLowering, TransposedVolumes) {
  Random random(3);
  for (int i = 0; i < 16 && !HasFailure(); ++i)
    check(RandomConv(random, /*isTransposed=*/true, /*isVolume=*/true));
}

} // namespace
