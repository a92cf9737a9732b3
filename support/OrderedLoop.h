//===- OrderedLoop.h - Work in parallel, results in order -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// For streams: items are made on several threads at once and taken one by one
// in their order, while at most `window` of them exist. So the memory does not
// grow with their number, and what is written or summed up does not depend on
// the threads.
//
//   std::vector<Result> slots(window);
//   bool isDone = orderedLoop(
//       count, window,
//       [&](std::size_t i) { return compute(i, slots[i % window]); },
//       [&](std::size_t i) { return write(slots[i % window]); });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_ORDEREDLOOP_H
#define YARROW_SUPPORT_ORDEREDLOOP_H

#include <cstddef>
#include <functional>

namespace yarrow {

/// How many items may be under way: enough that no thread waits for the
/// slowest one soon. Depends on nothing but the number of threads.
std::size_t defaultWindow();

/// Calls make(i) once for every i below \p count, on several threads, and
/// take(i) in the order of i, by one thread at a time, when make(i) is done;
/// make(i + window) begins after take(i). False, and no further item is begun,
/// once one of them returned false or threw.
bool orderedLoop(std::size_t count, std::size_t window,
                 const std::function<bool(std::size_t)> &make,
                 const std::function<bool(std::size_t)> &take);

} // namespace yarrow

#endif // YARROW_SUPPORT_ORDEREDLOOP_H
