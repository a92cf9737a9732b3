//===- MeanVarianceProgram.cpp - Layers that normalise to mean 0 ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/norm/MeanVarianceProgram.h"
#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/norm/NormAffine.h"
#include "dialects/compass/norm/NormGroups.h"
#include "dialects/compass/norm/NormOps.h"
#include "kernels/activation/Activation.h"
#include "kernels/arithmetic/Eltwise.h"
#include "kernels/reduce/Reduce.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::NormForm;

static float epsilonOf(Operation *op) {
  return float(floatKey(op, keys::epsilon));
}

static std::optional<int64_t> firstOf(Operation *op, IntsKey key) {
  if (auto attr = op->getAttrOfType<IntegerAttr>(key))
    return attr.getInt();
  auto list = intsKey(op, key);
  return list.empty() ? std::nullopt : std::optional(list[0]);
}

/// Whether 32 bits hold all that becomes of a normalised value
/// (LayerNormIntParams::hasSmallSums).
static bool hasSmallSums(Operation *op, const MeanVarianceLayer &layer,
                         const NormAffine &affine,
                         const kernels::LayerNormIntParams &p) {
  auto constantOf = [&](TensorKey key) {
    ElementsAttr attr = tensorKey(op, key);
    return attr && p.requant.perChannel ? viewConstant(attr) : std::nullopt;
  };
  auto scales = constantOf(keys::scale), shifts = constantOf(keys::shift);
  int64_t most = std::max(std::abs(int64_t(p.normLo)), int64_t(p.normHi));
  for (int64_t i = 0; i < layer.affineCount; ++i) {
    int64_t scale = scales ? scales->intAt(i) : p.requant.scale;
    int64_t shift = shifts ? shifts->intAt(i) : p.requant.shift;
    int64_t sum = most;
    if (affine.weights)
      sum *= std::abs(affine.weights->intAt(i));
    if (affine.biases)
      sum += std::abs(affine.biases->intAt(i));
    if (shift < 0 || sum * scale > int64_t(1) << 29)
      return false;
  }
  return true;
}

/// The table of inverse square roots in 64ths; of a coarser one, which the
/// definition prints for MVN, the entries between lie on straight lines.
static BufferBinding rootTable(ElementsAttr table) {
  constexpr int64_t kSteps = 192;
  auto coarse = viewConstant(table);
  int64_t each = kSteps / (coarse->numElements() - 1);
  if (each == 1)
    return constant(table);
  SmallVector<int64_t> fine;
  for (int64_t i = 0; i < kSteps; ++i) {
    int64_t low = coarse->intAt(i / each), next = coarse->intAt(i / each + 1);
    fine.push_back(low + (next - low) * (i % each) / each);
  }
  fine.push_back(coarse->intAt(coarse->numElements() - 1));
  return constant({kSteps + 1}, DType::I16, packed({DType::I16}, fine));
}

