//===- NetworkSlice.cpp - The layers between two tensors ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/choices/NetworkSlice.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::compass;

const BoundProgram *NetworkSlices::programOf(mlir::Operation *op) {
  auto [it, isNew] = programs.try_emplace(op);
  if (isNew)
    if (auto bound = BoundProgram::create(op);
        mlir::succeeded(bound) && bound->getProgram().graphs().empty())
      it->second.emplace(std::move(*bound));
  return it->second ? &*it->second : nullptr;
}

std::vector<mlir::Operation *> NetworkSlices::find(mlir::Value from,
                                                   mlir::Operation *to) {
  // Backwards from the layer, as far as the tensor's maker, by their order.
  mlir::Operation *maker = from.getDefiningOp();
  std::vector<mlir::Operation *> found;
  if (!maker || maker->getBlock() != to->getBlock())
    return {};
  llvm::DenseMap<mlir::Operation *, bool> depends;
  for (mlir::Operation *op = maker->getNextNode(); op; op = op->getNextNode()) {
    bool reads = llvm::any_of(op->getOperands(), [&](mlir::Value v) {
      return v == from || depends.lookup(v.getDefiningOp());
    });
    if (reads)
      depends[op] = true;
    if (op == to)
      break;
  }
  llvm::DenseSet<mlir::Operation *> wanted = {to};
  for (mlir::Operation *op = to; op && op != maker; op = op->getPrevNode()) {
    if (!wanted.contains(op) || !depends.lookup(op))
      continue;
    if (!programOf(op))
      return {};
    found.push_back(op);
    for (mlir::Value v : op->getOperands())
      if (mlir::Operation *before = v.getDefiningOp())
        wanted.insert(before);
  }
  std::ranges::reverse(found);
  return found;
}

std::optional<TensorBytes>
NetworkSlices::run(const std::vector<mlir::Operation *> &layers,
                   const TensorsOfRun &kept, mlir::Value changed,
                   TensorBytesRef bytes) {
  llvm::DenseMap<mlir::Value, AlignedBuffer> computed;
  computed[changed] = AlignedBuffer::copyOf(bytes);
  for (mlir::Operation *op : layers) {
    std::vector<const char *> from;
    std::vector<AlignedBuffer> results;
    std::vector<char *> to;
    for (mlir::Value v : op->getOperands()) {
      auto it = computed.find(v);
      if (it == computed.end() && !kept.contains(v))
        return std::nullopt;
      from.push_back(it != computed.end() ? it->second.data()
                                          : kept.find(v)->second.data());
    }
    for (mlir::Value v : op->getResults())
      results.emplace_back(describe(v).sizeBytes());
    for (AlignedBuffer &result : results)
      to.push_back(result.data());
    if (!programOf(op)->run(from, to))
      return std::nullopt;
    for (auto [v, result] : llvm::zip_equal(op->getResults(), results))
      computed[v] = std::move(result);
  }
  TensorBytesRef last = computed[layers.back()->getResult(0)].ref();
  return TensorBytes(last.begin(), last.end());
}
