//===- ConvLayer.h - A convolution in the tensor engine's terms -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Convolution, depthwise convolution and fully connected layers (a 1x1
// convolution over rows) as the tensor engine sees them: the fields of the
// command that do not depend on the tile, the constants behind them, and the
// proof that no sum leaves the accumulators.
//
//   ConvLayer layer;
//   if (!describeConv(call, layer) || !fitsAccumulator(layer)) return false;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_CONVLAYER_H
#define YARROW_PASSES_LOWER_CONVLAYER_H

#include "kernels/Activation.h"
#include "passes/lower/Lowering.h"

namespace yarrow::npu {

struct ConvLayer {
  isa::Conv base; ///< everything that does not depend on the tile
  uint32_t batch = 1, inH = 1, inW = 1, inC = 1, outH = 1, outW = 1, outC = 1;
  uint32_t groups = 1;
  bool depthwise = false;
  uint64_t inElem = 1, outElem = 1, weightElem = 1, residualElem = 1;
  uint64_t filterElements = 0; ///< weights per output channel
  kernels::Requant requant;
  bool hasResidual = false;
  /// Scales and shifts if requant.perChannel, slopes of PRELU.
  compass::ConstantView weights, biases, scales, shifts, slopes;

  /// Output channels are cut in multiples of this.
  uint32_t channelUnit() const {
    return depthwise ? outC / inC : outC / groups;
  }
  bool splitsInput() const { return depthwise || groups > 1; }
};

/// Geometry, requantization and constants of the kernel call; false if the
/// engine lacks something.
bool describeConv(const KernelCall &call, ConvLayer &layer);

/// Adds the residual add's own requantization.
bool describeResidual(mlir::Operation *add, const FusedLayer &fused,
                      ConvLayer &layer);

/// Adds the look-up table; its result is what the command writes.
bool describeTable(mlir::Operation *lookup, KernelCall &call, ConvLayer &layer);

/// Does every sum, in any order, fit the accumulators?
bool fitsAccumulator(const ConvLayer &layer);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_CONVLAYER_H
