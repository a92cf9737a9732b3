//===- FeatureMapsTest.cpp - What an executable asks for, to the byte -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every offset and size of the feature map list at its limit and one beyond it.
// A check that is four bytes too generous lets the driver write behind a block.
//
//===----------------------------------------------------------------------===//
#include "runtime/FeatureMaps.h"
#include "isa/DriverInterface.h"
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::runtime;

namespace {
constexpr uint32_t kPatchableBytes = 256, kWeightBytes = 4096;

/// The words of a list with a constant and a reuse section of one part each.
struct List {
  uint32_t entries = 1, stackBytes = 4096, stackAlign = 4096;
  uint32_t sourceOffset = 0, constantBytes = 64, constantAlign = 64;
  uint32_t sectionBytes = 512, sectionAlign = 4096;
  uint32_t partOffset = 0, partBytes = 512;
  std::vector<uint32_t> patches = {16};
  uint32_t constants = 1, reuses = 1;
  /// Bytes that are missing at the end.
  uint32_t missingBytes = 0;

  std::optional<FeatureMaps> parse() const {
    std::vector<uint32_t> words{0,          0,         entries, stackBytes,
                                stackAlign, constants, reuses};
    words.insert(words.end(), {sourceOffset, constantBytes, constantAlign, 1});
    addPart(words, 0, constantBytes, {});
    words.insert(words.end(), {sectionBytes, sectionAlign, 0, 1});
    addPart(words, partOffset, partBytes, patches);
    DiagnosticEngine diags;
    auto maps =
        parseFeatureMaps({reinterpret_cast<const char *>(words.data()),
                          words.size() * 4 - missingBytes},
                         kPatchableBytes, kWeightBytes, "small.bin", diags);
    EXPECT_EQ(maps.has_value(), !diags.hasErrors());
    return maps;
  }

private:
  static void addPart(std::vector<uint32_t> &words, uint32_t offset,
                      uint32_t bytes, const std::vector<uint32_t> &patches) {
    std::vector<uint32_t> part(sizeof(isa::SubSection) / 4);
    part[0] = offset;
    part[1] = bytes;
    part.back() = uint32_t(patches.size());
    words.insert(words.end(), part.begin(), part.end());
    words.insert(words.end(), patches.begin(), patches.end());
  }
};

/// A list with one number changed.
template <typename Change> bool isTaken(Change change) {
  List list;
  change(list);
  return list.parse().has_value();
}
} // namespace

TEST(FeatureMaps, AreReadInOrder) {
  auto maps = List().parse();
  ASSERT_TRUE(maps);
  EXPECT_EQ(maps->stackBytes, 4096u);
  ASSERT_EQ(maps->sections.size(), 2u);
  EXPECT_TRUE(maps->sections[0].isStatic);
  EXPECT_EQ(maps->sections[0].sizeBytes, 64u);
  EXPECT_FALSE(maps->sections[1].isStatic);
  ASSERT_EQ(maps->sections[1].parts.size(), 1u);
  EXPECT_EQ(maps->sections[1].parts[0].fields.size, 512u);
  EXPECT_EQ(maps->sections[1].parts[0].patchOffsets, std::vector<uint32_t>{16});
}

// As with a file of constants: each list has a header of its own.
TEST(FeatureMaps, ThereMayBeTwoLists) {
  std::vector<uint32_t> words{0, 0, 2};
  for (uint32_t sizeBytes : {64u, 128u}) {
    words.insert(words.end(), {4096, 4096, 0, 1});      // a reuse section
    words.insert(words.end(), {sizeBytes, 4096, 0, 0}); // without parts
  }
  auto parse = [&](uint32_t numLists) {
    words[2] = numLists;
    DiagnosticEngine diags;
    return parseFeatureMaps(
        {reinterpret_cast<const char *>(words.data()), words.size() * 4},
        kPatchableBytes, kWeightBytes, "small.bin", diags);
  };
  auto maps = parse(2);
  ASSERT_TRUE(maps);
  EXPECT_EQ(maps->numLists, 2u);
  ASSERT_EQ(maps->sections.size(), 2u);
  EXPECT_EQ(maps->sections[0].list, 0u);
  EXPECT_EQ(maps->sections[1].list, 1u);
  EXPECT_EQ(maps->sections[1].sizeBytes, 128u);
  EXPECT_FALSE(parse(0));
  EXPECT_FALSE(parse(3));
}

