//===- Scratch.h - Memory kept from one command to the next -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Elements without initial values. A command of a few microseconds would spend
// most of them on pages that the system has to give it anew each time.
//
//   Scratch<int32_t> sums;                  // lives as long as the engine
//   int32_t *s = sums.reserve(pixels * pitch);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_SCRATCH_H
#define YARROW_SIMULATOR_ENGINE_SCRATCH_H

#include <cstdint>
#include <memory>

namespace yarrow::sim {

template <typename T> class Scratch {
public:
  T *reserve(uint64_t count) {
    if (count > capacity) {
      elements.reset(new T[count]);
      capacity = count;
    }
    return elements.get();
  }
  T *get() const { return elements.get(); }

private:
  std::unique_ptr<T[]> elements;
  uint64_t capacity = 0;
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_SCRATCH_H
