//===- Consistency.h - Whether an executable agrees with itself -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An executable has many facts twice: a tensor's size in the list of buffers
// that a driver reads, its shape and type in the provenance that our tools
// read; the target in three places; a layer for each descriptor. A program that
// trusts one of them and allocates by the other reads beyond a buffer. So all
// of them are compared once, when the file is opened, and later code does not
// check again.
//
//   if (!checkConsistency(executable, diags))
//     return nullptr;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_CONSISTENCY_H
#define YARROW_RUNTIME_CONSISTENCY_H

#include "runtime/Executable.h"

namespace yarrow::runtime {

/// Reports ExecutableMalformed for what does not agree.
bool checkConsistency(const Executable &executable, DiagnosticEngine &diags);

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_CONSISTENCY_H
