//===- CastTest.cpp - Conversions between all integer types ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Against conversions of the language, limited by comparisons.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/KernelTesting.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;

namespace {

template <typename T> constexpr DType kTypeOf = DType::F32;
template <> constexpr DType kTypeOf<int8_t> = DType::I8;
template <> constexpr DType kTypeOf<uint8_t> = DType::U8;
template <> constexpr DType kTypeOf<int16_t> = DType::I16;
template <> constexpr DType kTypeOf<uint16_t> = DType::U16;
template <> constexpr DType kTypeOf<int32_t> = DType::I32;
template <> constexpr DType kTypeOf<uint32_t> = DType::U32;
template <> constexpr DType kTypeOf<int64_t> = DType::I64;

template <typename From> std::vector<From> valuesOf() {
  using Limits = std::numeric_limits<From>;
  return {Limits::lowest(), Limits::max(), From(0),
          From(1),          From(-1),      From(100),
          From(-100),       From(30000),   From(int64_t(3000000000))};
}
template <> std::vector<float> valuesOf<float>() {
  return {0,     0.7f,  -0.7f,  127.9f,   -128.9f,  3e9f,
          -3e9f, 1e19f, -1e19f, 65536.5f, INFINITY, NAN};
}

template <typename From, typename To> CastParams paramsOf(CastMode mode) {
  using Limits = std::numeric_limits<To>;
  CastParams p{.inType = kTypeOf<From>, .outType = kTypeOf<To>, .mode = mode};
  // As a layer's: int32 holds the limits of all but uint32 and int64.
  p.lo = int32_t(std::max<int64_t>(int64_t(Limits::lowest()), INT32_MIN));
  p.hi = int32_t(std::min<int64_t>(int64_t(Limits::max()), INT32_MAX));
  return p;
}

template <typename From, typename To>
std::vector<To> cast(CastParams p, const std::vector<From> &x) {
  p.count = uint32_t(x.size());
  std::vector<To> y(x.size());
  runKernel("yk_cast", p, {x.data(), y.data()}, 2);
  return y;
}

/// Whole numbers as To; NaN is 0.
template <typename To> To limited(long double value) {
  using Limits = std::numeric_limits<To>;
  if (std::isnan(value))
    return 0;
  if (value <= (long double)Limits::lowest())
    return Limits::lowest();
  return value >= (long double)Limits::max() ? Limits::max() : To(value);
}

template <typename From, typename To> void expectConversion() {
  const std::vector<From> x = valuesOf<From>();
  constexpr bool isFloat = kTypeOf<From> == DType::F32;
  auto saturated = cast<From, To>(
      paramsOf<From, To>(isFloat ? CastMode::Float : CastMode::Saturate), x);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(saturated[i], limited<To>(std::trunc((long double)x[i])))
        << +x[i] << " from type " << int(kTypeOf<From>) << " to "
        << int(kTypeOf<To>);
  if constexpr (!isFloat) {
    auto wrapped = cast<From, To>(paramsOf<From, To>(CastMode::Wrap), x);
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_EQ(wrapped[i], To(uint64_t(int64_t(x[i])))) << +x[i];
  }
}

template <typename From> void expectConversions() {
  expectConversion<From, int8_t>();
  expectConversion<From, uint8_t>();
  expectConversion<From, int16_t>();
  expectConversion<From, uint16_t>();
  expectConversion<From, int32_t>();
  expectConversion<From, uint32_t>();
  expectConversion<From, int64_t>();
}

TEST(Cast, saturatesAndWrapsLikeTheLanguage) {
  expectConversions<float>();
  expectConversions<int8_t>();
  expectConversions<uint8_t>();
  expectConversions<int16_t>();
  expectConversions<uint16_t>();
  expectConversions<int32_t>();
  expectConversions<uint32_t>();
  expectConversions<int64_t>();
}

TEST(Cast, truthIsEveryRealNumberButZero) {
  CastParams p = paramsOf<int8_t, uint8_t>(CastMode::Saturate);
  p.outType = DType::Bool;
  p.inZp = 3;
  EXPECT_EQ((cast<int8_t, uint8_t>(p, {-3, 0, 5, -128})),
            (std::vector<uint8_t>{0, 1, 1, 1}));
  p.inType = DType::F32, p.mode = CastMode::Float;
  EXPECT_EQ((cast<float, uint8_t>(p, {0, -0.25f, NAN})),
            (std::vector<uint8_t>{0, 1, 1}));
}

TEST(Cast, scaledTo32Bits) {
  auto toI32 = paramsOf<int16_t, int32_t>(CastMode::RequantizeTowardsZero);
  toI32.scale = 3, toI32.shift = 1;
  EXPECT_EQ((cast<int16_t, int32_t>(toI32, {5, -5, 0})),
            (std::vector<int32_t>{7, -7, 0}));
  toI32.shift = -20;
  EXPECT_EQ((cast<int16_t, int32_t>(toI32, {5, -5, 30000})),
            (std::vector<int32_t>{15 << 20, -(15 << 20), INT32_MAX}));
  auto toU32 = paramsOf<int16_t, uint32_t>(CastMode::RequantizeTowardsZero);
  toU32.scale = 60000, toU32.shift = -1;
  EXPECT_EQ((cast<int16_t, uint32_t>(toU32, {5, -5, 30000})),
            (std::vector<uint32_t>{600000, 0, 3600000000}));
  auto fromI64 = paramsOf<int64_t, int8_t>(CastMode::Requantize);
  fromI64.shift = 41;
  EXPECT_EQ((cast<int64_t, int8_t>(fromI64,
                                   {int64_t(5) << 40, int64_t(1) << 62, -7})),
            (std::vector<int8_t>{2, 32, 0}));
}

} // namespace
