//===- Projection.h - Kernel of locality sensitive hashing ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Kernels: Projection.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_INDEXING_PROJECTION_H
#define YARROW_KERNELS_INDEXING_PROJECTION_H

#include "kernels/Signature.h"

namespace yarrow::kernels {

/// How the bits of the hash functions are given.
enum class ProjectionForm : uint32_t {
  Dense,           // one by one
  Signatures,      // those of a function as one number, the first the highest
  ApartSignatures, // function k adds k * 2^bits to its number
};

/// hashes [functions, bits] in float32. Bit b of function f is 1 if the sum
/// over the items of weight * h, in doubles and in their order, is greater than
/// 0, where h is the fingerprint (Fingerprint.h), as a signed integer, of the
/// four bytes of hashes[f, b] followed by the bytes of the item. Without
/// weights they are 1. Work is split by functions.
struct ProjectionParams {
  uint32_t functions = 1, bits = 1;
  uint32_t items = 1, itemBytes = 4;
  ProjectionForm form = ProjectionForm::Dense;
};
static_assert(sizeof(ProjectionParams) == 20);

#define YARROW_KERNELS "kernels/indexing/Projection.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_INDEXING_PROJECTION_H
