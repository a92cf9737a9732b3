//===- ShapeRange.h - Inputs of several shapes ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// --input-shape-range: the shapes for which an executable has a program each.
// An axis is a length, several of them with colons between, or a range, with a
// step after a slash. Axes of several lengths go through them together:
//
//   x=1,3,160..224/32,160..224/32    1x3x160x160, 1x3x192x192, 1x3x224x224
//   x=1,8:64:128                     1x8, 1x64, 1x128
//
//   auto variants = shapeVariants(options, {"x=1,8..16/8"}, diags);
//   // two import options: x is 1x8, and x is 1x16
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_MODEL_SHAPERANGE_H
#define YARROW_COMPILER_MODEL_SHAPERANGE_H

#include "parser/graph/ImportOptions.h"
#include "support/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace yarrow {

/// An executable has at most so many programs.
constexpr std::size_t kMaxShapeVariants = 64;

/// \p options with the shapes of each variant, ascending; \p options alone
/// without ranges. Nullopt after E1010.
std::optional<std::vector<graph::ImportOptions>>
shapeVariants(const graph::ImportOptions &options,
              const std::vector<std::string> &ranges, DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_MODEL_SHAPERANGE_H
