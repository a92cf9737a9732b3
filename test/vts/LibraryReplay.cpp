//===- LibraryReplay.cpp - Recorded cases replayed by clients -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/vts/LibraryReplay.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::vts;

static std::string_view nameOf(Way way) {
  return std::ranges::find(kWays, way, [](auto pair) { return pair.second; })
      ->first;
}

/// Whether the contract has this code for what the case does wrong.
static bool isRightCode(const Case &recorded, int code) {
  if (recorded.operation() == "WHILE") // a loop without end
    return code == ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT ||
           code == ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT;
  return code == ANEURALNETWORKS_BAD_DATA || code == ANEURALNETWORKS_OP_FAILED;
}

static Outcome judgeResult(const Case &recorded, const LibraryResult &result) {
  if (result.code == ANEURALNETWORKS_NO_ERROR)
    return judge(recorded, result.outputs);
  std::string why = result.call + " gives " + std::to_string(result.code);
  if (!recorded.expectsFailure)
    return {Outcome::Refused, why};
  return isRightCode(recorded, result.code) ? Outcome()
                                            : Outcome{Outcome::Failed, why};
}

Outcome vts::replay(const Case &recorded, const LibraryClient &client,
                    const std::vector<Way> &ways) {
  Outcome all;
  std::vector<LibraryResult> results = client.run(recorded, ways);
  for (std::size_t i = 0; i < results.size(); ++i) {
    Outcome outcome = judgeResult(recorded, results[i]);
    all.difference += outcome.difference;
    if (outcome.kind == Outcome::Passed)
      continue;
    all.kind = outcome.kind;
    all.why += all.why.empty() ? "" : "; ";
    all.why += std::string(nameOf(ways[i])) + ": " + outcome.why;
  }
  return all;
}
