//===- StageDefinition.cpp - What an output stage means -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/StageDefinition.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::prove;
using namespace yarrow::isa;

using Wide = __int128;

/// Number is one in which the product is exact.
template <typename Number>
static Number shifted(Number product, int64_t shift, bool halfUp) {
  int64_t bits = std::min<int64_t>(shift, 62);
  Number quotient = product >> bits; // rounds down
  Number rest = product - (quotient << bits), half = Number(1) << (bits - 1);
  bool isOdd = (quotient & 1) != 0;
  bool goesUp = rest > half || (rest == half && (halfUp || isOdd));
  return quotient + (goesUp ? 1 : 0);
}

Wide prove::requantized(Wide value, int64_t scale, int64_t shift, bool halfUp) {
  Wide product = value * scale;
  if (shift <= 0) {
    // A negative shift multiplies; what leaves 64 bits is limited to their
    // ends.
    product <<= std::min<int64_t>(-shift, 62);
    return std::clamp<Wide>(product, INT64_MIN, INT64_MAX);
  }
  // Most products are short, and those are fast.
  if (auto narrow = int64_t(product); narrow == product)
    return shifted(narrow, shift, halfUp);
  return shifted(product, shift, halfUp);
}

/// Values below zero times a slope, rounded half to even.
Wide StageDefinition::activated(Activation activation, Wide value) const {
  if (value >= 0 || activation == Activation::None ||
      activation == Activation::Clip)
    return value;
  if (activation == Activation::Relu)
    return 0;
  int64_t slope =
      activation == Activation::PRelu ? channel.slope : int64_t(conv.slope);
  return requantized(value, slope, conv.slopeShift, /*halfUp=*/false);
}

int64_t StageDefinition::first(int64_t sum) const {
  Wide value = activated(conv.activation, Wide(sum) + channel.bias);
  if (conv.activation == Activation::Clip) {
    value = requantized(value, channel.scale,
                        channel.shift - conv.clipRoundBits, conv.halfUp);
    value = std::clamp<Wide>(value, conv.clipMin, conv.clipMax);
    value = requantized(value, 1, conv.clipRoundBits, /*halfUp=*/false);
  } else {
    value = requantized(value, channel.scale, channel.shift, conv.halfUp);
  }
  return int64_t(
      std::clamp<Wide>(value - conv.outZeroPoint, conv.outMin, conv.outMax));
}

int64_t StageDefinition::joined(int64_t value, int64_t residual) const {
  SumScales scales = sumScalesOf(conv);
  Wide m = Wide(value) + conv.mainZeroPoint;
  Wide r = Wide(residual) + conv.residualZeroPoint;
  Wide mTerm = m * scales.main, rTerm = r * scales.residual;
  Wide sum = 0;
  switch (conv.sumOp) {
  case SumOp::Add:
    sum = mTerm + rTerm;
    break;
  case SumOp::Sub:
    sum = mTerm - rTerm;
    break;
  case SumOp::ReverseSub:
    sum = rTerm - mTerm;
    break;
  case SumOp::Mul:
    sum = m * r;
    break;
  case SumOp::Max:
    sum = std::max(mTerm, rTerm);
    break;
  case SumOp::Min:
    sum = std::min(mTerm, rTerm);
    break;
  }
  sum = activated(conv.sumActivation, sum);
  sum = requantized(sum, scales.sum, conv.sumShift, conv.sumHalfUp);
  return int64_t(
      std::clamp<Wide>(sum - conv.sumZeroPoint, conv.sumMin, conv.sumMax));
}

/// Linear between entries; the last one stands for what would follow it.
int64_t StageDefinition::lookedUp(int64_t value) const {
  int64_t index = value - conv.lutInputMin;
  int64_t restBits = int64_t(conv.lutInputBits) - conv.lutLog2Items;
  int64_t entry = index >> restBits;
  int64_t rest = index - (entry << restBits);
  auto last = int64_t(table.size()) - 1;
  int64_t low = table[size_t(entry)];
  int64_t high = table[size_t(std::min(entry + 1, last))];
  return low + (((high - low) * rest) >> restBits);
}
