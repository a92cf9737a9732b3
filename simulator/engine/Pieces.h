//===- Pieces.h - What threads take of a command ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Into how many pieces a convolution's results are cut, so that threads of the
// host compute them side by side (support/ThreadPool.h). Small commands stay in
// one piece: to wake a thread takes as long as they do. Each result is
// computed as if there were one piece, so that bytes do not depend on it.
//
//   uint64_t pieces = std::min<uint64_t>(piecesOf(conv), conv.outHeight);
//   parallelFor(pieces, [&](size_t i) { ... });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_PIECES_H
#define YARROW_SIMULATOR_ENGINE_PIECES_H

#include "isa/Descriptors.h"

namespace yarrow::sim {

/// 1 also if results read what other results may have written: a residual that
/// lies across the output.
uint64_t piecesOf(const isa::Conv &conv);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_PIECES_H
