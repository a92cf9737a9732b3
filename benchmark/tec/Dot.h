//===- Dot.h - Sizes of the matrix product of the benchmark -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Shared by the program on the TEC and what counts its multiplications.
//
//   double macs = double(kDotRows) * kDotInputs * kDotOutputs * kDotRepeats;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_BENCHMARK_TEC_DOT_H
#define YARROW_BENCHMARK_TEC_DOT_H

#include <stdint.h>

namespace yarrow::benchmark {

constexpr uint32_t kDotRows = 16, kDotInputs = 1024, kDotOutputs = 256;
constexpr uint32_t kDotRepeats = 200;

} // namespace yarrow::benchmark

#endif // YARROW_BENCHMARK_TEC_DOT_H
