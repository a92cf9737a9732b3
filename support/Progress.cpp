//===- Progress.cpp - A line that says how far the work is ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Carriage return, text, erase to the end of the line.
//
//===----------------------------------------------------------------------===//
#include "support/Progress.h"

#include <ostream>
#include <utility>

#include <unistd.h>

namespace yarrow {

namespace {
constexpr std::chrono::milliseconds interval{100};
constexpr const char *eraseToEnd = "\x1b[K";
} // namespace

bool isTerminal(int fileDescriptor) { return isatty(fileDescriptor) == 1; }

Progress::Progress(std::ostream &os, bool isShown, std::string what,
                   std::size_t total)
    : os(os), isShown(isShown), what(std::move(what)), total(total) {
  // The first step shows at once, so that a long one is announced.
  lastShown = Clock::now() - interval;
}

Progress::~Progress() {
  if (hasWritten)
    os << '\r' << eraseToEnd << std::flush;
}

void Progress::advance(std::size_t steps, const std::string &detail) {
  if (!isShown)
    return;
  std::lock_guard lock(mutex);
  numDone += steps;
  Clock::time_point now = Clock::now();
  if (now - lastShown < interval)
    return;
  lastShown = now;
  hasWritten = true;
  os << '\r' << what << ' ' << numDone;
  if (total)
    os << '/' << total;
  if (!detail.empty())
    os << ' ' << detail;
  os << eraseToEnd << std::flush;
}

} // namespace yarrow
