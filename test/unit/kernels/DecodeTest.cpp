//===- DecodeTest.cpp - Boxes from deltas, against the definition ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Floats against double precision, integers against formulas in 64 bits that
// were written from the reference's for one box at a time
// (docs/operators/detect.md).
//
//===----------------------------------------------------------------------===//
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::Random;

namespace {

/// Rows of some places, most of which are good.
std::vector<int32_t> somePlaces(Random &random, const BoxRows &rows) {
  std::vector<int32_t> places(rows.batch * rows.capacity);
  for (int32_t &place : places)
    place = random.oneIn(10) ? random.of({-1, INT32_MAX, -7})
                             : int32_t(random.below(rows.boxes * rows.classes));
  return places;
}

TEST(Decode, floatsAreTheDefinitions) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    DecodeFloatParams p;
    DecodeShape &s = p.shape;
    s.rows = {random.between(1, 2), random.between(1, 150),
              random.between(1, 80), random.between(1, 3)};
    s.deltaClasses = s.rows.classes + random.below(2);
    s.firstClass = s.deltaClasses - s.rows.classes;
    s.anchorsPerImage = random.below(2);
    s.deltasXFirst = random.below(2), s.anchorsXFirst = random.below(2);
    s.outXFirst = random.below(2);
    for (float &factor : p.factors)
      factor = random.real(0.05f, 0.5f);
    p.mostLog = random.real(0.5f, 3);
    for (int axis : {0, 1}) {
      p.mostSize[axis] = random.real(1, 5), p.most[axis] = random.real(1, 3);
    }
    uint32_t boxes = s.rows.batch * s.rows.boxes;
    std::vector<float> deltas(4 * boxes * s.deltaClasses), anchors(4 * boxes),
        y(4 * s.rows.batch * s.rows.capacity);
    for (float &delta : deltas)
      delta = random.real(-5, 5);
    for (float &anchor : anchors)
      anchor = random.real(0, 2);
    std::vector<int32_t> places = somePlaces(random, s.rows);
    runKernel("yk_decode_float", p,
              {deltas.data(), anchors.data(), nullptr, nullptr, nullptr,
               places.data(), y.data()},
              random.between(1, 5));
    for (uint32_t row = 0; row < places.size(); ++row) {
      auto place = uint32_t(places[row]);
      uint32_t image = row / s.rows.capacity, classes = s.rows.classes;
      bool isUsed = place < s.rows.boxes * classes;
      uint32_t box = isUsed ? place / classes : 0;
      uint32_t c = isUsed ? place % classes + s.firstClass : 0;
      const float *d =
          &deltas[4 * ((image * s.rows.boxes + box) * s.deltaClasses + c)];
      const float *a =
          &anchors[4 * (s.anchorsPerImage ? image * s.rows.boxes + box : box)];
      for (int axis : {0, 1}) {
        int of = s.deltasXFirst ? 1 - axis : axis;
        int at = s.anchorsXFirst ? 1 - axis : axis;
        int to = s.outXFirst ? 1 - axis : axis;
        double size = double(a[at + 2]) - a[at];
        double centre =
            (double(a[at]) + a[at + 2]) / 2 + d[of] * p.factors[axis] * size;
        size *= std::exp(
            std::min<double>(d[of + 2] * p.factors[axis + 2], p.mostLog));
        size = std::min<double>(size, p.mostSize[axis]);
        double low = std::clamp<double>(centre - size / 2, 0, p.most[axis]),
               high = std::clamp<double>(centre + size / 2, 0, p.most[axis]);
        EXPECT_NEAR(y[4 * row + to], isUsed ? low : 0, 1e-4) << round;
        EXPECT_NEAR(y[4 * row + to + 2], isUsed ? high : 0, 1e-4) << round;
      }
    }
  }
}

int64_t floorShift(int64_t x, int shift) {
  return int64_t(std::floor(std::ldexp((long double)x, -shift)));
}

