//===- ConvBlob.cpp - The constants of a convolution's command ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/ConvBlob.h"

using namespace yarrow;
using namespace yarrow::npu;
using kernels::Act;

static uint32_t tapsOf(const ConvLayer &c) {
  return isa::tileOf(c.base.winograd).taps();
}

ConvBlob ConvBlob::layout(const ConvLayer &c, const WeightPart &part) {
  uint32_t channels = part.channels;
  ConvBlob b;
  b.phaseBytes = llvm::alignTo(channels * c.filterElements * c.weightElem,
                               isa::kConstantAlignBytes);
  uint64_t at = b.phaseBytes * part.phases;
  auto place = [&](uint64_t bytes) {
    uint64_t begin = at;
    at = llvm::alignTo(at + bytes, isa::kConstantAlignBytes);
    return begin;
  };
  if (c.base.hasTapShifts)
    b.tapShifts = place(uint64_t(channels) * tapsOf(c));
  b.bias = place(4ull * channels);
  if (c.requant.perChannel) {
    b.scales = place(2ull * channels);
    b.shifts = place(channels);
  }
  if (c.requant.act == Act::PRelu)
    b.slopes = place(2ull * channels);
  b.sizeBytes = at;
  return b;
}

std::vector<char> npu::packBlob(const ConvLayer &c, const WeightPart &part) {
  uint32_t firstChannel = part.firstChannel, channels = part.channels;
  ConvBlob b = ConvBlob::layout(c, part);
  std::vector<char> bytes(b.sizeBytes);
  auto copy = [&](const compass::ConstantView &from, uint64_t channelBytes,
                  uint64_t to) {
    std::memcpy(bytes.data() + to,
                from.bytes.data() + firstChannel * channelBytes,
                channels * channelBytes);
  };
  uint64_t filterBytes = c.filterElements * c.weightElem;
  for (uint64_t i = 0; i < part.phases; ++i) {
    uint64_t filter = (part.firstPhase + i) * c.outC + firstChannel;
    std::memcpy(bytes.data() + i * b.phaseBytes,
                c.weights.bytes.data() + filter * filterBytes,
                channels * filterBytes);
  }
  if (c.base.hasTapShifts)
    copy(c.tapShifts, tapsOf(c), b.tapShifts);
  copy(c.biases, 4, b.bias);
  if (c.requant.perChannel) {
    for (uint32_t i = 0; i < channels; ++i) {
      // May be stored as uint8.
      uint16_t scale = uint16_t(c.scales.intAt(firstChannel + i));
      std::memcpy(bytes.data() + b.scales + 2 * i, &scale, 2);
    }
    copy(c.shifts, 1, b.shifts);
  }
  if (c.requant.act == Act::PRelu)
    copy(c.slopes, 2, b.slopes);
  return bytes;
}
