//===- OneDnnResnet20.cpp - oneDNN's speed on the layers of ResNet-20 -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Prints, for each shape of ResNet-20's convolutions, how fast oneDNN computes
// it on one thread and whether its result is exact:
//
//   bench_onednn_resnet20 [repeats]
//
//===----------------------------------------------------------------------===//
#include "benchmark/OneDnnConv.h"

#include <cstdio>
#include <cstdlib>

using namespace yarrow::benchmark;

int main(int argc, char **argv) {
  int repeats = argc > 1 ? std::atoi(argv[1]) : 50;
  if (argc > 2 || repeats < 1) {
    std::fprintf(stderr, "usage: %s [repeats]\n", argv[0]);
    return 2;
  }
  std::printf("%-15s %-22s %6s %12s %12s  %s\n", "layer", "shape", "layers",
              "s8 GMAC/s", "u8 GMAC/s", "s8 kernel");
  bool exact = true;
  double microseconds = 0;
  int64_t macs = 0;
  for (const NamedConv &layer : resnet20Convs) {
    const ConvShape &s = layer.shape;
    ConvShape u8 = s;
    u8.unsignedInput = true;
    char shape[64];
    std::snprintf(shape, sizeof shape, "%dx%dx%d->%dx%dx%d", s.inHeight,
                  s.inWidth, s.inChannels, s.outHeight(), s.outWidth(),
                  s.outChannels);
    double speed = timeOneDnnConv(s, repeats);
    if (speed == 0) {
      std::fprintf(stderr, "oneDNN has no convolution %s\n", shape);
      return 1;
    }
    exact &= oneDnnConvIsExact(s) && oneDnnConvIsExact(u8);
    std::printf("%-15.*s %-22s %6d %12.1f %12.1f  %s\n", int(layer.name.size()),
                layer.name.data(), shape, layer.count, speed,
                timeOneDnnConv(u8, repeats), oneDnnConvKernel(s).c_str());
    macs += s.macs() * layer.count;
    microseconds += s.macs() * layer.count / speed * 1e-3;
  }
  std::printf("all convolutions, s8: %.1f MMAC in %.1f us, %.1f GMAC/s\n",
              macs * 1e-6, microseconds, macs / microseconds * 1e-3);
  std::printf("outputs: %s\n", exact ? "exact" : "NOT EXACT on this host");
  return exact ? 0 : 1;
}
