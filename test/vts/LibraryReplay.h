//===- LibraryReplay.h - Recorded cases replayed by clients -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   LibraryClient client("yarrow-X2_1204");
//   Outcome outcome = replay(recorded, client, {Way::Sync, Way::Burst});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_VTS_LIBRARYREPLAY_H
#define YARROW_TEST_VTS_LIBRARYREPLAY_H

#include "test/vts/LibraryClient.h"
#include "test/vts/Replay.h"

namespace yarrow::vts {

/// Through the C library, in each of \p ways. What is recorded as a failure
/// passes if it is refused with the code that the contract has for it.
Outcome replay(const Case &recorded, const LibraryClient &client,
               const std::vector<Way> &ways);

} // namespace yarrow::vts

#endif // YARROW_TEST_VTS_LIBRARYREPLAY_H