static LogicalResult buildInt(Operation *op, const MeanVarianceLayer &layer,
                              const NormAffine &affine, LayerProgram &program) {
  TensorInfo in = describe(op->getOperand(0)), out = describe(op->getResult(0));
  ElementsAttr table = tensorKey(op, keys::lut);
  if (!table || !viewConstant(table))
    return missingKey(op, keys::lut);
  kernels::LayerNormIntParams p;
  p.shape = layer.shape;
  p.form = !layer.subtractsMean ? NormForm::RootMeanSquare
           : in.bits() <= 8     ? NormForm::Narrow
                                : NormForm::Wide;
  auto shift = firstOf(op, layer.normShiftKey),
       varShift = firstOf(op, keys::var_shift_value);
  if (!shift)
    return missingKey(op, layer.normShiftKey);
  if (!varShift && p.form == NormForm::Narrow)
    return missingKey(op, keys::var_shift_value);
  p.inType = in.dtype, p.inZp = in.zp;
  // The definition's examples have 130 and more: nothing is left of any sum.
  constexpr int64_t kShiftsAllOut = 62;
  p.varShift = int32_t(std::min(varShift.value_or(0), kShiftsAllOut));
  constexpr int64_t kMostEpsilon = (int64_t(1) << 60) - 1;
  auto epsilon = uint64_t(std::clamp<int64_t>(
      firstOf(op, keys::epsilon_sum_value).value_or(0), 0, kMostEpsilon));
  p.epsilonLow = uint32_t(epsilon), p.epsilonHigh = uint32_t(epsilon >> 32);
  p.normScale = firstOf(op, layer.normScaleKey).value_or(1);
  p.normShift = *shift;
  // Of the root of the mean square the range is signed, whatever the result's.
  auto [lo, hi] = layer.subtractsMean
                      ? dtypeRange(out.storedType())
                      : std::pair<int64_t, int64_t>(llvm::minIntN(out.bits()),
                                                    llvm::maxIntN(out.bits()));
  p.normLo = lo, p.normHi = hi;
  p.hasWeights = affine.weights.has_value();
  p.hasBias = affine.biases.has_value();
  if (affine.weights)
    p.weightType = affine.weights->dtype;
  if (failed(buildAffineRequant(op, layer.affineCount, p.requant)))
    return failure();
  if (layer.normScaleKey.str() ==
      keys::scale_value.str()) // the result's is in it
    p.requant.scale = 1, p.requant.shift = 0;
  p.hasSmallSums = hasSmallSums(op, layer, affine, p);
  bindWeighted(op, program.call<kernels::LayerNormInt>(p));
  program.last()["table"] = rootTable(table);
  return success();
}

LogicalResult compass::buildMeanVariance(Operation *op,
                                         const MeanVarianceLayer &layer,
                                         LayerProgram &program) {
  // Results beyond the first have no integer form, nor a type that says.
  auto arithmetic = arithmeticOf(op);
  if (failed(arithmetic))
    return failure();
  auto affine = affineOf(op, *arithmetic);
  if (failed(affine))
    return failure();
  if (*arithmetic == Arithmetic::Integer)
    return buildInt(op, layer, *affine, program);
  kernels::LayerNormFloatParams p;
  p.shape = layer.shape;
  p.inType = describe(op->getOperand(0)).dtype;
  p.outType = describe(op->getResult(0)).dtype;
  p.subtractsMean = layer.subtractsMean;
  p.hasWeights = affine->weights.has_value();
  p.hasBias = affine->biases.has_value();
  if (affine->weights)
    p.weightType = affine->weights->dtype;
  if (affine->biases)
    p.biasType = affine->biases->dtype;
  p.epsilon = epsilonOf(op);
  bindWeighted(op, program.call<kernels::LayerNormFloat>(p));
  return success();
}

