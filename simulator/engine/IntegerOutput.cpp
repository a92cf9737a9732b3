//===- IntegerOutput.cpp - A convolution's output stage in integers -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/IntegerOutput.h"

#include "simulator/engine/Passes.h"
#include <cstring>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

template <typename T> static T load(const uint8_t *from, uint64_t index) {
  T value;
  std::memcpy(&value, from + index * sizeof(T), sizeof(T));
  return value;
}

int32_t sim::scaleOf(const Conv &conv, const ConvOperands &at, size_t channel) {
  if (!conv.perChannel)
    return isa::scaleOf(conv);
  if (conv.wideScale)
    return load<int32_t>(at.scales, channel) & kMaxWideScale;
  return load<uint16_t>(at.scales, channel);
}

int32_t sim::shiftOf(const Conv &conv, const ConvOperands &at, size_t channel) {
  int32_t shift =
      conv.perChannel ? load<int8_t>(at.shifts, channel) : int32_t(conv.shift);
  return conv.activation == Activation::Clip
             ? shift - int32_t(conv.clipRoundBits)
             : shift;
}

int64_t sim::biasOf(const Conv &conv, const ConvOperands &at, size_t channel) {
  if (!conv.wideBias)
    return load<int32_t>(at.bias, channel);
  return int64_t(load<uint64_t>(at.bias, channel) << 16) >> 16;
}

IntegerOutput::IntegerOutput(const Conv &conv, const ConvOperands &operands,
                             uint32_t repeats)
    : conv(conv), wraps32(needsIntegers(conv) && sumBits(conv.inType) == 32),
      sumScales(sumScalesOf(conv)),
      sumFactor(RoundFactor::of(sumScales.sum, conv.sumShift, conv.sumHalfUp)) {
  for (uint32_t p = 0; p < repeats; ++p)
    for (size_t c = 0; c < conv.outChannels; ++c) {
      bias.push_back(biasOf(conv, operands, c));
      factors.add(sim::scaleOf(conv, operands, c), shiftOf(conv, operands, c),
                  conv.halfUp);
      if (hasSlopes(conv))
        slopes.push_back(load<int16_t>(operands.slopes, c));
    }
  // Of both activations one has slopes.
  if (!hasSlopes(conv))
    slopes.assign(kPassElements, conv.slope);
}

void IntegerOutput::activate(Activation activation, int64_t *values, size_t n,
                             size_t table) const {
  switch (activation) {
  case Activation::None:
  case Activation::Clip:
    break;
  case Activation::Relu:
    relu(values, n);
    break;
  case Activation::LeakyRelu:
    prelu(values, slopes.data(), conv.slopeShift, n);
    break;
  case Activation::PRelu:
    prelu(values, &slopes[table], conv.slopeShift, n);
    break;
  }
}

void IntegerOutput::firstStage(int64_t *values, size_t n, size_t table) const {
  activate(conv.activation, values, n, table);
  int64_t zero = conv.outZeroPoint;
  int64_t lo = conv.outMin + zero, hi = conv.outMax + zero;
  if (conv.activation != Activation::Clip)
    return scaleClip(values, factors, table, lo, hi, n);
  scaleClip(values, factors, table, conv.clipMin, conv.clipMax, n);
  scaleClip(values,
            RoundFactor::of(1, int32_t(conv.clipRoundBits), /*halfUp=*/false),
            lo, hi, n);
}

void IntegerOutput::joinResidual(int64_t *values, size_t n, size_t table,
                                 const int32_t *residual) const {
  joinOperands(conv.sumOp, values,
               int64_t(conv.mainZeroPoint) - conv.outZeroPoint, sumScales.main,
               residual, conv.residualZeroPoint, sumScales.residual, n);
  activate(conv.sumActivation, values, n, table);
  int64_t zero = conv.sumZeroPoint;
  scaleClip(values, sumFactor, conv.sumMin + zero, conv.sumMax + zero, n);
}

template <typename Sum>
void IntegerOutput::run(const Sum *sums, size_t n, size_t table,
                        const int64_t *partials, const int32_t *residual,
                        int32_t *results) const {
  int64_t values[kPassElements];
  addSums(sums, &bias[table], wraps32, n, values);
  if (partials)
    addSums(partials, values, wraps32, n, values);
  firstStage(values, n, table);
  if (!residual)
    return toInts(values, conv.outZeroPoint, results, n);
  joinResidual(values, n, table, residual);
  toInts(values, conv.sumZeroPoint, results, n);
}

template void IntegerOutput::run(const int32_t *, size_t, size_t,
                                 const int64_t *, const int32_t *,
                                 int32_t *) const;
template void IntegerOutput::run(const int64_t *, size_t, size_t,
                                 const int64_t *, const int32_t *,
                                 int32_t *) const;
