//===- ConvOutput.cpp - Output stage of a convolution ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/ConvOutput.h"

#include "support/Numeric.h"
#include <algorithm>
#include <cmath>
#include <cstring>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

template <typename T> static T load(const uint8_t *from, uint64_t index) {
  T value;
  std::memcpy(&value, from + index * sizeof(T), sizeof(T));
  return value;
}

static int32_t loadInt(ElementType type, const uint8_t *from, uint64_t index) {
  return withType(type, [&](auto zero) -> int32_t {
    return load<decltype(zero)>(from, index);
  });
}

ConvOutput::ConvOutput(const Conv &conv, const ConvOperands &operands)
    : conv(conv), at(operands), is16BitInput(is16Bit(conv.inType)),
      needsIntegers(sim::needsIntegers(conv)) {
  if (conv.accumulateOut)
    return;
  readTables(operands);
  if (conv.hasLut)
    for (uint32_t i = 0; i < 1u << conv.lutLog2Items; ++i)
      lut.push_back(loadInt(conv.lutType, operands.lut, i));
  if (conv.hasResidual)
    boundResidual();
  isFused = hostFusesOutputs() && !needsIntegers && makeFused();
  isFusedWide = needsIntegers && makeFusedWide();
  if (isFused || isFusedWide)
    return;
  if (conv.groups == 1 && conv.outChannels <= kPassElements / 2)
    repeatTables(uint32_t(kPassElements / conv.outChannels));
  if (needsIntegers || is16BitInput)
    integers.emplace(conv, at, tablePixels);
}

void ConvOutput::boundResidual() {
  auto magnitude = [](double a, double b) {
    return std::max(std::fabs(a), std::fabs(b));
  };
  double main = magnitude(conv.outMin, conv.outMax) +
                std::fabs(double(conv.mainZeroPoint));
  TypeRange range = rangeOf(conv.residualType);
  double other = magnitude(double(range.lowest), double(range.highest)) +
                 std::fabs(double(conv.residualZeroPoint));
  residualIsExact =
      (main * conv.mainScale + other * conv.residualScale) * conv.sumScale <
      kExactLimit;
}

/// Numbers of some pixels one behind the other.
void ConvOutput::repeatTables(uint32_t pixels) {
  tablePixels = pixels;
  auto repeat = [&](auto &table) {
    if (table.empty())
      return;
    table.resize(size_t(pixels) * conv.outChannels);
    for (size_t i = conv.outChannels; i < table.size(); i += conv.outChannels)
      std::copy_n(table.begin(), conv.outChannels,
                  table.begin() + ptrdiff_t(i));
  };
  repeat(tables.bias);
  repeat(tables.factors);
  repeat(tables.slopes);
}

void ConvOutput::readTables(const ConvOperands &operands) {
  size_t size = conv.outChannels;
  tables.bias.resize(size);
  tables.factors.resize(size);
  bool isPRelu = conv.activation == Activation::PRelu;
  if (isPRelu)
    tables.slopes.resize(size);
  double slopeUnit = std::ldexp(1.0, -int(conv.slopeShift));
  if (conv.activation == Activation::LeakyRelu)
    largestSlope = std::fabs(double(conv.slope));
  for (size_t i = 0; i < conv.outChannels; ++i) {
    double scale = sim::scaleOf(conv, operands, i);
    tables.bias[i] = double(biasOf(conv, operands, i));
    tables.factors[i] = std::ldexp(scale, -shiftOf(conv, operands, i));
    largestScale = std::max(largestScale, scale);
    largestBias = std::max(largestBias, std::fabs(tables.bias[i]));
    if (!isPRelu)
      continue;
    double slope = load<int16_t>(operands.slopes, i);
    largestSlope = std::max(largestSlope, std::fabs(slope));
    tables.slopes[i] = slope * slopeUnit;
  }
  largestFactor = std::max(1.0, largestSlope * slopeUnit + 1);
}

/// Whether every product of the fast path is exact if no sum is larger.
bool ConvOutput::isExact(double largest) const {
  largest += largestBias;
  return residualIsExact && largest * largestSlope < kExactLimit &&
         largest * largestFactor * largestScale < kExactLimit;
}

int64_t ConvOutput::partialAt(const Run &run, size_t i) const {
  uint64_t index =
      (uint64_t(run.y) * conv.outWidth + run.x) * conv.outChannels +
      run.firstChannel + i;
  return is16BitInput ? load<int64_t>(at.partials, index)
                      : load<int32_t>(at.partials, index);
}

