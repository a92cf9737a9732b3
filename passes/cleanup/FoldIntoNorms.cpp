//===- FoldIntoNorms.cpp - Factors and offsets into the norm before them --===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/eltwise/BinaryFunction.h"
#include "dialects/compass/norm/NormOps.h"
#include "passes/cleanup/CleanupPatterns.h"

using namespace yarrow::compass;
using namespace mlir;
using yarrow::kernels::BinaryOp;

namespace yarrow::cleanup {

namespace {

/// A norm in float that one layer reads, and the axes along which its factor
/// and offset vary.
struct AffineNorm {
  Operation *op = nullptr;
  SmallVector<int64_t> axes;

  static std::optional<AffineNorm> before(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumResults() != 1 || !value.hasOneUse() ||
        describe(value).dtype != DType::F32)
      return std::nullopt;
    auto rank = int64_t(shapeOf(value).size());
    AffineNorm norm{op, {}};
    if (mlir::isa<InstanceNormOp>(op)) {
      norm.axes = {rank - 1};
    } else if (mlir::isa<GroupNormOp>(op)) {
      norm.axes = {axisOf(op, keys::axis, rank)};
    } else if (mlir::isa<LayerNormOp, RMSNormOp>(op)) {
      auto axes = axesKey(op, rank);
      if (failed(axes))
        return std::nullopt;
      norm.axes = *axes;
    } else {
      return std::nullopt;
    }
    return norm;
  }

  /// The axes' lengths.
  SmallVector<int64_t> shape() const {
    return llvm::map_to_vector(axes, [&](int64_t axis) {
      return shapeOf(op->getResult(0))[std::size_t(axis)];
    });
  }

  /// \p constant, which broadcasts, as one value for each position along the
  /// axes; nullopt if it varies along another.
  std::optional<std::vector<float>> alongAxes(Value constant) const {
    auto values = constantFloats(constant);
    if (!values)
      return std::nullopt;
    auto rank = int64_t(shapeOf(op->getResult(0)).size());
    ArrayRef<int64_t> own = shapeOf(constant);
    SmallVector<int64_t> lengths = shape(), strides(axes.size(), 0);
    int64_t stride = 1;
    for (auto i = int64_t(own.size()); i-- > 0;) {
      if (own[std::size_t(i)] == 1)
        continue;
      const int64_t *axis = llvm::find(axes, rank - int64_t(own.size()) + i);
      auto place = std::size_t(axis - axes.begin());
      if (axis == axes.end() || own[std::size_t(i)] != lengths[place])
        return std::nullopt;
      strides[place] = stride;
      stride *= lengths[place];
    }
    std::vector<float> result = {};
    SmallVector<int64_t> index(axes.size(), 0);
    int64_t count = 1;
    for (int64_t length : lengths)
      count *= length;
    for (int64_t i = 0; i < count; ++i) {
      int64_t rest = i, at = 0;
      for (std::size_t k = axes.size(); k-- > 0;) {
        at += rest % lengths[k] * strides[k];
        rest /= lengths[k];
      }
      result.push_back((*values)[std::size_t(at)]);
    }
    return result;
  }

  /// The key's values; \p fallback where it is absent.
  std::optional<std::vector<float>> values(TensorKey key,
                                           float fallback) const {
    std::size_t count = 1;
    for (int64_t length : shape())
      count *= std::size_t(length);
    ElementsAttr attr = tensorKey(op, key);
    if (!attr)
      return std::vector<float>(count, fallback);
    auto stored = floatsOf(attr);
    if (!stored || stored->size() != count)
      return std::nullopt;
    return stored;
  }
};

struct FoldIntoNorm : RewritePattern {
  explicit FoldIntoNorm(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    auto binary = dyn_cast<BinaryFunction>(op);
    if (!binary || op->getNumOperands() != 2 ||
        wordKey(op, keys::with_activation, "NONE") != "NONE")
      return failure();
    auto norm = AffineNorm::before(op->getOperand(0));
    unsigned side = norm ? 0 : 1;
    if (!norm)
      norm = AffineNorm::before(op->getOperand(1));
    if (!norm || shapeOf(op->getOperand(side)) != shapeOf(op->getResult(0)) ||
        describe(op->getResult(0)).dtype != DType::F32)
      return rewriter.notifyMatchFailure(op, "not after a norm");
    auto operand = norm->alongAxes(op->getOperand(1 - side));
    auto factor = norm->values(keys::weights, 1),
         offset = norm->values(keys::biases, 0);
    if (!operand || !factor || !offset)
      return rewriter.notifyMatchFailure(op, "no constant along the axes");
    if (!apply(binary.binaryFunction(), side == 1, *operand, *factor, *offset))
      return rewriter.notifyMatchFailure(op, "not an affine function");
    SmallVector<int64_t> shape = norm->shape();
    std::string name = tensorNameOf(op->getResult(0));
    rewriter.modifyOpInPlace(norm->op, [&] {
      setFloats(norm->op, "weights", shape, *factor);
      setFloats(norm->op, "biases", shape, *offset);
      setTensorName(norm->op, name);
    });
    rewriter.replaceOp(op, norm->op->getResult(0));
    return success();
  }

private:
  static bool apply(BinaryOp function, bool isSecond, ArrayRef<float> operand,
                    std::vector<float> &factor, std::vector<float> &offset) {
    for (std::size_t i = 0; i < operand.size(); ++i)
      switch (function) {
      case BinaryOp::Mul:
        factor[i] *= operand[i];
        offset[i] *= operand[i];
        break;
      case BinaryOp::Add:
        offset[i] += operand[i];
        break;
      case BinaryOp::Sub:
        if (isSecond) {
          factor[i] = -factor[i];
          offset[i] = operand[i] - offset[i];
        } else {
          offset[i] -= operand[i];
        }
        break;
      default:
        return false;
      }
    return true;
  }
};

} // namespace

void addFoldIntoNorms(RewritePatternSet &patterns) {
  patterns.add<FoldIntoNorm>(patterns.getContext());
}

} // namespace yarrow::cleanup
