//===- State.h - Wider numbers that values meet in --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Steps of kernels that write at indices: what a task applies to its part of
// the state.
//
//   clearState<int32_t>(own, state);
//   forOwned(own, /*to=*/96, /*n=*/32, [&](int64_t at, uint32_t skipped,
//                                          uint32_t n) { ... });
//   requantizeState<int32_t>(requant, own, state, output);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_INDEXING_STATE_H
#define YARROW_KERNELS_INDEXING_STATE_H

#include "kernels/Epilogue.h"

namespace yarrow::kernels {

template <typename S> void clearState(Share own, S *state) {
  for (uint32_t i = own.begin; i < own.end; ++i)
    state[i] = 0;
}

/// Calls fn(at, skipped, n) for the chunks of elements [to, to + count) that
/// lie in \p own; `skipped` of the elements are before a chunk.
template <typename Fn>
void forOwned(Share own, int64_t to, uint32_t count, Fn fn) {
  int64_t begin = to > own.begin ? to : own.begin;
  int64_t end = to + count < own.end ? to + count : own.end;
  if (begin < end)
    forEachChunk(uint32_t(begin - to), uint32_t(end - to),
                 [&](uint32_t i, uint32_t n) { fn(to + i, i, n); });
}

/// output[i] = RQ(state[i]) for the elements of \p own.
template <typename S>
void requantizeState(const Requant &r, Share own, const S *state,
                     void *output) {
  IntEpilogue epilogue(r);
  forEachChunk(own.begin, own.end, [&](uint32_t i, uint32_t n) {
    int64_t acc[kChunk];
    for (uint32_t lane = 0; lane < n; ++lane)
      acc[lane] = state[i + lane];
    epilogue.store(acc, n, 0, i, output);
  });
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_INDEXING_STATE_H