TEST(Decode, cornersOfIntegersAreTheReferences) {
  Random random(2);
  for (int round = 0; round < 60; ++round) {
    DecodeCornersParams p;
    uint32_t boxes = random.between(1, 100);
    p.shape.rows = {1, boxes, boxes, 1};
    p.shape.deltaType = DType::I8, p.shape.anchorType = DType::U8;
    p.shape.outType = DType::I16;
    p.anchorZp = int32_t(random.below(20)) - 10;
    p.deltaZp = int32_t(random.below(20)) - 10;
    for (int k = 0; k < 5; ++k) {
      p.scales[k] = int32_t(random.between(16384, 32767));
      p.shifts[k] = int32_t(k == 4 ? 7 : random.between(20, 30));
    }
    p.deltaShift = int32_t(random.between(1, 2));
    p.log2Sizes[0] = p.log2Sizes[1] = 8;
    std::vector<int8_t> deltas(4 * boxes);
    std::vector<uint8_t> anchors(4 * boxes);
    std::vector<int16_t> tables[2], y(4 * boxes);
    for (int8_t &delta : deltas)
      delta = int8_t(random.next());
    for (uint8_t &anchor : anchors)
      anchor = uint8_t(random.next());
    for (auto &table : tables)
      for (int i = 0; i < 256; ++i)
        table.push_back(int16_t(random.below(32768)));
    runKernel("yk_decode_corners", p,
              {deltas.data(), anchors.data(), tables[0].data(),
               tables[1].data(), nullptr, y.data()},
              random.between(1, 4));
    for (uint32_t box = 0; box < boxes; ++box)
      for (int axis : {0, 1}) {
        int64_t low = anchors[4 * box + axis] + p.anchorZp,
                high = anchors[4 * box + axis + 2] + p.anchorZp;
        int64_t size = high - low, d = deltas[4 * box + axis] + p.deltaZp;
        int shift = p.shifts[axis] - p.deltaShift;
        int64_t step = floorShift(size * p.scales[axis], p.deltaShift);
        int64_t centre =
            floorShift(d * step + (int64_t(1) << (shift - 1)), shift) +
            floorShift(low + high, 1);
        centre = std::clamp<int64_t>(centre, -32768, 32767);
        int64_t entry = tables[axis][deltas[4 * box + axis + 2] + 128];
        int64_t half =
            floorShift(size * floorShift(entry * p.scales[axis + 2], 16),
                       p.shifts[axis + 2] - 16);
        half = std::clamp<int64_t>(half, 0, 255);
        auto corner = [&](int64_t v) {
          return std::clamp<int64_t>(floorShift(v * p.scales[4] + 64, 7), 0,
                                     32767);
        };
        EXPECT_EQ(y[4 * box + axis], corner(centre - half)) << round;
        EXPECT_EQ(y[4 * box + axis + 2], corner(centre + half)) << round;
      }
  }
}

TEST(Decode, proposalsOfIntegersAreTheReferences) {
  Random random(3);
  for (int round = 0; round < 60; ++round) {
    DecodeProposalsParams p;
    uint32_t boxes = random.between(1, 100);
    p.shape.rows = {1, boxes, boxes, 1};
    p.shape.deltaType = DType::I8, p.shape.anchorType = DType::I16;
    p.shape.outType = DType::I16;
    for (int k = 0; k < 3; ++k) {
      p.scales[k] = int32_t(random.between(16384, 32767));
      p.shifts[k] = int32_t(random.between(16, 30));
    }
    p.deltaShifts[0] = p.deltaShifts[1] = 15;
    p.most[0] = 20000, p.most[1] = 30000;
    std::vector<int8_t> deltas(4 * boxes);
    std::vector<int16_t> anchors(4 * boxes), tables[4], y(4 * boxes);
    for (int8_t &delta : deltas)
      delta = int8_t(random.next());
    for (int16_t &anchor : anchors)
      anchor = int16_t(random.next());
    for (auto [k, table] : {std::pair(0, &tables[0]),
                            {1, &tables[1]},
                            {2, &tables[2]},
                            {3, &tables[3]}}) {
      p.log2Sizes[k] = 8;
      for (int i = 0; i < 256; ++i)
        table->push_back(int16_t(random.next()));
    }
    runKernel("yk_decode_proposals", p,
              {deltas.data(), anchors.data(), tables[0].data(),
               tables[1].data(), tables[2].data(), tables[3].data(), nullptr,
               y.data()},
              random.between(1, 4));
    for (uint32_t box = 0; box < boxes; ++box)
      for (int axis : {0, 1}) {
        int64_t low = anchors[4 * box + axis],
                high = anchors[4 * box + axis + 2];
        auto scaled = [&](int number, int k) {
          int64_t entry = tables[number][deltas[4 * box + number] + 128];
          int64_t factor = std::clamp<int64_t>(
              floorShift(entry * p.scales[k], p.deltaShifts[k]), -32768, 32767);
          int shift = p.shifts[k] - p.deltaShifts[k];
          return floorShift(factor * (high - low) + (int64_t(1) << (shift - 1)),
                            shift);
        };
        double own = double(floorShift(low + high, 1)) * p.scales[2] /
                     std::ldexp(1.0, p.shifts[2]);
        int64_t centre =
            scaled(axis, 1) +
            std::clamp<int64_t>(int64_t(std::nearbyint(own)), -32768, 32767);
        int64_t half = floorShift(scaled(axis + 2, 0), 1);
        EXPECT_EQ(y[4 * box + axis],
                  std::clamp<int64_t>(centre - half, 0, p.most[axis]));
        EXPECT_EQ(y[4 * box + axis + 2],
                  std::clamp<int64_t>(centre + half, 0, p.most[axis]));
      }
  }
}

} // namespace
