//===- PadSource.h - Which element a border repeats -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   padSource(PadMode::Reflect, /*i=*/-2, /*size=*/4) is 2
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_MOVEMENT_PADSOURCE_H
#define YARROW_KERNELS_MOVEMENT_PADSOURCE_H

#include "support/Numeric.h"

namespace yarrow::kernels {

enum class PadMode : uint32_t { Constant, Reflect, Symmetric, Edge, Wrap };

/// Input position of padded position i in a dimension of `size`, -1 for the
/// fill.
inline int64_t padSource(PadMode mode, int64_t i, int64_t size) {
  if (i >= 0 && i < size)
    return i;
  switch (mode) {
  case PadMode::Constant:
    return -1;
  case PadMode::Edge:
    return clamp<int64_t>(i, 0, size - 1);
  case PadMode::Reflect:
    i = i < 0 ? -i : 2 * (size - 1) - i;
    return clamp<int64_t>(i, 0, size - 1);
  case PadMode::Symmetric:
    i = i < 0 ? -1 - i : 2 * size - 1 - i;
    return clamp<int64_t>(i, 0, size - 1);
  case PadMode::Wrap:
    i = i < 0 ? i + size : i - size;
    return clamp<int64_t>(i, 0, size - 1);
  }
  return -1;
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_MOVEMENT_PADSOURCE_H
