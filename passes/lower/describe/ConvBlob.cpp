//===- ConvBlob.cpp - The constants of a convolution's command ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/ConvBlob.h"

using namespace yarrow;
using namespace yarrow::npu;

static uint32_t tapsOf(const ConvLayer &c) {
  return isa::tileOf(c.base.winograd).taps();
}

/// Weights take so many bytes in a blob.
static uint64_t packedBytes(const ConvLayer &c, uint64_t weights) {
  return c.base.packedWeights ? llvm::divideCeil(weights, 2)
                              : weights * c.weightElem;
}

void npu::packIfNarrow(ConvLayer &c) {
  c.base.packedWeights =
      c.base.winograd == isa::WinogradMode::None && c.weightElem == 1 &&
      llvm::all_of(c.weights.bytes,
                   [](char w) { return llvm::isInt<4>(int8_t(w)); });
}

/// The first one in the low half.
static void packNibbles(const char *weights, uint64_t count, char *to) {
  for (uint64_t i = 0; i < count; ++i)
    to[i / 2] |= char((weights[i] & 15) << (i % 2 ? 4 : 0));
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
        packedBytes(c, channels * c.filterElementsOf(part.firstPhase + i))));
  if (c.base.hasTapShifts)
    b.tapShifts = place(uint64_t(channels) * tapsOf(c));
  b.bias = place((c.base.wideBias ? 8ull : 4ull) * channels);
  if (c.hasPhaseBiases) {
    b.biasBytes = at - b.bias;
    at += (part.phases - 1) * b.biasBytes;
  }
  if (c.requant.perChannel) {
    b.scales = place((c.base.wideScale ? 4ull : 2ull) * channels);
    b.shifts = place(channels);
  }
  if (isa::hasSlopes(c.base))
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
    const char *from = c.weights.bytes.data() +
                       c.firstWeightOf(phase) * c.weightElem +
                       firstChannel * filterBytes;
    char *to = bytes.data() + b.weights[i];
    if (c.base.packedWeights)
      packNibbles(from, channels * filterBytes, to);
    else
      std::memcpy(to, from, channels * filterBytes);
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
    uint64_t size = c.base.wideBias ? 8 : 4; // may be stored as int64
    for (uint32_t i = 0; i < channels; ++i) {
      int64_t bias = c.biases.intAt(firstChannel + i);
      std::memcpy(bytes.data() + b.bias + i * size, &bias, size);
    }
  }
  if (c.requant.perChannel) {
    uint64_t size = c.base.wideScale ? 4 : 2; // may be stored as uint8 or int32
    for (uint32_t i = 0; i < channels; ++i) {
      int32_t scale = c.scaleOf(firstChannel + i);
      std::memcpy(bytes.data() + b.scales + i * size, &scale, size);
    }
    copy(c.shifts, 1, b.shifts);
  }
  if (isa::hasSlopes(c.base))
    copy(c.slopes, 2, b.slopes);
  return bytes;
}
