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
                             llvm::function_ref<Stay(Value)> stayOf) {
  struct Life {
    unsigned first, last;
    uint64_t bytes;
    bool isLast = false;
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
  for (auto &entry : lives) {
    Stay stay = stayOf(entry.first);
    if (stay == Stay::Never)
      continue;
    entry.second.isLast = stay == Stay::IfRoom;
    candidates.push_back(entry);
  }
  // A short life blocks the SRAM for few layers; among equals the small one
  // leaves more room for others.
  auto key = [](const std::pair<Value, Life> &candidate) {
    const Life &life = candidate.second;
    return std::make_tuple(life.isLast, life.last - life.first, life.bytes);
  };
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [&](const auto &a, const auto &b) { return key(a) < key(b); });
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
