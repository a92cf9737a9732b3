//===- DmaTest.cpp - Copies against plain loops ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/Dma.h"
#include "isa/WeightStream.h"
#include "test/unit/simulator/Naive.h"
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;
using naive::Random;

namespace {
constexpr uint64_t kDdrBytes = 1 << 20, kDmaSramBytes = 1 << 18;

/// Strides of a random order of the axes, some axes broadcast.
std::array<int64_t, 5> randomStrides(Random &r, std::array<uint32_t, 5> sizes,
                                     uint32_t elementBytes, bool mayBroadcast,
                                     int64_t &lowest) {
  std::array<int64_t, 5> strides{};
  std::array<unsigned, 5> order{0, 1, 2, 3, 4};
  if (r.chance(50))
    std::shuffle(order.begin(), order.end(), r.engine);
  int64_t step = elementBytes;
  lowest = 0;
  for (unsigned axis : order) {
    if (mayBroadcast && r.chance(15))
      continue;
    strides[axis] = step;
    step *= sizes[axis];
    if (r.chance(20))
      step += elementBytes;
    if (r.chance(15)) {
      strides[axis] = -strides[axis];
      lowest += strides[axis] * int64_t(sizes[axis] - 1);
    }
  }
  return strides;
}

void set(int32_t &s0, int32_t &s1, int32_t &s2, int32_t &s3, int32_t &s4,
         const std::array<int64_t, 5> &v) {
  s0 = int32_t(v[0]), s1 = int32_t(v[1]), s2 = int32_t(v[2]);
  s3 = int32_t(v[3]), s4 = int32_t(v[4]);
}
} // namespace

TEST(Dma, RandomCopiesMatchPlainLoops) {
  auto memory = Memory::create(kDmaSramBytes);
  ASSERT_TRUE(memory->growDdr(kDdrBytes));
  Regions regions;
  regions.base[3] = 4096;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Random r(seed);
    Copy c;
    c.elementBytes = uint8_t(r.oneOf({1, 2, 4, 8}));
    std::array<uint32_t, 5> sizes;
    for (uint32_t &size : sizes)
      size = uint32_t(r.oneOf({1, 1, 2, 3, 7}));
    c.size0 = sizes[0], c.size1 = sizes[1], c.size2 = sizes[2];
    c.size3 = sizes[3], c.size4 = sizes[4];
    c.fill = r.chance(15);
    c.fillValue = uint32_t(r.engine());
    bool toSram = r.chance(50);
    c.srcRegion = toSram ? 3 : 0;
    c.dstRegion = toSram ? 0 : 3;
    int64_t srcLowest, dstLowest;
    auto src = randomStrides(r, sizes, c.elementBytes, true, srcLowest);
    auto dst = randomStrides(r, sizes, c.elementBytes, false, dstLowest);
    set(c.srcStride0, c.srcStride1, c.srcStride2, c.srcStride3, c.srcStride4,
        src);
    set(c.dstStride0, c.dstStride1, c.dstStride2, c.dstStride3, c.dstStride4,
        dst);
    c.src = uint32_t(64 - srcLowest);
    c.dst = uint32_t(64 - dstLowest);
    uint32_t srcBase = toSram ? 4096 : Memory::kSramBase;
    uint32_t dstBase = toSram ? Memory::kSramBase : 4096;
    for (uint32_t i = 0; i < 250000; i += 8) {
      uint64_t noise = r.engine();
      memory->write(srcBase + i, &noise, 8);
    }
    std::vector<uint8_t> before(250000);
    memory->read(dstBase, before.data(), before.size());
    std::vector<uint8_t> expected = before;
    std::array<uint32_t, 5> i{};
    for (i[4] = 0; i[4] < sizes[4]; ++i[4])
      for (i[3] = 0; i[3] < sizes[3]; ++i[3])
        for (i[2] = 0; i[2] < sizes[2]; ++i[2])
          for (i[1] = 0; i[1] < sizes[1]; ++i[1])
            for (i[0] = 0; i[0] < sizes[0]; ++i[0]) {
              int64_t from = c.src, to = c.dst;
              for (unsigned axis = 0; axis < 5; ++axis) {
                from += src[axis] * i[axis];
                to += dst[axis] * i[axis];
              }
              uint64_t element = c.fillValue;
              if (!c.fill)
                memory->read(uint32_t(srcBase + from), &element,
                             c.elementBytes);
              std::memcpy(&expected[size_t(to)], &element, c.elementBytes);
            }
    Fault fault = executeCopy(c, regions, *memory);
    ASSERT_FALSE(fault) << *fault;
    std::vector<uint8_t> after(before.size());
    memory->read(dstBase, after.data(), after.size());
    ASSERT_EQ(after, expected) << disassemble(c);
  }
}

