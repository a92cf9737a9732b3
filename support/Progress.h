//===- Progress.h - A line that says how far the work is ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One line on a terminal, rewritten in place at most ten times a second and
// erased at the end. The program decides where it goes; on anything that is
// not a terminal it writes nothing, so logs stay clean. advance() may be
// called from several threads.
//
//   Progress progress(std::cerr, isTerminal(2), "calibrate", images.size());
//   parallelFor(images.size(), [&](std::size_t i) {
//     evaluate(images[i]);
//     progress.advance();
//   });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_PROGRESS_H
#define YARROW_SUPPORT_PROGRESS_H

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <mutex>
#include <string>

namespace yarrow {

/// Whether a file descriptor (2: stderr) is a terminal.
bool isTerminal(int fileDescriptor);

class Progress {
public:
  /// \p total 0: how much there is to do is not known.
  Progress(std::ostream &os, bool isShown, std::string what, std::size_t total);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// \p steps more are done; \p detail (a layer's name) is shown if given.
  void advance(std::size_t steps = 1, const std::string &detail = "");

private:
  using Clock = std::chrono::steady_clock;

  std::ostream &os;
  const bool isShown;
  const std::string what;
  const std::size_t total;
  std::mutex mutex;
  std::size_t numDone = 0;
  bool hasWritten = false;
  Clock::time_point lastShown;
};

} // namespace yarrow

#endif // YARROW_SUPPORT_PROGRESS_H
