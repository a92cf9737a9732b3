//===- MaskStatistics.cpp - Where masked values lie -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/masks/MaskStatistics.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/network/Evaluator.h"
#include "quantizer/calibrate/TensorValues.h"
#include "support/ThreadPool.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

/// Rows that are low as a whole are masked only if they are as low as nothing
/// else but a mask makes them: a Softmax does not see by how much a row is
/// shifted, and scores of some rows may all be -60.
static constexpr float kOnlyMasks = -1000;

static bool areRowsPlausible(const RowTails &tails, const LowTail::Gap &gap) {
  return tails.rows.least() > gap.below || gap.below <= kOnlyMasks;
}

/// The least of \p tail that is not below \p gap.
static float leastAbove(const LowTail &tail, const LowTail::Gap &gap) {
  if (tail.least() > gap.below)
    return tail.least();
  for (const LowTail::Gap &own : tail.gaps())
    if (own.below <= gap.below)
      return own.above;
  return tail.most();
}

std::optional<double> boundOfSoftmax(const RowTails &tails, int64_t length) {
  // e^-16 is 1e-7: what is farther below a row's greatest is nothing.
  constexpr double kNothing = 16;
  for (const LowTail::Gap &gap : tails.values.gaps()) {
    if (gap.above - gap.below < kNothing || !areRowsPlausible(tails, gap))
      continue;
    // All of a row's masked values together are half a step of 8 bits beside
    // its greatest: it has at least this room below it.
    double room = std::min(
        std::log(512.0 * double(std::max<int64_t>(length, 1))), kNothing);
    double leastRow = leastAbove(tails.rows, gap);
    return std::clamp(double(gap.above), leastRow - kNothing, leastRow - room);
  }
  return std::nullopt;
}

std::optional<double> boundOfMaximum(const RowTails &tails) {
  for (const LowTail::Gap &gap : tails.values.gaps()) {
    double width = double(tails.values.most()) - gap.above;
    // An outlier is not a mask: it is a few widths away from the others.
    if (gap.above - gap.below < 8 * std::max(width, 1.0) ||
        !areRowsPlausible(tails, gap))
      continue;
    // What is masked is less than the least of the others, not the same.
    return gap.above - width / 64;
  }
  return std::nullopt;
}

MaskStatistics::MaskStatistics(mlir::Block &layers,
                               const Calibration &calibration)
    : calibration(calibration) {
  auto isConstant = [](mlir::Value value) {
    return llvm::isa_and_nonnull<ConstantOp>(value.getDefiningOp());
  };
  for (mlir::Operation &op : layers) {
    const OperatorRecord *record = recordOf(&op);
    if (!record)
      continue;
    if (endingSide(&op) && describe(op.getOperand(0)).isFloat())
      rows[&op];
    if (op.getNumOperands() != 2 ||
        isConstant(op.getOperand(0)) == isConstant(op.getOperand(1)))
      continue;
    if (record->rule == RuleClass::LogicalRule ||
        record->rule == RuleClass::EltwiseRule ||
        record->rule == RuleClass::DivisionRule)
      for (mlir::Value value : op.getOperands())
        if (describe(value).isFloat())
          seen[value];
  }
}

std::pair<double, double> MaskStatistics::extremaOf(mlir::Value value) const {
  FloatRange r = calibration.extrema(value);
  return {r.min, r.max};
}

bool MaskStatistics::mayHaveMasks() const {
  constexpr double kLeastDepth = 48, kLeastRatio = 4;
  // A constant of such a size changes nothing in a maximum.
  if (llvm::any_of(seen, [&](const auto &entry) {
        auto [min, max] = extremaOf(entry.first);
        return llvm::isa_and_nonnull<ConstantOp>(entry.first.getDefiningOp()) &&
               std::max(-min, max) >= -kOnlyMasks;
      }))
    return true;
  return llvm::any_of(rows, [&](const auto &entry) {
    auto [min, max] = extremaOf(entry.first->getOperand(0));
    if (endingSide(entry.first) == Side::High)
      std::tie(min, max) = std::pair(-max, -min);
    return min < -kLeastDepth && min < -kLeastRatio * max;
  });
}

/// The greatest value of each row, as \p sign sees them.
static void addRows(mlir::Operation *op, std::span<const float> values,
                    float sign, LowTail &rows) {
  llvm::SmallVector<int64_t> shape(describe(op->getOperand(0)).shape);
  llvm::SmallVector<int64_t> axes = searchedAxes(op);
  // Positions of the row that each index belongs to.
  llvm::SmallVector<int64_t> strides(shape.size(), 0);
  int64_t count = 1;
  for (std::size_t i = shape.size(); i-- > 0;)
    if (!llvm::is_contained(axes, int64_t(i))) {
      strides[i] = count;
      count *= shape[i];
    }
  if (axes.empty())
    return;
  std::vector<float> most(std::size_t(count),
                          -std::numeric_limits<float>::infinity());
  llvm::SmallVector<int64_t> at(shape.size(), 0);
  int64_t row = 0;
  for (float v : values) {
    float &m = most[std::size_t(row)];
    m = std::max(m, sign * v);
    for (std::size_t i = shape.size(); i-- > 0;) {
      row += strides[i];
      if (++at[i] < shape[i])
        break;
      row -= strides[i] * shape[i];
      at[i] = 0;
    }
  }
  rows.add(most);
}