TEST(Dma, WeightStreamsAreDecoded) {
  auto memory = Memory::create(kDmaSramBytes);
  ASSERT_TRUE(memory->growDdr(kDdrBytes));
  Regions regions;
  regions.base[1] = 4096;
  Random r(1);
  std::vector<uint8_t> weights(5000);
  for (uint8_t &w : weights)
    w = uint8_t(r.engine() % 9 - 4);
  std::vector<uint8_t> stream = encodeWeights(weights);
  ASSERT_LT(stream.size(), weights.size() / 2);
  memory->write(4096 + 64, stream.data(), stream.size());
  Copy good;
  good.elementBytes = 1;
  good.srcRegion = 1, good.src = 64, good.dst = 128;
  good.size0 = uint32_t(weights.size());
  good.size1 = good.size2 = good.size3 = good.size4 = 1;
  good.dstStride0 = 1;
  good.streamBytes = uint32_t(stream.size());
  Fault fault = executeCopy(good, regions, *memory);
  ASSERT_FALSE(fault) << *fault;
  std::vector<uint8_t> decoded(weights.size());
  memory->read(Memory::kSramBase + 128, decoded.data(), decoded.size());
  EXPECT_EQ(decoded, weights);

  auto textOf = [&](auto change) {
    Copy c = good;
    change(c);
    return executeCopy(c, regions, *memory).value_or("");
  };
  EXPECT_NE(
      textOf([](Copy &c) {
        --c.streamBytes;
      }).find(" of region 1 is damaged: it ends in the middle of a block"),
      std::string::npos);
  EXPECT_NE(textOf([](Copy &c) { ++c.size0; }), "");
  EXPECT_NE(textOf([](Copy &c) { --c.size0; }), "");
  for (auto change :
       {+[](Copy &c) { c.elementBytes = 2; }, +[](Copy &c) { c.size3 = 2; },
        +[](Copy &c) { c.dstStride0 = 2; }, +[](Copy &c) { c.fill = true; },
        +[](Copy &c) { c.dstRegion = 1; }, +[](Copy &c) { c.srcRegion = 0; },
        +[](Copy &c) { c.streamBytes = kDdrBytes; },
        +[](Copy &c) { c.dst = kDmaSramBytes - 100; }})
    EXPECT_NE(textOf(change), "");
  Budget budget(100);
  EXPECT_TRUE(executeCopy(good, regions, *memory, &budget));
  EXPECT_TRUE(budget.isExceeded());
}

TEST(Dma, IllegalCopiesFault) {
  auto memory = Memory::create(kDmaSramBytes);
  ASSERT_TRUE(memory->growDdr(kDdrBytes));
  Regions regions;
  regions.base[3] = 4096;
  Copy good;
  good.elementBytes = 1;
  good.srcRegion = 3;
  good.size0 = 100;
  good.size1 = good.size2 = good.size3 = good.size4 = 1;
  good.srcStride0 = good.dstStride0 = 1;
  EXPECT_FALSE(executeCopy(good, regions, *memory));
  auto faults = [&](auto change) {
    Copy c = good;
    change(c);
    return bool(executeCopy(c, regions, *memory));
  };
  EXPECT_TRUE(faults([](Copy &c) { c.elementBytes = 3; }));
  EXPECT_TRUE(faults([](Copy &c) { c.size3 = 0; }));
  EXPECT_TRUE(faults([](Copy &c) { c.srcRegion = 4; }));
  EXPECT_TRUE(faults([](Copy &c) { c.dst = kDmaSramBytes - 99; }));
  EXPECT_TRUE(faults([](Copy &c) { c.src = kDdrBytes; }));
  // What lies there modulo 2^32 is the region's beginning.
  regions.base[3] = 0xC0000000u;
  EXPECT_TRUE(faults([](Copy &c) { c.src = 0x40000000u + 4096; }));
  regions.base[3] = 4096;
  EXPECT_TRUE(faults([](Copy &c) { c.srcStride0 = -50; }));
  EXPECT_TRUE(faults([](Copy &c) { c.srcStride0 = INT32_MIN; }));
  EXPECT_TRUE(faults([](Copy &c) { c.size0 = UINT32_MAX; }));
  EXPECT_TRUE(faults([](Copy &c) {
    c.size0 = c.size1 = c.size2 = UINT32_MAX;
    c.srcStride0 = c.dstStride0 = 0;
  }));
}
