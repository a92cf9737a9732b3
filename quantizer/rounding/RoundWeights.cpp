//===- RoundWeights.cpp - A method over the layers of a network -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/calibrate/Calibrate.h"
#include "quantizer/options/GlobalMethodKind.h"
#include "quantizer/rounding/Rounding.h"

#include <cassert>

using namespace yarrow;

using Round = void (*)(const RoundingLayer &);

static Round functionOf(GlobalMethodKind kind) {
  switch (kind) {
  case GlobalMethodKind::AdaRound:
    return learnRounding;
  case GlobalMethodKind::AdaQuant:
    return learnWeights;
  case GlobalMethodKind::Gptq:
  case GlobalMethodKind::GptqZy:
    return roundByMoments;
  case GlobalMethodKind::BiasCorrection:
    return correctBiases;
  default:
    assert(false && "not a method that rounds");
    return nullptr;
  }
}

/// How many samples a method wants: ours say so, those of the reference count
/// batches of the calibration.
static std::size_t samplesFor(const GlobalMethod &method,
                              const QuantizerOptions &options) {
  if (method.record->parameters.starts_with("samples"))
    return std::size_t(std::max(1.0, method.value("samples")));
  return std::size_t(std::max(1.0, method.value("batches"))) *
         std::max(1u, options.calibrationBatchSize);
}

bool yarrow::roundWeights(mlir::ModuleOp floatModule, mlir::ModuleOp intModule,
                          const GlobalMethod &method,
                          const QuantizerOptions &options,
                          const std::vector<NpyView> &arrays,
                          const RoundingProgress &progress,
                          DiagnosticEngine &diags) {
  Round round = functionOf(method.record->kind);
  JointForward forward;
  if (!forward.create(floatModule, intModule, arrays,
                      samplesFor(method, options), diags))
    return false;
  std::size_t done = 0;
  bool isAny = false;
  auto atLayer = [&](const JointLayer &layer) {
    ++done;
    if (progress)
      progress(done, forward.numLayers());
    if (!method.appliesTo(layer.floatOp))
      return;
    auto weights = IntegerWeights::of(layer.floatOp, layer.intOp,
                                      optionsOf(layer.floatOp, options));
    if (!weights)
      return;
    LayerRows rows(layer);
    round({layer, rows, method, /*seed=*/done, *weights});
    weights->store();
    isAny = true;
  };
  return forward.run(atLayer, diags) && isAny;
}