template <typename Sum>
void ConvOutput::writePartials(const Sum *sums, const Run &run) {
  for (size_t i = 0; i < run.size(); ++i) {
    int64_t sum = sums[i];
    if (conv.accumulateIn)
      sum = int64_t(uint64_t(sum) + uint64_t(partialAt(run, i)));
    uint64_t index =
        (uint64_t(run.y) * conv.outWidth + run.x) * conv.outChannels +
        run.firstChannel + i;
    uint64_t sumBytes = isa::sumBytes(conv.inType);
    std::memcpy(at.partials + index * sumBytes, &sum, sumBytes);
  }
}

void ConvOutput::runFast(double *values, const Run &run, int32_t *results) {
  size_t n = run.size();
  size_t table = run.firstChannel;
  addTo(values, &tables.bias[table], n);
  double zero = conv.outZeroPoint;
  double lo = conv.outMin + zero, hi = conv.outMax + zero;
  const double *factors = &tables.factors[table];
  switch (conv.activation) {
  case Activation::None:
    break;
  case Activation::Relu:
    relu(values, n);
    break;
  case Activation::LeakyRelu:
    leakyRelu(values, std::ldexp(double(conv.slope), -int(conv.slopeShift)), n);
    break;
  case Activation::PRelu:
    prelu(values, &tables.slopes[table], n);
    break;
  case Activation::Clip:
    break;
  }
  if (conv.activation == Activation::Clip) {
    scaleClip(values, factors, conv.clipMin, conv.clipMax, n);
    scaleClip(values, std::ldexp(1.0, -int(conv.clipRoundBits)), lo, hi, n);
  } else {
    scaleClip(values, factors, lo, hi, n);
  }
  if (!conv.hasResidual)
    return toInts(values, conv.outZeroPoint, results, n);
  double residual[kPassElements];
  loadResidual(run, residual);
  alignSum(values, conv.mainZeroPoint - zero, conv.mainScale, residual,
           conv.residualZeroPoint, conv.residualScale, n);
  if (conv.sumActivation == Activation::Relu)
    relu(values, n);
  double sumZero = conv.sumZeroPoint;
  scaleClip(values, std::ldexp(double(conv.sumScale), -int(conv.sumShift)),
            conv.sumMin + sumZero, conv.sumMax + sumZero, n);
  toInts(values, conv.sumZeroPoint, results, n);
}

template <typename Sum>
void ConvOutput::runIntegers(const Sum *sums, const Run &run,
                             int32_t *results) const {
  size_t n = run.size();
  int64_t partials[kPassElements];
  for (size_t i = 0; conv.accumulateIn && i < n; ++i)
    partials[i] = partialAt(run, i);
  int32_t residual[kPassElements];
  if (conv.hasResidual)
    loadResidual(run, residual);
  // Few commands that do without it have sums beyond doubles.
  std::optional<IntegerOutput> own;
  if (!integers)
    own.emplace(conv, at, tablePixels);
  (integers ? *integers : *own)
      .run(sums, n, run.firstChannel, conv.accumulateIn ? partials : nullptr,
           conv.hasResidual ? residual : nullptr, results);
}

template <typename T>
void ConvOutput::loadResidual(const Run &run, T *to) const {
  uint32_t bytes = elementBytes(conv.residualType);
  const uint8_t *from = at.residual + uint64_t(run.y) * conv.residualRowStride +
                        uint64_t(run.x) * conv.residualPixelStride;
  if (conv.residualPerPixel) {
    for (uint32_t p = 0; p < run.pixels; ++p)
      std::fill_n(to + size_t(p) * run.channels, run.channels,
                  T(loadInt(conv.residualType,
                            from + uint64_t(p) * conv.residualPixelStride, 0)));
    return;
  }
  from += uint64_t(run.firstChannel) * bytes;
  if (conv.residualPixelStride == uint64_t(run.channels) * bytes)
    return loadElements(conv.residualType, from, run.size(), to);
  for (uint32_t p = 0; p < run.pixels; ++p)
    loadElements(conv.residualType,
                 from + uint64_t(p) * conv.residualPixelStride, run.channels,
                 to + size_t(p) * run.channels);
}

/// Linear interpolation between table entries; the last one is repeated
/// (docs/operators/activation.md, Activation).
void ConvOutput::lookUp(int32_t *values, size_t n) const {
  int restBits = conv.lutInputBits - conv.lutLog2Items;
  size_t last = lut.size() - 1;
  for (size_t i = 0; i < n; ++i) {
    int64_t index = int64_t(values[i]) - conv.lutInputMin;
    auto entry = size_t(index >> restBits);
    int64_t rest = index & ((int64_t(1) << restBits) - 1);
    int64_t low = lut[entry], high = lut[std::min(entry + 1, last)];
    values[i] = int32_t(low + (((high - low) * rest) >> restBits));
  }
}

