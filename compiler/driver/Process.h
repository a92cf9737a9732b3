//===- Process.h - What the system may do to the program ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Signals, closed streams and the end of memory, handled once for the whole
// program: nothing half-written is left behind, and what ends the work is told
// with a code (ResourcesExhausted). For programs only; a library leaves these
// things to the process that it is in.
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
