//===- Numbers.h - Results beside lists of numbers --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   expectNear(net.run(0), expected, 1e-5);
//   expectExactly(net.run(1), {0, 2, 1});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_QNN_NUMBERS_H
#define YARROW_TEST_UNIT_QNN_NUMBERS_H

#include "test/unit/qnn/References.h"
#include <algorithm>
#include <cmath>

namespace yarrow::test {

using Reals = std::vector<double>;

inline constexpr auto kReal = DataType::FLOAT_32;
inline constexpr auto kWhole = DataType::INT_32;
inline constexpr auto kCount = DataType::UINT_32;
inline constexpr auto kByte = DataType::UFIXED_POINT_8;

/// Every number within \p tolerance times its size, if that is above 1.
inline void expectNear(const Values &found, const Reals &expected,
                       double tolerance = 1e-5) {
  Reals reals = found.reals();
  ASSERT_EQ(reals.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(reals[i], expected[i],
                tolerance * std::max(1.0, std::abs(expected[i])))
        << "element " << i;
}

inline void expectExactly(const Values &found, const Reals &expected) {
  EXPECT_EQ(found.numbers, expected);
}

/// Random real numbers, of floats or of fixed point that holds them.
inline Values randomReals(Random &random, Dims dims, double low, double high,
                          DataType type = kReal) {
  return random.values(type, std::move(dims),
                       type == kReal ? qnn::Encoding{}
                                     : encodingFor(type, low, high),
                       low, high);
}

} // namespace yarrow::test

#endif // YARROW_TEST_UNIT_QNN_NUMBERS_H
