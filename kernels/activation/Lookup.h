//===- Lookup.h - Interpolating look-up tables ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Tables of 2^n entries over an unsigned index of B bits
// (docs/operators/activation.md, Activation): the high n bits select an entry,
// the low B - n interpolate to the next one, rounding down; the entry after the
// last repeats it.
//
//   lookup(index, n, DType::U16, table, /*inBits=*/16, /*log2Size=*/10, out);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_ACTIVATION_LOOKUP_H
#define YARROW_KERNELS_ACTIVATION_LOOKUP_H

#include "kernels/Elements.h"
#include "support/Numeric.h"

namespace yarrow::kernels {

template <typename T>
inline void lookupLoop(const int32_t *__restrict index, uint32_t n,
                       const T *__restrict table, uint32_t inBits,
                       uint32_t log2Size, int32_t *__restrict out) {
  // An index outside the table can only come from a broken file: it is limited.
  int32_t most = int32_t((uint64_t(1) << inBits) - 1);
  int32_t lastEntry = int32_t((1u << log2Size) - 1);
  uint32_t fractionBits = inBits - log2Size;
  if (fractionBits == 0) {
    for (uint32_t i = 0; i < n; ++i)
      out[i] = int32_t(table[clamp(index[i], 0, most)]);
    return;
  }
  for (uint32_t i = 0; i < n; ++i) {
    int32_t at = clamp(index[i], 0, most);
    int32_t entry = at >> fractionBits;
    int32_t fraction = at - (entry << fractionBits);
    int32_t next = entry < lastEntry ? entry + 1 : lastEntry;
    int64_t low = table[entry];
    // Differences have at most 33 bits, fractions 15.
    int64_t step = int64_t(table[next]) - low;
    out[i] = int32_t(low + ((step * fraction) >> fractionBits));
  }
}

/// out[i] = T(index[i]); log2Size <= inBits <= 31. Entries of U32 tables come
/// back as their low 32 bits.
inline void lookup(const int32_t *index, uint32_t n, DType type,
                   const void *table, uint32_t inBits, uint32_t log2Size,
                   int32_t *out) {
  log2Size = log2Size < inBits ? log2Size : inBits;
  switch (type) {
  case DType::I8:
    return lookupLoop(index, n, static_cast<const int8_t *>(table), inBits,
                      log2Size, out);
  case DType::U8:
    return lookupLoop(index, n, static_cast<const uint8_t *>(table), inBits,
                      log2Size, out);
  case DType::I16:
    return lookupLoop(index, n, static_cast<const int16_t *>(table), inBits,
                      log2Size, out);
  case DType::U16:
    return lookupLoop(index, n, static_cast<const uint16_t *>(table), inBits,
                      log2Size, out);
  case DType::U32:
    return lookupLoop(index, n, static_cast<const uint32_t *>(table), inBits,
                      log2Size, out);
  default:
    return lookupLoop(index, n, static_cast<const int32_t *>(table), inBits,
                      log2Size, out);
  }
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_ACTIVATION_LOOKUP_H
