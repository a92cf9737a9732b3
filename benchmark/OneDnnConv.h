//===- OneDnnConv.h - oneDNN's convolution as a yardstick -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The simulator's engines and the evaluator compute on the host, so their speed
// is judged against the best convolution a host library has. Both sides should
// be timed in the same run, on one thread: the clock and the load of a machine
// change.
//
//   ConvShape shape = conv3x3(32, 16, 16, 1);
//   if (oneDnnConvIsExact(shape))
//     double gmacsPerSecond = timeOneDnnConv(shape, /*repeats=*/20);
//
// oneDNN may reconfigure the AMX tiles of the calling thread; a kernel that
// uses them must load its own tile configuration afterwards.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_BENCHMARK_ONEDNNCONV_H
#define YARROW_BENCHMARK_ONEDNNCONV_H

#include "benchmark/ConvShape.h"

#include <string>

namespace yarrow::benchmark {

/// Times the convolution (s8 or u8 source, s8 weights, s32 destination; or all
/// of them f32) on one thread, each tensor in the layout that oneDNN likes
/// best; reordering into it is not timed. Returns 10^9 multiply-accumulates per
/// second of the best of \p repeats samples, each of which lasts some 200 us; 0
/// if oneDNN has no such convolution.
double timeOneDnnConv(const ConvShape &shape, int repeats);

/// Whether every output of an int8 convolution equals plain int32 arithmetic,
/// on data with many extremes. False on hosts without VNNI, where oneDNN adds
/// pairs of products in saturating 16 bits: its time is then no fair yardstick.
bool oneDnnConvIsExact(const ConvShape &shape);

/// oneDNN's name of the implementation, such as "brgconv:avx512_core_vnni";
/// empty if there is none.
std::string oneDnnConvKernel(const ConvShape &shape);

} // namespace yarrow::benchmark

#endif // YARROW_BENCHMARK_ONEDNNCONV_H
