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

/// The input at which entry \p item of 2^\p bits is sampled.
static float sampleAt(uint64_t item, unsigned bits, const LinearParams &input,
                      LutSampling sampling = LutSampling::Index) {
  double q = double(integerMin(input.bits, input.isSigned)) +
             samplePosition(item, bits, input.bits, sampling);
  return (float(q) + float(input.zp)) * (1.0f / input.scale);
}

std::vector<int64_t> buildLut(const std::function<double(double)> &f,
                              const LinearParams &input,
                              const LinearParams &output, unsigned itemsInBits,
                              LutSampling sampling) {
  unsigned bits = std::min(input.bits, itemsInBits);
  // Also of a restricted range: its table has an entry for -128 all the same.
  std::vector<int64_t> table(uint64_t(1) << bits);
  for (uint64_t i = 0; i < table.size(); ++i)
    table[i] =
        quantizeValue(float(f(sampleAt(i, bits, input, sampling))), output);
  return table;
}

/// f(x) in steps of \p output, limited as entries are but not rounded.
static double inSteps(double y, const LinearParams &output) {
  if (!std::isfinite(y)) // as entries have it
    return double(quantizeValue(float(y), output));
  return std::clamp(y * double(output.scale) - double(output.zp),
                    double(output.qmin), double(output.qmax));
}

std::function<double(double)> withoutPoles(std::function<double(double)> f,
                                           const LinearParams &input,
                                           const LinearParams &output) {
  return [f = std::move(f), input, output](double x) {
    double y = f(x);
    if (std::isfinite(y))
      return y;
    constexpr int kParts = 64;
    double sum = 0, step = 1 / double(input.scale);
    double least = double(input.qmin + input.zp) * step;
    int count = 0;
    for (int i = 0; i < kParts; ++i) {
      double at = x + ((i + 0.5) / kParts - 0.5) * step, part = f(at);
      if (at < least || !std::isfinite(part))
        continue;
      sum += inSteps(part, output), ++count;
    }
    return count ? (sum / count + double(output.zp)) / double(output.scale) : y;
  };
}

unsigned itemsInBitsFor(const std::function<double(double)> &f,
                        const LinearParams &input, const LinearParams &output,
                        unsigned least, unsigned most) {
  if (input.bits <= least)
    return least;
  most = std::min(most, input.bits);
  int64_t first = integerMin(input.bits, input.isSigned);
  auto from = uint64_t(input.qmin - first), to = uint64_t(input.qmax - first);
  std::vector<double> values(uint64_t(1) << input.bits);
  for (uint64_t i = 0; i < values.size(); ++i)
    values[i] = inSteps(f(double(sampleAt(i, input.bits, input))), output);
  for (unsigned bits = least; bits < most; ++bits) {
    unsigned lowBits = input.bits - bits;
    double even = 0, weighted = 0, weights = 0;
    for (uint64_t i = from; i <= to; ++i) {
      uint64_t at = i >> lowBits << lowBits;
      uint64_t next = at + (uint64_t(1) << lowBits);
      double low = values[at], high = next < values.size() ? values[next] : low,
             part = std::ldexp(double(i - at), -int(lowBits)),
             error = low + (high - low) * part - values[i];
      double weight =
          1 / (1 + std::fabs(double(first) + double(i) + double(input.zp)));
      even += error * error, weighted += weight * error * error;
      weights += weight;
    }
    if (even * 12 <= double(to - from + 1) && weighted * 12 <= weights)
      return bits;
  }
  return most;
}

unsigned expItemsInBitsFor(const LinearParams &input, unsigned resultBits,
                           unsigned least, unsigned most) {
  // Between two entries h apart exp is off by up to h^2 / 8 of itself.
  double largest = std::ldexp(1.0, -int(resultBits) - 1);
  unsigned bits = least;
  for (; bits < std::min(most, input.bits); ++bits) {
    double h = std::ldexp(1.0, int(input.bits - bits)) / double(input.scale);
    if (h * h / 8 <= largest)
      break;
  }
  return bits;
}

void compensateRounding(std::vector<int64_t> &table,
                        const std::function<double(double)> &f,
                        const LinearParams &input, const LinearParams &output) {
  auto bits = unsigned(std::log2(double(table.size())));
  if (bits >= input.bits)
    return;
  // Not 1/2: what is a whole number stays it where the function is level.
  constexpr double kLost = 0.49;
  std::vector<double> values(table.size());
  for (uint64_t i = 0; i < values.size(); ++i)
    values[i] = inSteps(f(double(sampleAt(i, bits, input))), output);
  for (uint64_t i = 0; i < values.size(); ++i) {
    double before = i ? std::fabs(values[i] - values[i - 1]) : 0,
           after =
               i + 1 < values.size() ? std::fabs(values[i + 1] - values[i]) : 0;
    if (std::max(before, after) >= 1)
      table[i] = std::clamp(int64_t(std::nearbyint(values[i] + kLost)),
                            output.qmin, output.qmax);
  }
}

std::vector<int64_t> fittedLut(const std::function<double(double)> &f,
                               const LinearParams &input,
                               const LinearParams &output, unsigned least,
                               unsigned most) {
  auto finite = withoutPoles(f, input, output);
  std::vector<int64_t> table =
      buildLut(finite, input, output,
               itemsInBitsFor(finite, input, output, least, most));
  compensateRounding(table, finite, input, output);
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
