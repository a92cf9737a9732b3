//===- BlockModel.h - A block of a network that can learn -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The layers of a block as functions of their integer weights: convolutions and
// fully connected layers, rectified or not, and sums. Each result is rounded
// and clipped to its tensor's grid as the integer network does; a loss's slope
// goes back through the rounding as if there were none, and through what was
// not clipped (the straight-through estimator).
//
//   auto model = BlockModel::create(block, options);
//   model->floatOutput(x);                       // the float layers' result
//   BlockModel::Values v = model->roundedValues();
//   model->addSlopes(v, x, target, slopes);      // of |output - target|^2 / 2
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_ROUNDING_BLOCKMODEL_H
#define YARROW_QUANTIZER_ROUNDING_BLOCKMODEL_H

#include "quantizer/rounding/Blocks.h"
#include "quantizer/rounding/IntegerWeights.h"
#include "quantizer/rounding/MacGradient.h"

#include <optional>
#include <span>
#include <vector>

namespace yarrow {

class BlockModel {
public:
  /// More layers with weights than that take too long together.
  static constexpr std::size_t kMostMacs = 16;

  /// Nullopt if there is a layer of another kind, none with weights, or more
  /// than kMostMacs.
  static std::optional<BlockModel> create(const Block &block,
                                          const QuantizerOptions &options);

  struct Mac {
    mlir::Operation *floatOp;
    Im2col map;
    IntegerWeights weights;
  };
  std::vector<Mac> macs;

  /// For each of `macs`: weights in steps, and biases in steps of the result.
  struct Values {
    std::vector<std::vector<float>> weights, biases;
    void clear();
    void add(const Values &other);
  };
  /// As the integer network has them now: weights keep what rounding has left
  /// over, if they were rounded to the nearest.
  Values values() const;
  /// Whole weights within their range.
  Values rounded(const Values &values) const;
  /// Gives the integer network these, which were rounded.
  void store(const Values &rounded);

  std::vector<float> floatOutput(std::span<const float> x) const;
  /// Square error of the block's output, with rounded \p values. \p target is
  /// floatOutput of the float network's x.
  double error(const Values &values, std::span<const float> x,
               std::span<const float> target) const;
  void addSlopes(const Values &values, std::span<const float> x,
                 std::span<const float> target, Values &slopes) const;

private:
  /// What makes tensor i + 1 of the block; tensor 0 is its input.
  struct Node {
    std::vector<std::size_t> operands; ///< One for a mac, two for a sum.
    std::optional<std::size_t> mac;    ///< Of `macs`.
    float lowest, highest;             ///< Of the activation.
    compass::TensorInfo out;           ///< In the integer network.
  };
  using Tensors = std::vector<std::vector<float>>;

  bool addNode(const LayerPair &layer, const QuantizerOptions &options,
               llvm::DenseMap<mlir::Value, std::size_t> &tensors);
  std::vector<float> realWeights(const Mac &mac,
                                 std::span<const float> inSteps) const;
  std::vector<float> realBiases(const Node &node,
                                std::span<const float> biases) const;
  /// The node's result before activation.
  std::vector<float> sums(const Node &node, const Tensors &tensors,
                          std::span<const float> weights,
                          std::span<const float> biases) const;
  /// All tensors of the integer network; \p isFree: by tensor, where the slope
  /// goes through.
  Tensors integerTensors(const Values &values, std::span<const float> x,
                         std::vector<std::vector<char>> *isFree) const;

  std::vector<Node> nodes;
  std::size_t output = 0; ///< The block's result, of its tensors.
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_ROUNDING_BLOCKMODEL_H
