//===- Fuzz.h - What the harnesses share ------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A harness is a function of bytes that returns if all is well:
//
//   extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
//     fuzz::require(holds(data, size), "what must hold");
//     return 0;
//   }
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_FUZZ_FUZZ_H
#define YARROW_TEST_FUZZ_FUZZ_H

#include "support/Diagnostics.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace yarrow::fuzz {

/// Inputs that were taken and not refused. Seeds that are all refused, because
/// the format has changed, would leave most of the code untested in silence.
inline std::size_t numAccepted = 0;

/// Ends the program, with what was reported, unless \p condition.
inline void require(bool condition, const char *what,
                    const DiagnosticEngine *diags = nullptr) {
  if (condition)
    return;
  std::fprintf(stderr, "violated: %s\n", what);
  if (diags)
    for (const Diagnostic &diag : diags->all())
      std::fprintf(stderr, "%s\n", diag.str().c_str());
  std::abort();
}

} // namespace yarrow::fuzz

#endif // YARROW_TEST_FUZZ_FUZZ_H
