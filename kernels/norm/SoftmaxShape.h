//===- SoftmaxShape.h - Where the rows of a softmax lie ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Apart from the kernels (Softmax.h), for the loops that they are made of
// (SoftmaxRows.h).
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_SOFTMAXSHAPE_H
#define YARROW_KERNELS_NORM_SOFTMAXSHAPE_H

#include <stdint.h>

namespace yarrow::kernels {

struct SoftmaxShape {
  uint32_t outer = 1, axis = 1, inner = 1;
};
static_assert(sizeof(SoftmaxShape) == 12);

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_SOFTMAXSHAPE_H
