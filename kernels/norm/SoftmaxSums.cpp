//===- SoftmaxSums.cpp - What follows from the sums of rows ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Strips.h"
#include "kernels/norm/Softmax.h"
#include "kernels/norm/SoftmaxLog.h"

using namespace yarrow;
using namespace yarrow::kernels;

YARROW_KERNEL(yk_softmax_reverse, SoftmaxReverse) {
  uint32_t dividend = uint32_t(p.scale) << p.extraBits;
  Share share = shareOf(p.count, task, taskCount);
  forEachStrip(share.begin, share.end, [&](uint32_t i, auto size) {
    Strip<uint32_t> sum;
    loadStrip<uint32_t>(buffers.sums(), i, size, sum);
    fillBeyond(sum, size, 1u);
    sum = __builtin_elementwise_max(sum, Strip<uint32_t>{} + 1u);
    Strip<uint32_t> reverse = (Strip<uint32_t>{} + dividend) / sum;
    storeStrip<uint32_t>(reverse, size, buffers.output(), i);
  });
}

YARROW_KERNEL(yk_softmax_log, SoftmaxLog) {
  Share share = shareOf(p.count, task, taskCount);
  forEachStrip(share.begin, share.end, [&](uint32_t i, auto size) {
    Strip<uint32_t> high, low;
    loadStrip<uint32_t>(buffers.high(), i, size, high);
    loadStrip<uint32_t>(buffers.low(), i, size, low);
    low = __builtin_elementwise_max((high << 16) + low, Strip<uint32_t>{} + 1u);
    Strip<int32_t> less;
    logarithmsOf(low, p.pow2OutQ, p.adjustQ, less);
    storeStrip<int16_t>(less, size, buffers.output(), i);
  });
}
