//===- HostConv.h - Convolutions on the host --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Integer convolutions for hosts with instructions that add up products of
// bytes and words (AVX-512 VNNI). They compute the same integers as the loops
// in Conv.cpp, because sums are exact in any order, several times as fast. Also
// depthwise float convolutions with the host's vectors. TECs do not use them.
//
//   if (convolveOnHost({p, input, weights, bias, scale, shift, slope, output},
//                      task, taskCount))
//     return;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_CONV_HOSTCONV_H
#define YARROW_KERNELS_CONV_HOSTCONV_H

#include "kernels/conv/ConvParams.h"

#ifdef __x86_64__

namespace yarrow::kernels {

/// A convolution with its buffers, as of Conv2DInt.
struct HostConv {
  const Conv2DIntParams &p;
  const void *input, *weights, *bias, *scale, *shift, *slope;
  void *output;
};

/// The task's rows. False, and nothing is done, where the host lacks the
/// instructions or the loops of Conv.cpp are as fast.
bool convolveOnHost(const HostConv &conv, uint32_t task, uint32_t taskCount);
/// The same of DepthwiseConv2DInt.
bool convolveDepthwiseOnHost(const HostConv &conv, uint32_t task,
                             uint32_t taskCount);

/// Floats of a depthwise convolution.
struct HostFloatConv {
  const float *input, *weights, *bias;
  float *output;
};
/// The same of DepthwiseConv2DFloat, to the bit, where its tensors are of
/// float32.
bool convolveDepthwiseOnHost(const Conv2DFloatParams &p,
                             const HostFloatConv &conv, uint32_t task,
                             uint32_t taskCount);

} // namespace yarrow::kernels

#endif // __x86_64__

#endif // YARROW_KERNELS_CONV_HOSTCONV_H
