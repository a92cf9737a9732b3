//===- Replay.h - One recorded case, replayed -------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   Outcome outcome = replay(recorded, backend);
//   if (outcome.kind == Outcome::Failed) ... outcome.why ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_VTS_REPLAY_H
#define YARROW_TEST_VTS_REPLAY_H

#include "api/nnapi/run/Backend.h"
#include "test/vts/Compare.h"

namespace yarrow::vts {

/// Checks the model, runs it, and compares. What is recorded as a failure
/// passes if it is refused.
Outcome replay(const Case &recorded, std::shared_ptr<nnapi::Backend> backend);

/// What was computed beside what is recorded.
Outcome judge(const Case &recorded, const std::vector<nnapi::Value> &outputs);

/// The case with the unsigned quantized operands of 8 bits as signed ones of
/// the same real numbers; nullopt if it has none, or operands that have no
/// signed form.
std::optional<Case> signedTwin(const Case &recorded);

} // namespace yarrow::vts

#endif // YARROW_TEST_VTS_REPLAY_H
