//===- BinaryFnTest.cpp - Functions of two values -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every function of BinaryFn.def against the C++ library's, in floats and,
// where it has a form, in integers.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/KernelTesting.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;

namespace {

struct Reference {
  BinaryOp op;
  std::function<double(double, double)> value;
};

/// One line per function.
const std::vector<Reference> references = {
    {BinaryOp::Add, std::plus<double>()},
    {BinaryOp::Sub, std::minus<double>()},
    {BinaryOp::Mul, std::multiplies<double>()},
    {BinaryOp::Max,
     [](double a, double b) { return std::isnan(b) ? b : std::max(a, b); }},
    {BinaryOp::Min,
     [](double a, double b) { return std::isnan(b) ? b : std::min(a, b); }},
    {BinaryOp::Mod,
     [](double a, double b) {
       double rest = std::fmod(a, b);
       return rest && (rest < 0) != (b < 0) ? rest + b : rest;
     }},
    {BinaryOp::FMod, [](double a, double b) { return std::fmod(a, b); }},
    {BinaryOp::SquaredDifference,
     [](double a, double b) { return (a - b) * (a - b); }},
    {BinaryOp::FloorQuotient,
     [](double a, double b) { return std::floor(a / b); }},
    {BinaryOp::TruncQuotient,
     [](double a, double b) { return std::trunc(a / b); }},
    {BinaryOp::Equal, std::equal_to<double>()},
    {BinaryOp::NotEqual, std::not_equal_to<double>()},
    {BinaryOp::Greater, std::greater<double>()},
    {BinaryOp::GreaterEqual, std::greater_equal<double>()},
    {BinaryOp::Less, std::less<double>()},
    {BinaryOp::LessEqual, std::less_equal<double>()},
    {BinaryOp::And, std::logical_and<double>()},
    {BinaryOp::Or, std::logical_or<double>()},
    {BinaryOp::Xor, [](double a, double b) { return (a != 0) != (b != 0); }},
    {BinaryOp::BitAnd,
     [](double a, double b) { return double(int32_t(a) & int32_t(b)); }},
    {BinaryOp::BitOr,
     [](double a, double b) { return double(int32_t(a) | int32_t(b)); }},
    {BinaryOp::BitXor,
     [](double a, double b) { return double(int32_t(a) ^ int32_t(b)); }},
    {BinaryOp::ShiftLeft,
     [](double a, double b) {
       return b < 0 || b > 31 ? 0 : double(int32_t(a * std::exp2(b)));
     }},
    {BinaryOp::ShiftRight,
     [](double a, double b) {
       return std::floor(a * std::exp2(b < 0 || b > 31 ? -31 : -b));
     }},
    {BinaryOp::Div, std::divides<double>()},
    {BinaryOp::Pow, [](double a, double b) { return std::pow(a, b); }},
};

const Reference *referenceOf(BinaryOp op) {
  auto it = std::find_if(references.begin(), references.end(),
                         [&](const Reference &r) { return r.op == op; });
  return it == references.end() ? nullptr : &*it;
}

TEST(BinaryFn, floatsAreTheLibrarys) {
  const std::vector<float> values = {0,       1,        -1,       2.5f,
                                     -3,      0.25f,    INFINITY, -INFINITY,
                                     NAN,     1.1e-44f, 3.3e38f,  -16777213,
                                     7.7e-3f, -1e-20f,  1e9f,     0x1.8p100f};
  std::vector<float> a, b;
  for (float x : values)
    for (float y : values)
      a.push_back(x), b.push_back(y);
  std::vector<float> found(a.size());
  for (const BinaryRecord &record : kBinaryRecords) {
    const Reference *reference = referenceOf(record.op);
    ASSERT_NE(reference, nullptr) << record.name;
    if (!hasFloatForm(record.op))
      continue;
    EltwiseFloatParams p;
    p.shape = {.rank = 1,
               .dims = {uint32_t(a.size())},
               .strideA = {1},
               .strideB = {1}};
    p.op = record.op;
    runKernel("yk_eltwise_float", p,
              {a.data(), b.data(), nullptr, found.data()});
    for (size_t i = 0; i < a.size(); ++i) {
      float expected = float(reference->value(a[i], b[i]));
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(found[i]))
            << record.name << " " << a[i] << " " << b[i];
      else
        EXPECT_FLOAT_EQ(found[i], expected)
            << record.name << " " << a[i] << " " << b[i];
    }
  }
}

TEST(BinaryFn, integersAreThoseOfTheFloats) {
  const std::vector<int8_t> a = {-128, -7, -1, 0, 3, 127, 5, 100},
                            b = {127, -7, 2, 0, -3, -128, 9, 100};
  std::vector<int32_t> found(a.size());
  for (const BinaryRecord &record : kBinaryRecords) {
    if (record.form == BinaryForm::None)
      continue;
    EltwiseIntParams p;
    p.shape = {.rank = 1,
               .dims = {uint32_t(a.size())},
               .strideA = {1},
               .strideB = {1}};
    p.op = record.op;
    p.isStored = record.form == BinaryForm::Stored;
    if (!p.isStored)
      p.zpA = 3, p.zpB = -2;
    if (record.form == BinaryForm::Aligned ||
        record.form == BinaryForm::Compared)
      p.scaleA = 5, p.scaleB = 7;
    p.requant.outType = DType::I32;
    p.requant.lo = INT32_MIN, p.requant.hi = INT32_MAX;
    runKernel("yk_eltwise_int", p, {a.data(), b.data(), nullptr, found.data()});
    for (size_t i = 0; i < a.size(); ++i) {
      double expected = referenceOf(record.op)->value(
          (a[i] + p.zpA) * p.scaleA, (b[i] + p.zpB) * p.scaleB);
      // Quotients and remainders by 0 are 0: integers have no NaN. Powers are
      // whole, and those that int32 does not hold have a test of their own.
      if (record.op == BinaryOp::Pow && std::isfinite(expected)) {
        if (std::abs(expected) > INT32_MAX)
          continue;
        expected = std::trunc(expected);
      }
      EXPECT_EQ(found[i], std::isfinite(expected) ? expected : 0)
          << record.name << " " << int(a[i]) << " " << int(b[i]);
    }
  }
}

