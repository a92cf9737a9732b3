//===- ConvBlob.h - The constants of a convolution's command --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Weights (of each phase), tap shifts of Winograd, bias, scales, shifts and
// slopes of some output channels, packed for one copy to SRAM. Parts start at
// multiples of 16 bytes; tap shifts follow the weights, where the engine looks
// for them.
//
//   packIfNarrow(layer);
//   WeightPart part{.firstChannel = 16, .channels = 16, .phases = 1};
//   ConvBlob blob = ConvBlob::layout(layer, part);
//   command.bias = blob.bias;
//   std::vector<char> bytes = packBlob(layer, part);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_DESCRIBE_CONVBLOB_H
#define YARROW_PASSES_LOWER_DESCRIBE_CONVBLOB_H

#include "passes/lower/describe/ConvLayer.h"

namespace yarrow::npu {

/// The output channels and phases that a blob is for.
struct WeightPart {
  uint32_t firstChannel = 0, channels = 0;
  uint32_t firstPhase = 0, phases = 1;
};

/// Byte offsets of the parts; the weights of the first phase are at 0.
struct ConvBlob {
  llvm::SmallVector<uint64_t, 4> weights; ///< of each phase
  uint64_t biasBytes = 0; ///< from one phase's to the next one's; 0: one bias
  uint64_t tapShifts = 0, bias = 0, scales = 0, shifts = 0, slopes = 0,
           sizeBytes = 0;

  static ConvBlob layout(const ConvLayer &layer, const WeightPart &part);
};

/// Weights that all fit 4 bits take half the bytes, in DDR, on the bus and in
/// SRAM. For layers whose weights are those of its commands; Winograd's mode
/// has no such form.
void packIfNarrow(ConvLayer &layer);

std::vector<char> packBlob(const ConvLayer &layer, const WeightPart &part);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_DESCRIBE_CONVBLOB_H