bool MaskStatistics::collect(mlir::ModuleOp module,
                             const std::vector<NpyView> &arrays,
                             DiagnosticEngine &diags) {
  std::unique_ptr<SampleSet> samples = SampleSet::create(module, arrays, diags);
  std::unique_ptr<Evaluator> evaluator = Evaluator::create(module, diags);
  if (!samples || !evaluator)
    return false;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Operation *>> readers;
  for (auto &[op, tails] : rows)
    readers[op->getOperand(0)].push_back(op);
  // Extrema do not depend on the order in which they are merged, but memory
  // does on how many are kept.
  constexpr std::size_t kChunk = 16;
  for (std::size_t first = 0; first < samples->count(); first += kChunk) {
    std::size_t count = std::min(kChunk, samples->count() - first);
    std::vector<RowsByLayer> rowsOf(count);
    std::vector<SeenByValue> seenOf(count);
    std::vector<EvaluationStop> stops(count);
    parallelFor(count, [&](std::size_t i) {
      std::vector<std::vector<char>> inputs = samples->inputsOf(first + i);
      std::vector<TensorBytesRef> refs(inputs.begin(), inputs.end());
      std::vector<TensorBytes> outputs;
      stops[i] = evaluator->run(
          refs, outputs, [&](mlir::Value v, TensorBytesRef bytes) {
            auto reading = readers.find(v);
            if (reading == readers.end() && !seen.contains(v))
              return;
            FloatValues real(v, bytes);
            if (reading != readers.end())
              for (mlir::Operation *op : reading->second) {
                auto sign = float(signOf(*endingSide(op)));
                RowTails &tails = rowsOf[i][op];
                for (float x : real.get())
                  tails.values.add(sign * x);
                addRows(op, real.get(), sign, tails.rows);
              }
            if (!seen.contains(v))
              return;
            Seen &s = seenOf[i][v];
            for (float x : real.get()) {
              s.tails[0].add(x);
              s.tails[1].add(-x);
              double size = std::fabs(x);
              if (size > 0 &&
                  (s.leastMagnitude == 0 || size < s.leastMagnitude))
                s.leastMagnitude = size;
            }
          });
    });
    for (const EvaluationStop &stop : stops)
      if (stop) {
        stop.report(diags);
        return false;
      }
    for (std::size_t i = 0; i < count; ++i) {
      for (const auto &[op, tails] : rowsOf[i]) {
        rows[op].values.merge(tails.values);
        rows[op].rows.merge(tails.rows);
      }
      for (const auto &[value, one] : seenOf[i]) {
        Seen &s = seen[value];
        s.tails[0].merge(one.tails[0]);
        s.tails[1].merge(one.tails[1]);
        if (s.leastMagnitude == 0 ||
            (one.leastMagnitude > 0 && one.leastMagnitude < s.leastMagnitude))
          s.leastMagnitude = one.leastMagnitude;
      }
    }
  }
  return true;
}

std::optional<double> MaskStatistics::boundOf(mlir::Operation *op) const {
  auto it = rows.find(op);
  if (it == rows.end())
    return std::nullopt;
  const RowTails &tails = it->second;
  switch (recordOf(op)->rule) {
  case RuleClass::SoftmaxRule:
  case RuleClass::LogSoftmaxRule: {
    TensorInfo info = describe(op->getOperand(0));
    auto axis = std::size_t(searchedAxes(op).front());
    return boundOfSoftmax(tails, info.shape[axis]);
  }
  case RuleClass::ActivationRule:
    // Ranges of ordinary values stay: the whole result of a Relu may be wanted
    // of a network with other samples.
    if (std::optional<double> bound = boundOfMaximum(tails))
      return wordKey(op, keys::method) == "SIGMOID" ? std::min(*bound, -10.0)
                                                    : std::min(*bound, 0.0);
    return std::nullopt;
  default:
    return boundOfMaximum(tails);
  }
}

double MaskStatistics::leastMagnitude(mlir::Value value) const {
  auto it = seen.find(value);
  return it == seen.end() ? 0 : it->second.leastMagnitude;
}

/// The one number that all elements of a constant are, seen from \p side.
static std::optional<double> numberOfConstant(mlir::Value value, Side side) {
  auto constant = llvm::dyn_cast_or_null<ConstantOp>(value.getDefiningOp());
  auto data = constant ? tensorKey(constant, keys::weights) : nullptr;
  auto view = data ? viewConstant(data) : std::nullopt;
  if (!view || !dtypeIsFloat(view->dtype) || view->numElements() == 0)
    return std::nullopt;
  std::vector<float> values = floatsOf(*view);
  if (llvm::any_of(values, [&](float v) { return v != values.front(); }))
    return std::nullopt;
  return signOf(side) * double(values.front());
}

std::optional<double> MaskStatistics::leastUnmasked(mlir::Value compared,
                                                    mlir::Value with,
                                                    Side side) const {
  std::optional<double> bound = numberOfConstant(with, side);
  auto it = seen.find(compared);
  // Numbers that values could be: nothing tells masked ones from the others.
  if (!bound || it == seen.end() || *bound > kOnlyMasks / 100)
    return std::nullopt;
  const LowTail &tail = it->second.tails[std::size_t(side)];
  if (tail.least() > *bound)
    return tail.least();
  for (const LowTail::Gap &gap : tail.gaps())
    if (gap.below < *bound && *bound < gap.above)
      return gap.above;
  return std::nullopt;
}

bool MaskStatistics::isBetween(mlir::Value value, mlir::Value with,
                               Side side) const {
  return leastUnmasked(value, with, side).has_value();
}

} // namespace yarrow
