//===- ConvBlob.cpp - The constants of a convolution's command ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/ConvBlob.h"

using namespace yarrow;
using namespace yarrow::npu;
using kernels::Act;

ConvBlob ConvBlob::layout(const ConvLayer &c, uint32_t channels) {
  ConvBlob b;
  uint64_t at = llvm::alignTo(channels * c.filterElements * c.weightElem, 16);
  auto place = [&](uint64_t bytes) {
    uint64_t begin = at;
    at = llvm::alignTo(at + bytes, 16);
    return begin;
  };
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

std::vector<char> npu::packBlob(const ConvLayer &c, uint32_t firstChannel,
                                uint32_t channels) {
  ConvBlob b = ConvBlob::layout(c, channels);
  std::vector<char> bytes(b.sizeBytes);
  auto copy = [&](const compass::ConstantView &from, uint64_t channelBytes,
                  uint64_t to) {
    std::memcpy(bytes.data() + to,
                from.bytes.data() + firstChannel * channelBytes,
                channels * channelBytes);
  };
  copy(c.weights, c.filterElements * c.weightElem, 0);
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
