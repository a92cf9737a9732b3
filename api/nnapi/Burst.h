//===- Burst.h - Executions in quick succession -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Says that executions of one compilation will follow one another. Nothing has
// to be prepared for them here; what remains is the contract: one at a time.
//
//   Burst burst(compiled);
//   if (auto turn = burst.begin()) ...   // until the turn ends
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_BURST_H
#define YARROW_API_NNAPI_BURST_H

#include <memory>
#include <mutex>

namespace yarrow::nnapi {

struct Compiled;

class Burst {
public:
  explicit Burst(std::shared_ptr<const Compiled> compiled)
      : compiled(std::move(compiled)) {}

  bool isOf(const Compiled &other) const { return compiled.get() == &other; }
  /// Owns the lock if no other execution has its turn.
  std::unique_lock<std::mutex> begin() {
    return std::unique_lock(mutex, std::try_to_lock);
  }

private:
  std::shared_ptr<const Compiled> compiled;
  std::mutex mutex;
};

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_BURST_H
