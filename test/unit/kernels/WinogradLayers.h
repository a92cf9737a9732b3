//===- WinogradLayers.h - Random layers in both forms -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A convolution of stride 1 with its data, run directly or as Winograd's
// algorithm with given transformed weights.
//
//   Layer layer = randomLayer(random, 3, 3, DType::U8);
//   runDirect(layer, DType::I8) == runWinograd(layer, f, f, DType::I16, w, 2)
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_KERNELS_WINOGRADLAYERS_H
#define YARROW_TEST_UNIT_KERNELS_WINOGRADLAYERS_H

#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"
#include "test/unit/kernels/TypeLimits.h"
#include "test/unit/kernels/WinogradAxes.h"

#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace yarrow::kernels::testing {

using yarrow::testing::Limits;
using yarrow::testing::limitsOf;
using yarrow::testing::Random;
using yarrow::testing::winogradAxis;

using Ints = std::vector<int32_t>;

inline std::vector<uint8_t> packed(const Ints &values, DType type) {
  std::vector<uint8_t> bytes(values.size() * dtypeBytes(type));
  for (size_t i = 0; i < values.size(); ++i)
    std::memcpy(bytes.data() + i * dtypeBytes(type), &values[i],
                dtypeBytes(type)); // little endian
  return bytes;
}

constexpr DType kInputTypes[] = {DType::I8, DType::U8, DType::I16, DType::U16};

/// Values in [low, high]: both ends only, or any.
inline Ints randomInts(Random &random, size_t count, Limits limits,
                       bool isExtreme) {
  Ints values(count);
  for (int32_t &v : values)
    v = isExtreme
            ? random.of({limits.low, limits.high})
            : limits.low +
                  int32_t(random.below(uint32_t(limits.high - limits.low) + 1));
  return values;
}

/// A convolution of stride 1 with its data.
struct Layer {
  Conv2DIntParams params;
  Ints input, weights, bias;
  Ints scales, shifts;

  uint32_t depth() const { return params.shape.inC; }
  size_t outputs() const {
    const Conv2DShape &s = params.shape;
    return size_t(s.batch) * s.outH * s.outW * s.outC;
  }
  int32_t weightAt(uint32_t o, uint32_t y, uint32_t x, uint32_t c) const {
    const Conv2DShape &s = params.shape;
    return weights[((size_t(o) * s.kernelH + y) * s.kernelW + x) * s.inC + c];
  }
  /// The padded input.
  int64_t inputAt(uint32_t n, int64_t y, int64_t x, uint32_t c) const {
    const Conv2DShape &s = params.shape;
    if (y < 0 || y >= s.inH || x < 0 || x >= s.inW)
      return params.padValue;
    return input[((size_t(n) * s.inH + size_t(y)) * s.inW + size_t(x)) * s.inC +
                 c];
  }
};

/// A random layer with this window whose result is the 32-bit sum itself, or
/// any requantization if the input has 8 bits.
inline Layer randomLayer(Random &random, uint32_t kernelH, uint32_t kernelW,
                         DType inType) {
  Layer layer;
  Conv2DIntParams &p = layer.params;
  Conv2DShape &s = p.shape;
  s.kernelH = kernelH, s.kernelW = kernelW;
  s.batch = 1 + random.below(2);
  s.inC = 1 + random.below(9), s.outC = 1 + random.below(9);
  if (random.oneIn(6)) // more than a chunk of either
    s.inC = 120 + random.below(150);
  if (random.oneIn(6))
    s.outC = 60 + random.below(80);
  s.inH = kernelH + random.below(6), s.inW = kernelW + random.below(8);
  // Each side by itself: none, or up to the window less 1.
  auto pad = [&](uint32_t kernel) {
    return random.oneIn(3) ? 0 : random.below(kernel);
  };
  s.padTop = int32_t(pad(kernelH)), s.padLeft = int32_t(pad(kernelW));
  s.outH = s.inH + uint32_t(s.padTop) + pad(kernelH) - (kernelH - 1);
  s.outW = s.inW + uint32_t(s.padLeft) + pad(kernelW) - (kernelW - 1);
  p.inType = inType;
  Limits limits = limitsOf(inType);
  bool isExtreme = random.oneIn(2);
  // -zp is a value of the type (dialects/compass/Tensors.h, quantizedType).
  p.padValue =
      random.oneIn(3) ? 0 : randomInts(random, 1, limits, isExtreme)[0];
  layer.input = randomInts(random, size_t(s.batch) * s.inH * s.inW * s.inC,
                           limits, isExtreme);
  layer.weights = randomInts(random, size_t(s.outC) * kernelH * kernelW * s.inC,
                             {-127, 127}, random.oneIn(2));
  layer.bias = randomInts(random, s.outC, {-(1 << 20), 1 << 20}, false);
  p.requant.outType = DType::I32;
  p.requant.lo = std::numeric_limits<int32_t>::min();
  p.requant.hi = std::numeric_limits<int32_t>::max();
  if (dtypeBytes(inType) == 1 && random.oneIn(2)) {
    p.requant.outType = DType::I8;
    p.requant.lo = -128, p.requant.hi = 127;
    p.requant.act = random.of({Act::None, Act::Relu, Act::LeakyRelu});
    p.requant.slope = 25, p.requant.slopeShift = 8;
    p.requant.zp = int32_t(random.below(21)) - 10;
    p.requant.perChannel = 1;
    p.requant.scaleType = DType::U8;
    layer.scales = randomInts(random, s.outC, {64, 127}, false);
    layer.shifts = randomInts(random, s.outC, {14, 20}, false);
  }
  return layer;
}

