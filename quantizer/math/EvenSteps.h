//===- EvenSteps.h - Candidates between two numbers -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a search tries: numbers at equal distances, both ends among them.
//
//   for (double factor : evenSteps(0.5, 2.0, 10)) // 0.5, 0.67, ... 2
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_MATH_EVENSTEPS_H
#define YARROW_QUANTIZER_MATH_EVENSTEPS_H

#include <algorithm>
#include <cstddef>
#include <vector>

namespace yarrow {

/// \p count numbers from \p first to \p last, at least 2.
inline std::vector<double> evenSteps(double first, double last, double count) {
  auto steps = std::size_t(std::max(2.0, count));
  std::vector<double> list(steps);
  for (std::size_t i = 0; i < steps; ++i)
    list[i] = first + (last - first) * double(i) / double(steps - 1);
  return list;
}

} // namespace yarrow

#endif // YARROW_QUANTIZER_MATH_EVENSTEPS_H
