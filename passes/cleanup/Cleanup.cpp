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
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Passes.h"
#include "passes/cleanup/CleanupPatterns.h"
#include "support/Cancellation.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace yarrow {

#define GEN_PASS_DEF_FOLDINTOWEIGHTS
#define GEN_PASS_DEF_FUSEFORMULAS
#define GEN_PASS_DEF_FUSEACTIVATIONS
#define GEN_PASS_DEF_SINKTRANSPOSES
#define GEN_PASS_DEF_DROPIDENTITIES
#define GEN_PASS_DEF_FOLDCONSTANTS
#include "passes/Passes.h.inc"

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

/// What takes the place of a layer has its layer_id: rules for that one mean
/// it, and it may be given other bits.
class LayerIds : public RewriterBase::Listener {
public:
  void notifyOperationReplaced(Operation *op, ValueRange values) override {
    Attribute id = op->getAttr(compass::kLayerIdAttr);
    for (Value value : values)
      if (Operation *maker = value.getDefiningOp();
          id && maker && !maker->hasAttr(compass::kLayerIdAttr))
        maker->setAttr(compass::kLayerIdAttr, id);
  }
};

using AddPatterns = void (*)(RewritePatternSet &);

/// Applies the patterns of \p families until none matches. Layers that nobody
/// reads disappear on the way.
LogicalResult apply(func::FuncOp func,
                    std::initializer_list<AddPatterns> families) {
  RewritePatternSet patterns(func.getContext());
  for (AddPatterns add : families)
    add(patterns);
  KeptInputs inputs(func);
  // Copies are dropped by a pattern, which keeps the names of outputs.
  GreedyRewriteConfig config;
  config.enableFolding(false);
  LayerIds ids;
  config.setListener(&ids);
  // Transposes go through layers one by one. Patterns that undo one another
  // would go on for ever: rather an error.
  int64_t layers = std::distance(func.getBody().front().begin(),
                                 func.getBody().front().end());
  constexpr int64_t kLeastRewrites = 10000, kRewritesOfALayer = 200;
  config.setMaxNumRewrites(kLeastRewrites + kRewritesOfALayer * layers);
  if (succeeded(applyPatternsGreedily(func, std::move(patterns), config)))
    return success();
  return func.emitError("clean-up does not end");
}

struct FoldIntoWeights : impl::FoldIntoWeightsBase<FoldIntoWeights> {
  void runOnOperation() override {
    if (failed(apply(getOperation(),
                     {cleanup::addFoldIntoWeights, cleanup::addFoldIntoNorms,
                      cleanup::addFoldPads, cleanup::addFoldPhases,
                      cleanup::addFoldChannelSlices, cleanup::addAbsorbShuffles,
                      cleanup::addSplitShuffles})))
      signalPassFailure();
  }
};
struct FuseFormulas : impl::FuseFormulasBase<FuseFormulas> {
  void runOnOperation() override {
    if (failed(apply(getOperation(),
                     {cleanup::addFuseNorms, cleanup::addUpsampleFormulas})))
      signalPassFailure();
  }
};
struct FuseActivations : impl::FuseActivationsBase<FuseActivations> {
  void runOnOperation() override {
    if (failed(apply(getOperation(), {cleanup::addFuseActivations})))
      signalPassFailure();
  }
};
struct SinkTransposes : impl::SinkTransposesBase<SinkTransposes> {
  void runOnOperation() override {
    if (failed(
            apply(getOperation(),
                  {cleanup::addSinkTransposes, cleanup::addDropIdentities,
                   cleanup::addFoldConstants, cleanup::addConstantBranches})))
      signalPassFailure();
  }
};
struct DropIdentities : impl::DropIdentitiesBase<DropIdentities> {
  void runOnOperation() override {
    if (failed(apply(getOperation(), {cleanup::addDropIdentities})))
      signalPassFailure();
  }
};
struct FoldConstants : impl::FoldConstantsBase<FoldConstants> {
  void runOnOperation() override {
    if (failed(apply(getOperation(),
                     {cleanup::addFoldConstants, cleanup::addConstantBranches,
                      cleanup::addScatterBoxes})))
      signalPassFailure();
  }
};

} // namespace

void buildCleanupPipeline(OpPassManager &pm) { buildCleanupPipeline(pm, {}); }

void buildCleanupPipeline(OpPassManager &pm,
                          llvm::ArrayRef<npu::Optimization> disabled) {
  using npu::Optimization;
  auto add = [&](OpPassManager &to, Optimization which,
                 std::unique_ptr<Pass> pass) {
    if (!llvm::is_contained(disabled, which))
      to.addPass(std::move(pass));
  };
  // Conditions become constant before, and branches part of the graph before
  // the rest is simplified.
  OpPassManager &constants = pm.nest<func::FuncOp>();
  add(constants, Optimization::DropIdentities, createDropIdentities());
  add(constants, Optimization::FoldConstants, createFoldConstants());
  add(pm, Optimization::FoldBranches, createFoldBranches());
  OpPassManager &funcs = pm.nest<func::FuncOp>();
  // Before transposes move, which formulas have between their layers.
  add(funcs, Optimization::FuseFormulas, createFuseFormulas());
  // Transposes between a layer and its BatchNorm or activation go first.
  add(funcs, Optimization::SinkTransposes, createSinkTransposes());
  add(funcs, Optimization::FoldIntoWeights, createFoldIntoWeights());
  add(funcs, Optimization::FuseActivations, createFuseActivations());
}

bool runCleanup(ModuleOp module, DiagnosticEngine &diags) {
  compass::DiagnosticForwarder forward(module.getContext(), diags,
                                       diag::OpInvalid);
  PassManager pm(module.getContext());
  buildCleanupPipeline(pm);
  // MLIR has no exceptions, which would have to pass its frames.
  CancellationPause library;
  return succeeded(pm.run(module));
}

} // namespace yarrow
