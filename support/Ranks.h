//===- Ranks.h - Processes that share the samples of a data set -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// `mpirun -n 4 yarrow eval ...` starts the same program four times. Each of the
// processes computes its part of the samples and sends it to all others; then
// all do the same rest, and only the first one prints and writes. Sums are
// added in the order of the samples, so that the result equals that of a single
// process to the last bit. Libraries see the processes through this interface;
// compiler/driver/Mpi.cpp carries the bytes, and threads do in tests.
//
//   std::vector<std::string> parts;
//   if (!ranks.exchange(packedResults, parts))
//     return reportRankStopped(diags);
//   for (const std::string &part : parts) ... // by rank
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_RANKS_H
#define YARROW_SUPPORT_RANKS_H

#include "support/Diagnostics.h"
#include "support/diagnostics/Measuring.h"

#include <cstddef>
#include <string>
#include <vector>

namespace yarrow {

class Ranks {
public:
  virtual ~Ranks() = default;
  virtual std::size_t rank() const = 0;
  virtual std::size_t count() const = 0;
  bool isFirst() const { return rank() == 0; }

  /// Gives \p own to all processes and gets what each of them gave, by rank.
  /// All call it equally often. False if one of them has ended instead.
  virtual bool exchange(const std::string &own,
                        std::vector<std::string> &parts) = 0;
};

/// RankStopped; false.
inline bool reportRankStopped(DiagnosticEngine &diags) {
  diags
      .report(diag::RankStopped, {},
              "another of the processes has stopped before the work was done")
      .hint("see its own messages; all processes need the same files");
  return false;
}

} // namespace yarrow

#endif // YARROW_SUPPORT_RANKS_H
