//===- WinogradLayer.h - One convolution of random integers ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A network of one integer Convolution, direct or with transformed weights,
// with its random constants and inputs, and what the engine computes behind it.
//
//   WinogradLayer layer;
//   layer.outputsY = 2, layer.kernelY = 3; // F(2x2,3x3)
//   layer.fill(random);
//   auto module = layer.parse(context);
//   std::vector<compass::TensorBytes> outputs = evaluate(*module, inputs);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_PASSES_WINOGRADLAYER_H
#define YARROW_TEST_UNIT_PASSES_WINOGRADLAYER_H

#include "dialects/compass/network/Evaluator.h"
#include "mlir/Parser/Parser.h"
#include "test/Random.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstring>

namespace yarrow::testing {

/// A layer behind the convolution: nothing, the sum with the network's input
/// (which must have the result's shape), or a look-up table.
enum class Epilogue { None, Residual, Table };

struct WinogradLayer {
  bool isDirect = false;
  Epilogue epilogue = Epilogue::None;
  uint32_t batch = 1, height = 8, width = 8, channels = 5, outputs = 6;
  uint32_t outputsY = 1, kernelY = 3; ///< F(1,kernelY): 1-D
  uint32_t outputsX = 2, kernelX = 3;
  uint32_t padLeft = 1, padRight = 1, padTop = 1, padBottom = 1;
  kernels::DType inType = kernels::DType::I8;
  int32_t zp = 0; ///< Compass's: padding holds -zp
  uint32_t outputShift = 0;
  std::string activation = "NONE";
  bool isWide = false;          ///< int16 weights
  std::vector<int32_t> weights; ///< [output][tile y][tile x][channel]
  std::vector<int32_t> biases;
  std::vector<uint8_t> tapShifts; ///< [output][tile y][tile x] or none

  uint32_t tileY() const { return isDirect ? kernelY : outputsY + kernelY - 1; }
  uint32_t tileX() const { return isDirect ? kernelX : outputsX + kernelX - 1; }
  uint32_t outHeight() const {
    return height + padTop + padBottom - kernelY + 1;
  }
  uint32_t outWidth() const { return width + padLeft + padRight - kernelX + 1; }
  uint64_t inputSize() const {
    return uint64_t(batch) * height * width * channels;
  }

  /// Sizes, padding, type, zero point and activation, with at most so many
  /// output channels.
  void setRandomShape(Random &random, uint32_t mostOutputs) {
    batch = 1 + random.below(2);
    height = 3 + random.below(9), width = 3 + random.below(9);
    channels = 1 + random.below(40), outputs = 1 + random.below(mostOutputs);
    padLeft = random.below(3), padRight = random.below(3);
    padTop = random.below(3), padBottom = random.below(3);
    inType = random.of({kernels::DType::I8, kernels::DType::U8});
    zp = inType == kernels::DType::U8 ? -int32_t(random.below(200))
                                      : int32_t(random.below(100)) - 50;
    activation = random.of<const char *>({"NONE", "RELU", "RELU6"});
  }

  /// Weights, biases and, if \p withTapShifts, tap shifts. Now and then all
  /// weights are the smallest or the largest.
  void fill(Random &random, int32_t low = -127, int32_t high = 127,
            bool withTapShifts = false) {
    weights.resize(uint64_t(outputs) * tileY() * tileX() * channels);
    bool isExtreme = random.oneIn(4);
    for (int32_t &w : weights)
      w = isExtreme ? random.of({low, high})
                    : low + int32_t(random.below(uint32_t(high - low + 1)));
    biases.resize(outputs);
    for (int32_t &b : biases)
      b = int32_t(random.below(20001)) - 10000;
    tapShifts.assign(withTapShifts ? outputs * tileY() * tileX() : 0, 0);
    for (uint8_t &shift : tapShifts)
      shift = uint8_t(random.below(6));
  }

  std::vector<char> randomInput(Random &random) const {
    std::vector<char> bytes(inputSize() * kernels::dtypeBytes(inType));
    bool isExtreme = random.oneIn(4);
    for (char &byte : bytes)
      byte = isExtreme ? random.of<char>({0, 127, -128, -1})
                       : char(random.below(256));
    return bytes;
  }

