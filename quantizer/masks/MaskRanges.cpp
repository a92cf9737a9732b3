//===- MaskRanges.cpp - Ranges without what is masked ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/masks/MaskRanges.h"
#include "quantizer/prepare/ResizeAxes.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quantizer/masks/BoundInfinities.h"
#include "quantizer/masks/MaskConstants.h"
#include "quantizer/masks/MaskStatistics.h"
#include "quantizer/prepare/IntegerPowers.h"
#include "quantizer/rules/SharedScale.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

namespace {

/// Takes what is masked out of a calibration's ranges.
class MaskRanges {
public:
  MaskRanges(mlir::Block &layers, const MaskStatistics &statistics,
             Calibration &calibration)
      : layers(layers), statistics(statistics), calibration(calibration),
        zones(&statistics) {}

  void apply() {
    for (mlir::Operation &op : layers)
      for (mlir::Value value : op.getResults())
        if (recordOf(&op) && describe(value).isFloat())
          for (Side side : {Side::Low, Side::High})
            bound(value, side);
    for (mlir::Operation &op : llvm::make_early_inc_range(layers))
      if (recordOf(&op) && recordOf(&op)->rule == RuleClass::LogicalRule &&
          op.getNumOperands() == 2)
        for (unsigned i : {0, 1})
          moveThreshold(op, i);
  }

private:
  /// Ends the range of \p value at its zone, if it gains by that.
  void bound(mlir::Value value, Side side);
  /// The constant that operand \p index is compared with stands between the
  /// zone and the rest again.
  void moveThreshold(mlir::Operation &op, unsigned index);
  /// The bound of \p value, or of what it is moved from.
  std::optional<double> appliedTo(mlir::Value value, Side side) const;

  mlir::Block &layers;
  const MaskStatistics &statistics;
  Calibration &calibration;
  DeadZones zones;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, double> applied;
};

} // namespace

void MaskRanges::bound(mlir::Value value, Side side) {
  std::optional<double> zone = zones.of(value, side);
  if (!zone || !std::isfinite(*zone) || !calibration.hasSeen(value))
    return;
  auto [min, max] = statistics.extremaOf(value);
  double sign = signOf(side);
  double least = side == Side::Low ? min : -max;
  double most = side == Side::Low ? max : -min;
  double width = std::max(most, 0.0) - std::min(*zone, 0.0);
  // Half of the steps, or it is not worth a range that other samples reach.
  if (*zone - least < width)
    return;
  applied[{value, unsigned(side)}] = *zone;
  FloatRange range{float(min), float(max)};
  if (auto it = applied.find({value, unsigned(opposite(side))});
      it != applied.end())
    (side == Side::Low ? range.max : range.min) = float(-sign * it->second);
  (side == Side::Low ? range.min : range.max) = float(sign * *zone);
  calibration.setMasked(value, range);
  mlir::Operation *op = value.getDefiningOp();
  if (op && op->getNumResults() == 1)
    op->setAttr(kUnmaskedAttr,
                mlir::Builder(op->getContext())
                    .getDenseF32ArrayAttr({range.min, range.max}));
  if (!llvm::isa_and_nonnull<ConstantOp>(op))
    return;
  std::optional<std::vector<float>> values = floatsOfConstant(op);
  if (!values)
    return;
  for (float &v : *values)
    if (sign * v < *zone)
      v = float(sign * *zone);
  setFloats(op, *values);
}

std::optional<double> MaskRanges::appliedTo(mlir::Value value,
                                            Side side) const {
  if (auto it = applied.find({value, unsigned(side)}); it != applied.end())
    return it->second;
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  auto number = mlir::cast<mlir::OpResult>(value).getResultNumber();
  std::optional<unsigned> from = sharedOperand(op, number);
  return from ? appliedTo(op->getOperand(*from), side) : std::nullopt;
}

void MaskRanges::moveThreshold(mlir::Operation &op, unsigned index) {
  mlir::Value value = op.getOperand(index), with = op.getOperand(1 - index);
  auto constant = llvm::dyn_cast_or_null<ConstantOp>(with.getDefiningOp());
  for (Side side : {Side::Low, Side::High}) {
    std::optional<double> zone = appliedTo(value, side);
    if (!constant || !zone)
      continue;
    std::optional<double> rest = statistics.leastUnmasked(value, with, side);
    if (!rest)
      continue;
    // Other layers may read the number as it is.
    if (!with.hasOneUse()) {
      mlir::OpBuilder builder(&op);
      auto own = mlir::cast<ConstantOp>(builder.clone(*constant));
      std::string name = (layerNameOf(&op) + "_bound").str();
      own->setLoc(mlir::NameLoc::get(builder.getStringAttr(name), op.getLoc()));
      own->setAttr(kTopNamesAttr, builder.getStrArrayAttr({name + "_0"}));
      op.setOperand(1 - index, own->getResult(0));
      constant = own;
    }
    auto bound = float(signOf(side) * (*zone + *rest) / 2);
    auto count = std::size_t(describe(with).numElements());
    setFloats(constant, std::vector<float>(count, bound));
    calibration.setMasked(constant->getResult(0), {bound, bound});
    return;
  }
}

void prepareNetwork(mlir::ModuleOp module, const QuantizerOptions &options) {
  multiplyIntegerPowers(module);
  boundInfinities(module);
  if (options.splitsResizes)
    splitResizes(module);
}

static bool hasBoundedConstants(mlir::Block &layers) {
  return llvm::any_of(
      layers, [](mlir::Operation &op) { return op.hasAttr(kBoundedAttr); });
}

std::unique_ptr<Calibration>
calibrateNetwork(mlir::ModuleOp module, const std::vector<NpyView> &samples,
                 const QuantizerOptions &options,
                 const CalibrationProgress &progress, DiagnosticEngine &diags,
                 Ranks *ranks) {
  prepareNetwork(module, options);
  auto calibration =
      Calibration::run(module, samples, options, progress, diags, ranks);
  auto graph = mainGraph(module);
  if (!calibration || !graph)
    return calibration;
  mlir::Block &layers = graph.getBody().front();
  if (!options.detectsMasks && !hasBoundedConstants(layers))
    return calibration;
  MaskStatistics statistics(layers, *calibration);
  if (!statistics.mayHaveMasks())
    return calibration;
  if (!statistics.collect(module, samples, diags))
    return nullptr;
  MaskRanges(layers, statistics, *calibration).apply();
  return calibration;
}

} // namespace yarrow
