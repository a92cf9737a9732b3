//===- NormFormulas.cpp - Means and deviations spelled by layers ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "passes/cleanup/NormFormulas.h"

#include "dialects/compass/Layers.h"
#include "dialects/compass/activation/ActivationOps.h"
#include "dialects/compass/eltwise/BinaryFunction.h"
#include "dialects/compass/movement/MovementOps.h"
#include "dialects/compass/pool/PoolOps.h"
#include "dialects/compass/reduce/ReduceOps.h"
#include "passes/cleanup/CleanupPatterns.h"

#include <cmath>

using namespace yarrow::compass;
using namespace mlir;
using yarrow::kernels::BinaryOp;

namespace yarrow::cleanup {

std::optional<std::pair<Value, Value>> operandsOf(Value value,
                                                  BinaryOp function) {
  Operation *op = value.getDefiningOp();
  auto binary = dyn_cast_if_present<BinaryFunction>(op);
  if (!binary || op->getNumOperands() != 2 ||
      binary.binaryFunction() != function ||
      describe(value).dtype != DType::F32 ||
      wordKey(op, keys::with_activation, "NONE") != "NONE")
    return std::nullopt;
  return std::pair(op->getOperand(0), op->getOperand(1));
}

std::optional<double> scalarOf(Value value) {
  auto constant = constantFloats(value);
  if (!constant || constant->size() != 1)
    return std::nullopt;
  return constant->front();
}

/// As constants of fewer bits, and decimal text, round it.
static bool isNumber(Value value, double number) {
  auto scalar = scalarOf(value);
  return scalar && std::abs(*scalar - number) <= 1e-6 * std::abs(number);
}

std::optional<AxesOf> broadcastAxes(Value x, Value y) {
  ArrayRef<int64_t> shape = shapeOf(x), other = shapeOf(y);
  if (other.size() > shape.size())
    return std::nullopt;
  AxesOf result{x, {}};
  std::size_t missing = shape.size() - other.size();
  for (auto [axis, length] : llvm::enumerate(shape)) {
    int64_t own = axis < missing ? 1 : other[axis - missing];
    if (own == length)
      continue;
    if (own != 1)
      return std::nullopt;
    result.axes.push_back(int64_t(axis));
  }
  return result;
}

/// Axes that are neighbours as lengths before, of and behind them: what a
/// reshape that does not cut through them keeps.
static std::optional<std::array<int64_t, 3>> blockOf(ArrayRef<int64_t> shape,
                                                     ArrayRef<int64_t> axes) {
  std::array<int64_t, 3> block = {1, 1, 1};
  unsigned part = 0;
  for (auto [axis, length] : llvm::enumerate(shape)) {
    if (length == 1)
      continue;
    bool isOne = llvm::is_contained(axes, int64_t(axis));
    if (isOne && part == 2)
      return std::nullopt;
    part = isOne ? 1 : part == 0 ? 0 : 2;
    block[part] *= length;
  }
  return block;
}

/// Whether a tensor of shape \p a along its axes is one of shape \p b along its
/// own.
static bool areSameAxes(ArrayRef<int64_t> a, ArrayRef<int64_t> aAxes,
                        ArrayRef<int64_t> b, ArrayRef<int64_t> bAxes) {
  if (a == b)
    return aAxes == bAxes;
  auto block = blockOf(a, aAxes);
  return block && block == blockOf(b, bAxes);
}

static Value skipReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getX();
  return value;
}

/// What \p value is \p factor times, by a product or a quotient with a number.
static Value scaledBy(Value value, double &factor) {
  if (auto product = operandsOf(value, BinaryOp::Mul))
    for (auto [x, number] :
         {*product, std::pair(product->second, product->first)})
      if (auto by = scalarOf(number)) {
        factor = *by;
        return x;
      }
  auto quotient = operandsOf(value, BinaryOp::Div);
  auto by = quotient ? scalarOf(quotient->second) : std::nullopt;
  if (!by || *by == 0)
    return {};
  factor = 1 / *by;
  return quotient->first;
}

