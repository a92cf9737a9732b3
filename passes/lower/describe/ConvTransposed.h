//===- ConvTransposed.h - Transposed convolutions as direct ones *- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A transposed convolution writes out[i * stride + k * dilation - pad] from
// in[i]. The outputs at one place of every stride are reached by the same taps
// k, and by inputs that lie side by side: they are a convolution of stride 1
// with those taps, in reverse. So the layer is stride_y * stride_x convolutions
// (phases) whose outputs interleave, and which together do no more products
// than the layer has. Example, stride 2 and 3 taps:
//
//   out[2i]     = in[i - 1] * w[2] + in[i] * w[0]
//   out[2i + 1] = in[i] * w[1]
//
//   if (describeTransposed(call, layer) && fitsAccumulator(layer)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_DESCRIBE_CONVTRANSPOSED_H
#define YARROW_PASSES_LOWER_DESCRIBE_CONVTRANSPOSED_H

#include "passes/lower/describe/ConvLayer.h"

namespace yarrow::npu {

/// The call of ConvTranspose2DInt as phases; false if the engine lacks
/// something, or a stride has very many places.
bool describeTransposed(const KernelCall &call, ConvLayer &layer);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_DESCRIBE_CONVTRANSPOSED_H
