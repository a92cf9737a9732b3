//===- RoundWeights.cpp - A method over the layers of a network -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/options/GlobalMethodKind.h"
#include "quantizer/rounding/Rounding.h"

#include <cassert>

using namespace yarrow;

using Round = void (*)(WeightedLayer &);

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

bool yarrow::roundWeights(const JointTask &task) {
  if (task.method.record->kind == GlobalMethodKind::Reconstruct)
    return reconstructBlocks(task);
  Round round = functionOf(task.method.record->kind);
  return forWeightedLayers(task, task.wantedSamples(),
                           [&](WeightedLayer &layer) {
                             round(layer);
                             layer.weights.store();
                           });
}
