//===- ChannelOrder.h - Channels of a result in another order ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The channels of a convolution come in the order of its filters, so that an
// order costs nothing where a convolution makes or reads it.
//
//   SmallVector<int64_t> from = {0, 2, 1, 3}; // new channel 1 is the old one 2
//   if (canReorderChannels(conv))
//     reorderChannels(conv, from);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_CLEANUP_CHANNELORDER_H
#define YARROW_PASSES_CLEANUP_CHANNELORDER_H

#include "dialects/compass/Tensors.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace yarrow::cleanup {

/// A value that the DMA picks costs about as much as so many products: 16
/// values and 4,096 products a cycle, and half of that as the DMA works beside
/// the array.
constexpr int64_t kProductsPerPickedValue = 128;

/// Of the results of a ChannelShuffle, one after the other: which channel of
/// its operand each of theirs is.
llvm::SmallVector<int64_t> shuffledOrder(mlir::Operation *shuffle);

/// Channels of the last axis of \p source, in the order of a value's.
struct PickedChannels {
  mlir::Value source;
  llvm::SmallVector<int64_t> channels;
};
/// What a slice of the channels alone, or a result of a ChannelShuffle, picks.
std::optional<PickedChannels> pickedChannels(mlir::Value value);

/// The weights [output, rows, columns, input] of \p conv, a convolution of
/// integers, if 0 among them multiplies to 0.
std::optional<compass::ConstantView> filtersWithZero(mlir::Operation *conv);

/// The weights of \p conv, \p some of [output, rows, columns, input], for
/// \p all inputs: those of input i go to inputOf(output, i), and others are 0.
mlir::ElementsAttr
withInputs(mlir::Operation *conv, const compass::ConstantView &some,
           int64_t all,
           llvm::function_ref<int64_t(int64_t output, int64_t input)> inputOf);

/// Whether \p layer, a convolution or depthwise convolution of integers, can
/// make its channels in any order: all that it has for each channel is known.
/// Filters of groups stay in theirs, which is for the caller to see to.
bool canReorderChannels(mlir::Operation *layer);

/// Filters, biases, scales and all else that there is for each channel.
void reorderChannels(mlir::Operation *layer, llvm::ArrayRef<int64_t> from);

} // namespace yarrow::cleanup

#endif // YARROW_PASSES_CLEANUP_CHANNELORDER_H
