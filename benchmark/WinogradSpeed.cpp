//===- WinogradSpeed.cpp - Winograd commands beside direct ones -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Simulates the same 3x3 layers as a direct command of the tensor engine and in
// its Winograd modes, on one thread, functional only:
//
//   bench_winograd [runs]
//
// Speeds count the multiplications of the direct layer, so that the columns
// compare; "times" is the ratio to the direct command of the same run.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/TensorEngine.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

namespace {
constexpr uint64_t kSramBytes = 64 << 20;

struct Layer {
  uint32_t size, inChannels, outChannels;
};
constexpr Layer layers[] = {{32, 16, 16},   {32, 64, 64},   {56, 64, 64},
                            {28, 128, 128}, {14, 256, 256}, {7, 512, 512},
                            {31, 24, 40},   {32, 3, 16}};

struct Form {
  const char *name;
  WinogradMode mode;
  ElementType weights;
};
constexpr Form forms[] = {
    {"direct", WinogradMode::None, ElementType::I8},
    {"f(2,3)", WinogradMode::F2_3, ElementType::I8},
    {"f(2x2,3x3)", WinogradMode::F2x2_3x3, ElementType::I8},
    {"exact", WinogradMode::F2x2_3x3, ElementType::I16}};

Conv command(const Layer &layer, const Form &form) {
  Conv c;
  c.inType = ElementType::U8;
  c.winograd = form.mode;
  c.weightType = form.weights;
  c.hasTapShifts = form.mode != WinogradMode::None;
  c.kernelY = c.kernelX = 3;
  c.strideY = c.strideX = c.dilationY = c.dilationX = c.groups = 1;
  c.padTop = c.padLeft = 1;
  c.inHeight = c.inWidth = c.outHeight = c.outWidth = layer.size;
  c.inChannels = layer.inChannels, c.outChannels = layer.outChannels;
  c.inPixelStride = c.inChannels, c.outPixelStride = c.outChannels;
  c.inRowStride = c.inWidth * c.inPixelStride;
  c.outRowStride = c.outWidth * c.outPixelStride;
  c.activation = Activation::Relu;
  c.outType = ElementType::U8, c.outMax = 255;
  c.scale = 20000, c.shift = 26;
  c.output = c.inHeight * c.inRowStride;
  c.bias = c.output + c.outHeight * c.outRowStride;
  c.weights = c.bias + c.outChannels * 4;
  return c;
}

/// Best of \p runs, in seconds; 0 if the command is a fault.
double bestSeconds(TensorEngine &engine, const Conv &c, int runs) {
  double best = 1e9;
  for (int i = 0; i < runs; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (Fault fault = engine.execute(c)) {
      std::fprintf(stderr, "%s\n", fault->c_str());
      return 0;
    }
    std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}
} // namespace

int main(int argc, char **argv) {
  int runs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 200;
  auto memory = Memory::create(kSramBytes);
  TensorEngine engine(*memory, {10, 12, 8192, 4});
  std::printf("%-16s %-11s %9s %9s %6s\n", "layer", "form", "us", "GMAC/s",
              "times");
  for (const Layer &layer : layers) {
    double direct = 0;
    for (const Form &form : forms) {
      Conv c = command(layer, form);
      // Small values of both signs: weights of 4 bits, inputs of 8, shifts 0
      // to 3, whose sums fit 32 bits as a compiler would have it.
      uint8_t *sram = memory->hostBase() + Memory::kSramBase;
      uint32_t random = 1;
      auto next = [&] {
        return (random = random * 1664525 + 1013904223) >> 24;
      };
      for (uint64_t i = 0; i < c.output; ++i)
        sram[i] = uint8_t(next());
      uint64_t step = elementBytes(c.weightType);
      uint64_t end = filterSize(c) * c.outChannels * step;
      for (uint64_t i = 0; i < end; i += step) {
        int32_t weight = int32_t(next() & 15) - 8;
        sram[c.weights + i] = uint8_t(weight);
        if (step == 2)
          sram[c.weights + i + 1] = uint8_t(weight >> 8);
      }
      if (c.hasTapShifts)
        for (uint64_t i = tapShiftOffset(c); i < weightBytesOf(c); ++i)
          sram[c.weights + i] = next() & 3;
      double seconds = bestSeconds(engine, c, runs);
      if (seconds == 0)
        return 1;
      if (form.mode == WinogradMode::None)
        direct = seconds;
      double macs =
          9.0 * layer.size * layer.size * layer.inChannels * layer.outChannels;
      char name[32];
      std::snprintf(name, sizeof name, "%ux%u %u-%u", layer.size, layer.size,
                    layer.inChannels, layer.outChannels);
      std::printf("%-16s %-11s %9.1f %9.1f %6.2f\n", name, form.name,
                  seconds * 1e6, macs / seconds * 1e-9, direct / seconds);
    }
  }
  return 0;
}
