//===- DisabledPasses.h - Optimisations to leave out --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// By their names, of options, keys and keywords.
//
//   auto disabled = disabledPasses({"fusion"}, {"--disable-pass"}, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_SESSION_DISABLEDPASSES_H
#define YARROW_COMPILER_SESSION_DISABLEDPASSES_H

#include "dialects/npu/Optimizations.h"
#include "support/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace yarrow {

/// Nullopt after errors: all names that there are not.
std::optional<std::vector<npu::Optimization>>
disabledPasses(const std::vector<std::string> &names, const Place &place,
               DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_SESSION_DISABLEDPASSES_H
