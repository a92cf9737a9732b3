//===- UnifyScales.cpp - One scale for tensors that meet ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/UnifyScales.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/graph/Graphs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quantizer/rules/TensorParams.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <limits>

using namespace yarrow::compass;

namespace yarrow {

static llvm::StringRef typeOf(mlir::Operation *op) {
  const OperatorRecord *record = recordOf(op);
  return record ? llvm::StringRef(record->layerType) : llvm::StringRef();
}

static const ScaleUnion *unionOf(mlir::Operation *op,
                                 const LayerOptions &options) {
  for (const ScaleUnion &one : options.scaleUnions)
    if (typeOf(op).equals_insensitive(one.layerType))
      return &one;
  return nullptr;
}

bool needsOneScale(mlir::ModuleOp module, const QuantizerOptions &options) {
  bool wants = false;
  module.walk([&](mlir::Operation *op) {
    if (!recordOf(op))
      return;
    LayerOptions own = optionsOf(op, options);
    wants |= unionOf(op, own) || own.sharesCacheScale;
  });
  return wants;
}

namespace {

/// How the tensors of a network would be quantized, by name.
class TrialScales {
public:
  TrialScales(mlir::ModuleOp module, const Calibration &calibration,
              QuantizerOptions options, const QuantizeFunction &quantize) {
    options.unifiesScales = false;
    mlir::IRMapping map;
    mlir::OwningOpRef<mlir::ModuleOp> copy =
        mlir::cast<mlir::ModuleOp>(module->clone(map));
    isValid = quantize(*copy, calibration.forCopy(map), options);
    if (isValid)
      copy->walk([&](mlir::Operation *op) {
        for (mlir::Value v : op->getResults())
          if (recordOf(op) && describe(v).isQuantized())
            byName.try_emplace(tensorNameOf(v), paramsOf(v));
      });
  }

  bool isValid = false;
  /// Null if \p value is no quantized tensor: plain integers, or floats.
  const LinearParams *of(mlir::Value value) const {
    auto it = byName.find(tensorNameOf(value));
    bool isPlain =
        it == byName.end() || (it->second.scale == 1 && it->second.zp == 0);
    return isPlain ? nullptr : &it->second;
  }

private:
  llvm::StringMap<LinearParams> byName;
};

/// The layers whose results shall have one scale because of a layer.
struct Meeting {
  mlir::Operation *op;
  ScaleUnion rule;
  llvm::SmallVector<mlir::Operation *> makers;
  float largest = 0, smallest = std::numeric_limits<float>::infinity(),
        mean = 0;
};

class Unifier {
public:
  Unifier(mlir::Block &body, const TrialScales &trial,
          const QuantizerOptions &options)
      : body(body), trial(trial), options(options) {}

  UnifiedScales run();

private:
  /// Whether a layer's own range decides the scale of its result.
  bool makesScale(mlir::Operation *op) const;
  /// The nearest such layers, \p from among them, all equally far.
  llvm::SmallVector<mlir::Operation *> nearestMakers(mlir::Operation *from,
                                                     const ScaleUnion &rule,
                                                     unsigned bits) const;
  void add(mlir::Operation *op, const ScaleUnion &rule, unsigned bits);
  void merge();
  void decide(const Meeting &meeting, UnifiedScales &result) const;
  void shareCaches(mlir::Operation *op, UnifiedScales &result) const;

