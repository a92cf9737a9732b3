//===- CountedTensors.h - Tensors whose elements fit 32 bits ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A kernel's parameters have 32 bits, and many kernels count with them. MLIR
// does not bound lengths, and the reader bounds only all elements together
// (2^40). So a layer whose kernel counts elements in 32 bits checks it here.
//
//   checkCounted(check, 0);   // of the first input, before it is multiplied
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_COUNTEDTENSORS_H
#define YARROW_DIALECTS_COMPASS_COUNTEDTENSORS_H

#include "dialects/compass/LayerCheck.h"

namespace yarrow::compass {

/// Whether the product of \p lengths, those of 0 taken as 1, is below 2^31:
/// then so is each length, and the product of any of them.
bool isCounted(llvm::ArrayRef<int64_t> lengths);

/// Emits an error of \p check unless isCounted() holds for input \p input, of
/// which each element counts \p each, as where bytes are counted.
void checkCounted(LayerCheck &check, unsigned input, int64_t each = 1);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_COUNTEDTENSORS_H
