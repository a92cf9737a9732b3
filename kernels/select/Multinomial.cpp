//===- Multinomial.cpp - Random choices -----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/select/Multinomial.h"
#include "kernels/select/Philox.h"

using namespace yarrow;
using namespace yarrow::kernels;

YARROW_KERNEL(yk_multinomial, Multinomial) {
  auto *weights = static_cast<const float *>(buffers.weights());
  auto *seeds = static_cast<const uint32_t *>(buffers.seeds());
  auto *output = static_cast<int32_t *>(buffers.output());
  PhiloxKey key{{seeds[0], seeds[1]}};
  Share share = shareOf(p.rows * p.samples, task, taskCount);
  uint32_t summed = ~0u; // the row whose sum is known
  double sum = 0;
  for (uint32_t i = share.begin; i < share.end; ++i) {
    uint32_t row = i / p.samples, c = 0;
    const float *of = weights + int64_t(row) * p.classes;
    if (row != summed) {
      summed = row, sum = 0;
      for (; c < p.classes; ++c)
        sum += double(of[c]);
    }
    Words words = philox({{i % p.samples, row, 0, 0}}, key);
    double place = fractionOf(words.at[0], words.at[1]) * sum, before = 0;
    for (c = 0; c + 1 < p.classes; ++c) {
      before += double(of[c]);
      if (before > place)
        break;
    }
    output[i] = int32_t(c);
  }
}
