//===- Projection.cpp - Locality sensitive hashing ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/indexing/Projection.h"
#include "kernels/Math.h"
#include "kernels/indexing/Fingerprint.h"

using namespace yarrow;
using namespace yarrow::kernels;

YARROW_KERNEL(yk_projection, Projection) {
  auto *hashes = static_cast<const uint32_t *>(buffers.hashes());
  auto *items = static_cast<const uint8_t *>(buffers.input());
  auto *weights = static_cast<const float *>(buffers.weights());
  auto *output = static_cast<int32_t *>(buffers.output());
  bool isDense = p.form == ProjectionForm::Dense;
  Share share = shareOf(p.functions, task, taskCount);
  for (uint32_t f = share.begin; f < share.end; ++f) {
    uint32_t signature = 0;
    for (uint32_t b = 0; b < p.bits; ++b) {
      uint32_t at = f * p.bits + b;
      double sum = 0;
      for (uint32_t i = 0; i < p.items; ++i) {
        Key key{hashes[at], items + int64_t(i) * p.itemBytes, p.itemBytes};
        double weight = weights ? double(weights[i]) : 1.0;
        // The nearest double: only the sum of the halves is rounded.
        sum += weight * math::fromI64(int64_t(fingerprint(key)));
      }
      uint32_t bit = sum > 0;
      signature = signature << 1 | bit;
      if (isDense)
        output[at] = int32_t(bit);
    }
    if (p.form == ProjectionForm::ApartSignatures)
      // functions * 2^bits fits 32 bits, but bits may be all of them.
      signature += uint32_t(uint64_t(f) << p.bits);
    if (!isDense)
      output[f] = int32_t(signature);
  }
}
