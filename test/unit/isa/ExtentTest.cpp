//===- ExtentTest.cpp - What commands read and write ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Extents of records against every single byte that a plain loop touches.
//
//===----------------------------------------------------------------------===//
#include "isa/Descriptors.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace yarrow::isa;

namespace {

/// The accesses of a command by field and direction.
using Accesses = std::map<std::pair<std::string, bool>, Extent>;
template <typename D> Accesses accessesOf(const D &d) {
  Accesses all;
  d.forEachAccess([&](const FieldAccess &a) {
    all[{std::string(D::kAddressFields[a.field].name), a.isWrite}] = a.extent;
  });
  return all;
}

TEST(Extent, CopiesTouchWhatTheLoopsDo) {
  std::mt19937 random(3);
  auto upTo = [&](int most) { return int(random() % unsigned(most + 1)); };
  for (int round = 0; round < 500; ++round) {
    Copy c;
    c.elementBytes = 1u << upTo(3);
    c.size0 = 1 + upTo(4), c.size1 = 1 + upTo(2), c.size2 = 1 + upTo(2);
    c.size3 = c.size4 = 1;
    c.srcStride0 = upTo(40) - 20, c.srcStride1 = upTo(200) - 100;
    c.srcStride2 = upTo(400) - 200, c.srcStride4 = 12345; // of one element
    int64_t lowest = 0, end = c.elementBytes;
    for (int64_t i = 0; i < c.size0; ++i)
      for (int64_t j = 0; j < c.size1; ++j)
        for (int64_t k = 0; k < c.size2; ++k) {
          int64_t at = i * c.srcStride0 + j * c.srcStride1 + k * c.srcStride2;
          lowest = std::min(lowest, at);
          end = std::max(end, at + int64_t(c.elementBytes));
        }
    Accesses all = accessesOf(c);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ((all[{"src", false}].begin), lowest);
    EXPECT_EQ((all[{"src", false}].end), end);
    c.fill = true;
    EXPECT_FALSE(accessesOf(c).contains({"src", false}));
  }
}

TEST(Extent, ConvolutionsUseWhatTheirFlagsPrint) {
  Conv c;
  c.inHeight = 5, c.inWidth = 4, c.inChannels = 3;
  c.inRowStride = 100, c.inPixelStride = 7;
  c.outHeight = 2, c.outWidth = 3, c.outChannels = 6, c.groups = 1;
  c.outRowStride = 60, c.outPixelStride = 20;
  c.kernelY = 3, c.kernelX = 2;
  c.outType = ElementType::I16;
  Accesses all = accessesOf(c);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ((all[{"input", false}].end), 4 * 100 + 3 * 7 + 3);
  EXPECT_EQ((all[{"weights", false}].end), 6 * 3 * 2 * 3);
  EXPECT_EQ((all[{"bias", false}].end), 6 * 4);
  EXPECT_EQ((all[{"output", true}].end), 60 + 2 * 20 + 6 * 2);
  c.perChannel = c.hasLut = c.hasResidual = c.accumulateIn = true;
  c.activation = Activation::PRelu;
  c.lutType = ElementType::U8, c.lutLog2Items = 8;
  all = accessesOf(c);
  ASSERT_EQ(all.size(), 10u);
  EXPECT_EQ((all[{"output", true}].end), 60 + 2 * 20 + 6) << "of the table";
  EXPECT_EQ((all[{"lut", false}].end), 256);
  EXPECT_EQ((all[{"partials", false}].end), 2 * 3 * 6 * 4);
  c.accumulateOut = true;
  all = accessesOf(c);
  ASSERT_EQ(all.size(), 4u) << "input, weights, partials twice";
  EXPECT_TRUE(all.contains({"partials", true}));
}

TEST(Extent, NothingWrapsAround) {
  constexpr uint64_t kAll = ~uint64_t(0);
  EXPECT_EQ(bytes(kAll, 8).end, kMostExtentBytes);
  EXPECT_EQ(strided(8, {{kAll >> 32, INT32_MIN}}).begin, -kMostExtentBytes);
  Extent wide = strided(kAll, {{kAll >> 32, INT32_MAX},
                               {kAll >> 32, INT32_MIN},
                               {kAll >> 32, INT32_MAX}});
  EXPECT_GE(wide.end, kMostExtentBytes);
  EXPECT_LE(wide.begin, -kMostExtentBytes);
  Conv c;
  c.outHeight = c.outWidth = 0xFFFF, c.outChannels = 0xFFFFFFFFu;
  c.inType = ElementType::I16;
  EXPECT_EQ(partialsOf(c).end, kMostExtentBytes);
  EXPECT_EQ(partialsOf(c).begin, 0);
}

} // namespace