  mlir::Block &body;
  const TrialScales &trial;
  const QuantizerOptions &options;
  std::vector<Meeting> meetings;
  /// Of each maker, also where a meeting lacks others and is off.
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<unsigned>> meetingsOf;
};

} // namespace

bool Unifier::makesScale(mlir::Operation *op) const {
  const LinearParams *out =
      op->getNumResults() ? trial.of(op->getResult(0)) : nullptr;
  if (!out)
    return false;
  static constexpr llvm::StringRef kAlways[] = {
      "Convolution",   "ConvTranspose",  "Convolution3D", "ConvTranspose3D",
      "DepthwiseConv", "FullyConnected", "RNN",           "BasicLSTM",
      "GRUv1",         "GRUv3",          "BatchNorm",     "LayerNorm",
      "InstanceNorm",  "GroupNorm",      "MatMul",        "Eltwise",
      "Concat",        "Input",          "Constant"};
  if (llvm::is_contained(kAlways, typeOf(op)) || op->getNumOperands() == 0)
    return true;
  // Of the others those that do not pass on their input's.
  const LinearParams *in = trial.of(op->getOperand(0));
  return typeOf(op) != "Cast" && in && in->scale != out->scale;
}

llvm::SmallVector<mlir::Operation *>
Unifier::nearestMakers(mlir::Operation *from, const ScaleUnion &rule,
                       unsigned bits) const {
  llvm::SmallVector<mlir::Operation *> level{from};
  llvm::DenseSet<mlir::Operation *> seen{from};
  for (int depth = 0; !level.empty() && (rule.depth < 1 || depth <= rule.depth);
       ++depth) {
    llvm::SmallVector<mlir::Operation *> makers, next;
    for (mlir::Operation *op : level) {
      if (makesScale(op) && optionsOf(op, options).activationBits == bits)
        makers.push_back(op);
      for (mlir::Value operand : op->getOperands())
        if (mlir::Operation *before = operand.getDefiningOp())
          if (seen.insert(before).second)
            next.push_back(before);
    }
    if (!makers.empty())
      return makers;
    level = std::move(next);
  }
  return {};
}

void Unifier::add(mlir::Operation *op, const ScaleUnion &rule, unsigned bits) {
  const LinearParams *first = trial.of(op->getOperand(0));
  for (mlir::Value operand : op->getOperands()) {
    const LinearParams *params = trial.of(operand);
    bool isSameType = bool(params) == bool(first) &&
                      (!params || (params->bits == first->bits &&
                                   params->isSigned == first->isSigned));
    if (!isSameType || !operand.getDefiningOp())
      return;
  }
  Meeting meeting{op, rule, {}};
  unsigned count = 0;
  bool isComplete = true;
  for (mlir::Value operand : op->getOperands()) {
    if (!trial.of(operand))
      continue;
    auto makers = nearestMakers(operand.getDefiningOp(), rule, bits);
    isComplete &= !makers.empty();
    for (mlir::Operation *maker : makers) {
      meeting.makers.push_back(maker);
      auto &known = meetingsOf[maker];
      if (!llvm::is_contained(known, unsigned(meetings.size())))
        known.push_back(unsigned(meetings.size()));
      float scale = trial.of(maker->getResult(0))->scale;
      meeting.largest = std::max(meeting.largest, scale);
      meeting.smallest = std::min(meeting.smallest, scale);
      meeting.mean += scale;
      ++count;
    }
  }
  meeting.mean /= std::max(1.0f, float(count));
  if (!isComplete)
    meeting.makers.clear();
  meetings.push_back(std::move(meeting));
}

/// Layers that a maker joins are treated as one, with the last one's rule.
void Unifier::merge() {
  llvm::IntEqClasses sets{unsigned(meetings.size())};
  for (const auto &[maker, numbers] : meetingsOf)
    for (unsigned number : numbers)
      sets.join(numbers.front(), number);
  sets.compress();
  std::vector<std::vector<const Meeting *>> groups(sets.getNumClasses());
  for (unsigned i = 0; i < meetings.size(); ++i)
    groups[sets[i]].push_back(&meetings[i]);
  std::vector<Meeting> merged;
  for (const std::vector<const Meeting *> &group : groups) {
    Meeting one{group.back()->op, group.back()->rule, {}};
    for (const Meeting *part : group) {
      llvm::append_range(one.makers, part->makers);
      one.largest = std::max(one.largest, part->largest);
      one.smallest = std::min(one.smallest, part->smallest);
      one.mean += part->mean / float(group.size());
    }
    merged.push_back(std::move(one));
  }
  meetings = std::move(merged);
}

/// The range of \p params' type at \p scale, around 0.
static FloatRange rangeAt(float scale, const LinearParams &params) {
  float width = float(integerMax(params.bits, params.isSigned) -
                      integerMin(params.bits, params.isSigned)) /
                scale;
  return params.isSigned ? FloatRange{-width / 2, width / 2}
                         : FloatRange{0, width};
}

void Unifier::decide(const Meeting &meeting, UnifiedScales &result) const {
  const LinearParams *out = trial.of(meeting.op->getResult(0));
  float scale = 1;
  switch (meeting.rule.method) {
  case ScaleUnion::Method::Max:
    scale = meeting.largest;
    break;
  case ScaleUnion::Method::Min:
    scale = meeting.smallest;
    break;
  case ScaleUnion::Method::Avg:
    scale = meeting.mean;
    break;
  case ScaleUnion::Method::Out:
    if (!out)
      return;
    scale = out->scale;
    break;
  case ScaleUnion::Method::Skip:
    return;
  }
  for (mlir::Operation *maker : meeting.makers) {
    mlir::Value value = maker->getResult(0);
    result.ranges.emplace_back(value, rangeAt(scale, *trial.of(value)));
  }
}

/// A Concat of a cache that comes in and what is added to it: the cache goes
/// round, so both have the added part's scale.
void Unifier::shareCaches(mlir::Operation *op, UnifiedScales &result) const {
  const LinearParams *added = nullptr;
  llvm::SmallVector<mlir::Value> caches;
  for (mlir::Value operand : op->getOperands()) {
    mlir::Operation *from = operand.getDefiningOp();
    if (!from)
      return;
    if (typeOf(from) == "Input" || typeOf(from) == "Constant")
      caches.push_back(operand);
    else
      added = trial.of(operand);
  }
  if (!added)
    return;
  for (mlir::Value cache : caches)
    result.caches.emplace_back(cache, *added);
}

UnifiedScales Unifier::run() {
  UnifiedScales result;
  for (mlir::Operation &op : body.without_terminator()) {
    if (!recordOf(&op))
      continue;
    LayerOptions own = optionsOf(&op, options);
    const ScaleUnion *rule = unionOf(&op, own);
    if (rule && rule->method != ScaleUnion::Method::Skip &&
        op.getNumOperands() > 1 && trial.of(op.getResult(0)))
      add(&op, *rule, own.activationBits);
    if (own.sharesCacheScale && typeOf(&op) == "Concat")
      shareCaches(&op, result);
  }
  merge();
  for (const Meeting &meeting : meetings)
    decide(meeting, result);
  return result;
}

UnifiedScales unifyScales(mlir::ModuleOp module, const Calibration &calibration,
                          const QuantizerOptions &options,
                          const QuantizeFunction &quantize) {
  TrialScales trial(module, calibration, options, quantize);
  if (!trial.isValid)
    return {};
  return Unifier(mainGraph(module).getBody().front(), trial, options).run();
}

} // namespace yarrow
