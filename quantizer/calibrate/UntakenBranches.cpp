//===- UntakenBranches.cpp - Branches that no sample takes ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/calibrate/UntakenBranches.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/control/ControlOps.h"
#include "dialects/compass/control/GraphCalls.h"
#include "dialects/compass/graph/Graphs.h"
#include "support/diagnostics/Quantizer.h"

using namespace yarrow::compass;

namespace yarrow {

/// The operands of then_branch come before those of else_branch.
static void exchangeBranches(IfOp op) {
  auto count = unsigned(
      op->getAttrOfType<mlir::IntegerAttr>(keys::then_branch_inputs_num)
          .getInt());
  llvm::SmallVector<mlir::Value> operands(op->getOperands());
  std::rotate(operands.begin() + 1, operands.begin() + 1 + count,
              operands.end());
  op->setOperands(operands);
  for (auto [a, b] :
       {std::pair("then_branch", "else_branch"),
        std::pair("then_branch_inputs_num", "else_branch_inputs_num")}) {
    mlir::Attribute first = op->getAttr(a);
    op->setAttr(a, op->getAttr(b));
    op->setAttr(b, first);
  }
}

bool UntakenBranches::swap(
    llvm::function_ref<bool(mlir::func::FuncOp)> isSeen) {
  reached.clear();
  for (mlir::func::FuncOp graph : graphsCalleesFirst(module)) {
    if (!isMainGraph(graph) && !isSeen(graph))
      continue; // perhaps the next time
    for (IfOp op : graph.getOps<IfOp>()) {
      auto untaken = [&](mlir::func::FuncOp branch) { return !isSeen(branch); };
      if (llvm::is_contained(swapped, op.getOperation()) ||
          llvm::none_of(calledGraphs(op), untaken))
        continue;
      swapped.push_back(op);
      for (mlir::func::FuncOp called : calledGraphs(op))
        if (untaken(called) && !llvm::is_contained(reached, called))
          reached.push_back(called);
      if (!copied)
        copied = mlir::cast<mlir::ModuleOp>(module->clone(mapped));
      exchangeBranches(mlir::cast<IfOp>(mapped.lookup(op.getOperation())));
    }
  }
  return !reached.empty();
}

void UntakenBranches::warn(DiagnosticEngine &diags) const {
  for (mlir::func::FuncOp graph : reached)
    for (mlir::Operation *op : swapped)
      if (llvm::is_contained(calledGraphs(op), graph)) {
        diags
            .report(
                diag::QuantRawPictures, placeOf(op->getLoc()),
                "no sample takes the sub-graph " + graph.getName().str() +
                    ": its ranges come from samples that take the other branch")
            .hint("add samples that lead to every branch");
        break;
      }
}

} // namespace yarrow
