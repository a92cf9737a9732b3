//===- OtherStages.h - Output stages of products and averages ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The output stages of a product of two tensors and of an average cannot be
// called directly. So commands with another shape and the same stage are
// executed, with operands that give each sum to try.
//
//   StageFinding finding = compareStage(product, sums, /*everySum=*/false);
//   finding = compareStage(pool, reciprocals, /*area=*/9);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PROVE_OTHERSTAGES_H
#define YARROW_PROVE_OTHERSTAGES_H

#include "prove/StageComparison.h"

namespace yarrow::prove {

/// Of a product whose sums are within \p sums.
StageFinding compareStage(const isa::MatMul &product, SumRange sums,
                          bool everySum);

/// Of an average of \p area cells, for all sums that there are.
StageFinding compareStage(const isa::Pool &pool,
                          std::span<const uint8_t> reciprocals, uint32_t area);

/// How many cells windows of the pool have inside the tensor; sorted.
std::vector<uint32_t> areasOf(const isa::Pool &pool);

} // namespace yarrow::prove

#endif // YARROW_PROVE_OTHERSTAGES_H
