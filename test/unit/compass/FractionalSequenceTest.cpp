//===- FractionalSequenceTest.cpp - Windows of FractionalPool -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/pool/FractionalSequence.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using yarrow::compass::fractionalSequence;

namespace {

TEST(FractionalSequence, coversTheLengthInNearlyEqualParts) {
  for (bool isPseudo : {false, true})
    for (int64_t length = 1; length < 30; ++length)
      for (int64_t windows = 1; windows <= length; ++windows) {
        std::vector<int64_t> starts =
            fractionalSequence(length, windows, isPseudo, uint32_t(length * 7));
        ASSERT_EQ(starts.size(), size_t(windows + 1));
        EXPECT_EQ(starts.front(), 0);
        EXPECT_EQ(starts.back(), length);
        for (int64_t i = 0; i < windows; ++i) {
          int64_t cells = starts[i + 1] - starts[i];
          EXPECT_GE(cells, 1) << length << " " << windows << " " << isPseudo;
          if (!isPseudo)
            EXPECT_LE(cells, length / windows + 1);
        }
      }
}

#ifdef __GLIBCXX__
TEST(FractionalSequence, shufflesAsThisLibrary) {
  for (int64_t windows = 1; windows < 20; ++windows) {
    std::vector<int64_t> lengths(windows, 1);
    for (int64_t i = 0; i < windows / 2; ++i)
      lengths[i] = 2;
    std::mt19937 random(4711);
    std::shuffle(lengths.begin(), lengths.end(), random);
    std::vector<int64_t> expected = {0};
    for (int64_t n : lengths)
      expected.push_back(expected.back() + n);
    EXPECT_EQ(fractionalSequence(windows + windows / 2, windows, false, 4711),
              expected);
  }
}
#endif

} // namespace
