//===- VariantConsistency.h - Whether shapes agree --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An executable has the shapes of its inputs twice: for Yarrow in the
// provenance, and for a driver in notes.
//
//   if (auto wrong = contradictionOfVariants(executable))
//     report(wrong->message, wrong->found, wrong->expected);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_VARIANTCONSISTENCY_H
#define YARROW_RUNTIME_VARIANTCONSISTENCY_H

#include "runtime/Executable.h"

#include <optional>

namespace yarrow::runtime {

struct Contradiction {
  std::string message, found, expected;
};

/// The first one. The numbers of inputs and outputs are those of the
/// provenance; an executable may not have been read further.
std::optional<Contradiction>
contradictionOfVariants(const Executable &executable);

/// None if there is an extent below 0 or more bytes than memory.
std::optional<uint64_t> tensorBytes(const std::vector<int64_t> &shape,
                                    uint64_t elementBytes);

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_VARIANTCONSISTENCY_H
