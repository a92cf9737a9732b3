//===- Cascades.cpp - Convolutions that go through row bands --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/choose/Cascades.h"
#include "dialects/compass/LayerProgram.h"
#include "kernels/conv/Conv.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

/// The convolution of a layer, or null.
static Operation *convOf(Operation *op, const Epilogues &fused) {
  auto it = fused.layers.find(op);
  Operation *conv = it == fused.layers.end() ? op : it->second.conv;
  if (!canHaveEpilogue(conv))
    return nullptr;
  auto program = compass::programOf(conv);
  const compass::KernelCall *call = program->single();
  bool isDirect =
      call->is<kernels::Conv2DInt>() || call->is<kernels::DepthwiseConv2DInt>();
  return isDirect ? conv : nullptr;
}

std::vector<CascadeChain>
npu::findCascades(ArrayRef<Operation *> order, const Epilogues &fused,
                  llvm::function_ref<bool(Value)> isSpilled) {
  std::vector<CascadeChain> chains;
  llvm::DenseMap<Value, size_t> openChain; // by what its last layer makes
  for (Operation *op : order) {
    if (fused.convs.contains(op))
      continue;
    Operation *conv = convOf(op, fused);
    if (!conv)
      continue;
    Value input = conv->getOperand(0), result = op->getResult(0);
    auto it = openChain.find(input);
    size_t chain = chains.size();
    if (it != openChain.end() && input.hasOneUse() && isSpilled(input))
      chain = it->second;
    else
      chains.emplace_back();
    chains[chain].push_back(op);
    openChain[result] = chain;
  }
  llvm::erase_if(chains, [](const CascadeChain &c) { return c.size() < 2; });
  return chains;
}

std::vector<Operation *> npu::gatherChains(ArrayRef<Operation *> order,
                                           ArrayRef<CascadeChain> chains) {
  llvm::DenseMap<Operation *, const CascadeChain *> chainOf;
  for (const CascadeChain &chain : chains)
    for (Operation *op : chain)
      chainOf[op] = &chain;
  std::vector<Operation *> gathered;
  for (Operation *op : order) {
    const CascadeChain *chain = chainOf.lookup(op);
    if (!chain)
      gathered.push_back(op);
    else if (op == chain->back())
      llvm::append_range(gathered, *chain);
  }
  return gathered;
}
