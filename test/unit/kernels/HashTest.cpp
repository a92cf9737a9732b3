//===- HashTest.cpp - Hashes and chance against what is published ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/indexing/Fingerprint.h"
#include "kernels/select/Philox.h"
#include "test/unit/kernels/KernelTesting.h"

#include <cmath>
#include <cstring>
#include <map>

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;

namespace {

/// Of the bytes 37 i + size.
uint64_t fingerprintOf(uint32_t size) {
  std::vector<uint8_t> bytes(size);
  for (uint32_t i = 0; i < size; ++i)
    bytes[i] = uint8_t(37 * i + size);
  uint32_t head;
  std::memcpy(&head, bytes.data(), sizeof head);
  return fingerprint({head, bytes.data() + 4, size - 4});
}

TEST(Fingerprint, IsFarmHash) {
  // Values of FarmHash's own Fingerprint64, one or more for each formula.
  const std::map<uint32_t, uint64_t> expected = {
      {7, 0x9973b8199e43c7cc},   {12, 0x1425453aa00ba144},
      {20, 0x4156cb7710973693},  {40, 0xd88368d4802f09e7},
      {64, 0xf96c26fdfe6f54af},  {65, 0xebc047182c187656},
      {128, 0xf795d5f230985ece}, {200, 0xfc16b4eb77d10ae8}};
  for (auto [size, value] : expected)
    EXPECT_EQ(fingerprintOf(size), value) << size << " bytes";
}

TEST(Philox, HasTheKnownAnswers) {
  auto found = [](uint32_t counter, uint32_t key) {
    Words w = philox({{counter, counter, counter, counter}}, {{key, key}});
    return std::vector<uint32_t>(w.at, w.at + 4);
  };
  EXPECT_EQ(found(0, 0), (std::vector<uint32_t>{0x6627e8d5, 0xe169c58d,
                                                0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(found(~0u, ~0u), (std::vector<uint32_t>{0x408f276d, 0x41c83b0e,
                                                    0xa20bc7c6, 0x6d5451fd}));
  EXPECT_LT(fractionOf(~0u, ~0u), 1.0);
}

TEST(Projection, SumsSignedHashes) {
  const uint32_t functions = 3, bits = 2, items = 5;
  const float hashes[] = {0.5f, -1, 3, 0.25f, 7, -2};
  const int16_t words[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const float weights[] = {1, -2, 0.5f, 3, 1};
  auto bitOf = [&](uint32_t i, bool isWeighted) {
    double sum = 0;
    for (uint32_t k = 0; k < items; ++k) {
      uint32_t head;
      std::memcpy(&head, &hashes[i], sizeof head);
      auto *item = reinterpret_cast<const uint8_t *>(words + 2 * k);
      sum += (isWeighted ? double(weights[k]) : 1.0) *
             double(int64_t(fingerprint({head, item, 4})));
    }
    return int32_t(sum > 0);
  };
  ProjectionParams p{functions, bits, items, 4, ProjectionForm::Dense};
  for (bool isWeighted : {false, true}) {
    std::vector<int32_t> dense(functions * bits), numbers(functions);
    const float *given = isWeighted ? weights : nullptr;
    p.form = ProjectionForm::Dense;
    runKernel("yk_projection", p, {hashes, words, given, dense.data()}, 2);
    for (uint32_t i = 0; i < dense.size(); ++i)
      EXPECT_EQ(dense[i], bitOf(i, isWeighted)) << i;
    p.form = ProjectionForm::Signatures;
    runKernel("yk_projection", p, {hashes, words, given, numbers.data()});
    for (uint32_t f = 0; f < functions; ++f)
      EXPECT_EQ(numbers[f], 2 * dense[2 * f] + dense[2 * f + 1]);
    p.form = ProjectionForm::ApartSignatures;
    runKernel("yk_projection", p, {hashes, words, given, numbers.data()});
    for (int32_t f = 0; f < int32_t(functions); ++f)
      EXPECT_EQ(numbers[f], 2 * dense[2 * f] + dense[2 * f + 1] + 4 * f);
  }
}

TEST(Projection, TakesAllBitsOfANumber) {
  std::vector<float> hashes(32);
  for (size_t i = 0; i < hashes.size(); ++i)
    hashes[i] = float(i);
  const int32_t item = 7;
  int32_t apart = 0, signature = 0;
  ProjectionParams p{1, 32, 1, 4, ProjectionForm::ApartSignatures};
  runKernel("yk_projection", p, {hashes.data(), &item, nullptr, &apart});
  p.form = ProjectionForm::Signatures;
  runKernel("yk_projection", p, {hashes.data(), &item, nullptr, &signature});
  EXPECT_EQ(apart, signature); // The first function adds 0 * 2^32.
}

TEST(Multinomial, DrawsByTheWeights) {
  const uint32_t samples = 20000;
  const float weights[] = {1, 0, 2, 5, 4, 4, 0, 0};
  const int32_t seeds[] = {37, 42};
  std::vector<int32_t> found(2 * samples);
  runKernel("yk_multinomial", MultinomialParams{2, 4, samples},
            {weights, seeds, found.data()}, 3);
  for (uint32_t row = 0; row < 2; ++row) {
    std::vector<double> share(4);
    for (uint32_t i = 0; i < samples; ++i) {
      int32_t c = found[row * samples + i];
      ASSERT_TRUE(c >= 0 && c < 4);
      share[size_t(c)] += 1.0 / samples;
    }
    // Five standard deviations of a share of a half.
    for (uint32_t c = 0; c < 4; ++c)
      EXPECT_NEAR(share[c], weights[4 * row + c] / 8,
                  weights[4 * row + c] > 0 ? 2.5 / std::sqrt(samples) : 0);
  }
  // Other seeds draw others, the same ones the same.
  const int32_t others[] = {42, 37};
  std::vector<int32_t> again(2 * samples), different(2 * samples);
  runKernel("yk_multinomial", MultinomialParams{2, 4, samples},
            {weights, seeds, again.data()});
  runKernel("yk_multinomial", MultinomialParams{2, 4, samples},
            {weights, others, different.data()});
  EXPECT_EQ(found, again);
  EXPECT_NE(found, different);
}

} // namespace
