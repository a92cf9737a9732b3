//===- Cleanup.cpp - The clean-up passes and their order ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "passes/cleanup/Cleanup.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/graph/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/cleanup/CleanupPatterns.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace yarrow {

namespace {

/// Puts back inputs that vanished because nobody reads them: they are part of
/// the network's interface.
class KeptInputs {
public:
  explicit KeptInputs(func::FuncOp func) : block(&func.getBody().front()) {
    for (auto input : block->getOps<compass::InputOp>())
      copies.push_back(input->clone());
  }
  ~KeptInputs() {
    llvm::DenseSet<int64_t> present;
    for (auto input : block->getOps<compass::InputOp>())
      present.insert(input.getInputIndex());
    for (Operation *copy : copies) {
      if (present.contains(cast<compass::InputOp>(copy).getInputIndex()))
        copy->destroy();
      else
        block->push_front(copy);
    }
  }

private:
  Block *block;
  SmallVector<Operation *> copies;
};

/// A pass that applies one set of patterns until none matches. Layers that
/// nobody reads disappear on the way.
template <typename Derived>
struct PatternPass : PassWrapper<Derived, OperationPass<func::FuncOp>> {
  void runOnOperation() override {
    KeptInputs inputs(this->getOperation());
    RewritePatternSet patterns(&this->getContext());
    Derived::add(patterns);
    if (failed(
            applyPatternsGreedily(this->getOperation(), std::move(patterns)))) {
      this->getOperation()->emitError("clean-up does not come to an end");
      this->signalPassFailure();
    }
  }
};

struct FoldIntoWeights : PatternPass<FoldIntoWeights> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FoldIntoWeights)
  static void add(RewritePatternSet &p) { cleanup::addFoldIntoWeights(p); }
  StringRef getArgument() const override { return "fold-into-weights"; }
  StringRef getDescription() const override {
    return "Fold affine layers into the weights before them";
  }
};
struct FuseActivations : PatternPass<FuseActivations> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseActivations)
  static void add(RewritePatternSet &p) { cleanup::addFuseActivations(p); }
  StringRef getArgument() const override { return "fuse-activations"; }
  StringRef getDescription() const override {
    return "Fuse activations into the layer before";
  }
};
struct SinkTransposes : PatternPass<SinkTransposes> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SinkTransposes)
  static void add(RewritePatternSet &p) {
    cleanup::addSinkTransposes(p);
    cleanup::addDropIdentities(p);
    cleanup::addFoldConstants(p);
  }
  StringRef getArgument() const override { return "sink-transposes"; }
  StringRef getDescription() const override {
    return "Move transposes down until they cancel";
  }
};
struct DropIdentities : PatternPass<DropIdentities> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropIdentities)
  static void add(RewritePatternSet &p) { cleanup::addDropIdentities(p); }
  StringRef getArgument() const override { return "drop-identities"; }
  StringRef getDescription() const override {
    return "Remove layers that copy their input";
  }
};
struct FoldConstants : PatternPass<FoldConstants> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FoldConstants)
  static void add(RewritePatternSet &p) { cleanup::addFoldConstants(p); }
  StringRef getArgument() const override { return "fold-constants"; }
  StringRef getDescription() const override {
    return "Compute layers whose inputs are constant";
  }
};

} // namespace

std::unique_ptr<Pass> createFoldIntoWeightsPass() {
  return std::make_unique<FoldIntoWeights>();
}
std::unique_ptr<Pass> createFuseActivationsPass() {
  return std::make_unique<FuseActivations>();
}
std::unique_ptr<Pass> createSinkTransposesPass() {
  return std::make_unique<SinkTransposes>();
}
std::unique_ptr<Pass> createDropIdentitiesPass() {
  return std::make_unique<DropIdentities>();
}
std::unique_ptr<Pass> createFoldConstantsPass() {
  return std::make_unique<FoldConstants>();
}

void buildCleanupPipeline(OpPassManager &pm) {
  OpPassManager &funcs = pm.nest<func::FuncOp>();
  funcs.addPass(createDropIdentitiesPass());
  funcs.addPass(createFoldConstantsPass());
  // Transposes between a layer and its BatchNorm or activation go first.
  funcs.addPass(createSinkTransposesPass());
  funcs.addPass(createFoldIntoWeightsPass());
  funcs.addPass(createFuseActivationsPass());
}

bool runCleanup(ModuleOp module, DiagnosticEngine &diags) {
  compass::DiagnosticForwarder forward(module.getContext(), diags,
                                       DiagId::OpInvalid);
  PassManager pm(module.getContext());
  buildCleanupPipeline(pm);
  return succeeded(pm.run(module));
}

} // namespace yarrow
