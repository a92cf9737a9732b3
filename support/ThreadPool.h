//===- ThreadPool.h - Loops over all cores --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Parallel loops whose partition depends on the loop alone, never on the
// number of threads: partial results per range, combined in the order of the
// ranges, are the same on every machine. Threads are started once and shared
// by the process; loops may nest.
//
//   parallelFor(images.size(), [&](std::size_t i) { evaluate(images[i]); });
//
//   std::vector<double> sums(numRanges(n, 4096));
//   parallelForRanges(n, 4096, [&](std::size_t r, std::size_t b, std::size_t e)
//   {
//     sums[r] = std::accumulate(x + b, x + e, 0.0);
//   });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_THREADPOOL_H
#define YARROW_SUPPORT_THREADPOOL_H

#include <algorithm>
#include <cstddef>
#include <functional>

namespace yarrow {

/// How many threads a loop uses when it is not told: setDefaultThreadCount's
/// number, else the processors this process may run on.
unsigned defaultThreadCount();
/// 0 restores the processor count. For the program's --threads.
void setDefaultThreadCount(unsigned threads);

/// Calls body(i) once for every i below \p count, on up to \p threads threads
/// of which the caller is one (0: the default), and returns when all are done.
/// What a body throws (std::bad_alloc) leaves out the items that have not begun
/// and reaches the caller, whichever thread it was in. Where the system refuses
/// threads the loop goes on with those that there are. For items that are
/// large; see parallelForRanges.
void parallelFor(std::size_t count,
                 const std::function<void(std::size_t)> &body,
                 unsigned threads = 0);

inline std::size_t numRanges(std::size_t count, std::size_t rangeSize) {
  return (count + rangeSize - 1) / rangeSize;
}

/// The same for small items: body(range, begin, end) for consecutive ranges
/// of \p rangeSize items, the last one shorter.
template <typename Body>
void parallelForRanges(std::size_t count, std::size_t rangeSize,
                       const Body &body, unsigned threads = 0) {
  parallelFor(
      numRanges(count, rangeSize),
      [&](std::size_t range) {
        std::size_t begin = range * rangeSize;
        body(range, begin, std::min(begin + rangeSize, count));
      },
      threads);
}

} // namespace yarrow

#endif // YARROW_SUPPORT_THREADPOOL_H
