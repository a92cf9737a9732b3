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
    p.zpA = 3, p.zpB = -2;
    if (record.form == BinaryForm::Aligned)
      p.scaleA = 5, p.scaleB = 7;
    p.requant.outType = DType::I32;
    p.requant.lo = INT32_MIN, p.requant.hi = INT32_MAX;
    runKernel("yk_eltwise_int", p, {a.data(), b.data(), nullptr, found.data()});
    for (size_t i = 0; i < a.size(); ++i) {
      double expected = referenceOf(record.op)->value((a[i] + 3) * p.scaleA,
                                                      (b[i] - 2) * p.scaleB);
      // A remainder by 0 is 0: integers have no NaN.
      EXPECT_EQ(found[i], std::isnan(expected) ? 0 : expected)
          << record.name << " " << int(a[i]) << " " << int(b[i]);
    }
  }
}

} // namespace
