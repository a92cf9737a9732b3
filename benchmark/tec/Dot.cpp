//===- Dot.cpp - The library's int8 matrix product on a TEC ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Fully connected layers of int8 with the kernel of the operator library, whose
// inner loop is that of convolutions too.
//
//===----------------------------------------------------------------------===//
#include "benchmark/tec/Dot.h"
#include "benchmark/tec/Start.h"
#include "kernels/conv/Gemm.h"

using namespace yarrow::kernels;
using namespace yarrow::benchmark;

extern "C" void yk_fully_connected_int(const void *params, void *const *buffers,
                                       uint32_t task, uint32_t taskCount);

static int8_t input[kDotRows * kDotInputs], weights[kDotOutputs * kDotInputs];
static int8_t output[kDotRows * kDotOutputs];
static int32_t bias[kDotOutputs];

int main() {
  uint32_t state = 1;
  auto fill = [&](int8_t *values, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
      values[i] = int8_t((state = state * 1664525 + 1013904223) >> 24);
  };
  fill(input, sizeof input);
  fill(weights, sizeof weights);
  FullyConnectedIntParams params;
  params.rows = kDotRows;
  params.inFeatures = kDotInputs;
  params.outFeatures = kDotOutputs;
  params.requant.scale = 160;
  params.requant.shift = 20;
  void *buffers[7] = {input, weights, bias, nullptr, nullptr, nullptr, output};
  for (uint32_t repeat = 0; repeat < kDotRepeats; ++repeat)
    yk_fully_connected_int(&params, buffers, 0, 1);
  return 0;
}
