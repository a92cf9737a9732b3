//===- StagePieces.h - Where a function of sums changes ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A monotone function on a range of sums consists of pieces on which it is
// constant. If another monotone function has the same values at both ends of
// each piece, it is the same function there.
//
//   std::vector<int64_t> sums;
//   addEndsOfPieces(-1000, 1000, [](int64_t sum) { return sum / 16; }, sums);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PROVE_STAGEPIECES_H
#define YARROW_PROVE_STAGEPIECES_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace yarrow::prove {

/// The last sum from \p first to \p high with the value of \p first: not far
/// from \p length sums, since pieces of a product are all about as long.
template <typename Function>
int64_t endOfPiece(int64_t first, int64_t high, int64_t length,
                   const Function &function) {
  const auto value = function(first);
  // The value is that of `inside`, and no longer that of `outside`.
  int64_t inside = first, outside = high + 1;
  int64_t guess = std::min(first + length - 1, high);
  if (guess > first && function(guess) == value)
    inside = guess;
  else if (guess > first)
    outside = guess;
  for (int64_t step = 1; inside + step < outside; step *= 2) {
    if (function(inside + step) != value) {
      outside = inside + step;
      break;
    }
    inside += step;
  }
  while (outside - inside > 1) {
    int64_t middle = inside + (outside - inside) / 2;
    (function(middle) == value ? inside : outside) = middle;
  }
  return inside;
}

/// Both ends of each piece, in order; none of an empty range.
template <typename Function>
void addEndsOfPieces(int64_t low, int64_t high, const Function &function,
                     std::vector<int64_t> &ends) {
  int64_t length = 1;
  for (int64_t first = low; first <= high;) {
    int64_t last = endOfPiece(first, high, length, function);
    ends.push_back(first);
    if (last != first)
      ends.push_back(last);
    length = last - first + 1;
    first = last + 1;
  }
}

} // namespace yarrow::prove

#endif // YARROW_PROVE_STAGEPIECES_H
