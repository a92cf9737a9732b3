//===- UnaryFn.h - Value of a float function ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The functions of UnaryFn.def outside a kernel: the quantizer fills look-up
// tables with them, so that a table and the float kernel agree.
//
//   UnaryArgs args{.alpha = 1.0f};
//   double y = unaryValue(UnaryFn::Elu, -0.5, args);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_ACTIVATION_UNARYFN_H
#define YARROW_KERNELS_ACTIVATION_UNARYFN_H

#include "kernels/Math.h"
#include "kernels/activation/ActivationParams.h"

namespace yarrow::kernels {
namespace unary {

constexpr double kSqrtHalf = 0.707106781186547524;
constexpr double kSqrt2OverPi = 0.797884560802865356;

YARROW_MATH double limit(double x, double lo, double hi) {
  double y = x < lo ? lo : x;
  return y > hi ? hi : y;
}

/// ln(1 + e^x) without overflow.
YARROW_MATH double softplus(double x) {
  return (x < 0 ? 0 : x) + math::log1p(math::exp(-math::abs(x)));
}

/// One class per function, so that a loop over it is compiled for it alone.
#define UNARY(NAME, VALUE)                                                     \
  struct NAME {                                                                \
    static YARROW_MATH double value(double x, const UnaryArgs &a) {            \
      (void)a;                                                                 \
      return VALUE;                                                            \
    }                                                                          \
  };
#include "kernels/activation/UnaryFn.def"

} // namespace unary

/// fn(x); NaN in, NaN out.
inline double unaryValue(UnaryFn fn, double x, const UnaryArgs &args = {}) {
  switch (fn) {
#define UNARY(NAME, VALUE)                                                     \
  case UnaryFn::NAME:                                                          \
    return unary::NAME::value(x, args);
#include "kernels/activation/UnaryFn.def"
  }
  return x;
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_ACTIVATION_UNARYFN_H
