//===- DeadZones.cpp - Values so low that their size means nothing --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/masks/DeadZones.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Traits.h"
#include "dialects/compass/eltwise/BinaryFunction.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/select/SelectOps.h"
#include "quantizer/rules/SharedScale.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace yarrow::compass;

namespace yarrow {

std::optional<Side> endingSide(mlir::Operation *op) {
  const OperatorRecord *record = recordOf(op);
  if (!record)
    return std::nullopt;
  std::string method = wordKey(op, keys::method);
  switch (record->rule) {
  case RuleClass::SoftmaxRule:
  case RuleClass::LogSoftmaxRule:
    return Side::Low;
  case RuleClass::ReduceRule:
  case RuleClass::ArgMinMaxRule:
    if (method == "MAX")
      return Side::Low;
    return method == "MIN" ? std::optional(Side::High) : std::nullopt;
  case RuleClass::ActivationRule:
    if (method == "RELU" || method == "RELU6" || method == "CLIP" ||
        method == "SIGMOID")
      return Side::Low;
    return std::nullopt;
  case RuleClass::PassRule:
    if (auto top = llvm::dyn_cast<TopKOp>(op))
      return top.getLargest() ? Side::Low : Side::High;
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

llvm::SmallVector<int64_t> searchedAxes(mlir::Operation *op) {
  if (recordOf(op)->rule == RuleClass::ActivationRule)
    return {};
  auto rank = int64_t(describe(op->getOperand(0)).shape.size());
  llvm::SmallVector<int64_t> axes = intsKey(op, keys::axis);
  if (axes.empty())
    axes.push_back(-1);
  for (int64_t &axis : axes)
    axis += axis < 0 ? rank : 0;
  return axes;
}

std::optional<double> DeadZones::of(mlir::Value value, Side side) {
  auto key = std::pair(value, unsigned(side));
  if (auto it = known.find(key); it != known.end())
    return it->second;
  std::optional<double> least = std::numeric_limits<double>::infinity();
  for (mlir::OpOperand &use : value.getUses()) {
    std::optional<double> one = ofUse(use, side);
    least = one && least ? std::optional(std::min(*one, *least)) : std::nullopt;
    if (!least)
      break;
  }
  known[key] = least;
  return least;
}

/// A number that only a bound with numbers has.
static std::optional<double> plus(std::optional<double> bound, double addend) {
  return bound ? std::optional(*bound + addend) : std::nullopt;
}

std::optional<double> DeadZones::ofUse(mlir::OpOperand &use, Side side) {
  mlir::Operation *op = use.getOwner();
  const OperatorRecord *record = recordOf(op);
  if (!record)
    return std::nullopt; // a result of the network is read as it is
  unsigned n = use.getOperandNumber();
  if (n == 0 && endingSide(op) == side)
    return numbers ? numbers->boundOf(op) : std::optional(0.0);
  switch (record->rule) {
  case RuleClass::EltwiseRule:
  case RuleClass::DivisionRule:
    return ofBinary(use, side);
  case RuleClass::LogicalRule: {
    if (op->getNumOperands() != 2)
      return std::nullopt;
    mlir::Value with = op->getOperand(1 - n);
    bool isConstant = llvm::isa_and_nonnull<ConstantOp>(with.getDefiningOp());
    if (!isConstant || (numbers && !numbers->isBetween(use.get(), with, side)))
      return std::nullopt;
    return numbers ? std::numeric_limits<double>::infinity() : 0;
  }
  case RuleClass::WhereRule:
    return n > 0 ? of(op->getResult(0), side) : std::nullopt;
  case RuleClass::ConcatRule:
    return of(op->getResult(0), side);
  case RuleClass::NegativeRule:
    return of(op->getResult(0), opposite(side));
  case RuleClass::CastRule:
    if (describe(op->getResult(0)).isFloat() &&
        describe(op->getOperand(0)).isFloat())
      return of(op->getResult(0), side);
    return std::nullopt;
  default:
    break;
  }
  // A move hands the zone of its result on.
  std::optional<double> least;
  for (mlir::OpResult result : op->getResults())
    if (sharedOperand(op, result.getResultNumber()) == n) {
      std::optional<double> one = of(result, side);
      if (!one)
        return std::nullopt;
      least = std::min(*one, least.value_or(*one));
    }
  return least;
}

std::optional<double> DeadZones::ofBinary(mlir::OpOperand &use, Side side) {
  using kernels::BinaryOp;
  mlir::Operation *op = use.getOwner();
  auto binary = llvm::dyn_cast<BinaryFunction>(op);
  if (!binary || op->getNumOperands() != 2 ||
      op->getOperand(0) == op->getOperand(1))
    return std::nullopt;
  mlir::Value result = op->getResult(0);
  unsigned n = use.getOperandNumber();
  mlir::Value other = op->getOperand(1 - n);
  BinaryOp function = binary.binaryFunction();
  // A maximum does without what an activation behind it lets through.
  bool isPlain = wordKey(op, keys::with_activation, "NONE") == "NONE";
  auto after = [&](Side which) {
    return isPlain ? of(result, which) : std::nullopt;
  };
  // Least and largest of the other operand, seen from the side.
  auto otherExtrema = [&]() -> std::pair<double, double> {
    if (!numbers)
      return {0, 0};
    auto [least, most] = numbers->extremaOf(other);
    return side == Side::Low ? std::pair(least, most)
                             : std::pair(-most, -least);
  };
  switch (function) {
  case BinaryOp::Add:
    return plus(after(side), -otherExtrema().second);
  case BinaryOp::Sub:
    if (n == 0)
      return plus(after(side), otherExtrema().first);
    // other - x: what is high in x is low in the result.
    return plus(after(opposite(side)), otherExtrema().first);
  case BinaryOp::Max:
  case BinaryOp::Min: {
    std::optional<double> chosen = after(side);
    if ((function == BinaryOp::Max) != (side == Side::Low))
      return chosen;
    // What is below all of the other operand is never chosen.
    return std::max(chosen.value_or(otherExtrema().first),
                    otherExtrema().first);
  }
  case BinaryOp::Mul:
  case BinaryOp::Div:
    return isPlain ? ofFactor(use, side) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// Of x in x * c and x / c. One of both has to be a constant: it is a mask's
/// size, as in (1 - mask) * -1e4, or a factor of scores.
std::optional<double> DeadZones::ofFactor(mlir::OpOperand &use, Side side) {
  mlir::Operation *op = use.getOwner();
  unsigned n = use.getOperandNumber();
  mlir::Value value = use.get(), other = op->getOperand(1 - n);
  bool isMul =
      llvm::cast<BinaryFunction>(op).binaryFunction() == kernels::BinaryOp::Mul;
  bool isConstant = llvm::isa_and_nonnull<ConstantOp>(value.getDefiningOp()),
       isOtherConstant =
           llvm::isa_and_nonnull<ConstantOp>(other.getDefiningOp());
  mlir::Value result = op->getResult(0);
  if (isConstant == isOtherConstant || (!isMul && (n != 0 || isConstant)))
    return std::nullopt;
  if (!numbers)
    return mayIgnore(result, Side::Low) || mayIgnore(result, Side::High)
               ? std::optional(0.0)
               : std::nullopt;
  double least = numbers->leastMagnitude(other);
  auto [min, max] = numbers->extremaOf(other);
  double most = std::max(std::fabs(min), std::fabs(max));
  // A factor beyond these is a mask itself, and not what scales one.
  constexpr double kMostFactor = 1 << 20;
  bool isFactor = least > 1 / kMostFactor && most < kMostFactor;
  if (!isFactor || (min < 0 && max > 0))
    return std::nullopt;
  std::optional<double> after = of(result, min < 0 ? opposite(side) : side);
  // 0 is in no zone: what it is times a factor does not become larger.
  if (!after || *after >= 0)
    return std::nullopt;
  return isMul ? *after / least : *after * most;
}

} // namespace yarrow