EltwiseIntParams paramsOf(BinaryOp op, DType type) {
  EltwiseIntParams p;
  p.shape = {.rank = 1, .dims = {4}, .strideA = {1}, .strideB = {1}};
  p.op = op;
  p.typeA = p.typeB = p.requant.outType = type;
  p.requant.lo = INT32_MIN, p.requant.hi = INT32_MAX;
  return p;
}

template <typename T>
std::vector<T> run(const EltwiseIntParams &p, const std::vector<T> &a,
                   const std::vector<T> &b) {
  std::vector<T> y(a.size());
  runKernel("yk_eltwise_int", p, {a.data(), b.data(), nullptr, y.data()});
  return y;
}

TEST(BinaryFn, sumsAndProductsOf32BitsAreLimitedToTheirType) {
  using U32 = std::vector<uint32_t>;
  using I32 = std::vector<int32_t>;
  const U32 u = {UINT32_MAX, 3000000000, 5, 65536}, v = {1, 2, 7, 65536};
  EXPECT_EQ(run(paramsOf(BinaryOp::Add, DType::U32), u, v),
            (U32{UINT32_MAX, 3000000002, 12, 131072}));
  EXPECT_EQ(run(paramsOf(BinaryOp::Sub, DType::U32), u, v),
            (U32{UINT32_MAX - 1, 2999999998, 0, 0}));
  EXPECT_EQ(run(paramsOf(BinaryOp::Mul, DType::U32), u, u),
            (U32{UINT32_MAX, UINT32_MAX, 25, UINT32_MAX}));
  EXPECT_EQ(run(paramsOf(BinaryOp::Max, DType::U32), u, v),
            (U32{UINT32_MAX, 3000000000, 7, 65536}));
  const I32 a = {INT32_MIN, INT32_MAX, -70000, 3},
            b = {-1, INT32_MAX, 70000, -4};
  EXPECT_EQ(run(paramsOf(BinaryOp::Add, DType::I32), a, b),
            (I32{INT32_MIN, INT32_MAX, 0, -1}));
  EXPECT_EQ(run(paramsOf(BinaryOp::Mul, DType::I32), a, b),
            (I32{INT32_MAX, INT32_MAX, INT32_MIN, -12}));
  EltwiseIntParams halved = paramsOf(BinaryOp::Mul, DType::I32);
  halved.requant.shift = 2;
  EXPECT_EQ(run(halved, a, b), (I32{1 << 29, INT32_MAX, -1225000000, -3}));
}

TEST(BinaryFn, powersKeepTheBitsOfTheirType) {
  std::vector<int32_t> a, b;
  for (int32_t x : {0, 1, -1, 2, -3, 7, 46341, INT32_MIN, INT32_MAX})
    for (int32_t y : {0, 1, 2, 3, 20, 31, 32, 1000, -1, -2, INT32_MIN})
      a.push_back(x), b.push_back(y);
  EltwiseIntParams p = paramsOf(BinaryOp::Pow, DType::I32);
  p.shape.dims[0] = uint32_t(a.size());
  p.isStored = 1;
  std::vector<int32_t> found = run(p, a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    uint32_t expected = 1;
    for (int32_t k = 0; k < b[i]; ++k)
      expected *= uint32_t(a[i]);
    if (b[i] < 0)
      expected = a[i] == 1 ? 1u : a[i] == -1 ? (b[i] % 2 ? ~0u : 1u) : 0u;
    EXPECT_EQ(uint32_t(found[i]), expected) << a[i] << " " << b[i];
  }
}

TEST(BinaryFn, storedIntegersOf64Bits) {
  using I64 = std::vector<int64_t>;
  auto stored = [](BinaryOp op) {
    EltwiseIntParams p = paramsOf(op, DType::I64);
    p.isStored = 1;
    return p;
  };
  const I64 a = {INT64_MIN, INT64_MAX, -7, int64_t(1) << 40},
            b = {-1, 2, 2, 40};
  EXPECT_EQ(run(stored(BinaryOp::FloorQuotient), a, b),
            (I64{INT64_MIN, INT64_MAX / 2, -4, (int64_t(1) << 40) / 40}));
  EXPECT_EQ(run(stored(BinaryOp::Mod), a, b), (I64{0, 1, 1, 16}));
  EXPECT_EQ(run(stored(BinaryOp::ShiftRight), a, b),
            (I64{-1, INT64_MAX >> 2, -2, 1}));
  EXPECT_EQ(run(stored(BinaryOp::ShiftLeft), a, b), (I64{0, -4, -28, 0}));
  EXPECT_EQ(run(stored(BinaryOp::BitXor), a, b),
            (I64{INT64_MAX, INT64_MAX ^ 2, -7 ^ 2, (int64_t(1) << 40) ^ 40}));
}

} // namespace
