//===- Reconstruct.cpp - Blocks that learn to be the float ones -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//
// All integer weights and biases of a block change together until the block,
// given the integer network's inputs, has the outputs of the float block for
// the float network's (BRECQ, Li et al., 2021; docs/quantization.md). Scales
// stay: they are final. A quarter of the samples is never learned from; a block
// is changed only if it is better on those.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rounding/BlockModel.h"
#include "quantizer/rounding/LearnedRows.h"
#include "quantizer/rounding/Rounding.h"
#include "support/ThreadPool.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace yarrow;

namespace {

class BlockTraining {
public:
  BlockTraining(BlockModel &model, const JointLayer &first, unsigned operand,
                const GlobalMethod &method, uint64_t seed)
      : model(model), method(method), xs(first.numSamples),
        targets(first.numSamples), learned(someSamples(false)),
        held(someSamples(true)), order(learned.size(), seed) {
    parallelFor(xs.size(), [&](std::size_t s) {
      FloatValues x = first.intOperand(s, operand);
      xs[s].assign(x.get().begin(), x.get().end());
      targets[s] = model.floatOutput(first.floatOperand(s, operand).get());
    });
  }

  /// Whether the block has become better, and is stored.
  bool run() {
    BlockModel::Values values = model.values();
    double before = errorOf(values);
    learn(values);
    if (!(errorOf(values) < before))
      return false;
    model.store(model.rounded(values));
    return true;
  }

private:
  /// Each fourth sample is held out; a few are too few to do without.
  std::vector<std::size_t> someSamples(bool areHeld) const {
    std::vector<std::size_t> list;
    for (std::size_t s = 0; s < xs.size(); ++s)
      if (xs.size() < 8 || (s % 4 == 3) == areHeld)
        list.push_back(s);
    return list;
  }

  /// On the samples held out.
  double errorOf(const BlockModel::Values &values) const {
    BlockModel::Values rounded = model.rounded(values);
    std::vector<double> errors(held.size());
    parallelFor(held.size(), [&](std::size_t i) {
      errors[i] = model.error(rounded, xs[held[i]], targets[held[i]]);
    });
    double sum = 0;
    for (double e : errors)
      sum += e;
    return sum;
  }

  void learn(BlockModel::Values &values) {
    // So many sums of slopes are kept, whatever the number of threads.
    constexpr std::size_t kParts = 4;
    auto steps = std::size_t(std::max(0.0, method.value("steps")));
    double weightRate = method.value("lr_w"), biasRate = method.value("lr_b");
    std::vector<Adam> ofWeights, ofBiases;
    for (std::size_t m = 0; m < model.macs.size(); ++m) {
      ofWeights.emplace_back(values.weights[m].size(), weightRate);
      ofBiases.emplace_back(values.biases[m].size(), biasRate);
    }
    std::vector<BlockModel::Values> slopes(kParts, values);
    for (std::size_t step = 0; step < steps; ++step) {
      const std::vector<std::size_t> &batch =
          order.next(std::size_t(std::max(1.0, method.value("batch_size"))));
      BlockModel::Values rounded = model.rounded(values);
      parallelFor(kParts, [&](std::size_t part) {
        slopes[part].clear();
        for (std::size_t i = part; i < batch.size(); i += kParts) {
          std::size_t s = learned[batch[i]];
          model.addSlopes(rounded, xs[s], targets[s], slopes[part]);
        }
      });
      for (std::size_t part = 1; part < kParts; ++part)
        slopes[0].add(slopes[part]);
      double rest =
          0.5 * (1 + std::cos(std::numbers::pi * double(step) / double(steps)));
      for (std::size_t m = 0; m < model.macs.size(); ++m) {
        ofWeights[m].setRate(weightRate * rest);
        ofBiases[m].setRate(biasRate * rest);
        ofWeights[m].step(slopes[0].weights[m], values.weights[m]);
        ofBiases[m].step(slopes[0].biases[m], values.biases[m]);
      }
    }
  }

  BlockModel &model;
  const GlobalMethod &method;
  std::vector<std::vector<float>> xs, targets; ///< By sample.
  const std::vector<std::size_t> learned, held;
  SampleOrder order; ///< Of `learned`.
};

} // namespace

bool yarrow::reconstructBlocks(const JointTask &task) {
  JointForward forward;
  if (!forward.create(task.floatModule, task.intModule, task.arrays,
                      task.wantedSamples(), task.diags))
    return false;
  llvm::DenseMap<mlir::Operation *, Block> blocks;
  for (Block &block : blocksOf(forward.pairs()))
    blocks[block.layers.front().intOp] = std::move(block);
  std::size_t done = 0;
  bool isAny = false;
  auto atLayer = [&](const JointLayer &layer) {
    ++done;
    if (task.progress)
      task.progress(done, forward.numLayers());
    auto block = blocks.find(layer.intOp);
    if (block == blocks.end() ||
        llvm::any_of(block->second.layers, [&](const auto &pair) {
          return pair.floatOp && !task.method.appliesTo(pair.floatOp);
        }))
      return;
    auto model = BlockModel::create(block->second, task.options);
    if (!model)
      return;
    auto operand =
        unsigned(llvm::find(layer.intOp->getOperands(), block->second.input) -
                 layer.intOp->operand_begin());
    isAny |= BlockTraining(*model, layer, operand, task.method, done).run();
  };
  if (!forward.run(atLayer, task.diags) || !isAny)
    return false;
  if (task.atEnd)
    task.atEnd(forward);
  return true;
}