TEST(FeatureMaps, APatchIsAWordInsideTheBlock) {
  for (uint32_t after = 0; after <= 4; ++after)
    EXPECT_EQ(isTaken([&](List &l) { l.patches = {kPatchableBytes - after}; }),
              after == 4)
        << after;
  EXPECT_FALSE(isTaken([](List &l) { l.patches = {0xffffffff}; }));
  // The second of two is looked at, too.
  EXPECT_FALSE(isTaken([](List &l) { l.patches = {0, kPatchableBytes - 3}; }));
}

TEST(FeatureMaps, ConstantsAreInsideTheNote) {
  for (uint32_t beyond : {0u, 1u, 3u, 4u, 64u})
    EXPECT_EQ(isTaken([&](List &l) {
                l.sourceOffset = kWeightBytes - l.constantBytes + beyond;
              }),
              beyond == 0)
        << beyond;
  EXPECT_TRUE(isTaken([](List &l) { l.constantBytes = kWeightBytes; }));
  EXPECT_FALSE(isTaken([](List &l) { l.constantBytes = kWeightBytes + 1; }));
  // The sum is above 32 bits.
  EXPECT_FALSE(isTaken([](List &l) { l.sourceOffset = 0xffffffff; }));
}

TEST(FeatureMaps, PartsAreInsideTheirSection) {
  EXPECT_TRUE(isTaken([](List &l) { l.partOffset = 500, l.partBytes = 12; }));
  EXPECT_FALSE(isTaken([](List &l) { l.partOffset = 500, l.partBytes = 13; }));
  EXPECT_FALSE(isTaken([](List &l) { l.partOffset = 1; }));
  EXPECT_FALSE(isTaken([](List &l) { l.partBytes = 513; }));
  EXPECT_FALSE(isTaken([](List &l) { l.partOffset = 0xffffffff; }));
}

TEST(FeatureMaps, SectionsFitTheAddressSpace) {
  auto largest = uint32_t(isa::kDriverDdrBytes);
  ASSERT_EQ(largest, isa::kDriverDdrBytes);
  EXPECT_TRUE(isTaken([&](List &l) { l.sectionBytes = largest; }));
  EXPECT_FALSE(isTaken([&](List &l) { l.sectionBytes = largest + 1; }));
  EXPECT_FALSE(isTaken([](List &l) { l.sectionBytes = l.partBytes = 0; }));
  EXPECT_TRUE(isTaken([&](List &l) { l.stackBytes = largest; }));
  EXPECT_FALSE(isTaken([&](List &l) { l.stackBytes = largest + 1; }));
  EXPECT_FALSE(isTaken([](List &l) { l.stackBytes = 0; }));
}

TEST(FeatureMaps, AlignmentsArePowersOfTwoUpToAPage) {
  for (uint32_t List::*align :
       {&List::stackAlign, &List::constantAlign, &List::sectionAlign}) {
    for (uint32_t good : {1u, 2u, 2048u, uint32_t(isa::kPageBytes)})
      EXPECT_TRUE(isTaken([&](List &l) { l.*align = good; })) << good;
    for (uint32_t bad :
         {0u, 3u, 96u, uint32_t(isa::kPageBytes) * 2, 0x80000000u})
      EXPECT_FALSE(isTaken([&](List &l) { l.*align = bad; })) << bad;
  }
}

TEST(FeatureMaps, CountsAreThoseOfTheList) {
  EXPECT_FALSE(isTaken([](List &l) { l.entries = 0; }));
  EXPECT_FALSE(isTaken([](List &l) { l.entries = 2; }));
  EXPECT_FALSE(isTaken([](List &l) { l.reuses = 0; }));
  EXPECT_FALSE(isTaken([](List &l) { l.reuses = 2; }));
  EXPECT_FALSE(isTaken([](List &l) { l.constants = 0xffffffff; }));
  for (uint32_t missing : {1u, 4u, 8u})
    EXPECT_FALSE(isTaken([&](List &l) { l.missingBytes = missing; }))
        << missing;
}
