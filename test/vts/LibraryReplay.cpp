//===- LibraryReplay.cpp - Recorded cases replayed by clients -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/vts/LibraryReplay.h"

using namespace yarrow;
using namespace yarrow::vts;

/// Whether the contract has this code for what the case does wrong.
static bool isRightCode(const Case &recorded, int code) {
  if (recorded.operation() == "WHILE") // a loop without end
    return code == ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT ||
           code == ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT;
  return code == ANEURALNETWORKS_BAD_DATA || code == ANEURALNETWORKS_OP_FAILED;
}

Outcome vts::replay(const Case &recorded, const LibraryClient &client,
                    Way way) {
  LibraryResult result = client.run(recorded, way);
  if (result.code == ANEURALNETWORKS_NO_ERROR)
    return judge(recorded, result.outputs);
  std::string why = result.call + " gives " + std::to_string(result.code);
  if (!recorded.expectsFailure)
    return {Outcome::Refused, why};
  return isRightCode(recorded, result.code) ? Outcome()
                                            : Outcome{Outcome::Failed, why};
}
