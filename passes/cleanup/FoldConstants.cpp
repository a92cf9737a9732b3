//===- FoldConstants.cpp - Layers whose inputs are all constant -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/network/Evaluator.h"
#include "passes/cleanup/CleanupPatterns.h"

#include <algorithm>
#include <cstring>

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

namespace {

struct FoldConstant : RewritePattern {
  explicit FoldConstant(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!recordOf(op) || op->getNumOperands() == 0 || isOutput(op))
      return failure();
    // A constant that is much larger than what it is made of would only cost
    // bandwidth.
    uint64_t sizeBefore = 0, sizeAfter = 0;
    for (Value v : op->getOperands()) {
      if (!v.getDefiningOp<ConstantOp>())
        return failure();
      sizeBefore += describe(v).sizeBytes();
    }
    for (Value v : op->getResults())
      sizeAfter += describe(v).sizeBytes();
    if (sizeAfter > std::max<uint64_t>(2 * sizeBefore, 64 << 10))
      return rewriter.notifyMatchFailure(op, "the result is too large");
    return fold(op, rewriter);
  }

private:
  static bool isOutput(Operation *op) {
    return llvm::any_of(op->getResults(), cleanup::isOutput);
  }

  static LogicalResult fold(Operation *op, PatternRewriter &rewriter) {
    // Kernels read aligned elements; the weights file is densely packed.
    std::vector<std::vector<uint64_t>> aligned;
    SmallVector<TensorBytesRef> operands;
    for (Value v : op->getOperands()) {
      auto view = viewConstant(tensorKey(v.getDefiningOp(), keys::weights));
      if (!view)
        return failure();
      aligned.emplace_back(view->bytes.size() / 8 + 1);
      std::memcpy(aligned.back().data(), view->bytes.data(),
                  view->bytes.size());
      operands.emplace_back(
          reinterpret_cast<const char *>(aligned.back().data()),
          view->bytes.size());
    }
    std::vector<TensorBytes> results;
    if (failed(evaluateOp(op, operands, results)))
      return failure();
    SmallVector<Value> values;
    for (auto [v, bytes] : llvm::zip(op->getResults(), results)) {
      TensorInfo info = describe(v);
      std::string name = tensorNameOf(v);
      OperationState state(op->getLoc(), ConstantOp::getOperationName());
      state.addTypes(v.getType());
      state.addAttribute("weights",
                         makeConstant(op->getContext(), name, info.shape,
                                      info.dtype, std::move(bytes)));
      Operation *constant = rewriter.create(state);
      setTensorName(constant, name);
      values.push_back(constant->getResult(0));
    }
    rewriter.replaceOp(op, values);
    return success();
  }
};

} // namespace

void addFoldConstants(RewritePatternSet &patterns) {
  patterns.add<FoldConstant>(patterns.getContext());
}

} // namespace yarrow::cleanup
