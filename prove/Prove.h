//===- Prove.h - What holds of an executable --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Proves properties of a finished executable from its bytes alone
// (docs/prove.md lists them): its commands read the intended data under every
// timing, and its output stages compute the defined function for every input.
// This folder shares no code with the compiler: it must include neither passes
// nor codegen (scripts/check_layering.py).
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
