//===- TokenSamples.h - Texts as samples of one token -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A network that reads one token in each run and keeps the text as state is
// measured by how likely it makes each next token. So the samples of a text are
// its tokens but the last one, and their labels are its tokens but the first.
//
//   [[5, 6, 7], [8, 9, 10]]: samples 5 6 8 9, labels 6 7 9 10,
//   sequences of two runs
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DATA_TOKENSAMPLES_H
#define YARROW_COMPILER_DATA_TOKENSAMPLES_H

#include "support/Diagnostics.h"
#include "support/Npy.h"

#include <optional>

namespace yarrow {

struct TokenSamples {
  NpyView tokens, next; ///< Int64 [samples,1].
};

/// Of integers [texts,length] or [length], with a length of 2 or more. Nullopt
/// with TensorMismatch for anything else.
std::optional<TokenSamples> tokenSamples(const NpyView &texts,
                                         DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_DATA_TOKENSAMPLES_H