/// The sum that \p mean is one over the count of.
static ReduceOp dividedSum(Value mean) {
  double factor = 0;
  Value sum = scaledBy(skipReshapes(mean), factor);
  auto reduce = sum ? skipReshapes(sum).getDefiningOp<ReduceOp>() : ReduceOp();
  if (!reduce || wordKey(reduce, keys::method, "MEAN") != "SUM")
    return {};
  auto count = [](Value v) { return double(describe(v).numElements()); };
  double of = count(reduce->getOperand(0)) / count(reduce->getResult(0));
  return std::abs(factor * of - 1) <= 1e-6 ? reduce : ReduceOp();
}

/// What is averaged, and along which of its axes, by a mean of any spelling.
static std::optional<AxesOf> averaged(Value mean) {
  Operation *op = skipReshapes(mean).getDefiningOp();
  if (!op || describe(mean).dtype != DType::F32)
    return std::nullopt;
  if (ReduceOp sum = dividedSum(mean))
    op = sum;
  else if (mlir::isa<ReduceOp>(op) &&
           wordKey(op, keys::method, "MEAN") != "MEAN")
    return std::nullopt;
  AxesOf result{op->getNumOperands() ? op->getOperand(0) : Value(), {}};
  if (mlir::isa<ReduceOp>(op)) {
  } else if (mlir::isa<PoolingOp>(op)) {
    WindowKeys keys = windowKeys(op);
    if (wordKey(op, keys::method, "MAX") != "AVG" || keys.padTop ||
        keys.padBottom || keys.padLeft || keys.padRight)
      return std::nullopt;
    ArrayRef<int64_t> in = shapeOf(result.x);
    if (keys.kernelY != in[1] || keys.kernelX != in[2])
      return std::nullopt;
  } else {
    return std::nullopt;
  }
  auto axes = broadcastAxes(result.x, op->getResult(0));
  return axes && !axes->axes.empty() ? axes : std::nullopt;
}

/// What \p value is averaged from along \p over, through reshapes; the
/// innermost tensor first.
static bool averages(Value mean, ArrayRef<int64_t> shape,
                     ArrayRef<int64_t> axes,
                     llvm::function_ref<bool(Value)> isWanted) {
  auto from = averaged(mean);
  if (!from || !areSameAxes(shapeOf(from->x), from->axes, shape, axes))
    return false;
  Value x = from->x;
  while (!isWanted(x)) {
    auto reshape = x.getDefiningOp<ReshapeOp>();
    if (!reshape)
      return false;
    x = reshape.getX();
  }
  return true;
}

bool isMeanOf(Value mean, const AxesOf &over) {
  return averages(mean, shapeOf(over.x), over.axes,
                  [&](Value x) { return x == over.x; });
}

Value centredOf(Value difference, ArrayRef<int64_t> axes) {
  auto sub = operandsOf(difference, BinaryOp::Sub);
  if (!sub || shapeOf(sub->first) != shapeOf(difference))
    return {};
  auto along = broadcastAxes(sub->first, sub->second);
  if (!along || along->axes != axes || !isMeanOf(sub->second, *along))
    return {};
  return sub->first;
}

Value radicandOf(Value root, bool isInverse) {
  root = skipReshapes(root);
  Operation *op = root.getDefiningOp();
  if (!op || describe(root).dtype != DType::F32)
    return {};
  if (mlir::isa<PowOp>(op) && op->getNumOperands() == 2)
    return isNumber(op->getOperand(1), isInverse ? -0.5 : 0.5)
               ? op->getOperand(0)
               : Value();
  if (!isInverse)
    return mlir::isa<SqrtOp>(op) ? op->getOperand(0) : Value();
  if (mlir::isa<RsqrtOp>(op))
    return op->getOperand(0);
  if (mlir::isa<ReciprocalOp>(op))
    return radicandOf(op->getOperand(0), /*isInverse=*/false);
  if (auto div = operandsOf(root, BinaryOp::Div);
      div && isNumber(div->first, 1))
    return radicandOf(div->second, /*isInverse=*/false);
  return {};
}

