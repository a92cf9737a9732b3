//===- SampleGroups.h - Samples that are copies of each other ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A picture and its mirror image tell nothing of a third one that two pictures
// would. Samples whose inputs hold the same values in another order are a
// group: as many as there are groups have been seen.
//
//   auto groups = groupSamples(evaluator->inputs(), samples, 24);
//   groups[7]; // the number of the first run that it is like
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_CALIBRATE_SAMPLEGROUPS_H
#define YARROW_QUANTIZER_CALIBRATE_SAMPLEGROUPS_H

#include "quantizer/calibrate/Calibrate.h"

#include <cstddef>
#include <vector>

namespace yarrow {

/// Of \p some runs that are spread over \p samples, values of \p inputs, which
/// are alike: for each the number of the first one of its group.
std::vector<std::size_t> groupSamples(llvm::ArrayRef<mlir::Value> inputs,
                                      const SampleSet &samples,
                                      std::size_t some);

/// How many groups there are.
std::size_t countGroups(llvm::ArrayRef<std::size_t> groups);

} // namespace yarrow

#endif // YARROW_QUANTIZER_CALIBRATE_SAMPLEGROUPS_H
