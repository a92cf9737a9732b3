//===- ByteGemmTest.cpp - The host's kernels for bytes --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/ByteGemm.h"
#include "simulator/engine/TensorEngine.h"
#include "test/unit/simulator/Naive.h"
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::sim;
using naive::Random;

namespace {

/// A product with everything that it reads, laid out at random.
struct Product {
  ByteWindow window;
  uint32_t rows, pixels, columns;
  int64_t pixelPitch;
  bool isSigned;
  std::vector<uint8_t> image;
  std::vector<uint64_t> starts; ///< In the image.
  std::vector<int8_t> weights;

  explicit Product(Random &r) {
    window.segments = uint32_t(r.in(1, 5));
    window.bytes =
        uint32_t(r.oneOf<int64_t>({1, 3, 4, 16, 21, 63, 64, 65, 130}));
    rows = uint32_t(r.in(1, 4));
    pixels = uint32_t(r.oneOf<int64_t>({1, 2, 7, 13, 14, 16, 17, 31, 33, 50}));
    columns = uint32_t(r.in(1, 150));
    // Pixels may lie on one another.
    pixelPitch = r.in(1, 80);
    isSigned = r.chance(50);
    uint64_t most = 500;
    image.resize(most + uint64_t(pixelPitch) * pixels + window.bytes + 64);
    for (uint8_t &x : image)
      x = uint8_t(r.oneOf<int64_t>({0, 127, 128, 255, r.in(0, 255)}));
    for (uint32_t i = 0; i < rows * window.segments; ++i)
      starts.push_back(uint64_t(r.in(0, int64_t(most))));
    weights.resize(uint64_t(columns) * window.segments * window.bytes);
    for (int8_t &w : weights)
      w = int8_t(r.oneOf<int64_t>({-128, 127, r.in(-128, 127)}));
  }

  int32_t expected(uint32_t row, uint32_t pixel, uint32_t column) const {
    int32_t sum = 0;
    for (uint32_t s = 0; s < window.segments; ++s)
      for (uint32_t k = 0; k < window.bytes; ++k) {
        uint8_t x = image[starts[row * window.segments + s] +
                          uint64_t(pixel * pixelPitch) + k];
        int32_t value = isSigned ? int8_t(x) : x;
        sum += value *
               weights[(uint64_t(column) * window.segments + s) * window.bytes +
                       k];
      }
    return sum;
  }
};

std::vector<int32_t> multiply(const ByteKernel &kernel, const Product &p,
                              uint64_t &pitch) {
  PackedBytes packed;
  packBytes(kernel, p.weights.data(), p.columns, p.window, packed);
  std::vector<uint8_t> image = p.image;
  if (p.isSigned && !kernel.takesSigned)
    for (uint8_t &x : image)
      x ^= 0x80;
  std::vector<const uint8_t *> starts;
  for (uint64_t start : p.starts)
    starts.push_back(&image[start]);
  pitch = packed.blocks() * kByteColumns + 3;
  std::vector<int32_t> sums(p.rows * p.pixels * pitch, -1);
  ByteGemmJob job;
  job.starts = starts;
  job.rows = p.rows, job.pixels = p.pixels;
  job.pixelPitch = p.pixelPitch;
  job.isSigned = p.isSigned;
  job.columns = &packed;
  job.c = sums.data(), job.cPitch = pitch;
  kernel.multiply(job);
  return sums;
}

} // namespace

TEST(ByteGemm, KernelsMatchPlainLoops) {
  for (const ByteKernel &kernel : byteKernels()) {
    SCOPED_TRACE(kernel.name);
    for (uint64_t seed = 0; seed < 300; ++seed) {
      SCOPED_TRACE(seed);
      Random r(seed);
      Product p(r);
      uint64_t pitch = 0;
      std::vector<int32_t> sums = multiply(kernel, p, pitch);
      for (uint32_t row = 0; row < p.rows; ++row)
        for (uint32_t x = 0; x < p.pixels; ++x) {
          const int32_t *at = &sums[(row * p.pixels + x) * pitch];
          for (uint32_t c = 0; c < p.columns; ++c)
            ASSERT_EQ(at[c], p.expected(row, x, c))
                << "row " << row << " pixel " << x << " column " << c;
          ASSERT_EQ(at[pitch - 1], -1) << "written behind the blocks";
        }
    }
  }
}

// Windows read where the SRAM ends, and results written over their input.
TEST(ByteGemm, EdgesOfTheSram) {
  constexpr uint32_t kSramBytes = 1 << 16, kPixels = 20, kChannels = 5;
  for (const ByteKernel &kernel : byteKernels())
    for (bool overInput : {false, true}) {
      SCOPED_TRACE(kernel.name);
      auto memory = Memory::create(kSramBytes);
      TensorEngine engine(*memory, {}, &kernel);
      Random r(5);
      r.fill(*memory, 0, kSramBytes);
      isa::Conv c;
      c.inType = isa::ElementType::U8;
      c.groups = c.kernelY = c.kernelX = 1;
      c.strideY = c.strideX = c.dilationY = c.dilationX = 1;
      c.inHeight = c.outHeight = 1;
      c.inWidth = c.outWidth = kPixels;
      c.inChannels = c.inPixelStride = kChannels;
      c.inRowStride = kPixels * kChannels;
      c.outChannels = c.outPixelStride = 9;
      c.outRowStride = kPixels * 9;
      c.input = kSramBytes - kPixels * kChannels;
      c.output = overInput ? kSramBytes - kPixels * 9 : 4096;
      c.weights = 0, c.bias = 128;
      c.scale = 1, c.shift = 9;
      c.outMin = -128, c.outMax = 127;
      for (uint32_t o = 0; o < 9; ++o)
        naive::write(*memory, isa::ElementType::I32, c.bias + o * 4, 100 * o);
      std::vector<int64_t> expected;
      for (uint32_t x = 0; x < kPixels; ++x)
        for (uint32_t o = 0; o < 9; ++o) {
          int64_t sum = 100 * o;
          for (uint32_t i = 0; i < kChannels; ++i)
            sum += naive::read(*memory, c.inType, c.input + x * kChannels + i) *
                   naive::read(*memory, isa::ElementType::I8,
                               c.weights + o * kChannels + i);
          expected.push_back(naive::requantize(sum, 1, 9, 0, -128, 127));
        }
      ASSERT_FALSE(engine.execute(c));
      for (uint32_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ(naive::read(*memory, isa::ElementType::I8, c.output + i),
                  expected[i])
            << i;
    }
}
