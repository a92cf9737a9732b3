//===- LayerNumbers.cpp - What exports read of a layer --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/export/LayerNumbers.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/WindowShape.h"
#include "dialects/compass/ZeroPoints.h"
#include "dialects/compass/activation/ActivationOps.h"
#include <cmath>

using namespace yarrow;
using namespace mlir;
using compass::ConstantView;
using compass::TensorInfo;

TensorInfo exports::describe(Value value) {
  TensorInfo info = compass::describe(value);
  if (info.quantized && info.scale == 1 && info.zp == 0 &&
      kernels::dtypeBytes(info.dtype) == 4)
    info.quantized = false;
  return info;
}

bool exports::isInteger(Operation *op) {
  return op->getNumResults() && describe(op->getResult(0)).quantized &&
         op->getNumOperands() && describe(op->getOperand(0)).isInteger();
}

bool exports::isTable(Operation *op) {
  return isa<compass::ActivationOp>(op) && isInteger(op) &&
         op->hasAttr(compass::keys::lut);
}

std::optional<compass::DType> exports::typeWithZero(const TensorInfo &info) {
  using compass::DType;
  auto holds = [](DType type, int64_t value) {
    auto [lo, hi] = compass::dtypeRange(type);
    return value >= lo && value <= hi;
  };
  int64_t zero = -int64_t(info.zp);
  if (holds(info.dtype, zero))
    return info.dtype;
  for (DType wider : {DType::I16, DType::U16})
    if (holds(wider, zero) && holds(wider, info.lo) && holds(wider, info.hi))
      return wider;
  return std::nullopt;
}

bool exports::haveOneType(Value a, Value b) {
  TensorInfo x = describe(a), y = describe(b);
  return x.storedType() == y.storedType() && x.quantized == y.quantized &&
         x.scale == y.scale && x.zp == y.zp && x.lo == y.lo && x.hi == y.hi;
}

bool exports::keepsValues(Operation *op) {
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return haveOneType(operand, op->getResult(0));
  });
}

std::vector<double> exports::multipliersOf(Operation *op) {
  std::vector<double> result;
  ElementsAttr scale = compass::tensorKey(op, compass::keys::scale),
               shift = compass::tensorKey(op, compass::keys::shift);
  if (scale && shift) {
    auto scales = compass::viewConstant(scale),
         shifts = compass::viewConstant(shift);
    for (int64_t i = 0, e = scales->numElements(); i < e; ++i)
      result.push_back(
          std::ldexp(double(scales->intAt(i)), -int(shifts->intAt(i))));
    return result;
  }
  auto scales = compass::intsKey(op, compass::keys::scale_value),
       shifts = compass::intsKey(op, compass::keys::shift_value);
  for (size_t i = 0; i < scales.size(); ++i)
    result.push_back(std::ldexp(
        double(scales[i]),
        shifts.empty() ? 0 : -int(shifts[std::min(i, shifts.size() - 1)])));
  if (result.empty())
    result.push_back(1);
  return result;
}

int64_t exports::axisOf(Operation *op, compass::IntKey key, size_t rank) {
  int64_t axis = compass::intKey(op, key);
  return axis < 0 ? axis + int64_t(rank) : axis;
}

/// Of each output: the sum of the weights that its input is multiplied by.
static std::vector<int64_t> sumsOfFilters(const ConstantView &weights) {
  std::vector<int64_t> sums(size_t(weights.shape[0]), 0);
  int64_t perFilter = weights.numElements() / weights.shape[0];
  for (int64_t i = 0, e = weights.numElements(); i < e; ++i)
    sums[size_t(i / perFilter)] += weights.intAt(i);
  return sums;
}

FailureOr<exports::IntegerWeights> exports::integerWeights(Operation *op) {
  auto weights = compass::weightConstants(op);
  if (failed(weights))
    return failure();
  auto stored =
      compass::viewConstant(compass::tensorKey(op, compass::keys::biases));
  auto filters = weights->view.shape[0];
  int64_t zp = describe(op->getOperand(0)).zp;
  std::vector<int64_t> sums = sumsOfFilters(weights->view), biases;
  for (int64_t i = 0, e = stored->numElements(); i < e; ++i)
    biases.push_back(stored->intAt(i) - zp * sums[size_t(i % filters)]);
  return IntegerWeights{*weights, std::move(biases)};
}

bool exports::repeatsParts(Operation *op) {
  TensorInfo out = describe(op->getResult(0));
  for (Value operand : op->getOperands())
    for (auto [length, whole] : llvm::zip(
             llvm::reverse(describe(operand).shape), llvm::reverse(out.shape)))
      if (length != whole && length != 1)
        return true;
  return false;
}

bool exports::roundsUp(Operation *op, unsigned spatial) {
  TensorInfo in = describe(op->getOperand(0)), out = describe(op->getResult(0));
  return llvm::any_of(
      compass::windowAxes(op, spatial), [&](const compass::WindowAxis &axis) {
        int64_t rest =
            in.shape[axis.dataAxis] + axis.before + axis.after - axis.span();
        return out.shape[axis.dataAxis] != rest / axis.stride + 1;
      });
}