LogicalResult compass::buildMeanAndDeviation(Operation *op,
                                             LayerProgram &program) {
  TensorInfo in = describe(op->getOperand(0));
  auto axes = axesKey(op, in.shape.size());
  if (failed(axes))
    return failure();
  kernels::ReduceFloatParams reduce;
  reduce.shape.rank = in.shape.size();
  llvm::copy(in.shape, reduce.shape.dims);
  for (int64_t axis : *axes)
    reduce.shape.reducedMask |= 1u << axis;
  reduce.inType = in.dtype;
  auto statistic = [&](kernels::ReduceOp how, DType type, BufferBinding to) {
    reduce.op = how, reduce.outType = type;
    KernelCall &call = program.call<kernels::ReduceFloat>(reduce);
    call["input"] = operand(0), call["output"] = std::move(to);
  };
  statistic(kernels::ReduceOp::Mean, describe(op->getResult(1)).dtype,
            result(1));
  if (op->getNumResults() < 3)
    return success();
  TensorInfo info = describe(op->getResult(2));
  DType outType = info.dtype;
  uint32_t count = info.numElements();
  info.setType(DType::F32);
  BufferBinding variance = program.intermediate("variance", info),
                shifted = program.intermediate("variance_epsilon", info);
  statistic(kernels::ReduceOp::Variance, DType::F32, variance);
  float epsilon = epsilonOf(op);
  std::vector<char> bytes(sizeof(epsilon));
  std::memcpy(bytes.data(), &epsilon, sizeof(epsilon));
  kernels::EltwiseFloatParams add;
  add.shape.rank = 1, add.shape.dims[0] = count, add.shape.strideA[0] = 1;
  KernelCall &sum = program.call<kernels::EltwiseFloat>(add);
  sum["a"] = variance, sum["b"] = constant({1}, DType::F32, bytes);
  sum["output"] = shifted;
  kernels::UnaryFloatParams root;
  root.count = count, root.outType = outType;
  root.fn = kernels::UnaryFn::Rsqrt;
  KernelCall &inverse = program.call<kernels::UnaryFloat>(root);
  inverse["input"] = shifted, inverse["output"] = result(2);
  return success();
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// Weights of the places along the axes in the key `axis`.
static int64_t positionsOf(Operation *op) {
  ArrayRef<int64_t> shape = inputShape(op, 0);
  int64_t count = 1;
  if (auto axes = axesKey(op, shape.size()); succeeded(axes))
    for (int64_t axis : *axes)
      count *= shape[axis];
  return count;
}

LogicalResult LayerNormOp::buildProgram(LayerProgram &program) {
  auto shape = normShapeOf(*this, /*hasWeights=*/true);
  if (failed(shape))
    return failure();
  MeanVarianceLayer layer{.shape = *shape, .affineCount = positionsOf(*this)};
  if (getNumResults() == 1)
    return buildMeanVariance(*this, layer, program);
  if (isIntegerLayer(*this))
    return layerError(*this, diag::OpUnsupported, "layer_top",
                      "a LayerNorm that also returns its mean and deviation is "
                      "not supported yet in integer IR");
  return success(succeeded(buildMeanVariance(*this, layer, program)) &&
                 succeeded(buildMeanAndDeviation(*this, program)));
}

LogicalResult RMSNormOp::buildProgram(LayerProgram &program) {
  auto shape = normShapeOf(*this, /*hasWeights=*/true);
  if (failed(shape))
    return failure();
  return buildMeanVariance(*this,
                           {.shape = *shape,
                            .affineCount = positionsOf(*this),
                            .subtractsMean = false},
                           program);
}

LogicalResult MVNOp::buildProgram(LayerProgram &program) {
  auto shape = normShapeOf(*this, /*hasWeights=*/false);
  if (failed(shape))
    return failure();
  return buildMeanVariance(*this,
                           {.shape = *shape,
                            .normScaleKey = keys::scale_value,
                            .normShiftKey = keys::shift_value},
                           program);
}

LogicalResult InstanceNormOp::buildProgram(LayerProgram &program) {
  if (failed(checkNormRank(*this)))
    return failure();
  ArrayRef<int64_t> shape = inputShape(*this, 0);
  SmallVector<NormAxis> axes;
  for (int64_t length : shape)
    axes.push_back({length, /*isReduced=*/true});
  axes.front().isReduced = axes.back().isReduced = false;
  axes.back().affineStride = 1;
  return buildMeanVariance(
      *this, {.shape = makeNormShape(axes), .affineCount = shape.back()},
      program);
}

LogicalResult GroupNormOp::buildProgram(LayerProgram &program) {
  ArrayRef<int64_t> shape = inputShape(*this, 0);
  auto axis = normalizeAxis(*this, getAxis(), shape.size());
  if (failed(axis) || failed(checkNormRank(*this)))
    return failure();
  SmallVector<NormAxis> axes;
  for (auto [i, length] : llvm::enumerate(shape)) {
    if (int64_t(i) != *axis) {
      axes.push_back({length, /*isReduced=*/i != 0});
      continue;
    }
    int64_t groups = int64_t(getGroup());
    axes.push_back({groups, /*isReduced=*/false, length / groups});
    axes.push_back({length / groups, /*isReduced=*/true, 1});
  }
  return buildMeanVariance(
      *this, {.shape = makeNormShape(axes), .affineCount = shape[*axis]},
      program);
}
