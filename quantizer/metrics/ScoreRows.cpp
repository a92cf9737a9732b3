//===- ScoreRows.cpp - Whether an output is scores of classes -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/ScoreRows.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Traits.h"

#include <algorithm>
#include <cassert>

using namespace yarrow;
using namespace yarrow::compass;

/// The share of the numbers' variance that samples must make up: of landmarks
/// in pictures of one size it is some hundredths, of logits most of it.
static constexpr double kLeastVariation = 0.1;

/// Numbers of a row: the one axis beside the batch that is longer than 1.
static std::size_t rowLength(const TensorInfo &info) {
  auto shape = info.shape;
  if (shape.empty() || shape.front() == 0)
    return 0;
  int64_t row = shape.size() > 1 ? info.numElements() / shape.front()
                                 : info.numElements();
  bool isOneAxis = llvm::is_contained(
      llvm::ArrayRef(shape).drop_front(shape.size() > 1 ? 1 : 0), row);
  return isOneAxis && row > 1 ? std::size_t(row) : 0;
}

mlir::Operation *yarrow::makerOf(mlir::Value output) {
  mlir::Operation *op = output.getDefiningOp();
  while (op && recordOf(op) && op->getNumOperands() == 1 &&
         (op->hasTrait<trait::MovesOnly>() ||
          recordOf(op)->rule == RuleClass::ConversionRule))
    op = op->getOperand(0).getDefiningOp();
  return op && recordOf(op) ? op : nullptr;
}

RowShape yarrow::rowShapeOf(mlir::Value output) {
  RowShape shape;
  shape.classes = rowLength(describe(output));
  mlir::Operation *maker = makerOf(output);
  if (!shape.classes || !maker)
    return {};
  llvm::StringRef type = recordOf(maker)->layerType;
  if (type == "Softmax" || type == "LogSoftmax") {
    shape.evidence = ScoreEvidence::Certain;
    return shape;
  }
  static constexpr llvm::StringLiteral kMakers[] = {
      "FullyConnected", "MatMul", "Convolution", "Eltwise",
      "BatchNorm",      "Gemm",   "Pooling",     "Reduce"};
  bool isBounded = wordKey(maker, keys::with_activation, "NONE") != "NONE";
  if (!llvm::is_contained(kMakers, type) || isBounded)
    return {};
  shape.evidence = ScoreEvidence::Possible;
  return shape;
}

static int64_t largest(std::span<const float> row) {
  return std::ranges::max_element(row) - row.begin();
}

void ScoreRows::add(std::span<const float> reference,
                    std::span<const float> values) {
  if (shape.evidence == ScoreEvidence::None)
    return;
  assert(reference.size() == values.size() && "of another network");
  sums.resize(shape.classes), squares.resize(shape.classes);
  for (std::size_t at = 0; at + shape.classes <= reference.size();
       at += shape.classes) {
    std::span<const float> row = reference.subspan(at, shape.classes);
    int64_t expected = largest(row);
    agreed += expected == largest(values.subspan(at, shape.classes));
    if (count++ == 0)
      answer = expected;
    haveAnswersDiffered |= expected != answer;
    for (std::size_t i = 0; i < row.size(); ++i) {
      hasNegative |= row[i] < 0;
      sums[i] += row[i];
      squares[i] += double(row[i]) * row[i];
    }
  }
}

void ScoreRows::merge(const ScoreRows &other) {
  if (!other.count)
    return;
  if (!count) {
    *this = other;
    return;
  }
  haveAnswersDiffered |= other.haveAnswersDiffered || other.answer != answer;
  hasNegative |= other.hasNegative;
  count += other.count;
  agreed += other.agreed;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] += other.sums[i];
    squares[i] += other.squares[i];
  }
}

bool ScoreRows::areScores() const {
  if (!count || shape.evidence == ScoreEvidence::None)
    return false;
  if (shape.evidence == ScoreEvidence::Certain)
    return true;
  if (!hasNegative || !haveAnswersDiffered)
    return false;
  double all = 0, total = 0, within = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    all += sums[i];
    total += squares[i];
    within += squares[i] - sums[i] * sums[i] / double(count);
  }
  double variance = total - all * all / (double(count) * double(shape.classes));
  return variance > 0 && within >= kLeastVariation * variance;
}
