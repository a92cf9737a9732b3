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

/// A count from data, cut to [0, most].
static uint32_t loadCount(DType type, const void *from, uint32_t index,
                          uint32_t most) {
  int32_t count = loadOneI32(type, from, index);
  // The large ones of U32 come as negative.
  if (count < 0)
    return type == DType::U32 ? most : 0;
  return uint32_t(count) < most ? uint32_t(count) : most;
}

YARROW_KERNEL(yk_repeat_sources, RepeatSources) {
  auto *sources = static_cast<int32_t *>(buffers.sources());
  Share share = shareOf(p.length, task, taskCount);
  // Writes [begin, end) as far as it is this task's.
  auto fill = [&](uint32_t begin, uint32_t end, uint32_t slice) {
    begin = begin > share.begin ? begin : share.begin;
    end = end < share.end ? end : share.end;
    for (uint32_t i = begin; i < end; ++i)
      sources[i] = int32_t(slice);
  };
  uint32_t begin = 0;
  for (uint32_t slice = 0; slice < p.slices && begin < share.end; ++slice) {
    uint32_t count =
        loadCount(p.repeatType, buffers.repeats(),
                  p.repeatCount == 1 ? 0 : slice, p.length - begin);
    fill(begin, begin + count, slice);
    begin += count;
  }
  fill(begin, p.length, p.slices);
}

/// Moves `steps` steps of `inner` elements, as runs along the longer of both.
static void moveSteps(const ReverseSequenceParams &p, const void *src,
                      int64_t from, int64_t fromStep, void *dst, int64_t to,
                      int64_t toStep, uint32_t steps) {
  if (p.inner >= steps) {
    for (uint32_t t = 0; t < steps; ++t)
      moveRun(p.elemBytes, src, from + t * fromStep, 1, dst, to + t * toStep, 1,
              p.inner);
    return;
  }
  for (uint32_t i = 0; i < p.inner; ++i)
    moveRun(p.elemBytes, src, from + i, fromStep, dst, to + i, toStep, steps);
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
    moveSteps(p, buffers.input(), base + (int64_t(length) - 1 - t) * timeStep,
              -timeStep, buffers.output(), base + t * timeStep, timeStep,
              reversed);
    int64_t rest = base + int64_t(t + reversed) * timeStep;
    moveSteps(p, buffers.input(), rest, timeStep, buffers.output(), rest,
              timeStep, count - reversed);
  }
}
