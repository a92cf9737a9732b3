//===- ChannelFactors.h - Factors between channels and the model -*- C++ -*-==//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Quantization can scale a tensor's channels, if the weights on both sides
// compensate. The layer then has the factors (`channel_factors`, a float32 for
// each channel), so that its values can be compared with those of the original
// network.
//
//   setChannelFactors(op, {1, 4, 0.5});
//   toChannelsOf(integerTensor, floatValues); // as large as in the former
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CHANNELFACTORS_H
#define YARROW_DIALECTS_COMPASS_CHANNELFACTORS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <span>

namespace yarrow::compass {

/// Of the only result of \p op.
void setChannelFactors(mlir::Operation *op, llvm::ArrayRef<float> factors);

/// By channel; empty where all are as the model has them.
llvm::SmallVector<double> channelFactors(mlir::Value tensor);

/// Whether channels of \p tensor have factors.
bool hasChannelFactors(mlir::Value tensor);

/// Multiplies \p values, which lie as those of \p tensor, by its factors.
void toChannelsOf(mlir::Value tensor, std::span<float> values);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_CHANNELFACTORS_H