/// The result of a kernel that reads \p weights; Winograd's has one more
/// buffer, \p tapShifts.
template <typename Params>
std::vector<uint8_t> run(std::string_view symbol, const Params &params,
                         const Layer &layer, DType weightType,
                         const Ints &weights, const Ints &tapShifts = {}) {
  std::vector<uint8_t> x = packed(layer.input, layer.params.inType),
                       w = packed(weights, weightType),
                       scales = packed(layer.scales, DType::U8),
                       shifts = packed(layer.shifts, DType::I8),
                       taps = packed(tapShifts, DType::U8);
  const Requant &r = layer.params.requant;
  std::vector<uint8_t> y(layer.outputs() * dtypeBytes(r.outType), 0xaa);
  std::vector<const void *> buffers = {x.data(),          w.data(),
                                       layer.bias.data(), scales.data(),
                                       shifts.data(),     nullptr};
  if (symbol == "yk_conv2d_winograd_int")
    buffers.push_back(tapShifts.empty() ? nullptr : taps.data());
  buffers.push_back(y.data());
  runKernel(symbol, params, buffers);
  return y;
}

inline std::vector<uint8_t> runDirect(const Layer &layer, DType weightType) {
  Conv2DIntParams p = layer.params;
  p.weightType = weightType;
  return run("yk_conv2d_int", p, layer, weightType, layer.weights);
}

inline std::vector<uint8_t>
runWinograd(const Layer &layer, const WinogradAxis &y, const WinogradAxis &x,
            DType weightType, const Ints &weights, uint32_t outputShift = 0,
            const Ints &tapShifts = {}) {
  Conv2DWinogradParams p;
  p.conv = layer.params;
  p.conv.weightType = weightType;
  p.y = y, p.x = x;
  p.outputShift = outputShift;
  p.hasTapShifts = !tapShifts.empty();
  return run("yk_conv2d_winograd_int", p, layer, weightType, weights,
             tapShifts);
}

inline std::string nameOf(const Layer &layer, uint64_t seed) {
  const Conv2DShape &s = layer.params.shape;
  return std::to_string(s.inH) + "x" + std::to_string(s.inW) + "x" +
         std::to_string(s.inC) + " to " + std::to_string(s.outH) + "x" +
         std::to_string(s.outW) + "x" + std::to_string(s.outC) + ", type " +
         std::to_string(uint32_t(layer.params.inType)) + ", seed " +
         std::to_string(seed);
}

/// The result is the 32-bit sum itself.
inline void setPlainResult(Layer &layer) {
  layer.params.requant = Requant{};
  layer.params.requant.outType = DType::I32;
  layer.params.requant.lo = std::numeric_limits<int32_t>::min();
  layer.params.requant.hi = std::numeric_limits<int32_t>::max();
}

} // namespace yarrow::kernels::testing

#endif // YARROW_TEST_UNIT_KERNELS_WINOGRADLAYERS_H
