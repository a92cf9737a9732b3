//===- Prove.h - What holds of an executable --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Shows of a finished executable, from its bytes alone, what docs/prove.md
// lists: that its commands read what they are to read under every timing, and
// that its output stages are what they mean for every input. This
// room shares no code with what makes executables: it may include neither
// passes nor codegen (scripts/check_layering.py).
//
//   auto executable = runtime::Executable::open("aipu.bin", diags);
//   Certificate certificate = prove(*executable, diags);
//   if (!certificate.holds) ... // diags say what, where and why
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PROVE_PROVE_H
#define YARROW_PROVE_PROVE_H

#include "prove/Certificate.h"
#include "prove/StageProof.h"
#include "runtime/Executable.h"
#include "support/Diagnostics.h"

namespace yarrow::prove {

using ProveOptions = StageOptions;

/// Of all programs of the file. What does not hold is reported as errors.
Certificate prove(const runtime::Executable &executable,
                  DiagnosticEngine &diags, const ProveOptions &options = {});

} // namespace yarrow::prove

#endif // YARROW_PROVE_PROVE_H
