//===- Process.h - Events from the system ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Handles signals, closed streams and the end of memory once for the whole
// program: it leaves no half-written files, and reports the cause with a code
// (ResourcesExhausted). For programs only; a library leaves these events to its
// process.
//
//   int main() {
//     prepareProcess();
//     try { ... } catch (const std::exception &e) { endAfter(e); throw; }
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DRIVER_PROCESS_H
#define YARROW_COMPILER_DRIVER_PROCESS_H

#include <exception>

namespace yarrow {

/// To be called first in main().
void prepareProcess();

/// Says that memory or threads have run out, removes temporary files and ends
/// the process. Unwinding would go through LLVM's frames, which are not made
/// for it, and could leave locks behind that destructors wait for.
[[noreturn]] void endExhausted(const char *reason) noexcept;

/// The same if that is what \p exception tells; else it returns.
void endAfter(const std::exception &exception) noexcept;

} // namespace yarrow

#endif // YARROW_COMPILER_DRIVER_PROCESS_H
