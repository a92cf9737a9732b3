//===- StageComparison.h - Two functions on all sums ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Compares one stage for StageProof.
//
//   StageFinding finding = compareStage(job, job, /*everySum=*/false);
//   if (!finding.difference.empty()) ... // "sum 17 of channel 3"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PROVE_STAGECOMPARISON_H
#define YARROW_PROVE_STAGECOMPARISON_H

#include "prove/StageDefinition.h"
#include "prove/StageJob.h"

namespace yarrow::prove {

/// The entries of a stage's table; none without one.
std::vector<int32_t> tableOf(const isa::Conv &conv,
                             const StageConstants &constants);

/// What the constants of a stage say of each channel.
std::vector<StageChannel> channelsOf(const isa::Conv &conv,
                                     const StageConstants &constants);

/// The engine's function of \p engine and the definition of \p meant: of the
/// same command, but in tests.
StageFinding compareStage(const StageJob &engine, const StageJob &meant,
                          bool everySum);

} // namespace yarrow::prove

#endif // YARROW_PROVE_STAGECOMPARISON_H
