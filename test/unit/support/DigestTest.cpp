//===- DigestTest.cpp -----------------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/Digest.h"

#include "gtest/gtest.h"

using namespace yarrow;

// Published values of XXH3_64bits with seed 0.
TEST(Digest, IsXxh3) {
  EXPECT_EQ(digestOf(""), 0x2D06800538D394C2u);
  EXPECT_EQ(digestText(digestOf("")), "xxh3:2d06800538d394c2");
}

TEST(Digest, PiecesAreTheWhole) {
  std::string bytes;
  for (int i = 0; i < 5000; ++i)
    bytes += char(i * 7);
  for (std::size_t cut : {std::size_t(0), std::size_t(1), std::size_t(4097)}) {
    Digest digest;
    digest.add(std::string_view(bytes).substr(0, cut));
    digest.add(std::string_view(bytes).substr(cut));
    EXPECT_EQ(digest.value(), digestOf(bytes)) << cut;
  }
}

TEST(Digest, EveryBitCounts) {
  std::string bytes(300, 'x');
  uint64_t digest = digestOf(bytes);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= char(1 << bit % 8);
    EXPECT_NE(digestOf(bytes), digest) << bit;
    bytes[bit / 8] ^= char(1 << bit % 8);
  }
}
