//===- RandomValues.h - Operands of kernels, drawn --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The same draws for all tests of kernels:
//
//   Random random(7);
//   auto x = randomBytes<int8_t>(random, 16);
//   auto y = randomValues<int16_t>(random, 16, 100); // from -100 to 100
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_KERNELS_RANDOMVALUES_H
#define YARROW_TEST_UNIT_KERNELS_RANDOMVALUES_H

#include "kernels/Kernel.h"
#include "test/Random.h"

#include <vector>

namespace yarrow::kernels::testing {

/// Any values of a type of 8 bits.
template <typename T>
std::vector<T> randomBytes(yarrow::testing::Random &random, size_t count) {
  static_assert(sizeof(T) == 1);
  std::vector<T> x(count);
  for (T &value : x)
    value = T(random.below(256));
  return x;
}

/// \p count whole numbers from -\p span to \p span; of unsigned types from 0.
template <typename T>
std::vector<T> randomValues(yarrow::testing::Random &random, size_t count,
                            int span) {
  std::vector<T> x(count);
  int low = T(-1) < T(0) ? -span : 0;
  for (T &value : x)
    value = T(low + int(random.below(uint32_t(span - low + 1))));
  return x;
}

inline DType byteType(yarrow::testing::Random &random) {
  return random.of({DType::I8, DType::U8});
}

} // namespace yarrow::kernels::testing

#endif // YARROW_TEST_UNIT_KERNELS_RANDOMVALUES_H
