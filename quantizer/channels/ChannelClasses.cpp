//===- ChannelClasses.cpp - Channels that share a factor ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/channels/ChannelClasses.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/activation/ActivationOps.h"
#include "dialects/compass/eltwise/EltwiseOps.h"
#include "dialects/compass/image/ImageOps.h"
#include "dialects/compass/movement/MovementOps.h"
#include "dialects/compass/norm/NormOps.h"
#include "dialects/compass/pool/PoolOps.h"
#include "dialects/compass/rearrange/RearrangeOps.h"
#include "dialects/compass/reduce/ReduceOps.h"
#include "kernels/arithmetic/Eltwise.h"
#include "quantizer/channels/ChannelWeights.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <limits>
#include <optional>

using namespace yarrow;
using namespace yarrow::compass;
using kernels::BinaryOp;

static bool isHomogeneousWord(llvm::StringRef activation) {
  return llvm::StringSwitch<bool>(activation)
      .Cases({"NONE", "RELU", "LEAKYRELU", "PRELU"}, true)
      .Default(false);
}

bool yarrow::isHomogeneous(mlir::Operation *op) {
  return isHomogeneousWord(wordKey(op, keys::with_activation, "NONE"));
}

/// Of RELU6, and of a CLIP around 0, in a layer or behind one.
static std::optional<ActivationBounds> boundsOf(mlir::Operation *op) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::string word = mlir::isa<ActivationOp>(op)
                         ? wordKey(op, keys::method)
                         : wordKey(op, keys::with_activation, "NONE");
  if (word == "RELU6")
    return ActivationBounds{-kNone, 6};
  if (word != "CLIP")
    return std::nullopt;
  auto low = numberOf(op->getAttr(keys::clip_min)),
       high = numberOf(op->getAttr(keys::clip_max));
  if (!low || !high || *low > 0 || *high <= 0)
    return std::nullopt;
  return ActivationBounds{*low < 0 ? *low : -kNone, *high};
}

bool ChannelClasses::passesFactors(mlir::Operation *op) {
  std::string method = wordKey(op, keys::method);
  if (mlir::isa<ActivationOp>(op)
          ? method != "NONE" && isHomogeneousWord(method)
          : isHomogeneous(op))
    return true;
  auto found = passesBounds ? boundsOf(op) : std::nullopt;
  if (found && op->getNumResults() == 1)
    bounds.insert({op->getResult(0), *found});
  return found.has_value();
}

ChannelClasses::ChannelClasses(
    mlir::ModuleOp network,
    const std::function<bool(mlir::Operation *)> &mayChange, Bounds bounds)
    : mayChange(mayChange), passesBounds(bounds == Bounds::Pass) {
  unsigned count = 1;
  auto add = [&](mlir::Value value) {
    if (!mlir::isa<mlir::RankedTensorType>(value.getType()) ||
        !describe(value).isFloat() || shapeOf(value).empty())
      return;
    firsts[value] = count;
    count += unsigned(shapeOf(value).back());
  };
  network.walk([&](mlir::Operation *op) {
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        llvm::for_each(block.getArguments(), add);
    llvm::for_each(op->getResults(), add);
  });
  classes.grow(count);
  std::vector<mlir::Operation *> products;
  network.walk([&](mlir::Operation *op) {
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        for (mlir::Value argument : block.getArguments())
          fix(argument);
    auto binary = mlir::dyn_cast<BinaryFunction>(op);
    if (binary && binary.binaryFunction() == BinaryOp::Mul && passesFactors(op))
      products.push_back(op);
    else
      joinOf(op);
  });
  // What a gate is made of is known by now.
  for (mlir::Operation *op : products)
    joinProduct(op);
  classes.compress();
}

std::vector<unsigned> ChannelClasses::of(mlir::Value value) const {
  std::vector<unsigned> found;
  for (unsigned c = 0; c < channelsOf(value); ++c)
    found.push_back(classes[element(value, c)]);
  return found;
}

unsigned ChannelClasses::channelsOf(mlir::Value value) const {
  return firsts.contains(value) ? unsigned(shapeOf(value).back()) : 0;
}

unsigned ChannelClasses::element(mlir::Value value, unsigned c) const {
  return firsts.find(value)->second + c;
}