void ConvOutput::store(const int32_t *results, const Run &run) {
  ElementType type = writtenType(conv);
  uint32_t bytes = elementBytes(type);
  uint8_t *to = at.output + uint64_t(run.y) * conv.outRowStride +
                uint64_t(run.x) * conv.outPixelStride +
                uint64_t(run.firstChannel) * bytes;
  if (conv.outPixelStride == uint64_t(run.channels) * bytes)
    return storeElements(type, results, run.size(), to);
  for (uint32_t p = 0; p < run.pixels; ++p)
    storeElements(type, results + size_t(p) * run.channels, run.channels,
                  to + uint64_t(p) * conv.outPixelStride);
}

/// Whether requantizeSums() does all of the work on 32-bit sums.
bool ConvOutput::isPlain() const {
  return !conv.accumulateIn && !conv.hasResidual &&
         (conv.activation == Activation::None ||
          conv.activation == Activation::Relu);
}

template <typename Sum>
void ConvOutput::writeRun(const Sum *sums, const Run &run) {
  if (conv.accumulateOut)
    return writePartials(sums, run);
  size_t n = run.size();
  int32_t results[kPassElements];
  if (needsIntegers) {
    runIntegers(sums, run, results);
    if (conv.hasLut)
      lookUp(results, n);
    return store(results, run);
  }
  if constexpr (sizeof(Sum) == 4)
    if (isPlain()) {
      double zero = conv.outZeroPoint, lo = conv.outMin + zero;
      double hi = conv.outMax + zero;
      if (conv.activation == Activation::Relu)
        lo = std::max(lo, 0.0);
      requantizeSums(sums, &tables.bias[run.firstChannel],
                     &tables.factors[run.firstChannel], lo, hi,
                     conv.outZeroPoint, results, n);
      if (conv.hasLut)
        lookUp(results, n);
      return store(results, run);
    }
  double values[kPassElements];
  // 2^31 of each of the two int32 sums.
  double largest = 4294967296.0;
  if constexpr (sizeof(Sum) == 8)
    largest += largestSum(sums, n);
  loadSums(sums, n, values);
  if (conv.accumulateIn) {
    double partials[kPassElements];
    for (size_t i = 0; i < n; ++i) {
      partials[i] = double(partialAt(run, i));
      largest = std::max(largest, std::fabs(partials[i]) * 2);
    }
    addTo(values, partials, n);
    largest *= 2;
  }
  if (isExact(largest))
    runFast(values, run, results);
  else
    runIntegers(sums, run, results);
  if (conv.hasLut)
    lookUp(results, n);
  store(results, run);
}

void ConvOutput::writeFused(const int32_t *sums, uint64_t pitch, uint32_t y,
                            uint32_t x, uint32_t pixels, uint32_t firstChannel,
                            uint32_t channels) const {
  uint8_t *to = at.output + uint64_t(y) * conv.outRowStride +
                uint64_t(x) * conv.outPixelStride + firstChannel;
  const uint8_t *residual = to; // not read
  if (conv.hasResidual)
    residual = at.residual + uint64_t(y) * conv.residualRowStride +
               uint64_t(x) * conv.residualPixelStride + firstChannel;
  FusedPlace place = {sums,     pitch,
                      pixels,   channels,
                      residual, conv.residualPixelStride,
                      to,       conv.outPixelStride};
  if (isFusedWide)
    fuseWide(fusedWide, place, firstChannel);
  else
    fuseOutput(fused, place, &tables.bias[firstChannel],
               &tables.factors[firstChannel]);
}

template <typename Sum>
void ConvOutput::write(const Sum *sums, uint64_t pitch, uint32_t y, uint32_t x,
                       uint32_t pixels, uint32_t firstChannel,
                       uint32_t channels) {
  if constexpr (sizeof(Sum) == 4)
    if (isFused || isFusedWide)
      return writeFused(sums, pitch, y, x, pixels, firstChannel, channels);
  if (channels == pitch && channels == conv.outChannels && tablePixels > 1) {
    for (uint32_t p = 0; p < pixels; p += tablePixels)
      writeRun(sums + p * pitch, {y, x + p, std::min(tablePixels, pixels - p),
                                  firstChannel, channels});
    return;
  }
  for (uint32_t p = 0; p < pixels; ++p)
    for (uint32_t c = 0; c < channels; c += kPassElements)
      writeRun(sums + p * pitch + c,
               {y, x + p, 1, firstChannel + c,
                std::min<uint32_t>(kPassElements, channels - c)});
}

template void ConvOutput::write(const int32_t *, uint64_t, uint32_t, uint32_t,
                                uint32_t, uint32_t, uint32_t);
template void ConvOutput::write(const int64_t *, uint64_t, uint32_t, uint32_t,
                                uint32_t, uint32_t, uint32_t);
