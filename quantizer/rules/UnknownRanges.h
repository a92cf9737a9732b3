//===- UnknownRanges.h - Tensors that nothing says a range of ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Without samples, ranges are those of an encodings file. What the file lacks
// is known only when a rule asks for it: layers that pass on their input's
// scale never do.
//
//   if (!reportUnknownRanges(state.unknown, diags)) return false;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_UNKNOWNRANGES_H
#define YARROW_QUANTIZER_RULES_UNKNOWNRANGES_H

#include "support/Diagnostics.h"

#include <span>
#include <string>

namespace yarrow {

/// True if there are none; else false, after QuantCalibration. A tensor may be
/// there more than once.
bool reportUnknownRanges(std::span<const std::string> tensors,
                         DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_UNKNOWNRANGES_H
