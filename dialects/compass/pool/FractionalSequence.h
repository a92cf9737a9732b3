//===- FractionalSequence.h - Windows of FractionalPool ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The boundaries that the reference draws for FractionalPool: mt19937, seeded
// anew for each axis, and std::shuffle as libstdc++ has it
// (docs/operators/pool.md, FractionalPool). Both are written out, because other
// C++ libraries shuffle differently.
//
//   fractionalSequence(11, 5, /*isPseudo=*/false, 42) // 0, 3, 5, 7, 9, 11
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_POOL_FRACTIONALSEQUENCE_H
#define YARROW_DIALECTS_COMPASS_POOL_FRACTIONALSEQUENCE_H

#include <cstdint>
#include <vector>

namespace yarrow::compass {

/// First cell of each of \p windows windows over \p length cells, and \p
/// length; 1 <= windows <= length.
std::vector<int64_t> fractionalSequence(int64_t length, int64_t windows,
                                        bool isPseudo, uint32_t seed);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_POOL_FRACTIONALSEQUENCE_H
