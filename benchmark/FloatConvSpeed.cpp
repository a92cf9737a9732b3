//===- FloatConvSpeed.cpp - Convolutions of floats beside oneDNN's --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Prints how fast the kernel that the evaluator and calibration use computes
// convolutions of float32 on one thread, and oneDNN in the same run:
//
//   bench_float_conv [repeats]
//
// Ours keeps the order of its sums and rounds every product, so that all hosts
// and TECs have the same bits; oneDNN's does neither.
//
//===----------------------------------------------------------------------===//
#include "benchmark/OneDnnConv.h"
#include "kernels/FloatTile.h"
#include "kernels/conv/Conv.h"
#include "kernels/registry/Registry.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace yarrow::benchmark;
using namespace yarrow::kernels;

namespace {

/// 10^9 multiply-accumulates per second, the best of \p repeats.
double timeKernel(const ConvShape &s, int repeats) {
  Conv2DFloatParams p;
  p.shape = {.inH = uint32_t(s.inHeight),
             .inW = uint32_t(s.inWidth),
             .inC = uint32_t(s.inChannels),
             .outH = uint32_t(s.outHeight()),
             .outW = uint32_t(s.outWidth()),
             .outC = uint32_t(s.outChannels),
             .kernelH = uint32_t(s.kernelHeight),
             .kernelW = uint32_t(s.kernelWidth),
             .strideH = uint32_t(s.stride),
             .strideW = uint32_t(s.stride),
             .padTop = s.padTop,
             .padLeft = s.padLeft};
  auto drawn = [state = 1u](size_t count) mutable {
    std::vector<float> values(count);
    for (float &value : values) {
      state = state * 1664525 + 1013904223;
      value = float(int32_t(state) >> 16) / 32768;
    }
    return values;
  };
  std::vector<float> input =
                         drawn(size_t(s.inHeight) * s.inWidth * s.inChannels),
                     weights =
                         drawn(size_t(packedColumns(p.shape.outC)) *
                               s.kernelHeight * s.kernelWidth * s.inChannels),
                     bias = drawn(p.shape.outC),
                     output(size_t(s.outHeight()) * s.outWidth() *
                            s.outChannels);
  void *buffers[] = {input.data(), weights.data(), bias.data(), nullptr,
                     output.data()};
  KernelFn kernel = lookupKernel("yk_conv2d_float");
  double best = 1e9;
  for (int i = 0; i < repeats; ++i) {
    auto start = std::chrono::steady_clock::now();
    kernel(&p, buffers, /*task=*/0, /*taskCount=*/1);
    std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return double(s.macs()) / best * 1e-9;
}

constexpr NamedConv kConvs[] = {
    {"3x3, 64 channels", conv3x3(56, 64, 64, 1), 1},
    {"3x3, 128 channels", conv3x3(28, 128, 128, 1), 1},
    {"3x3, 512 channels", conv3x3(7, 512, 512, 1), 1},
    {"1x1, 256 to 64", {56, 56, 256, 64, 1, 1, 1}, 1},
    {"7x7, 3 to 64", {224, 224, 3, 64, 7, 7, 2, 3, 3, 3, 3}, 1},
    {"3x3, 16 channels", conv3x3(32, 16, 16, 1), 1}};

} // namespace

int main(int argc, char **argv) {
  int repeats = argc > 1 ? std::atoi(argv[1]) : 50;
  if (argc > 2 || repeats < 1) {
    std::fprintf(stderr, "usage: %s [repeats]\n", argv[0]);
    return 2;
  }
  std::printf("%-20s %12s %12s %6s  %s\n", "convolution", "Yarrow GMAC/s",
              "oneDNN", "ratio", "oneDNN's kernel");
  for (const NamedConv &conv : kConvs) {
    ConvShape shape = conv.shape;
    shape.isFloat = true;
    double ours = timeKernel(shape, repeats);
    double theirs = timeOneDnnConv(shape, repeats);
    std::printf("%-20.*s %12.1f %12.1f %6.2f  %s\n", int(conv.name.size()),
                conv.name.data(), ours, theirs, ours / theirs,
                oneDnnConvKernel(shape).c_str());
  }
  return 0;
}
