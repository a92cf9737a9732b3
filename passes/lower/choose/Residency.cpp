//===- Residency.cpp - Which tensors stay in SRAM -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/choose/Residency.h"
#include "dialects/compass/Tensors.h"
#include "isa/Types.h"
#include "llvm/ADT/MapVector.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

Residency
yarrow::npu::chooseResidents(ArrayRef<Operation *> order, uint64_t budgetBytes,
                             llvm::function_ref<Value(Value)> storageOf,
                             llvm::function_ref<bool(Value)> mayStay) {
  struct Life {
    unsigned first, last;
    uint64_t bytes;
  };
  llvm::MapVector<Value, Life> lives;
  for (auto [i, op] : llvm::enumerate(order)) {
    for (Value v : op->getOperands())
      if (auto it = lives.find(storageOf(v)); it != lives.end())
        it->second.last = i;
    for (Value v : op->getResults()) {
      Value s = storageOf(v);
      uint64_t bytes = llvm::alignTo(compass::describe(v).sizeBytes(),
                                     isa::kBufferAlignBytes);
      auto [it, isNew] = lives.insert({s, {unsigned(i), unsigned(i), bytes}});
      it->second.last = i;
      it->second.bytes = std::max(it->second.bytes, bytes);
    }
  }
  std::vector<std::pair<Value, Life>> candidates;
  for (auto &entry : lives)
    if (mayStay(entry.first))
      candidates.push_back(entry);
  // A short life blocks the SRAM for few layers; among equals the small one
  // leaves more room for others.
  std::stable_sort(
      candidates.begin(), candidates.end(), [](const auto &a, const auto &b) {
        return std::make_pair(a.second.last - a.second.first, a.second.bytes) <
               std::make_pair(b.second.last - b.second.first, b.second.bytes);
      });
  Residency result;
  result.liveBytes.assign(order.size(), 0);
  for (auto &[value, life] : candidates) {
    bool fits = true;
    for (unsigned i = life.first; i <= life.last && fits; ++i)
      fits = result.liveBytes[i] + life.bytes <= budgetBytes;
    if (!fits)
      continue;
    for (unsigned i = life.first; i <= life.last; ++i)
      result.liveBytes[i] += life.bytes;
    result.resident.insert(value);
  }
  return result;
}
