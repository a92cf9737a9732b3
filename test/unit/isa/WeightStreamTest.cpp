//===- WeightStreamTest.cpp - The code of weight streams ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "isa/WeightStream.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace yarrow::isa;

namespace {
using Bytes = std::vector<uint8_t>;

class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  uint64_t below(uint64_t n) { return engine() % n; }
  /// Rounded, and cut off at \p most.
  int64_t normal(double deviation, int64_t most) {
    double value = std::normal_distribution<>(0, deviation)(engine);
    return std::clamp<int64_t>(std::lround(value), -most, most);
  }
  Bytes bytes(size_t size) {
    Bytes all(size);
    for (uint8_t &byte : all)
      byte = uint8_t(engine());
    return all;
  }
  Bytes weights8(size_t size, double deviation, unsigned percentZero = 0) {
    Bytes all(size);
    for (uint8_t &byte : all)
      byte = below(100) < percentZero ? 0 : uint8_t(normal(deviation, 127));
    return all;
  }
  template <typename T> Bytes numbers(size_t count, double deviation) {
    Bytes all(count * sizeof(T));
    for (size_t i = 0; i < count; ++i) {
      T value = T(normal(deviation, std::numeric_limits<T>::max()));
      std::memcpy(all.data() + i * sizeof(T), &value, sizeof(T));
    }
    return all;
  }
  Bytes weights4(size_t size, double deviation) {
    Bytes all(size);
    for (uint8_t &byte : all)
      byte = uint8_t((normal(deviation, 7) & 15) | normal(deviation, 7) << 4);
    return all;
  }

private:
  std::mt19937_64 engine;
};

/// Decodes between guards.
std::string_view decode(const Bytes &stream, Bytes &bytes) {
  constexpr size_t kGuard = 64;
  Bytes guarded(bytes.size() + 2 * kGuard, 0xa5);
  std::string_view problem =
      decodeWeights(stream, std::span(guarded).subspan(kGuard, bytes.size()));
  for (size_t i = 0; i < kGuard; ++i) {
    EXPECT_EQ(guarded[i], 0xa5);
    EXPECT_EQ(guarded[guarded.size() - 1 - i], 0xa5);
  }
  std::copy_n(guarded.begin() + kGuard, bytes.size(), bytes.begin());
  return problem;
}

/// The stream of \p bytes, which gives them again.
Bytes roundTrip(const Bytes &bytes, std::vector<uint64_t> cuts = {}) {
  Bytes stream = encodeWeights(bytes, cuts), again(bytes.size(), 0x5a);
  EXPECT_EQ(decode(stream, again), "");
  EXPECT_EQ(again, bytes);
  size_t blocks = bytes.size() / 4096 + 1 + cuts.size();
  EXPECT_LE(stream.size(), bytes.size() + blocks * kWeightHeaderBytes);
  return stream;
}
} // namespace

TEST(WeightStream, GivesAnyBytesAgain) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random r(seed);
    size_t size = r.below(4) ? r.below(3000) : r.below(200000);
    switch (r.below(6)) {
    case 0:
      roundTrip(r.bytes(size));
      break;
    case 1:
      roundTrip(Bytes(size, uint8_t(r.below(256))));
      break;
    case 2:
      roundTrip(r.weights8(size, 1 + double(r.below(50)), 10 * r.below(11)));
      break;
    case 3:
      roundTrip(r.weights4(size, 1 + double(r.below(4))));
      break;
    case 4:
      roundTrip(r.numbers<int16_t>(size / 2, 1 + double(r.below(10000))));
      break;
    default:
      roundTrip(r.numbers<int32_t>(size / 4, 1 + double(r.below(100000))));
    }
  }
}

TEST(WeightStream, GivesShortAndMixedBytesAgain) {
  Random r(1);
  for (size_t size = 0; size < 300; ++size)
    roundTrip(r.weights8(size, 5));
  Bytes mixed = r.weights8(20000, 10);
  for (const Bytes &more : {r.bytes(5000), Bytes(9000, 0),
                            r.numbers<int32_t>(500, 3000), r.bytes(1)})
    mixed.insert(mixed.end(), more.begin(), more.end());
  roundTrip(mixed);
  roundTrip(mixed, {20000, 25000, 34000, 36000});
  roundTrip(mixed, {0, 1, 1, 3, mixed.size(), mixed.size() + 9});
}

/// Of every byte a few, so that long codes occur.
TEST(WeightStream, GivesSkewedBytesAgain) {
  Random r(2);
  Bytes bytes;
  for (unsigned byte = 0; byte < 256; ++byte)
    bytes.insert(bytes.end(), size_t(1) << (byte % 16), uint8_t(byte));
  for (size_t i = bytes.size(); i-- > 1;)
    std::swap(bytes[i], bytes[r.below(i + 1)]);
  roundTrip(bytes);
}

