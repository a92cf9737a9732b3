//===- UselessOutputs.cpp - Outputs that lost too much --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/diagnose/UselessOutputs.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Records.h"
#include "support/Format.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;

/// Decibels, and the share of answers as the float network's.
static constexpr double kLeastDb = 20, kLeastAgreement = 0.97;
/// Where rows may have moved, as behind a selection of boxes.
static constexpr double kLeastChosenDb = 6;
/// Answers of few samples: one that changed tells nothing.
static constexpr uint64_t kMostChanged = 1;
/// Columns whose largest values are no more than so many steps, beside others
/// so many times as large, are lost for want of a scale of their own. Small
/// values alone, such as scores where nothing is seen, are no loss.
static constexpr double kFewSteps = 2, kFarLarger = 64;

/// Counts and indices: how much two of them differ says nothing.
static bool isPlainInteger(const TensorMetric &m) {
  bool isInteger = m.dtype.find("int") != std::string::npos;
  return isInteger && m.rangeMax <= m.rangeMin;
}

static bool isFar(const TensorMetric &m) {
  return m.similarity.sqnrDb() < (m.isChosen ? kLeastChosenDb : kLeastDb);
}

static const ColumnGroup *lostColumns(const TensorMetric &m) {
  if (m.columns.size() != 2)
    return nullptr;
  const ColumnGroup &large = m.columns[0], &small = m.columns[1];
  bool isLost = small.sqnrDb() < kLeastDb &&
                small.peak * m.scale <= kFewSteps &&
                large.peak >= kFarLarger * small.peak;
  return isLost ? &small : nullptr;
}

static bool changesAnswers(const TensorMetric &m) {
  return m.scores.areScores() && m.scores.agreement() < kLeastAgreement &&
         m.scores.rows() - m.scores.agreeing() > kMostChanged;
}

bool yarrow::isUseless(const TensorMetric &m) {
  if (!m.isOutput || !m.similarity.count || isPlainInteger(m))
    return false;
  return isFar(m) || lostColumns(m) || changesAnswers(m);
}

static std::string lossOf(const TensorMetric &m) {
  if (isFar(m))
    return "SQNR " + m.similarity.sqnrText(1) + " dB";
  if (const ColumnGroup *lost = lostColumns(m))
    return lost->str() + " have SQNR " + lost->sqnrText(1) + " dB";
  return formatCount(m.scores.agreeing()) + " of " +
         formatCount(m.scores.rows()) + " answers as float";
}

/// Names of the tensors that \p output is made of.
static llvm::StringMap<bool> tensorsFeeding(mlir::Value output) {
  llvm::StringMap<bool> names;
  llvm::SetVector<mlir::Operation *> todo;
  auto add = [&](mlir::Value value) {
    names[tensorNameOf(value)] = true;
    if (mlir::Operation *maker = value.getDefiningOp())
      todo.insert(maker);
  };
  add(output);
  for (std::size_t i = 0; i < todo.size(); ++i)
    for (mlir::Value operand : todo[i]->getOperands())
      add(operand);
  return names;
}

namespace {

/// Of what a layer or input alone loses.
struct OwnLoss {
  const TensorMetric *layer = nullptr;
  const Similarity *loss = nullptr;
};

} // namespace

/// Inputs are compared as they are stored; layers by what they compute.
static OwnLoss largestLoss(const llvm::StringMap<bool> &tensors,
                           const std::vector<TensorMetric> &layers) {
  OwnLoss worst;
  for (const TensorMetric &m : layers) {
    const Similarity &own = m.layerType == "Input" ? m.similarity : m.own;
    if (own.count && std::isfinite(own.sqnrDb()) &&
        tensors.contains(m.tensor) &&
        (!worst.loss || own.sqnrDb() < worst.loss->sqnrDb()))
      worst = {&m, &own};
  }
  return worst;
}

static std::string causeOf(const OwnLoss &worst) {
  if (!worst.layer)
    return "";
  const TensorMetric &m = *worst.layer;
  std::string text =
      m.layerType == "Input"
          ? "loses most at the input " + m.layer
          : "loses most in " + m.layer + " (" + m.layerType + ")";
  text += ", " + worst.loss->sqnrText(1) + " dB alone";
  if (m.clippedShare() >= 0.001)
    text += ", " + formatFixed(100 * m.clippedShare(), 1) + " % clipped";
  return text;
}

std::string UselessOutput::str() const {
  return "the output " + output->output +
         " is far from the float network's: " + loss +
         (cause.empty() ? "" : "; it " + cause);
}

std::vector<UselessOutput>
yarrow::findUselessOutputs(mlir::ModuleOp quantized,
                           const std::vector<TensorMetric> &layers) {
  llvm::StringMap<mlir::Value> values;
  quantized.walk([&](mlir::Operation *op) {
    if (recordOf(op))
      for (mlir::Value value : op->getResults())
        values[tensorNameOf(value)] = value;
  });
  std::vector<UselessOutput> found;
  for (const TensorMetric &m : layers) {
    mlir::Value value = values.lookup(m.tensor);
    if (!value || !isUseless(m))
      continue;
    UselessOutput &bad = found.emplace_back();
    bad.output = &m;
    bad.loss = lossOf(m);
    bool isOneScale = !isFar(m) && lostColumns(m);
    OwnLoss worst =
        isOneScale ? OwnLoss() : largestLoss(tensorsFeeding(value), layers);
    bad.layer = isOneScale ? &m : worst.layer;
    bad.cause = isOneScale ? "has one scale for columns of very different size"
                           : causeOf(worst);
  }
  return found;
}
