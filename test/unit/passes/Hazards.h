//===- Hazards.h - Whether commands may change places -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a schedule's verifier should say, found by reachability in a graph of
// all commands of one block and not by clocks.
//
//   if (hasHazard(commands, machine)) ... // some order of events is wrong
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_PASSES_HAZARDS_H
#define YARROW_TEST_UNIT_PASSES_HAZARDS_H

#include "dialects/npu/Commands.h"
#include "isa/ElfLayout.h"
#include "isa/Machine.h"

#include "llvm/ADT/BitVector.h"

#include <vector>

namespace yarrow::testing {

inline bool touchSameBytes(mlir::Operation *one, mlir::Operation *other) {
  for (const npu::Access &a : npu::accessesOf(one))
    for (const npu::Access &b : npu::accessesOf(other)) {
      auto x = a.buffer.getDefiningOp<npu::BufferOp>(),
           y = b.buffer.getDefiningOp<npu::BufferOp>();
      uint64_t from = *x.getAddress() + a.offsetBytes,
               to = *y.getAddress() + b.offsetBytes;
      if (x.getRegion() == y.getRegion() &&
          x.getRegion() != isa::kWeightRegion && (a.isWrite || b.isWrite) &&
          from < to + b.sizeBytes && to < from + a.sizeBytes)
        return true;
    }
  return false;
}

/// Whether commands that touch the same bytes may change places, or a wait can
/// never end. One tensor engine.
inline bool hasHazard(const std::vector<mlir::Operation *> &commands,
                      const isa::Machine &machine) {
  size_t count = commands.size();
  std::vector<size_t> byUnit[isa::kNumCounters];
  // By command: which ones are complete when it starts.
  std::vector<llvm::BitVector> complete(count, llvm::BitVector(count));
  for (size_t i = 0; i < count; ++i) {
    mlir::Operation *op = commands[i];
    auto unit = unsigned(*npu::unitOf(op));
    if (!byUnit[unit].empty()) {
      complete[i] |= complete[byUnit[unit].back()];
      complete[i][byUnit[unit].back()] = unit != unsigned(isa::Unit::Tec);
    }
    auto waits = op->getAttrOfType<mlir::DenseI64ArrayAttr>("waits");
    for (unsigned u = 0; waits && u < isa::kNumCounters; ++u) {
      int64_t each = u == unsigned(isa::Unit::Tec) ? machine.tecs : 1;
      if (waits[u] % each || size_t(waits[u] / each) > byUnit[u].size())
        return true;
      for (int64_t k = 0; k < waits[u] / each; ++k) {
        complete[i] |= complete[byUnit[u][size_t(k)]];
        complete[i][byUnit[u][size_t(k)]] = true;
      }
    }
    for (size_t k = 0; k < i; ++k)
      if (!complete[i][k] && touchSameBytes(op, commands[k]))
        return true;
    // Else a fast TEC signals for a slow one.
    if (unit == unsigned(isa::Unit::Tec) && machine.tecs > 1 &&
        !byUnit[unit].empty() && !complete[i][byUnit[unit].back()])
      return true;
    byUnit[unit].push_back(i);
  }
  return false;
}

} // namespace yarrow::testing

#endif // YARROW_TEST_UNIT_PASSES_HAZARDS_H
