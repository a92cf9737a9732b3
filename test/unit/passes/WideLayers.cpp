//===- WideLayers.cpp - Random layers with scales of 31 bits --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/passes/WideLayers.h"

#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <bit>
#include <climits>
#include <cstdlib>

using namespace yarrow::testing;

static std::string number(int64_t n) { return std::to_string(n); }
static std::string key(const char *name, int64_t value) {
  return std::string(name) + " = " + number(value) + " : i64, ";
}
/// Of equal values MLIR would keep one, which is no constant of a layer.
template <typename T>
static std::string dense(std::vector<T> values, const std::string &shape,
                         const char *type) {
  bool isSplat = std::equal(values.begin() + 1, values.end(), values.begin());
  if (values.size() > 1 && isSplat)
    values.back() = T(values.back() + (values.back() > 1 ? -1 : 1));
  std::string bytes(reinterpret_cast<const char *>(values.data()),
                    values.size() * sizeof(T));
  return "dense<\"0x" + llvm::toHex(bytes) + "\"> : tensor<" + shape + type +
         ">";
}

WideLayers::WideLayers(Random &random, bool isImage)
    : random(random), isImage(isImage),
      type(random.of<std::string>({"i8", "i8", "u8", "i16"})),
      zp(int(random.below(9)) - 4) {
  auto upTo = [&](int n) { return 1 + int(random.below(uint32_t(n))); };
  xShape = isImage ? Shape{1, upTo(7), upTo(7), upTo(40)}
                   : Shape{upTo(20), upTo(100)};
  zShape = isImage ? xShape : Shape{xShape[1], upTo(40)};
}

uint64_t WideLayers::elements(const Shape &shape) {
  uint64_t n = 1;
  for (int length : shape)
    n *= uint64_t(length);
  return n;
}

static std::string dims(const std::vector<int> &shape) {
  std::string s;
  for (int length : shape)
    s += number(length) + "x";
  return s;
}

std::string WideLayers::tensor(const Shape &shape, const std::string &type,
                               int zeroPoint) const {
  return "tensor<" + dims(shape) + "!quant.uniform<" + type +
         ":f32, 5.000000e-02:" + number(zeroPoint) + ">>";
}

/// At an end, or any.
int32_t WideLayers::scale() {
  // Sums of 16-bit inputs leave 62 bits no room for more.
  int32_t most = isWide16() ? 1 << 18 : INT32_MAX;
  if (random.oneIn(3))
    return random.of<int32_t>(
        {1, 2, 65535, 65536, most / 2, most / 2 + 1, most});
  return 1 + int32_t(random.below(uint32_t(most)));
}

/// Where results are neither all 0 nor all at their limits, or any.
int WideLayers::shift(int32_t scale, int sumBits) {
  if (random.oneIn(4))
    return int(random.below(63));
  int bits = 32 - std::countl_zero(uint32_t(scale)) + sumBits - 8;
  return std::clamp(bits + int(random.below(5)) - 2, 0, 62);
}

std::string WideLayers::requant(int outputs, int sumBits, bool mayBePerTensor) {
  std::string keys;
  // Halves are seldom met, but with short shifts.
  if (random.oneIn(3))
    keys += "requant_rounding = \"HALF_UP\", ";
  if (outputs == 0 || (mayBePerTensor && random.oneIn(3))) {
    int32_t one = scale();
    return keys + "scale_value = array<i64: " + number(one) +
           ">, shift_value = array<i64: " + number(shift(one, sumBits)) + ">";
  }
  std::vector<int32_t> scales;
  std::vector<int8_t> shifts;
  for (int o = 0; o < outputs; ++o) {
    scales.push_back(scale());
    shifts.push_back(int8_t(shift(scales.back(), sumBits)));
  }
  return keys + "scale = " + dense(scales, number(outputs) + "x", "i32") +
         ", shift = " + dense(shifts, number(outputs) + "x", "i8");
}

/// Weights and biases, of which some take sums to the ends of 32 bits: with
/// the largest inputs as far as the engine is proven to hold them.
std::string WideLayers::constants(const Shape &weights, int outputs,
                                  int terms) {
  int largest = random.of({1, 9, 127});
  std::vector<int8_t> values(elements(weights));
  for (int8_t &w : values)
    w = int8_t(int(random.below(uint32_t(2 * largest + 1))) - largest);
  int64_t reach = int64_t(terms) * largest << (isWide16() ? 16 : 8);
  sumBits = std::bit_width(uint64_t(reach)) - 2;
  std::vector<int32_t> biases;
  for (int o = 0; o < outputs; ++o) {
    int64_t rest = std::max<int64_t>(0, INT32_MAX - reach);
    int32_t bias = int32_t(random.below(2001)) - 1000;
    if (random.oneIn(5) && !isWide16())
      bias = random.oneIn(2) ? int32_t(rest) : -int32_t(rest);
    biases.push_back(bias);
  }
  return "weights = " + dense(values, dims(weights), "i8") +
         ", biases = " + dense(biases, number(outputs) + "x", "i32") + ", ";
}

