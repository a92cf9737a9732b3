//===- WideElements.h - Chunks of elements of up to 64 bits -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Elements.h loads integers as int32_t, which uint32 and int64 do not fit. Here
// they have their value:
//
//   int64_t x[kChunk];
//   loadI64(DType::U32, input, /*index=*/64, n, x);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_WIDEELEMENTS_H
#define YARROW_KERNELS_WIDEELEMENTS_H

#include "kernels/Elements.h"

namespace yarrow::kernels {

/// Whether loadI32 loses bits of the type's values.
constexpr bool exceedsI32(DType type) {
  return type == DType::U32 || type == DType::I64;
}

/// dst[i] = src[index + i * stride] for integer types.
inline void loadI64(DType type, const void *src, int64_t index, uint32_t n,
                    int64_t *dst, int64_t stride = 1) {
  switch (type) {
  case DType::I8:
    return loadLoop<int8_t>(src, index, stride, n, dst);
  case DType::U8:
  case DType::Bool:
    return loadLoop<uint8_t>(src, index, stride, n, dst);
  case DType::I16:
    return loadLoop<int16_t>(src, index, stride, n, dst);
  case DType::U16:
    return loadLoop<uint16_t>(src, index, stride, n, dst);
  case DType::U32:
    return loadLoop<uint32_t>(src, index, stride, n, dst);
  case DType::I64:
    return loadLoop<int64_t>(src, index, stride, n, dst);
  default:
    return loadLoop<int32_t>(src, index, stride, n, dst);
  }
}

/// dst[index + i] = the low bits of src[i].
inline void storeI64(DType type, void *dst, int64_t index, uint32_t n,
                     const int64_t *src) {
  switch (dtypeBytes(type)) {
  case 1:
    return storeLoop<uint8_t>(dst, index, n, src);
  case 2:
    return storeLoop<uint16_t>(dst, index, n, src);
  case 8:
    return storeLoop<int64_t>(dst, index, n, src);
  default:
    return storeLoop<uint32_t>(dst, index, n, src);
  }
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_WIDEELEMENTS_H
