//===- RotaryTables.h - Cosines and sines of positions ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A position turns pair i of a head's values by position * base^(-2i/rotated),
// divided by a factor of the pair if the model has factors.
//
//   RotaryTables tables = rotaryTables(params, 256, {});
//   tables.cosines.shape; // [256, rotated / 2]
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GGUF_ROTARYTABLES_H
#define YARROW_PARSER_GGUF_ROTARYTABLES_H

#include "parser/gguf/LlamaParams.h"

namespace yarrow::gguf {

struct RotaryTables {
  graph::Constant cosines, sines;
};

/// \p factors are one for each pair, or none.
RotaryTables rotaryTables(const LlamaParams &params, std::int64_t positions,
                          const std::vector<double> &factors);

} // namespace yarrow::gguf

#endif // YARROW_PARSER_GGUF_ROTARYTABLES_H
