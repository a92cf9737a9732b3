//===- RandomSamples.h - Samples that are random numbers --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// For trying things out without data. The same numbers on every machine: only
// integers are drawn, and sums of them are exact.
//
//   if (checkRandom("RandomDataset(num_sample=8,seed=3)", place, diags))
//     arrays = randomSamples("RandomDataset(num_sample=8,seed=3)", shapes);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DATA_RANDOMSAMPLES_H
#define YARROW_COMPILER_DATA_RANDOMSAMPLES_H

#include "support/Npy.h"

namespace yarrow {

/// ConfigBadValue if the arguments are none.
bool checkRandom(const std::string &text, Place place, DiagnosticEngine &diags);

/// An array for each of \p inputShapes, whose first axis is the batch, or one
/// of the shape that \p text gives.
std::vector<NpyView>
randomSamples(const std::string &text,
              const std::vector<std::vector<int64_t>> &inputShapes);

/// For an input of whole numbers, which mostly count or choose: 1, and of the
/// normally distributed \p numbers below -1 a 0. Masks of zeros alone would
/// leave a network nothing to compute.
NpyView zerosAndOnes(const NpyView &numbers);

} // namespace yarrow

#endif // YARROW_COMPILER_DATA_RANDOMSAMPLES_H
