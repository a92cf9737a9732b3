//===- ChannelClasses.h - Channels that share a factor ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A channel of a tensor can become larger or smaller by a positive factor if
// its producer and its readers have weights that absorb the factor. Layers
// without weights pass it on: a sum's operands and its result have one factor,
// and so have the tensors before and after a rectifier, a pool or a Concat.
// Gamma and beta of a norm absorb the factor of its result; the operand's
// factor does not matter to InstanceNorm. Channels that share a factor are a
// class; class 0 has channels that must not change, such as those of inputs,
// outputs and operands of a Sigmoid.
//
//   ChannelClasses classes(network, /*mayChange=*/{});
//   for (unsigned k : classes.of(tensor)) // by channel
//     if (k != ChannelClasses::kFixed)
//       ... factors[k] ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_CHANNELS_CHANNELCLASSES_H
#define YARROW_QUANTIZER_CHANNELS_CHANNELCLASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"

#include <functional>
#include <vector>

namespace yarrow {

class ChannelWeights;

/// Whether the activation of \p op keeps f(s * x) = s * f(x) for s > 0. A bound
/// above 0 does not.
bool isHomogeneous(mlir::Operation *op);

/// What an activation bounds values by; infinite on a side where it does not.
struct ActivationBounds {
  double low, high;
  /// Whether none of the values, \p room times as far from 0, meets a bound.
  bool holds(double least, double most, double room) const {
    return room * least > low && room * most < high;
  }
};

class ChannelClasses {
public:
  static constexpr unsigned kFixed = 0;
  /// What a bound such as that of RELU6 does to the channels before it.
  enum class Bounds {
    Fix,  ///< They have to stay as they are.
    Pass, ///< They may change as long as bounded() holds.
  };

  /// Of the tensors of all graphs, whose last axis is that of channels.
  /// \p mayChange says whose weights may be changed; all, if it is empty.
  ChannelClasses(mlir::ModuleOp network,
                 const std::function<bool(mlir::Operation *)> &mayChange,
                 Bounds bounds = Bounds::Fix);

  /// How many there are, that of kFixed included.
  unsigned count() const { return classes.getNumClasses(); }
  /// By channel; empty of tensors without channels.
  std::vector<unsigned> of(mlir::Value value) const;
  /// The tensors that have channels, in the order of the network.
  const llvm::MapVector<mlir::Value, unsigned> &tensors() const {
    return firsts;
  }
  /// Results whose activation passes a factor on as long as the channel does
  /// not meet a bound, such as that of RELU6, with it or without.
  const llvm::MapVector<mlir::Value, ActivationBounds> &bounded() const {
    return bounds;
  }

private:
  unsigned channelsOf(mlir::Value value) const;
  /// The element of channel \p c.
  unsigned element(mlir::Value value, unsigned c) const;
  bool isFixed(mlir::Value value, unsigned c) const;
  void join(mlir::Value a, unsigned channelOfA, mlir::Value b,
            unsigned channelOfB);
  void joinAll(mlir::Value a, mlir::Value b);
  void fix(mlir::Value value);
  void fixAll(mlir::Operation *op);

  /// Whether the activation of \p op passes factors on, within bounds at least.
  bool passesFactors(mlir::Operation *op);
  void joinOf(mlir::Operation *op);
  void joinNorm(mlir::Operation *op, const ChannelWeights &norm);
  /// Each returns false where it can say nothing of \p op.
  bool joinBinary(mlir::Operation *op);
  bool joinMoved(mlir::Operation *op);
  bool keepsChannels(mlir::Operation *op);
  bool joinSlice(mlir::Operation *op);
  bool joinPad(mlir::Operation *op);
  void joinParts(mlir::Operation *op);
  void joinProduct(mlir::Operation *op);

  const std::function<bool(mlir::Operation *)> &mayChange;
  const bool passesBounds;
  /// The element of each tensor's first channel; element 0 is kFixed.
  llvm::MapVector<mlir::Value, unsigned> firsts;
  llvm::MapVector<mlir::Value, ActivationBounds> bounds;
  llvm::IntEqClasses classes;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_CHANNELS_CHANNELCLASSES_H
