//===- Draws.h - Further samples like a recorded one ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A pack has one sample. Whether a quantizer is better than another is not to
// be told from a few hundred values, of which a handful may happen to lie on
// steps. So further samples are drawn from the distribution of the recorded
// values: between neighbours of them, in the order of their size, which never
// leaves their range. Whole numbers (truth values, indices) are exchanged.
//
//   Draws draws(*recorded, /*seed=*/1);
//   std::vector<NpyView> six = draws.next(6); // one array per input
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_IRS_DRAWS_H
#define YARROW_TEST_IRS_DRAWS_H

#include "support/Npy.h"
#include <random>

namespace yarrow::testing {

class Draws {
public:
  Draws(const std::vector<NpyView> &recorded, uint32_t seed);
  /// \p count samples as arrays that have them along the first axis.
  std::vector<NpyView> next(size_t count);

private:
  NpyView draw(size_t input, size_t count);

  const std::vector<NpyView> &recorded;
  std::vector<std::vector<float>> sorted; ///< of each input of floats
  std::mt19937 engine;
};

} // namespace yarrow::testing

#endif // YARROW_TEST_IRS_DRAWS_H