void WideLayers::emit(const std::string &op, const std::string &keys,
                      const std::vector<std::string> &operands,
                      const std::vector<std::string> &types,
                      const Shape &result, const std::string &resultType,
                      bool isResult) {
  std::string name = "t" + number(next++), list, typeList;
  for (size_t i = 0; i < operands.size(); ++i) {
    list += (i ? ", %" : "%") + operands[i];
    typeList += (i ? ", " : "") + types[i];
  }
  body += "  %" + name + " = compass." + op + "(" + list +
          ") {compass.tops = [\"" + name + "\"], " + keys + "} : (" + typeList +
          ") -> " + resultType + " loc(\"" + name + "\")\n";
  if (!isResult)
    return;
  results += (results.empty() ? "%" : ", %") + name;
  resultTypes += (resultTypes.empty() ? "" : ", ") + resultType;
}

std::string WideLayers::window(int kernelY, int kernelX, int strideY,
                               int strideX, const int (&pads)[4]) {
  return key("kernel_y", kernelY) + key("kernel_x", kernelX) +
         key("stride_y", strideY) + key("stride_x", strideX) +
         key("pad_top", pads[0]) + key("pad_bottom", pads[1]) +
         key("pad_left", pads[2]) + key("pad_right", pads[3]);
}

void WideLayers::sumOf(const std::string &a, const std::string &aType) {
  std::string other = tensor(zShape, type, zp);
  int bits = isWide16() ? 17 : 9;
  // The operands' scales are wide, and that of the sum what 62 bits leave.
  int32_t scaleA = 1 + int32_t(random.below(INT32_MAX)),
          scaleB = random.oneIn(4) ? INT32_MAX
                                   : 1 + int32_t(random.below(INT32_MAX));
  int32_t last = isWide16() ? 1 + int32_t(random.below(2000))
                            : 1 + int32_t(random.below(65535));
  if (random.oneIn(2))
    last = 1;
  std::string keys = random.oneIn(3) ? "with_activation = \"RELU\", " : "";
  if (random.oneIn(3))
    keys += "requant_rounding = \"HALF_UP\", ";
  keys += "scale_value = array<i64: " + number(last) + ", " + number(scaleA) +
          ", " + number(scaleB) +
          ">, shift_value = array<i64: " + number(shift(last, bits + 31)) + ">";
  std::string out = random.oneIn(2) ? type : "i8";
  emit("eltwise", keys, {a, "z"}, {aType, other}, zShape,
       tensor(zShape, out, zp + 1));
}

void WideLayers::addSum() { sumOf("x", tensor(xShape, type, zp)); }

void WideLayers::addConv(bool isResidual) {
  int height = xShape[1], width = xShape[2], channels = xShape[3];
  int kernelY = random.of({1, 3}), kernelX = random.of({1, 3, 2});
  int outputs = 1 + int(random.below(40)), stride = 1;
  if (isResidual) {
    outputs = channels;
    kernelX = kernelY;
  } else {
    stride = random.of({1, 2});
  }
  int pads[4] = {kernelY / 2, kernelY / 2, kernelX / 2, kernelX / 2};
  Shape out = {1, (height + 2 * pads[0] - kernelY) / stride + 1,
               (width + 2 * pads[2] - kernelX) / stride + 1, outputs};
  std::string keys = key("num_output", outputs) +
                     window(kernelY, kernelX, stride, stride, pads) +
                     constants({outputs, kernelY, kernelX, channels}, outputs,
                               kernelY * kernelX * channels);
  if (random.oneIn(3))
    keys += "with_activation = \"RELU\", ";
  keys += requant(outputs, sumBits);
  std::string outType = tensor(
      out, isResidual ? type : random.of<std::string>({"i8", "u8", "i16"}),
      int(random.below(9)) - 4);
  emit("convolution", keys, {"x"}, {tensor(xShape, type, zp)}, out, outType,
       !isResidual);
  if (isResidual)
    sumOf("t" + number(next - 1), outType);
}

