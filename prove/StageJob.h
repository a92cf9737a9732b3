//===- StageJob.h - An output stage that is to be compared ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What StageProof collects, and what a comparison makes of it.
//
//   StageJob job{.conv = conv, .constants = constants, .sums =
//   bounds.channels}; StageFinding finding = compareStage(job, job,
//   /*everySum=*/false);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PROVE_STAGEJOB_H
#define YARROW_PROVE_STAGEJOB_H

#include "prove/StageEngine.h"
#include "prove/Sums.h"
#include <string>

namespace yarrow::prove {

/// The output stage of a command, with what it reads.
struct StageJob {
  isa::Conv conv; ///< Nothing of its shape and places counts.
  StageConstants constants;
  std::vector<SumRange> sums; ///< By channel, without bias.
  int64_t layer = -1;
  std::string name;
};

/// What a comparison of two functions gives.
struct StageFinding {
  uint64_t tried = 0; ///< Sums, with each second operand.
  std::string overflow;
  std::string difference; ///< Where; or "".
  int64_t found = 0, expected = 0;
  std::string notTried; ///< Why not all was; or "".
};

} // namespace yarrow::prove

#endif // YARROW_PROVE_STAGEJOB_H