bool ChannelClasses::isFixed(mlir::Value value, unsigned c) const {
  return classes.findLeader(element(value, c)) == kFixed;
}

void ChannelClasses::join(mlir::Value a, unsigned channelOfA, mlir::Value b,
                          unsigned channelOfB) {
  classes.join(element(a, channelOfA), element(b, channelOfB));
}

/// Where only one of them has channels of real numbers, it is fixed.
void ChannelClasses::joinAll(mlir::Value a, mlir::Value b) {
  if (channelsOf(a) != channelsOf(b)) {
    fix(a), fix(b);
    return;
  }
  for (unsigned c = 0; c < channelsOf(a); ++c)
    join(a, c, b, c);
}

void ChannelClasses::fix(mlir::Value value) {
  for (unsigned c = 0; c < channelsOf(value); ++c)
    classes.join(kFixed, element(value, c));
}

void ChannelClasses::fixAll(mlir::Operation *op) {
  for (mlir::Value operand : op->getOperands())
    fix(operand);
  for (mlir::Value result : op->getResults())
    fix(result);
}

void ChannelClasses::joinOf(mlir::Operation *op) {
  if (!recordOf(op)) {
    fixAll(op);
    return;
  }
  if (auto weights = ChannelWeights::of(op)) {
    // Its weights take in both factors.
    bool isFree = !mayChange || mayChange(op);
    if (!isFree || channelsOf(op->getOperand(0)) != weights->inputs())
      fix(op->getOperand(0));
    if (!isFree || !passesFactors(op) ||
        channelsOf(op->getResult(0)) != weights->outputs())
      fix(op->getResult(0));
    for (mlir::Value operand : llvm::drop_begin(op->getOperands()))
      fix(operand);
    return;
  }
  if (auto norm = ChannelWeights::ofNorm(op)) {
    joinNorm(op, *norm);
    return;
  }
  if (!joinBinary(op) && !joinMoved(op))
    fixAll(op);
}

/// Gamma and beta take in the factor of the result. What divides each channel
/// by its own deviation does not see the factor of its operand.
void ChannelClasses::joinNorm(mlir::Operation *op, const ChannelWeights &norm) {
  bool isFree = !mayChange || mayChange(op);
  if (!isFree || !mlir::isa<InstanceNormOp>(op))
    fix(op->getOperand(0));
  mlir::Value result = op->getResult(0);
  if (!isFree || !passesFactors(op) || op->getNumResults() != 1 ||
      channelsOf(result) != norm.outputs())
    fix(result);
  for (mlir::Value operand : llvm::drop_begin(op->getOperands()))
    fix(operand);
}

bool ChannelClasses::joinBinary(mlir::Operation *op) {
  auto binary = mlir::dyn_cast<BinaryFunction>(op);
  if (!binary || !passesFactors(op))
    return false;
  BinaryOp function = binary.binaryFunction();
  if (!llvm::is_contained(
          {BinaryOp::Add, BinaryOp::Sub, BinaryOp::Max, BinaryOp::Min},
          function))
    return false;
  joinAll(op->getOperand(0), op->getResult(0));
  joinAll(op->getOperand(1), op->getResult(0));
  return true;
}

/// A gate keeps its size, what it opens has that of the result.
void ChannelClasses::joinProduct(mlir::Operation *op) {
  mlir::Value a = op->getOperand(0), b = op->getOperand(1),
              y = op->getResult(0);
  unsigned channels = channelsOf(y);
  if (!channels) {
    fixAll(op);
    return;
  }
  auto isGate = [&](mlir::Value value) {
    for (unsigned c = 0; c < channelsOf(value); ++c)
      if (!isFixed(value, c))
        return false;
    return channelsOf(value) == channels || channelsOf(value) == 1;
  };
  if (isGate(a))
    joinAll(b, y);
  else if (isGate(b))
    joinAll(a, y);
  else
    fixAll(op);
}

