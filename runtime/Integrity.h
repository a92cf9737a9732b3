//===- Integrity.h - Whether an executable is as it was written -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Compares every byte of a file with the checksums at its end. A bit that
// changed in a weight gives other outputs and no fault, so this comes before
// anything else is believed.
//
//   auto checksums = isa::findChecksums(bytes);
//   if (checksums && !checkIntegrity(bytes, *checksums, path, diags))
//     return false;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_INTEGRITY_H
#define YARROW_RUNTIME_INTEGRITY_H

#include "isa/Checksums.h"
#include "support/Diagnostics.h"

namespace yarrow::runtime {

/// Reports ExecutableDamaged for each part that differs.
bool checkIntegrity(std::string_view file, const isa::ChecksumTable &checksums,
                    const std::string &fileName, DiagnosticEngine &diags);

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_INTEGRITY_H