void WideLayers::addDepthwise() {
  int height = xShape[1], width = xShape[2], channels = xShape[3];
  int multiplier = random.of({1, 1, 2}), outputs = channels * multiplier;
  int pads[4] = {1, 1, 1, 1};
  std::string keys = key("num_output", outputs) + key("group", channels) +
                     key("multiplier", multiplier) + window(3, 3, 1, 1, pads) +
                     constants({outputs, 3, 3, 1}, outputs, 9);
  Shape out = {1, height, width, outputs};
  emit("depthwise_conv", keys + requant(outputs, sumBits), {"x"},
       {tensor(xShape, type, zp)}, out, tensor(out, "i8", 3));
}

void WideLayers::addTransposed() {
  int height = xShape[1], width = xShape[2], channels = xShape[3];
  int outputs = 1 + int(random.below(12)), kernel = random.of({2, 3});
  int pads[4] = {0, 0, 0, 0};
  Shape out = {1, (height - 1) * 2 + kernel, (width - 1) * 2 + kernel, outputs};
  std::string keys = key("num_output", outputs) +
                     window(kernel, kernel, 2, 2, pads) +
                     key("output_padding_y", 0) + key("output_padding_x", 0) +
                     constants({outputs, kernel, kernel, channels}, outputs,
                               kernel * kernel * channels);
  emit("conv_transpose", keys + requant(outputs, sumBits), {"x"},
       {tensor(xShape, type, zp)}, out, tensor(out, type, -2));
}

void WideLayers::addMean() {
  int height = xShape[1], width = xShape[2];
  int kernelY = 1 + int(random.below(uint32_t(height)));
  int kernelX = 1 + int(random.below(uint32_t(width)));
  bool isPadded = random.oneIn(2);
  int pads[4] = {isPadded ? kernelY / 2 : 0, isPadded ? kernelY / 2 : 0,
                 isPadded ? kernelX / 2 : 0, isPadded ? kernelX / 2 : 0};
  Shape out = {1, height + 2 * pads[0] - kernelY + 1,
               width + 2 * pads[2] - kernelX + 1, xShape[3]};
  std::string image = tensor(xShape, type, zp);
  emit("pooling",
       "method = \"AVG\", average_rounding = \"HALF_AWAY\", " +
           window(kernelY, kernelX, 1, 1, pads) + key("dilation_x", 1) +
           "dilation_y = 1 : i64",
       {"x"}, {image}, out, tensor(out, type, zp));
}

void WideLayers::addFullyConnected() {
  int outputs = 1 + int(random.below(60));
  Shape out = {xShape[0], outputs};
  std::string keys = key("num_output", outputs) +
                     constants({outputs, xShape[1]}, outputs, xShape[1]);
  emit("fully_connected", keys + requant(outputs, sumBits), {"x"},
       {tensor(xShape, type, zp)}, out, tensor(out, "i8", 1));
}

void WideLayers::addMatMul() {
  Shape out = {xShape[0], zShape[1]};
  int bits = (isWide16() ? 32 : 16) + std::bit_width(uint32_t(xShape[1])) - 2;
  emit("matmul", requant(/*outputs=*/0, bits), {"x", "z"},
       {tensor(xShape, type, zp), tensor(zShape, type, zp)}, out,
       tensor(out, random.of<std::string>({"i8", "i16"}), 1));
}

void WideLayers::add(int layers) {
  for (int i = 0; i < layers; ++i) {
    if (!isImage) {
      random.oneIn(2) ? addMatMul() : addFullyConnected();
      continue;
    }
    switch (random.below(8)) {
    case 0:
    case 1:
      addConv(/*isResidual=*/false);
      break;
    case 2:
    case 3:
      addConv(/*isResidual=*/true);
      break;
    case 4:
      addDepthwise();
      break;
    case 5:
      addTransposed();
      break;
    case 6:
      addMean();
      break;
    default:
      addSum();
    }
  }
}

std::string WideLayers::text() const {
  std::string x = tensor(xShape, type, zp), z = tensor(zShape, type, zp);
  bool isSingle = resultTypes.find(">>, ") == std::string::npos;
  return "func.func @main() -> " +
         (isSingle ? resultTypes : "(" + resultTypes + ")") +
         " {\n  %x = compass.input() {compass.tops = [\"x\"]} : () -> " + x +
         "\n  %z = compass.input() {compass.tops = [\"z\"], input_index = 1 : "
         "i64} : () -> " +
         z + "\n" + body + "  return " + results + " : " + resultTypes +
         "\n}\n";
}