/// Whether each channel of the result is the operand's, or in proportion to it.
bool ChannelClasses::keepsChannels(mlir::Operation *op) {
  llvm::ArrayRef<int64_t> in = inputShape(op, 0), out = declaredShape(op, 0);
  auto last = int64_t(in.size()) - 1;
  if (mlir::isa<ResizeOp, PoolingOp>(op))
    return true;
  if (last < 0 || out.empty())
    return false;
  if (mlir::isa<ReshapeOp>(op))
    return in.back() == out.back();
  if (mlir::isa<TransposeOp>(op))
    return intsKey(op, keys::perm).back() == last;
  if (mlir::isa<ActivationOp>(op))
    return passesFactors(op);
  if (mlir::isa<ReduceOp>(op)) {
    auto axes = axesKey(op, last + 1);
    return mlir::succeeded(axes) && !llvm::is_contained(*axes, last) &&
           llvm::is_contained({"MEAN", "MAX", "MIN", "SUM"},
                              wordKey(op, keys::method));
  }
  return false;
}

/// What computes each channel of its result from the same one of its operand,
/// and in proportion to it, or only moves values.
bool ChannelClasses::joinMoved(mlir::Operation *op) {
  if (mlir::isa<SliceOp>(op))
    return joinSlice(op);
  if (mlir::isa<PadOp>(op))
    return joinPad(op);
  if (op->getNumOperands() == 0 || op->getNumResults() == 0)
    return false;
  mlir::Value x = op->getOperand(0), y = op->getResult(0);
  auto rank = int64_t(shapeOf(x).size());
  if (mlir::isa<ConcatOp, SplitOp>(op)) {
    auto axis = axisKey(op, keys::axis, rank);
    if (mlir::failed(axis) || rank == 0)
      return false;
    if (*axis == rank - 1)
      joinParts(op);
    else
      for (mlir::Value operand : op->getOperands())
        for (mlir::Value result : op->getResults())
          joinAll(operand, result);
    return true;
  }
  if (!keepsChannels(op))
    return false;
  joinAll(x, y);
  return true;
}

/// Of a Concat or a Split along the channels.
void ChannelClasses::joinParts(mlir::Operation *op) {
  bool isConcat = mlir::isa<ConcatOp>(op);
  mlir::Value whole = isConcat ? op->getResult(0) : op->getOperand(0);
  unsigned first = 0;
  auto part = [&](mlir::Value value) {
    if (!channelsOf(value) || !channelsOf(whole))
      return;
    for (unsigned c = 0; c < channelsOf(value); ++c)
      join(whole, first + c, value, c);
    first += channelsOf(value);
  };
  if (isConcat)
    llvm::for_each(op->getOperands(), part);
  else
    llvm::for_each(op->getResults(), part);
}

bool ChannelClasses::joinSlice(mlir::Operation *op) {
  mlir::Value x = op->getOperand(0), y = op->getResult(0);
  llvm::SmallVector<int64_t> begin = intsKey(op, keys::begin),
                             strides = intsKey(op, keys::strides);
  int64_t step = strides.empty() ? 1 : strides.back();
  if (begin.size() != shapeOf(x).size() || step <= 0 || !channelsOf(x) ||
      !channelsOf(y))
    return false;
  int64_t first =
      begin.back() < 0 ? begin.back() + channelsOf(x) : begin.back();
  if (first < 0 || first + (channelsOf(y) - 1) * step >= channelsOf(x))
    return false;
  for (unsigned c = 0; c < channelsOf(y); ++c)
    join(x, unsigned(first + c * step), y, c);
  return true;
}

bool ChannelClasses::joinPad(mlir::Operation *op) {
  mlir::Value x = op->getOperand(0), y = op->getResult(0);
  auto pads = nestedKey(op, keys::pads);
  bool isConstant = wordKey(op, keys::mode, "CONSTANT") == "CONSTANT";
  bool isZero = isConstant &&
                numberOf(op->getAttr(keys::constant_value)).value_or(0) == 0;
  if (pads.size() != shapeOf(x).size() || pads.empty() || !channelsOf(x) ||
      !channelsOf(y))
    return false;
  bool isBeside = pads.back()[0] != 0 || pads.back()[1] != 0;
  if (!isZero && (isBeside || isConstant))
    return false;
  // A channel of zeros may have any factor.
  for (unsigned c = 0; c < channelsOf(x); ++c)
    join(x, c, y, unsigned(pads.back()[0]) + c);
  return true;
}
