//===- LinearValues.h - Many real numbers as stored integers ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// quantizeValue (LinearValue.h) of whole tensors, by the host's vectors where
// the integers are short.
//
//   std::vector<char> bytes(values.size());
//   quantizeValues(values, {scale, zp, 0, 255, /*bytes=*/1}, bytes.data());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_LINEARVALUES_H
#define YARROW_SUPPORT_LINEARVALUES_H

#include <cstddef>
#include <cstdint>
#include <span>

namespace yarrow {

struct LinearType {
  float scale;
  int64_t zp, lo, hi;
  std::size_t bytes; ///< Of a stored integer: the low ones of its value.
};

void quantizeValues(std::span<const float> values, const LinearType &type,
                    char *to);

} // namespace yarrow

#endif // YARROW_SUPPORT_LINEARVALUES_H
