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
  uint64_t at = 0;
  auto place = [&](uint64_t bytes) {
    uint64_t begin = at;
    at = llvm::alignTo(at + bytes, isa::kConstantAlignBytes);
    return begin;
  };
  for (uint32_t i = 0; i < part.phases; ++i)
    b.weights.push_back(place(
        channels * c.filterElementsOf(part.firstPhase + i) * c.weightElem));
  if (c.base.hasTapShifts)
    b.tapShifts = place(uint64_t(channels) * tapsOf(c));
  b.bias = place(4ull * channels);
  if (c.hasPhaseBiases) {
    b.biasBytes = at - b.bias;
    at += (part.phases - 1) * b.biasBytes;
  }
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
  for (uint32_t i = 0; i < part.phases; ++i) {
    uint32_t phase = part.firstPhase + i;
    uint64_t filterBytes = c.filterElementsOf(phase) * c.weightElem;
    std::memcpy(bytes.data() + b.weights[i],
                c.weights.bytes.data() + c.firstWeightOf(phase) * c.weightElem +
                    firstChannel * filterBytes,
                channels * filterBytes);
  }
  if (c.base.hasTapShifts)
    copy(c.tapShifts, tapsOf(c), b.tapShifts);
  if (c.hasPhaseBiases) {
    for (uint32_t i = 0; i < part.phases; ++i) {
      uint64_t first = uint64_t(part.firstPhase + i) * c.outC + firstChannel;
      std::memcpy(bytes.data() + b.bias + i * b.biasBytes,
                  c.biases.bytes.data() + 4 * first, 4ull * channels);
    }
  } else {
    copy(c.biases, 4, b.bias);
  }
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
