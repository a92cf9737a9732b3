//===- Sequences.cpp - Repeating and reversing as data says ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/rearrange/Sequences.h"
#include "kernels/Elements.h"
#include "kernels/movement/MoveRun.h"

using namespace yarrow;
using namespace yarrow::kernels;

/// Counts from data, cut to [0, most].
static void loadCounts(DType type, const void *from, uint32_t index, uint32_t n,
                       uint32_t most, uint32_t *counts) {
  int32_t values[kChunk];
  loadI32(type, from, index, n, values);
  // The large ones of U32 come as negative.
  uint32_t ofNegative = type == DType::U32 ? most : 0;
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t count = values[i] < 0 ? ofNegative : uint32_t(values[i]);
    counts[i] = count < most ? count : most;
  }
}

static uint32_t loadCount(DType type, const void *from, uint32_t index,
                          uint32_t most) {
  uint32_t count;
  loadCounts(type, from, index, 1, most, &count);
  return count;
}

/// Moves `steps` steps of `inner` elements, as runs along the longer of both.
static void moveSteps(uint32_t elemBytes, uint32_t inner, const void *src,
                      int64_t from, int64_t fromStep, void *dst, int64_t to,
                      int64_t toStep, uint32_t steps) {
  if (inner >= steps) {
    for (uint32_t t = 0; t < steps; ++t)
      moveRun(elemBytes, src, from + t * fromStep, 1, dst, to + t * toStep, 1,
              inner);
    return;
  }
  for (uint32_t i = 0; i < inner; ++i)
    moveRun(elemBytes, src, from + i, fromStep, dst, to + i, toStep, steps);
}

/// Moves one step of `inner` elements to `steps` steps.
static void repeatStep(uint32_t elemBytes, uint32_t inner, const void *src,
                       int64_t from, void *dst, int64_t to, uint32_t steps) {
  if (inner < steps)
    return moveSteps(elemBytes, inner, src, from, 0, dst, to, inner, steps);
  repeatBytes(static_cast<const uint8_t *>(src) + from * elemBytes,
              static_cast<uint8_t *>(dst) + to * elemBytes, inner * elemBytes,
              steps);
}

namespace {
/// Where a slice begins in the output.
struct SlicePlace {
  uint32_t slice, position;
};
} // namespace

/// The first slice of the chunk of slices that reaches beyond `position`.
static SlicePlace findSlice(const RepeatParams &p, const void *repeats,
                            uint32_t position) {
  SlicePlace at{0, 0};
  while (at.slice < p.slices) {
    uint32_t counts[kChunk], left = p.slices - at.slice;
    uint32_t n = left < kChunk ? left : kChunk;
    int64_t sum = 0;
    if (p.repeatCount == 1) {
      sum = int64_t(n) * loadCount(p.repeatType, repeats, 0, p.length);
    } else {
      loadCounts(p.repeatType, repeats, at.slice, n, p.length, counts);
      for (uint32_t i = 0; i < n; ++i)
        sum += counts[i];
    }
    if (at.position + sum > position)
      break;
    at.position += uint32_t(sum);
    at.slice += n;
  }
  return at;
}

YARROW_KERNEL(yk_repeat, Repeat) {
  Share share = shareOf(p.length, task, taskCount);
  const void *input = buffers.input(), *repeats = buffers.repeats();
  void *output = buffers.output();
  SlicePlace at = findSlice(p, repeats, share.begin);
  for (; at.slice < p.slices && at.position < share.end; ++at.slice) {
    // Both at most `length`.
    uint32_t end =
        at.position + loadCount(p.repeatType, repeats,
                                p.repeatCount == 1 ? 0 : at.slice, p.length);
    uint32_t first = at.position > share.begin ? at.position : share.begin,
             last = end < share.end ? end : share.end;
    at.position = end;
    for (uint32_t o = 0; first < last && o < p.outer; ++o)
      repeatStep(p.elemBytes, p.inner, input,
                 (int64_t(o) * p.slices + at.slice) * p.inner, output,
                 (int64_t(o) * p.length + first) * p.inner, last - first);
  }
  uint32_t first = at.position > share.begin ? at.position : share.begin;
  int64_t bytes = int64_t(p.inner) * p.elemBytes;
  for (uint32_t o = 0; first < share.end && o < p.outer; ++o)
    __builtin_memset(static_cast<uint8_t *>(output) +
                         (int64_t(o) * p.length + first) * bytes,
                     0, size_t((share.end - first) * bytes));
}

YARROW_KERNEL(yk_reverse_sequence, ReverseSequence) {
  int64_t front = int64_t(p.inner) * p.middle *
                  (p.isTimeFirst ? p.sequences : p.time),
          back = p.inner;
  int64_t timeStep = p.isTimeFirst ? front : back,
          sequenceStep = p.isTimeFirst ? back : front,
          middleStep = back * (p.isTimeFirst ? p.sequences : p.time),
          outerStep = int64_t(p.inner) * p.middle * p.sequences * p.time;
  Share share =
      shareOf(p.outer * p.sequences * p.middle * p.time, task, taskCount);
  // Up to `time` steps of one sequence at a time, from t on.
  for (uint32_t at = share.begin, count = 0; at < share.end; at += count) {
    uint32_t t = at % p.time, line = at / p.time;
    uint32_t left = share.end - at;
    count = p.time - t < left ? p.time - t : left;
    uint32_t sequence = line / p.middle % p.sequences;
    int64_t base = line % p.middle * middleStep + sequence * sequenceStep +
                   line / p.middle / p.sequences * outerStep;
    uint32_t length =
        loadCount(p.lengthType, buffers.lengths(), sequence, p.time);
    uint32_t reversed = length > t ? length - t : 0;
    reversed = reversed < count ? reversed : count;
    moveSteps(p.elemBytes, p.inner, buffers.input(),
              base + (int64_t(length) - 1 - t) * timeStep, -timeStep,
              buffers.output(), base + t * timeStep, timeStep, reversed);
    int64_t rest = base + int64_t(t + reversed) * timeStep;
    moveSteps(p.elemBytes, p.inner, buffers.input(), rest, timeStep,
              buffers.output(), rest, timeStep, count - reversed);
  }
}
