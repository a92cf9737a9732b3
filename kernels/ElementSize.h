//===- ElementSize.h - Elements that are only moved -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Code that moves elements depends on their size, not on their type.
//
//   withElement(p.elemBytes, [&](auto zero) {
//     using T = decltype(zero);
//     ... static_cast<T *>(output)[i] = ...
//   });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_ELEMENTSIZE_H
#define YARROW_KERNELS_ELEMENTSIZE_H

#include <stdint.h>

namespace yarrow::kernels {

/// fn(a zero of the unsigned type of 1, 2, 4 or 8 bytes).
template <typename Fn> inline void withElement(uint32_t elemBytes, Fn fn) {
  switch (elemBytes) {
  case 1:
    return fn(uint8_t());
  case 2:
    return fn(uint16_t());
  case 4:
    return fn(uint32_t());
  default:
    return fn(uint64_t());
  }
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_ELEMENTSIZE_H
