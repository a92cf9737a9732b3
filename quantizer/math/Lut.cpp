//===- Lut.cpp - Look-up tables of integer IR -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/math/Lut.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace yarrow {

/// The input, counted from 0 at the smallest, at which entry \p item of
/// 2^\p bits is sampled.
static double samplePosition(uint64_t item, unsigned bits, unsigned inputBits,
                             LutSampling sampling) {
  if (sampling == LutSampling::Index)
    return double(item << (inputBits - bits));
  double last = double((uint64_t(1) << inputBits) - 1);
  double items = double(uint64_t(1) << bits);
  return double(item) * last / (items - 1);
}

std::vector<int64_t> buildLut(const std::function<double(double)> &f,
                              const LinearParams &input,
                              const LinearParams &output, unsigned itemsInBits,
                              LutSampling sampling) {
  unsigned bits = std::min(input.bits, itemsInBits);
  // Also of a restricted range: its table has an entry for -128 all the same.
  int64_t first = integerMin(input.bits, input.isSigned);
  std::vector<int64_t> table(uint64_t(1) << bits);
  for (uint64_t i = 0; i < table.size(); ++i) {
    double q = double(first) + samplePosition(i, bits, input.bits, sampling);
    float x = (float(q) + float(input.zp)) * (1.0f / input.scale);
    table[i] = quantizeValue(float(f(x)), output);
  }
  return table;
}

int64_t lookUp(const std::vector<int64_t> &table, int64_t index,
               unsigned inputBits) {
  auto bits = unsigned(std::log2(double(table.size())));
  assert(table.size() == uint64_t(1) << bits && "table of another size");
  unsigned lowBits = inputBits > bits ? inputBits - bits : 0;
  int64_t item = index >> lowBits;
  assert(item >= 0 && item < int64_t(table.size()) && "input out of range");
  int64_t next = table[std::min<int64_t>(item + 1, int64_t(table.size()) - 1)];
  int64_t part = index - (item << lowBits);
  return table[item] + (((next - table[item]) * part) >> lowBits);
}

std::vector<int64_t> softmaxExpTable(const LinearParams &input,
                                     unsigned itemsInBits, unsigned maxBits,
                                     LutSampling sampling) {
  unsigned bits = std::min(input.bits, itemsInBits);
  auto largest = double((uint64_t(1) << maxBits) - 1);
  double zero = double((uint64_t(1) << input.bits) - 1);
  std::vector<int64_t> table(uint64_t(1) << bits);
  for (uint64_t i = 0; i < table.size(); ++i) {
    double difference =
        samplePosition(i, bits, input.bits, sampling) - zero; // <= 0
    // In float32, as the reference: 20-bit entries show its rounding.
    float offset = std::log(float(largest)) - float(input.zp) / input.scale;
    float x = (float(difference) + float(input.zp)) * (1.0f / input.scale);
    float e = std::exp(x + offset);
    table[i] = int64_t(std::clamp(std::nearbyint(double(e)), 0.0, largest));
  }
  // The look-up returns the last entry unchanged for all inputs above its
  // sample. The maximum itself is always among them, so it gets the exact
  // value.
  table.back() = int64_t(largest);
  return table;
}

std::vector<int64_t> inverseSqrtTable() {
  std::vector<int64_t> table;
  for (int i = 0; i <= 192; ++i)
    table.push_back(int64_t(
        std::min(32767.0, std::round(32768 / std::sqrt(1 + i / 64.0)))));
  return table;
}

std::vector<int64_t> log2Table() {
  std::vector<int64_t> table;
  table.reserve(256);
  for (int i = 0; i < 256; ++i)
    table.push_back(int64_t(std::round(32768 * std::log2(1 + i / 256.0))));
  return table;
}

std::vector<int64_t> pow2Table() {
  std::vector<int64_t> table;
  table.reserve(256);
  for (int i = 0; i < 256; ++i)
    table.push_back(int64_t(std::round(32768 * std::exp2(i / 256.0))));
  return table;
}

} // namespace yarrow
