//===- LayerNoise.cpp - What each layer's 8 bits do to the outputs --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/precision/LayerNoise.h"

#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Traits.h"
#include "dialects/compass/control/GraphCalls.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quantizer/Quantizer.h"
#include "quantizer/metrics/Sensitivity.h"
#include "quantizer/rules/SharedScale.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::compass;

/// Layers that are run again, over all samples that sensitivity is measured on:
/// few samples of a deep network tell as much as many of a flat one.
static constexpr std::size_t kStudiedLayers = 480, kMostStudied = 8;

std::vector<mlir::Operation *> yarrow::layersWithBits(mlir::ModuleOp network) {
  std::vector<mlir::Operation *> layers;
  for (mlir::Operation &op :
       mainGraph(network).getBody().front().without_terminator())
    if (recordOf(&op) && op.hasAttr(kLayerIdAttr) && hasErrorOfItsOwn(&op) &&
        calledGraphs(&op).empty() && op.getNumResults() != 0 &&
        describe(op.getResult(0)).isFloat() && !sharedOperand(&op, 0))
      layers.push_back(&op);
  return layers;
}

llvm::SmallVector<mlir::Value, 1>
yarrow::resultsWithBitsOf(mlir::Value value, mlir::Operation *user) {
  llvm::SmallVector<mlir::Value, 1> results;
  if (!recordOf(user))
    return results;
  bool moves = user->hasTrait<trait::MovesOnly>();
  for (mlir::OpResult result : user->getResults()) {
    auto shared = sharedOperand(user, result.getResultNumber());
    if (moves || (shared && user->getOperand(*shared) == value))
      results.push_back(result);
  }
  return results;
}

/// Whether \p value is a result of the network, also behind moves.
static bool isOutput(mlir::Value value) {
  return llvm::any_of(value.getUsers(), [&](mlir::Operation *user) {
    return llvm::isa<mlir::func::ReturnOp>(user) ||
           llvm::any_of(resultsWithBitsOf(value, user), isOutput);
  });
}

/// Recurrent layers of integers have weights of 8 bits.
static bool takesWiderWeights(mlir::Operation *layer,
                              const LayerOptions &options) {
  return llvm::isa<ConvolutionOp, DepthwiseConvOp, ConvTransposeOp,
                   FullyConnectedOp>(layer) &&
         !options.floatType && options.weightBits <= 8 &&
         options.winograd == WinogradTransform::None;
}

std::vector<double> yarrow::noiseOfParts(const OutputLoss &loss) {
  std::vector<double> noise;
  for (const Similarity &part : loss.parts)
    noise.push_back(
        part.signalSquares > 0 ? part.noiseSquares / part.signalSquares : 0);
  return noise;
}

/// Of each part, by the signal of all samples: that of the few that were
/// studied may be next to nothing, such as the score of what none of them
/// shows.
static std::vector<double> noiseByWhole(const LayerLoss &loss,
                                        const OutputLoss &whole,
                                        double samplesByStudied) {
  std::vector<double> noise;
  for (auto [part, all] : llvm::zip_equal(loss.parts, whole.parts))
    noise.push_back(all.signalSquares > 0
                        ? part.noiseSquares * samplesByStudied /
                              all.signalSquares
                        : 0);
  return noise;
}

/// The shares of what \p layer loses that more bits take away.
static void splitNoise(mlir::Operation *layer, const LayerLoss &loss,
                       const LayerOptions &options, BitsLayer &entry) {
  // A layer without weights has no other error than that of its result.
  bool hasWeights = bool(tensorKey(layer, keys::weights));
  entry.removable = !hasWeights || loss.ownSquares == 0
                        ? 1
                        : std::min(1.0, loss.storedSquares / loss.ownSquares);
  if (takesWiderWeights(layer, options))
    entry.inWeights = 1 - entry.removable;
}

std::optional<std::vector<BitsLayer>> yarrow::measureLayerNoise(
    const FinishedTask &finished, llvm::ArrayRef<mlir::Operation *> layers,
    const std::function<void(std::size_t, std::size_t)> &progress,
    DiagnosticEngine &diags) {
  std::size_t samples = std::clamp<std::size_t>(
      kStudiedLayers / std::max<std::size_t>(1, layers.size()), 1,
      kMostStudied);
  SensitivityTask study{finished.network,
                        {*finished.now.quantized},
                        finished.judge,
                        finished.samples,
                        samples};
  study.progress = progress;
  auto losses = measureSensitivity(study, diags);
  if (!losses)
    return std::nullopt;
  std::size_t studied = std::min(samples, finished.judge.count());
  std::vector<BitsLayer> noise;
  for (mlir::Operation *layer : layers) {
    BitsLayer &entry = noise.emplace_back();
    entry.isOutput = llvm::any_of(layer->getResults(), isOutput);
    entry.noise.resize(finished.now.loss.parts.size());
    auto found = losses->front().find(layer);
    if (found == losses->front().end())
      continue;
    entry.noise =
        noiseByWhole(found->second, finished.now.loss,
                     double(finished.judge.count()) / double(studied));
    splitNoise(layer, found->second, optionsOf(layer, finished.now.options),
               entry);
  }
  return noise;
}
