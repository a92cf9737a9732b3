//===- ControlFlow.cpp - Blocks of commands and what decides --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/npu/ControlFlow.h"
#include "dialects/npu/Commands.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

bool npu::isControl(Operation *op) {
  return llvm::isa<IfOp, WhileOp, CoresOp>(op);
}

Access npu::flagOf(Operation *control) {
  if (auto branch = dyn_cast<IfOp>(control))
    return branch.getFlagAccess();
  return cast<WhileOp>(control).getFlagAccess();
}

SmallVector<Access> npu::touchedBy(Operation *op) {
  if (isDivided(op))
    return {};
  return isControl(op) ? SmallVector<Access>{flagOf(op)} : accessesOf(op);
}

bool npu::repeats(Operation *control) { return llvm::isa<WhileOp>(control); }

bool npu::isDivided(Operation *control) { return llvm::isa<CoresOp>(control); }

bool npu::usesCores(func::FuncOp func) {
  return !func.getOps<CoresOp>().empty();
}

static void collectBlocks(Region &region, std::vector<CommandBlock> &blocks) {
  bool isOpen = false;
  for (Operation &op : region.front()) {
    if (isControl(&op)) {
      isOpen = false;
      for (Region &inner : op.getRegions())
        collectBlocks(inner, blocks);
    } else if (unitOf(&op)) {
      if (!isOpen)
        blocks.emplace_back();
      isOpen = true;
      blocks.back().push_back(&op);
    }
  }
}

std::vector<CommandBlock> npu::commandBlocks(func::FuncOp func) {
  std::vector<CommandBlock> blocks;
  collectBlocks(func.getBody(), blocks);
  return blocks;
}

isa::Waits npu::completionOf(const CommandBlock &block,
                             const isa::Machine &machine) {
  isa::Waits waits = {};
  for (Operation *op : block) {
    Unit unit = *unitOf(op);
    waits[unsigned(unit)] += unit == Unit::Tec ? machine.tecs : 1;
  }
  return waits;
}

void npu::forEachCommand(func::FuncOp func,
                         llvm::function_ref<void(Operation *)> visit) {
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isControl(op) || unitOf(op))
      visit(op);
  });
}
