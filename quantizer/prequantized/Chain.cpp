//===- Chain.cpp - A layer and what is done before it is stored -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/prequantized/Chain.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Traits.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;

void RealBounds::clamp(double least, double most) {
  lo = std::min(std::max(lo, least), most);
  hi = std::min(std::max(hi, least), most);
}

/// Adds what the word \p key of \p op clamps to; false if it is no clamp.
static bool addClamp(mlir::Operation *op, WordKey key, RealBounds &bounds) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::string word = wordKey(op, key, "NONE");
  if (word == "RELU")
    bounds.clamp(0, kNone);
  else if (word == "RELU6")
    bounds.clamp(0, 6);
  else if (word == "CLIP") {
    auto lo = numberOf(op->getAttr(keys::clip_min)),
         hi = numberOf(op->getAttr(keys::clip_max));
    if (!lo || !hi || std::isnan(*lo) || std::isnan(*hi))
      return false;
    bounds.clamp(*lo, *hi);
  } else if (word != "NONE")
    return false;
  return true;
}

bool yarrow::isActivation(mlir::Operation *op) {
  return recordOf(op)->rule == RuleClass::ActivationRule;
}

static bool isClamp(mlir::Operation *op) {
  return isActivation(op) && wordKey(op, keys::method) != "NONE";
}

/// Reshape, Transpose and their like: each value of the result is one of the
/// operand's.
static bool onlyMoves(mlir::Operation *op) {
  return op->hasTrait<trait::MovesOnly>() &&
         recordOf(op)->rule == RuleClass::PassRule;
}

std::optional<Chain> yarrow::chainOf(mlir::Operation *op) {
  Chain chain{op};
  if (op->hasTrait<trait::FusesActivation>() &&
      !addClamp(op, keys::with_activation, chain.bounds))
    return std::nullopt;
  if (isActivation(op))
    addClamp(op, keys::method, chain.bounds);
  while (describe(chain.last()->getResult(0)).isFloat()) {
    mlir::Value value = chain.last()->getResult(0);
    mlir::Operation *next = value.hasOneUse() && op->getNumResults() == 1
                                ? *value.getUsers().begin()
                                : nullptr;
    if (!next || !recordOf(next) || next->getNumOperands() != 1 ||
        next->getNumResults() != 1)
      return std::nullopt;
    if (!onlyMoves(next) &&
        !(isClamp(next) && addClamp(next, keys::method, chain.bounds)))
      return std::nullopt;
    chain.after.push_back(next);
  }
  return chain;
}