/// x where \p square is x * x.
static Value squareRootOf(Value square) {
  Operation *op = square.getDefiningOp();
  if (!op || describe(square).dtype != DType::F32)
    return {};
  if (mlir::isa<SquareOp>(op))
    return op->getOperand(0);
  if (mlir::isa<PowOp>(op) && op->getNumOperands() == 2)
    return isNumber(op->getOperand(1), 2) ? op->getOperand(0) : Value();
  auto product = operandsOf(square, BinaryOp::Mul);
  return product && product->first == product->second ? product->first
                                                      : Value();
}

/// The mean of squares, without an epsilon.
static std::optional<Spread> meanSquareOf(Value mean, ArrayRef<int64_t> axes,
                                          ArrayRef<int64_t> shape) {
  Spread spread;
  auto isSquare = [&](Value value) {
    if (shapeOf(value) != shape)
      return false;
    if (auto both = operandsOf(value, BinaryOp::SquaredDifference)) {
      if (shapeOf(both->first) != shape)
        std::swap(both->first, both->second);
      auto along = broadcastAxes(both->first, both->second);
      if (!along || along->axes != axes || !isMeanOf(both->second, *along))
        return false;
      spread.x = both->first, spread.isCentred = true;
      return true;
    }
    Value root = squareRootOf(value);
    if (!root)
      return false;
    Value centred = centredOf(root, axes);
    spread.x = centred ? centred : root;
    spread.isCentred = bool(centred);
    return true;
  };
  if (averages(mean, shape, axes, isSquare))
    return spread;
  // The layer of its own, whose sum is divided by the number of values.
  auto reduce = skipReshapes(mean).getDefiningOp<ReduceOp>();
  if (!reduce || wordKey(reduce, keys::method, "MEAN") != "VARIANCE" ||
      shapeOf(reduce->getOperand(0)) != shape)
    return std::nullopt;
  auto along = broadcastAxes(reduce->getOperand(0), reduce->getResult(0));
  if (!along || along->axes != axes)
    return std::nullopt;
  return Spread{reduce->getOperand(0), true, 0};
}

/// Without a floor of 0, which a difference of squares gets for its rounding.
static Value withoutFloor(Value value) {
  if (auto most = operandsOf(value, BinaryOp::Max))
    for (auto [x, number] : {*most, std::pair(most->second, most->first)})
      if (isNumber(number, 0))
        return skipReshapes(x);
  auto relu = value.getDefiningOp<ActivationOp>();
  return relu && wordKey(relu, keys::method) == "RELU"
             ? skipReshapes(relu->getOperand(0))
             : value;
}

/// mean(x^2) - mean(x)^2, without an epsilon.
static std::optional<Spread> differenceOfSquares(Value value,
                                                 ArrayRef<int64_t> axes,
                                                 ArrayRef<int64_t> shape) {
  auto difference =
      operandsOf(withoutFloor(skipReshapes(value)), BinaryOp::Sub);
  Value mean =
      difference ? squareRootOf(skipReshapes(difference->second)) : Value();
  auto squares =
      mean ? meanSquareOf(difference->first, axes, shape) : std::nullopt;
  if (!squares || squares->isCentred ||
      !isMeanOf(mean, {squares->x, llvm::to_vector(axes)}))
    return std::nullopt;
  squares->isCentred = true;
  return squares;
}

std::optional<Spread> spreadOf(Value value, ArrayRef<int64_t> axes,
                               ArrayRef<int64_t> shape) {
  value = skipReshapes(value);
  auto sum = operandsOf(value, BinaryOp::Add);
  if (!sum)
    return std::nullopt;
  auto epsilon = scalarOf(sum->second);
  Value mean = sum->first;
  if (!epsilon) {
    epsilon = scalarOf(sum->first);
    mean = sum->second;
  }
  if (!epsilon || *epsilon < 0)
    return std::nullopt;
  auto spread = meanSquareOf(mean, axes, shape);
  if (!spread)
    spread = differenceOfSquares(mean, axes, shape);
  if (spread)
    spread->epsilon = *epsilon;
  return spread;
}

} // namespace yarrow::cleanup
