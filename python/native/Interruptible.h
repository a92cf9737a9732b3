//===- Interruptible.h - Ctrl-C ends what takes long ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Python's handlers of signals run in its main thread, between its own
// instructions: while C++ computes there, Ctrl-C is only noted. So the work is
// done in a thread of its own, and the main thread asks for signals ten times a
// second. When one raises, the work is given up (support/Cancellation.h) and
// Python gets the exception.
//
//   py::gil_scoped_release released;
//   auto result = interruptible([&] { return quantize(model); });
//
// Loops over samples and layers ask, passes and searches between their rounds,
// the simulated device at each command and after each slice of a TEC's
// instructions.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PYTHON_NATIVE_INTERRUPTIBLE_H
#define YARROW_PYTHON_NATIVE_INTERRUPTIBLE_H

#include <functional>
#include <optional>
#include <utility>

namespace yarrow::python {

/// Runs \p work to its end, or until Python's main thread, if it is the
/// caller's, gets a signal that raises. Called without the GIL.
void runInterruptible(const std::function<void()> &work);

template <typename Work> auto interruptible(const Work &work) {
  std::optional<decltype(work())> result;
  runInterruptible([&] { result.emplace(work()); });
  return std::move(*result);
}

} // namespace yarrow::python

#endif // YARROW_PYTHON_NATIVE_INTERRUPTIBLE_H