  /// The network as MLIR text.
  std::string text() const {
    bool is2D = outputsY != 1;
    std::string in = quantType(inType, 0.02, -zp);
    std::string out = quantType(kernels::DType::I8, 0.5, 0);
    std::string inTensor = tensor({batch, height, width, channels}, in);
    std::string outTensor =
        tensor({batch, outHeight(), outWidth(), outputs}, out);
    std::string keys;
    auto integer = [&](const char *key, uint32_t value) {
      keys +=
          std::string(", ") + key + " = " + std::to_string(value) + " : i64";
    };
    integer("num_output", outputs);
    integer("kernel_y", tileY()), integer("kernel_x", tileX());
    integer("stride_y", isDirect ? 1 : outputsY);
    integer("stride_x", isDirect ? 1 : outputsX);
    integer("pad_left", padLeft), integer("pad_right", padRight);
    integer("pad_top", padTop), integer("pad_bottom", padBottom);
    if (!isDirect) {
      keys += ", with_winograd = true, Fmnrs = array<i64: " +
              std::to_string(outputsX) +
              (is2D ? ", " + std::to_string(outputsY) : "") + ", " +
              std::to_string(kernelX) +
              (is2D ? ", " + std::to_string(kernelY) : "") + ">";
      integer("winograd_output_shift", outputShift);
    }
    std::string constants;
    auto constant = [&](const char *key, const std::string &type,
                        const auto &bytes) {
      keys +=
          std::string(", ") + key + " = dense_resource<" + key + "> : " + type;
      constants +=
          std::string(constants.empty() ? "" : ", ") + key + ": \"0x04000000" +
          llvm::toHex(
              llvm::StringRef(reinterpret_cast<const char *>(bytes.data()),
                              bytes.size() * sizeof(bytes[0]))) +
          "\"";
    };
    std::vector<uint32_t> weightShape = {outputs, tileY(), tileX(), channels};
    if (isWide)
      constant("weights", tensor(weightShape, "i16"),
               std::vector<int16_t>(weights.begin(), weights.end()));
    else
      constant("weights", tensor(weightShape, "i8"),
               std::vector<int8_t>(weights.begin(), weights.end()));
    constant("biases", tensor({outputs}, "i32"), biases);
    if (!tapShifts.empty())
      constant("winograd_tap_shift", tensor({outputs, tileY(), tileX()}, "ui8"),
               tapShifts);
    std::string after;
    if (epilogue == Epilogue::Residual)
      after = "compass.eltwise(%y, %x) {method = \"ADD\", scale_value = "
              "array<i64: 3, 5, 181>, shift_value = array<i64: 10>} : (" +
              outTensor + ", " + inTensor + ") -> " + outTensor;
    if (epilogue == Epilogue::Table) {
      std::vector<uint8_t> table(256);
      for (unsigned i = 0; i < table.size(); ++i)
        table[i] = uint8_t(i * 37 + 11);
      constants += ", lut: \"0x04000000" +
                   llvm::toHex(llvm::ArrayRef<uint8_t>(table)) + "\"";
      after = "compass.activation(%y) {method = \"SIGMOID\", lut = "
              "dense_resource<lut> : tensor<256xi8>} : (" +
              outTensor + ") -> " + outTensor;
    }
    std::string last = after.empty() ? "%y" : "%z";
    if (!after.empty())
      after = "\n  %z = " + after;
    return "func.func @main() -> " + outTensor +
           " {\n  %x = compass.input() {compass.tops = [\"x\"]} : () -> " +
           inTensor +
           "\n  %y = compass.convolution(%x) {compass.tops = [\"y\"], "
           "scale_value = array<i64: 181>, shift_value = array<i64: 20>, "
           "with_activation = \"" +
           activation + "\"" + keys + "} : (" + inTensor + ") -> " + outTensor +
           after + "\n  return " + last + " : " + outTensor +
           "\n}\n{-# dialect_resources: {builtin: {" + constants + "}} #-}\n";
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(mlir::MLIRContext &context) const {
    mlir::DialectRegistry registry;
    compass::registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    return mlir::parseSourceString<mlir::ModuleOp>(text(), &context);
  }

private:
  static std::string quantType(kernels::DType type, double scale,
                               int32_t zeroPoint) {
    const char *name = type == kernels::DType::I8    ? "i8"
                       : type == kernels::DType::U8  ? "u8"
                       : type == kernels::DType::I16 ? "i16"
                                                     : "u16";
    return std::string("!quant.uniform<") + name + ":f32, " +
           std::to_string(scale) + ":" + std::to_string(zeroPoint) + ">";
  }
  static std::string tensor(const std::vector<uint32_t> &shape,
                            const std::string &element) {
    std::string text = "tensor<";
    for (uint32_t length : shape)
      text += std::to_string(length) + "x";
    return text + element + ">";
  }
};

/// What the reference evaluator computes; empty after an error.
inline std::vector<compass::TensorBytes>
evaluate(mlir::ModuleOp module, const std::vector<char> &input) {
  DiagnosticEngine diags;
  auto evaluator = compass::Evaluator::create(module, diags);
  std::vector<compass::TensorBytes> outputs;
  if (evaluator)
    evaluator->run({compass::TensorBytesRef(input)}, outputs);
  return outputs;
}

} // namespace yarrow::testing

#endif // YARROW_TEST_UNIT_PASSES_WINOGRADLAYER_H
