//===- Float.cpp - A scalar float loop for a TEC --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Points of the Mandelbrot set in double precision: dependent multiplications,
// additions and comparisons. Exits with 0 if the count is the known one.
//
//===----------------------------------------------------------------------===//
#include "benchmark/tec/Start.h"

constexpr int kSide = 512, kDepth = 1024;

int main() {
  int inside = 0;
  for (int row = 0; row < kSide; ++row)
    for (int column = 0; column < kSide; ++column) {
      double cx = column * (3.0 / kSide) - 2.25, cy = row * (3.0 / kSide) - 1.5;
      double x = 0, y = 0;
      int depth = 0;
      while (depth < kDepth && x * x + y * y < 4) {
        double next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        ++depth;
      }
      inside += depth == kDepth;
    }
  return inside < 40000 || inside > 48000;
}
