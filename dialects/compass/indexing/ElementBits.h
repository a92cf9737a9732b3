//===- ElementBits.h - One element as a kernel's parameter ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Kernels that fill get the bits of an element in two words, whatever its type.
//
//   setBits(p.on, DType::F16, 1.0); // 0x3c00, 0
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_INDEXING_ELEMENTBITS_H
#define YARROW_DIALECTS_COMPASS_INDEXING_ELEMENTBITS_H

#include "dialects/compass/Tensors.h"
#include "support/Half.h"

namespace yarrow::compass {

/// The bits of \p value as a tensor of \p type stores it, low ones first; of an
/// integer type the value is one of it.
inline uint64_t elementBits(DType type, double value) {
  switch (type) {
  case DType::F32:
    return __builtin_bit_cast(uint32_t, float(value));
  case DType::F16:
    return floatToHalf(float(value));
  case DType::BF16:
    return floatToBfloat(float(value));
  default:
    return uint64_t(int64_t(value));
  }
}
inline void setBits(uint32_t (&words)[2], DType type, double value) {
  uint64_t bits = elementBits(type, value);
  words[0] = uint32_t(bits), words[1] = uint32_t(bits >> 32);
}

/// The stored value of a real 0, limited to what the tensor holds.
inline double storedZero(const TensorInfo &info) {
  if (info.isFloat())
    return 0;
  auto [lo, hi] = dtypeRange(info.storedType());
  return double(std::clamp<int64_t>(-int64_t(info.zp), lo, hi));
}

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_INDEXING_ELEMENTBITS_H
