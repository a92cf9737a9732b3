//===- TypeLimits.h - The ends of the element types -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   Limits limits = limitsOf(DType::I8); // {-128, 127}
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_KERNELS_TYPELIMITS_H
#define YARROW_TEST_UNIT_KERNELS_TYPELIMITS_H

#include "kernels/Params.h"

#include <limits>

namespace yarrow::testing {

struct Limits {
  int32_t low, high;
};
/// Of an integer type.
inline Limits limitsOf(kernels::DType type) {
  using kernels::DType;
  switch (type) {
  case DType::I8:
    return {-128, 127};
  case DType::U8:
    return {0, 255};
  case DType::I16:
    return {-32768, 32767};
  case DType::U16:
    return {0, 65535};
  default:
    return {std::numeric_limits<int32_t>::min(),
            std::numeric_limits<int32_t>::max()};
  }
}

} // namespace yarrow::testing

#endif // YARROW_TEST_UNIT_KERNELS_TYPELIMITS_H
