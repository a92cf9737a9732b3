//===- Loop.cpp - What a loop does between its iterations -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/control/Loop.h"
#include "kernels/Elements.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// One whole number of any type, all bits of it.
int64_t loadWhole(DType type, const void *from) {
  switch (type) {
  case DType::I64:
    return *static_cast<const int64_t *>(from);
  case DType::U32:
    return *static_cast<const uint32_t *>(from);
  default:
    return loadOneI32(type, from, 0);
  }
}

/// The low bits of \p value, as many as the type has.
void storeWhole(DType type, int64_t value, void *to) {
  __builtin_memcpy(to, &value, dtypeBytes(type));
}

} // namespace

YARROW_KERNEL(yk_loop_next, LoopNext) {
  if (task != 0)
    return;
  auto *previous = static_cast<const int32_t *>(buffers.previous());
  // Of what another program made, the sum may wrap.
  int32_t iteration =
      previous ? int32_t(uint32_t(previous[kLoopIteration]) + 1) : 0;
  int64_t given = loadWhole(p.givenType, buffers.given());
  auto *state = static_cast<int32_t *>(buffers.state());
  state[kLoopIteration] = iteration;
  state[kLoopGoesOn] =
      given != 0 && iteration < loadWhole(p.countType, buffers.count());
  storeWhole(p.iterationType, iteration, buffers.iteration());
  storeWhole(p.conditionType, given, buffers.condition());
}

YARROW_KERNEL(yk_loop_collect, LoopCollect) {
  auto *state = static_cast<const int32_t *>(buffers.state());
  uint32_t row = uint32_t(state[kLoopIteration]);
  if (row >= p.capacity)
    return;
  Share share = shareOf(p.rowBytes, task, taskCount);
  uint32_t at = row * p.rowBytes;
  __builtin_memcpy(static_cast<uint8_t *>(buffers.rows()) + at + share.begin,
                   static_cast<const uint8_t *>(buffers.value()) + share.begin,
                   share.end - share.begin);
}
