//===- FoldIntoWeights.cpp - Affine layers into the weights before them ---===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Layers.h"
#include "dialects/compass/eltwise/BinaryFunction.h"
#include "dialects/compass/norm/NormOps.h"
#include "passes/cleanup/CleanupPatterns.h"

using namespace yarrow::compass;
using namespace mlir;
using yarrow::kernels::BinaryOp;

namespace yarrow::cleanup {

namespace {

/// A linear layer in float whose weights may change: nobody else reads its
/// result and no activation follows inside.
Operation *linearProducer(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !value.hasOneUse() || !op->hasTrait<trait::Linear>())
    return nullptr;
  bool isPlain = wordKey(op, keys::with_activation, "NONE") == "NONE" &&
                 describe(value).dtype == DType::F32;
  return isPlain ? op : nullptr;
}

/// y = factor[c] * x + offset[c] behind linear layer \p op.
bool foldAffine(PatternRewriter &rewriter, Operation *op,
                const std::vector<float> &factor,
                const std::vector<float> &offset) {
  auto weights = floatsOf(tensorKey(op, keys::weights));
  auto biases = floatsOf(tensorKey(op, keys::biases));
  if (!weights || !biases || factor.size() != biases->size())
    return false;
  auto shape = viewConstant(tensorKey(op, keys::weights))->shape;
  // The filters of a transposed convolution serve all its groups.
  if (shape[0] != int64_t(biases->size()))
    return false;
  std::size_t perChannel = weights->size() / biases->size();
  for (std::size_t i = 0; i < weights->size(); ++i)
    (*weights)[i] *= factor[i / perChannel];
  for (std::size_t c = 0; c < biases->size(); ++c)
    (*biases)[c] = (*biases)[c] * factor[c] + offset[c];
  rewriter.modifyOpInPlace(op, [&] {
    setFloats(op, keys::weights, shape, *weights);
    setFloats(op, keys::biases, {int64_t(biases->size())}, *biases);
  });
  return true;
}

/// Moves \p from's activation and result over to \p to.
void absorb(PatternRewriter &rewriter, Operation *to, Operation *from) {
  std::string name = tensorNameOf(from->getResult(0));
  rewriter.modifyOpInPlace(to, [&] {
    for (KeyName key : std::initializer_list<KeyName>{
             keys::with_activation, keys::clip_min, keys::clip_max,
             keys::negative_slope_value, keys::negative_slope})
      if (Attribute attr = from->getAttr(key))
        to->setAttr(key, attr);
    setTensorName(to, name);
  });
  rewriter.replaceOp(from, to->getResult(0));
}

struct FoldBatchNorm : OpRewritePattern<BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BatchNormOp op,
                                PatternRewriter &rewriter) const override {
    Operation *linear = linearProducer(op->getOperand(0));
    if (!linear)
      return rewriter.notifyMatchFailure(op, "not after a linear layer");
    int64_t rank = int64_t(shapeOf(op->getOperand(0)).size());
    if (axisOf(op, keys::axis, rank) != rank - 1)
      return rewriter.notifyMatchFailure(op, "not along the channels");
    auto factor = floatsOf(tensorKey(op, keys::weights));
    auto offset = floatsOf(tensorKey(op, keys::biases));
    if (!factor || !offset || !foldAffine(rewriter, linear, *factor, *offset))
      return rewriter.notifyMatchFailure(op, "constants are not float");
    absorb(rewriter, linear, op);
    return success();
  }
};

/// A constant operand as one value per channel of \p channels; nullopt if it
/// varies along another axis.
std::optional<std::vector<float>> perChannel(Value constant, int64_t channels) {
  auto values = constantFloats(constant);
  if (!values)
    return std::nullopt;
  if (values->size() == 1)
    return std::vector<float>(std::size_t(channels), values->front());
  ArrayRef<int64_t> shape = shapeOf(constant);
  if (int64_t(values->size()) != channels || shape.back() != channels)
    return std::nullopt;
  return values;
}

/// Addition of, or product with, a constant per channel.
struct FoldEltwise : RewritePattern {
  explicit FoldEltwise(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    auto binary = dyn_cast<BinaryFunction>(op);
    if (!binary || op->getNumOperands() != 2)
      return failure();
    BinaryOp function = binary.binaryFunction();
    unsigned side = linearProducer(op->getOperand(0)) ? 0 : 1;
    Operation *linear = linearProducer(op->getOperand(side));
    if (!linear || shapeOf(op->getOperand(side)) != shapeOf(op->getResult(0)))
      return rewriter.notifyMatchFailure(op, "not after a linear layer");
    int64_t channels = shapeOf(op->getResult(0)).back();
    auto values = perChannel(op->getOperand(1 - side), channels);
    if (!values)
      return rewriter.notifyMatchFailure(op, "no constant per channel");
    std::vector<float> factor(values->size(), 1.0f), offset(values->size());
    if (function == BinaryOp::Mul) {
      factor = *values;
    } else if (function == BinaryOp::Add || function == BinaryOp::Sub) {
      offset = *values;
      // x - c or c - x
      std::vector<float> &negated = side == 0 ? offset : factor;
      if (function == BinaryOp::Sub)
        for (float &v : negated)
          v = -v;
    } else {
      return rewriter.notifyMatchFailure(op, "not an affine function");
    }
    if (!foldAffine(rewriter, linear, factor, offset))
      return rewriter.notifyMatchFailure(op, "weights are not float");
    absorb(rewriter, linear, op);
    return success();
  }
};

} // namespace

void addFoldIntoWeights(RewritePatternSet &patterns) {
  patterns.add<FoldBatchNorm, FoldEltwise>(patterns.getContext());
}

} // namespace yarrow::cleanup