/// Within 3 % of what their distribution has.
TEST(WeightStream, IsNearTheEntropy) {
  Random r(3);
  for (double deviation : {2.0, 5.0, 12.0, 25.0, 40.0}) {
    Bytes bytes = r.weights8(1 << 16, deviation);
    double counts[256] = {}, bits = 0;
    for (uint8_t byte : bytes)
      ++counts[byte];
    for (double count : counts)
      if (count > 0)
        bits -= count * std::log2(count / double(bytes.size()));
    EXPECT_LE(double(roundTrip(bytes).size()), 1.03 * bits / 8 + 80)
        << deviation;
  }
  // Nine of ten weights zero; halves of bytes; high bytes of 16 bits.
  EXPECT_LE(roundTrip(r.weights8(1 << 16, 20, 90)).size(), (1u << 16) / 4);
  EXPECT_LE(roundTrip(r.weights4(1 << 16, 1)).size(), (1u << 16) * 6 / 10);
  EXPECT_LE(roundTrip(r.numbers<int16_t>(1 << 15, 2000)).size(),
            (1u << 16) * 83 / 100);
  EXPECT_EQ(roundTrip(Bytes(1 << 16, 0)).size(), kWeightHeaderBytes + 1u);
  // Unsigned ones lie around 128.
  Bytes bytes = r.weights8(1 << 16, 10);
  size_t size = roundTrip(bytes).size();
  for (uint8_t &byte : bytes)
    byte ^= 0x80;
  EXPECT_EQ(roundTrip(bytes).size(), size);
}

TEST(WeightStream, DoesNotGrowByMoreThanHeaders) {
  Random r(4);
  EXPECT_LE(roundTrip(r.bytes(1 << 18)).size(),
            (1u << 18) + 4 * kWeightHeaderBytes);
}

TEST(WeightStream, DamageIsReportedAndTouchesNothingElse) {
  unsigned reported = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    Random r(seed);
    Bytes bytes = r.below(2) ? r.weights8(1 + r.below(3000), 10)
                             : r.weights4(1 + r.below(3000), 2);
    Bytes stream = encodeWeights(bytes), out(bytes.size());
    switch (r.below(4)) {
    case 0:
      stream[r.below(stream.size())] ^= uint8_t(1 << r.below(8));
      break;
    case 1:
      stream.resize(r.below(stream.size()));
      break;
    case 2:
      stream.push_back(uint8_t(r.below(256)));
      break;
    default:
      stream = r.bytes(r.below(200));
    }
    reported += !decode(stream, out).empty();
  }
  // The others are flips of bits that leave the lengths of codes.
  EXPECT_GE(reported, 2800u);
}

TEST(WeightStream, SaysWhatIsWrong) {
  auto problem = [](Bytes stream, size_t size) {
    Bytes out(size);
    return decode(stream, out);
  };
  EXPECT_EQ(problem({0, 0, 1, 0, 7, 8}, 2), "");
  EXPECT_EQ(problem({}, 0), "");
  EXPECT_EQ(problem({}, 1), "a block's header is cut off");
  EXPECT_EQ(problem({0, 0, 1}, 2), "a block's header is cut off");
  EXPECT_EQ(problem({0x40, 0, 1, 0, 7, 8}, 2),
            "reserved bits of a block's header are set");
  EXPECT_EQ(problem({5, 0, 1, 0, 7, 8}, 2), "a block has an unknown kind");
  EXPECT_EQ(problem({0, 3, 1, 0, 7, 8}, 2),
            "a block's header has fields that its kind does not use");
  EXPECT_EQ(problem({2 | 5 << 3, 0, 1, 0, 7, 8}, 2),
            "a block's header has fields that its kind does not use");
  EXPECT_EQ(problem({0, 0, 2, 0, 7, 8, 9}, 2),
            "it decodes to more bytes than the copy has");
  EXPECT_EQ(problem({0, 0, 1, 0, 7}, 2), "it ends in the middle of a block");
  EXPECT_EQ(problem({1, 0, 1, 0}, 2), "it ends in the middle of a block");
  EXPECT_EQ(problem({0, 0, 1, 0, 7, 8, 9}, 2), "bytes follow its last block");
  EXPECT_EQ(problem({2, 0, 1, 0, 0x11, 0}, 2), "a block's table is cut off");
  Bytes coded = {2, 0, 1, 0, 0x11, 0, 0, 0, 0, 0, 0, 0, 0x00, 0x80};
  EXPECT_EQ(problem(coded, 2), "");
  for (uint8_t lengths : {0x10, 0x12, 0x91}) {
    coded[4] = lengths;
    EXPECT_EQ(problem(coded, 2),
              "a block's table is not a complete prefix code");
  }
  coded[4] = 0x11;
  coded.pop_back();
  EXPECT_EQ(problem(coded, 2), "it ends in the middle of a block");
}
