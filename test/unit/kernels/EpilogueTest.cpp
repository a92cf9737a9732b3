//===- EpilogueTest.cpp - Fused activations -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Each chunk is compared with the formulas of docs/operators/activation.md, in
// plain code.
//
//===----------------------------------------------------------------------===//
#include "kernels/Epilogue.h"

#include <gtest/gtest.h>
#include <random>

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

int64_t formula(int64_t acc, const Requant &r, int32_t scale, int32_t shift,
                int32_t slope) {
  if (r.act == Act::Relu || r.act == Act::Relu6)
    acc = std::max<int64_t>(acc, 0);
  if (r.act == Act::LeakyRelu || r.act == Act::PRelu)
    acc = std::max<int64_t>(acc, 0) +
          roundShiftHalfEven(std::min<int64_t>(acc, 0) * slope, r.slopeShift);
  if (r.act != Act::Clip)
    return requantize(acc, scale, shift, r.zp, r.lo, r.hi);
  int32_t extra = dtypeBytes(r.outType) == 1 ? 8 : 0;
  int64_t fine = requantize(acc, scale, shift - extra, 0, r.clipMin, r.clipMax);
  return requantize(fine, 1, extra, r.zp, r.lo, r.hi);
}

TEST(Epilogue, everyActivationPerTensorAndPerChannel) {
  std::mt19937_64 random(3);
  for (Act act : {Act::None, Act::Relu, Act::Relu6, Act::Clip, Act::LeakyRelu,
                  Act::PRelu})
    for (uint32_t perChannel : {0u, 1u})
      for (int round = 0; round < 200; ++round) {
        uint16_t scales[kChunk];
        int8_t shifts[kChunk];
        int16_t slopes[3] = {1000, -77, 4095};
        int64_t acc[kChunk], copy[kChunk];
        for (uint32_t i = 0; i < kChunk; ++i) {
          scales[i] = uint16_t(random());
          shifts[i] = int8_t(random() % 40 - 4);
          copy[i] = acc[i] = int64_t(random()) >> (26 + random() % 36);
        }
        Requant r;
        r.act = act;
        r.perChannel = perChannel;
        r.scale = 160;
        r.shift = 15;
        r.zp = 3;
        r.slope = 44;
        r.slopeShift = 8;
        r.slopeCount = 3;
        r.clipMin = -17575;
        r.clipMax = 30000;
        int8_t out[kChunk + 5];
        IntEpilogue epilogue(r, scales, shifts, slopes);
        epilogue.store(acc, kChunk, 0, 5, out);
        for (uint32_t i = 0; i < kChunk; ++i) {
          int32_t slope = act == Act::PRelu ? slopes[(i + 5) % 3] : r.slope;
          ASSERT_EQ(out[i + 5],
                    formula(copy[i], r, perChannel ? scales[i] : r.scale,
                            perChannel ? shifts[i] : r.shift, slope))
              << int(act) << " " << copy[i];
        }
      }
}

} // namespace
