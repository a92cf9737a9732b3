//===- UnaryStrips.h - Functions of floats that need no double --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// UnaryFn.def has its functions in double. Those below choose a value, round to
// a whole number or multiply once: the same expression in float is that double,
// rounded. So they stay in registers (FloatStrips.h):
//
//   if (isExactInFloat(p.fn)) ... exactValue(p.fn, p.args, x)
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_ACTIVATION_UNARYSTRIPS_H
#define YARROW_KERNELS_ACTIVATION_UNARYSTRIPS_H

#include "kernels/FloatStrips.h"
#include "kernels/activation/ActivationParams.h"

namespace yarrow::kernels {

constexpr bool isExactInFloat(UnaryFn fn) {
  switch (fn) {
  case UnaryFn::Identity:
  case UnaryFn::Relu:
  case UnaryFn::Relu6:
  case UnaryFn::Clip:
  case UnaryFn::LeakyRelu:
  case UnaryFn::ThresholdedRelu:
  case UnaryFn::Square:
  case UnaryFn::Floor:
  case UnaryFn::Ceil:
  case UnaryFn::Round:
  case UnaryFn::Trunc:
  case UnaryFn::Abs:
  case UnaryFn::Negative:
  case UnaryFn::Sign:
    return true;
  default:
    return false;
  }
}

/// x to an integer of its sign, as math::roundEven has it.
inline void roundEven(Strip<float> &x) {
  constexpr float kWhole = 8388608.0f; // from 2^23 on floats are integers
  Strip<float> a = __builtin_elementwise_abs(x);
  Strip<float> y = (a + kWhole) - kWhole;
  x = __builtin_elementwise_copysign(a < kWhole ? y : a, x);
}

/// x = fn(x), for what isExactInFloat says so.
inline void exactValue(UnaryFn fn, const UnaryArgs &a, Strip<float> &x) {
  const Strip<float> zero{}, one = zero + 1.0f;
  Strip<float> y = x;
  auto limit = [&](float lo, float hi) {
    x = x < lo ? zero + lo : x;
    x = x > hi ? zero + hi : x;
  };
  switch (fn) {
  case UnaryFn::Relu:
    x = x < 0 ? zero : x;
    break;
  case UnaryFn::Relu6:
    limit(0, 6);
    break;
  case UnaryFn::Clip:
    limit(a.alpha, a.beta);
    break;
  case UnaryFn::LeakyRelu:
    x = x < 0 ? x * a.alpha : x;
    break;
  case UnaryFn::ThresholdedRelu:
    x = x <= a.alpha ? zero : x;
    break;
  case UnaryFn::Square:
    x *= x;
    break;
  case UnaryFn::Floor:
    roundEven(y);
    x = __builtin_elementwise_copysign(y > x ? y - 1.0f : y, x);
    break;
  case UnaryFn::Ceil:
    roundEven(y);
    x = __builtin_elementwise_copysign(y < x ? y + 1.0f : y, x);
    break;
  case UnaryFn::Round:
    roundEven(x);
    break;
  case UnaryFn::Trunc:
    x = __builtin_elementwise_abs(x);
    roundEven(x);
    x = x > __builtin_elementwise_abs(y) ? x - 1.0f : x;
    x = __builtin_elementwise_copysign(x, y);
    break;
  case UnaryFn::Abs:
    x = __builtin_elementwise_abs(x);
    break;
  case UnaryFn::Negative:
    x = -x;
    break;
  case UnaryFn::Sign:
    x = x > 0 ? one : x < 0 ? -one : x;
    break;
  default:
    break;
  }
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_ACTIVATION_UNARYSTRIPS_H
