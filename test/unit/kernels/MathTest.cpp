//===- MathTest.cpp - Elementary functions --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Math.h"
#include "kernels/activation/UnaryFn.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace yarrow::kernels;

namespace {

constexpr double kTolerance = 1e-11;

/// One function with the interval it is compared on: linear, or +-10^[lo, hi].
struct Case {
  const char *name;
  double (*ours)(double);
  double (*reference)(double);
  double lo, hi;
  bool isLog;
};

#define CASE(FN, LO, HI, LOG)                                                  \
  {#FN,                                                                        \
   [](double x) { return math::FN(x); },                                       \
   [](double x) { return double(std::FN(x)); },                                \
   LO,                                                                         \
   HI,                                                                         \
   LOG}

const Case kCases[] = {
    CASE(exp, -700, 709, false), CASE(log, -300, 300, true),
    CASE(log, 0.5, 2, false),    CASE(log2, -300, 300, true),
    CASE(log1p, -20, 20, true),  CASE(log1p, -0.99, 3, false),
    CASE(expm1, -20, 2, true),   CASE(expm1, -2, 2, false),
    CASE(tanh, -20, 1, true),    CASE(tanh, -2, 2, false),
    CASE(sinh, -20, 2, true),    CASE(cosh, -20, 2, true),
    CASE(sin, -10, 6, true),     CASE(cos, -10, 6, true),
    CASE(tan, -10, 10, false),   CASE(atan, -20, 20, true),
    CASE(asin, -1, 1, false),    CASE(acos, -1, 1, false),
    CASE(asinh, -20, 30, true),  CASE(acosh, 1, 3, false),
    CASE(atanh, -1, 1, false),   CASE(erf, -20, 2, true),
    CASE(erf, -3, 3, false),     CASE(erfc, -3, 25, false),
    CASE(floor, -10, 10, true),  CASE(ceil, -10, 10, true),
    CASE(trunc, -10, 10, true),  CASE(floor, -4, 4, false),
};

TEST(Math, agreesWithTheHostLibrary) {
  std::mt19937_64 random(1);
  for (const Case &c : kCases)
    for (int i = 0; i < 50000; ++i) {
      double u = double(random() >> 11) * 0x1p-53 * (c.hi - c.lo) + c.lo;
      double x =
          c.isLog ? std::copysign(std::pow(10.0, u), random() & 1 ? 1 : -1) : u;
      double got = c.ours(x), want = c.reference(x);
      if (std::isnan(want)) {
        ASSERT_TRUE(std::isnan(got)) << c.name << " " << x;
        continue;
      }
      ASSERT_LE(std::fabs(got - want), kTolerance * std::fabs(want))
          << c.name << "(" << x << ")";
    }
}

TEST(Math, powAgreesWithTheHostLibrary) {
  const double special[] = {0.0,       -0.0, 1,   -1, INFINITY,
                            -INFINITY, NAN,  0.5, 2,  -3};
  std::mt19937_64 random(1);
  for (double y : {2.0, 3.0, 0.5, -1.0, 0.75, -2.5, -3.0, 0.0})
    for (int i = 0; i < 20000; ++i) {
      double x = std::ldexp(double(random() >> 11) * 0x1p-53 - 0.5,
                            int(random() % 12));
      double got = math::pow(x, y), want = std::pow(x, y);
      if (std::isnan(want))
        ASSERT_TRUE(std::isnan(got)) << x << "^" << y;
      else
        ASSERT_LE(std::fabs(got - want), kTolerance * std::fabs(want))
            << x << "^" << y;
    }
  for (double x : special)
    for (double y : special) {
      double got = math::pow(x, y), want = std::pow(x, y);
      if (std::isnan(want))
        EXPECT_TRUE(std::isnan(got)) << x << "^" << y;
      else
        EXPECT_TRUE(got == want || std::fabs(got - want) < 1e-11)
            << x << "^" << y;
    }
}

TEST(Math, specialValues) {
  EXPECT_EQ(math::exp(INFINITY), INFINITY);
  EXPECT_EQ(math::exp(-INFINITY), 0.0);
  for (double x : {-708.8, -709.5, -740.0, -800.0})
    EXPECT_EQ(math::exp(x), 0.0);
  for (double x : {709.5, 710.5, 800.0})
    EXPECT_EQ(math::exp(x), INFINITY);
  EXPECT_NEAR(math::exp(-708.6) / std::exp(-708.6), 1.0, kTolerance);
  EXPECT_NEAR(math::exp(709.3) / std::exp(709.3), 1.0, kTolerance);
  EXPECT_EQ(math::log(0.0), -INFINITY);
  EXPECT_TRUE(std::isnan(math::log(-1.0)));
  EXPECT_EQ(math::tanh(INFINITY), 1.0);
  EXPECT_EQ(math::atan(-INFINITY), -math::kPi / 2);
  EXPECT_EQ(math::erf(-INFINITY), -1.0);
  EXPECT_TRUE(std::isnan(math::sin(INFINITY)));
  EXPECT_TRUE(std::isnan(math::acosh(0.5)));
  EXPECT_TRUE(std::isnan(math::asin(1.5)));
  EXPECT_EQ(math::roundEven(2.5), 2.0);
  EXPECT_EQ(math::roundEven(-3.5), -4.0);
  for (int e = -1074; e < 1024; ++e)
    ASSERT_EQ(math::log2(std::ldexp(1.0, e)), e);
}

TEST(UnaryFn, keepsNaN) {
  UnaryArgs args{.alpha = 1, .beta = 2, .gamma = 1};
#define UNARY(NAME, VALUE)                                                     \
  EXPECT_TRUE(std::isnan(unaryValue(UnaryFn::NAME, NAN, args))) << #NAME;
#include "kernels/activation/UnaryFn.def"
}

TEST(UnaryFn, formulas) {
  auto value = [](UnaryFn fn, double x, UnaryArgs a = {}) {
    return unaryValue(fn, x, a);
  };
  EXPECT_NEAR(value(UnaryFn::GeluErf, -1.5),
              -1.5 * 0.5 * std::erfc(1.5 / std::sqrt(2)), 1e-12);
  double t = std::tanh(std::sqrt(2 / math::kPi) * (0.7 + 0.044715 * 0.343));
  EXPECT_NEAR(value(UnaryFn::GeluTanh, 0.7), 0.35 * (1 + t), 1e-12);
  EXPECT_NEAR(value(UnaryFn::Softplus, 100), 100, 1e-12);
  EXPECT_NEAR(value(UnaryFn::Softplus, -100), std::exp(-100.0), 1e-50);
  EXPECT_EQ(value(UnaryFn::HardSwish, -4), 0);
  EXPECT_EQ(value(UnaryFn::HardSwish, 1), 4.0 / 6);
  EXPECT_EQ(value(UnaryFn::Shrink, 1, {.alpha = 0.25f, .beta = 0.5f}), 0.75);
  EXPECT_EQ(value(UnaryFn::Shrink, 0.5, {.alpha = 0.25f, .beta = 0.5f}), 0);
  EXPECT_NEAR(value(UnaryFn::Pow, -2, {.alpha = 3}), -8, 1e-12);
}

} // namespace
