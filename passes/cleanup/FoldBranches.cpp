//===- FoldBranches.cpp - An If whose condition is constant ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Layers.h"
#include "dialects/compass/control/ControlOps.h"
#include "dialects/compass/control/GraphCalls.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Passes.h"
#include "passes/cleanup/CleanupPatterns.h"
#include "llvm/ADT/DenseSet.h"

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow {

#define GEN_PASS_DEF_FOLDBRANCHES
#include "passes/Passes.h.inc"

namespace {

/// Whether the branch is taken; nullopt if only a run tells.
std::optional<bool> constantCondition(IfOp op) {
  auto constant = op->getOperand(0).getDefiningOp<ConstantOp>();
  auto view = constant ? viewConstant(tensorKey(constant, keys::weights))
                       : std::nullopt;
  if (!view || dtypeIsFloat(view->dtype))
    return std::nullopt;
  // As the machine decides: by the first integer.
  return llvm::any_of(view->bytes.take_front(kernels::dtypeBytes(view->dtype)),
                      [](char byte) { return byte != 0; });
}

/// The layers of the branch stand where the If was. Not if a result is declared
/// larger than what the branch gives, or if an output of the network would lose
/// its name to a tensor that has one.
class Inliner {
public:
  Inliner(IfOp op, bool isTaken)
      : op(op), graph(calledGraphs(op)[isTaken ? 0 : 1]) {
    // By place, not by sub-graph: both branches may be the same one.
    SmallVector<Value> inputs = graphInputs(graph);
    auto operands = op->getOperands().drop_front();
    map.map(inputs, isTaken ? operands.take_front(inputs.size())
                            : operands.take_back(inputs.size()));
  }

  bool isPossible() const {
    llvm::DenseSet<Value> named;
    for (auto [result, output] :
         llvm::zip_equal(op->getResults(), graphOutputs(graph))) {
      if (result.getType() != output.getType())
        return false;
      if (!cleanup::isOutput(result))
        continue;
      Operation *producer = output.getDefiningOp();
      if (producer->hasTrait<trait::Source>() || !named.insert(output).second)
        return false;
    }
    return true;
  }

  void inlineBranch() {
    OpBuilder builder(op);
    bool isOnlyCall = llvm::hasSingleElement(
        *SymbolTable::getSymbolUses(graph, graph->getParentOp()));
    for (Operation &layer : graph.getBody().front().without_terminator()) {
      if (mlir::isa<InputOp>(layer))
        continue;
      Operation *copy = builder.clone(layer, map);
      // Names are told apart where the branch is called elsewhere, too.
      if (!isOnlyCall)
        rename(copy);
    }
    for (auto [result, output] :
         llvm::zip_equal(op->getResults(), graphOutputs(graph))) {
      Value value = map.lookup(output);
      if (cleanup::isOutput(result))
        nameResult(value, tensorNameOf(result));
      result.replaceAllUsesWith(value);
    }
    op->erase();
  }

private:
  void rename(Operation *copy) {
    std::string prefix = layerNameOf(op).str() + ".";
    Builder builder(op->getContext());
    if (auto name = dyn_cast<NameLoc>(copy->getLoc()))
      copy->setLoc(
          NameLoc::get(builder.getStringAttr(prefix + name.getName().strref()),
                       name.getChildLoc()));
    for (Value result : copy->getResults())
      nameResult(result, prefix + tensorNameOf(result));
  }

  static void nameResult(Value value, const std::string &name) {
    Operation *producer = value.getDefiningOp();
    std::vector<std::string> names;
    for (Value result : producer->getResults())
      names.push_back(result == value ? name : tensorNameOf(result));
    producer->setAttr(kTopNamesAttr,
                      Builder(producer->getContext())
                          .getStrArrayAttr(SmallVector<StringRef>(
                              names.begin(), names.end())));
  }

  IfOp op;
  func::FuncOp graph;
  IRMapping map;
};

struct FoldBranches : impl::FoldBranchesBase<FoldBranches> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    // A branch may hold an If that is decided, too.
    while (inlineOne(module))
      ;
    if (!mainGraph(module))
      return;
    llvm::DenseSet<Operation *> called;
    for (func::FuncOp graph : graphsCalleesFirst(module))
      called.insert(graph);
    for (auto graph : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (!called.contains(graph))
        graph.erase();
  }

private:
  static bool inlineOne(ModuleOp module) {
    IfOp found;
    bool isTaken = false;
    module.walk([&](IfOp op) {
      std::optional<bool> condition = constantCondition(op);
      if (!condition || !Inliner(op, *condition).isPossible())
        return WalkResult::advance();
      found = op;
      isTaken = *condition;
      return WalkResult::interrupt();
    });
    if (!found)
      return false;
    Inliner(found, isTaken).inlineBranch();
    return true;
  }
};

} // namespace
} // namespace yarrow
