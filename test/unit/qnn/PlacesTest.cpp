//===- PlacesTest.cpp - QNN's operators by places and along axes ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/qnn/References.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::test;

namespace {

/// Places below \p count.
Values places(Random &random, Dims dims, std::int64_t count,
              DataType type = I32) {
  Values result = integers(std::move(dims), {}, type);
  for (std::size_t i = 0; i < result.count(); ++i)
    result.numbers.push_back(double(random.below(count)));
  return result;
}

std::int64_t placeAt(const Values &indices, const Dims &at) {
  return std::int64_t(Reference(indices).at(at));
}

/// What a reduction makes of an old value and an update: NONE, ADD, MUL, MAX.
double reduced(std::int64_t reduction, double old, double update) {
  switch (reduction) {
  case 1:
    return old + update;
  case 2:
    return old * update;
  case 3:
    return std::max(old, update);
  default:
    return update;
  }
}

} // namespace

TEST(QnnPlaces, GatherElements) {
  Random random(1);
  for (DataType type : {I32, U32}) {
    Values x = random.values(F32, {3, 4, 5}, {}, -2, 2),
           at = places(random, {3, 2, 5}, 4, type);
    Reference y(Dims{3, 2, 5});
    forEachIndex(y.dims, [&](const Dims &i) {
      y.at(i) = Reference(x).at({i[0], placeAt(at, i), i[2]});
    });
    OneNode net("GatherElements");
    net.input(x).input(at).output(F32, y.dims).param("axis", 1);
    expectClose(net.run(), y, 0);
  }
}

TEST(QnnPlaces, GatherNd) {
  Random random(2);
  Values x = random.values(U8, {2, 3, 4, 5}, encodingFor(U8, -1, 1)),
         at = places(random, {2, 6, 2}, 3);
  Reference y(Dims{2, 6, 5});
  forEachIndex(y.dims, [&](const Dims &i) {
    y.at(i) = Reference(x).at({i[0], placeAt(at, {i[0], i[1], 0}),
                               placeAt(at, {i[0], i[1], 1}), i[2]});
  });
  OneNode net("GatherNd");
  net.input(x).input(at).output(U8, y.dims, x.encoding);
  net.param("batch_dims", 1);
  expectEqual(net.run(), y);
}

TEST(QnnPlaces, StaticIndicesAreCompared) {
  for (double wrong : {-1.0, 3.0}) {
    OneNode net("Gather");
    net.input(floats({3}, {1, 2, 3})).constant(integers({1}, {wrong}));
    net.output(F32, {1}).param("axis", 0, I32);
    EXPECT_FALSE(net.import()) << wrong;
    EXPECT_TRUE(net.reports("E1041"));
  }
}

TEST(QnnPlaces, ScatterElements) {
  for (std::int64_t reduction : {0, 1, 2, 3}) {
    SCOPED_TRACE(reduction);
    Random random(std::uint64_t(reduction + 3));
    Values x = random.values(F32, {4, 3}, {}, -2, 2),
           updates = random.values(F32, {2, 3}, {}, -2, 2),
           at = places(random, {2, 3}, 4);
    // Whose update stays is told of different places alone.
    if (reduction == 0)
      at.numbers = {0, 3, 1, 2, 1, 3};
    Reference y = x;
    forEachIndex(updates.dims, [&](const Dims &i) {
      double &old = y.at({placeAt(at, i), i[1]});
      old = reduced(reduction, old, Reference(updates).at(i));
    });
    OneNode net("ScatterElements");
    net.input(x).input(at).input(updates).output(F32, x.dims);
    net.param("axis", 0).param("reduction", double(reduction));
    expectClose(net.run(), y, 1e-6);
  }
}

TEST(QnnPlaces, ScatterNd) {
  for (std::int64_t reduction : {0, 1, 2}) {
    SCOPED_TRACE(reduction);
    Random random(std::uint64_t(reduction + 8));
    Values x = random.values(F32, {3, 4, 2}, {}, -2, 2),
           updates = random.values(F32, {2, 2}, {}, -2, 2),
           at = integers({2, 2}, {2, 1, 0, 3});
    if (reduction != 0)
      at.numbers = {2, 1, 2, 1};
    Reference y = x;
    forEachIndex(updates.dims, [&](const Dims &i) {
      double &old =
          y.at({placeAt(at, {i[0], 0}), placeAt(at, {i[0], 1}), i[1]});
      old = reduced(reduction, old, Reference(updates).at(i));
    });
    OneNode net("ScatterNd");
    net.input(x).input(at).input(updates).output(F32, x.dims);
    net.param("reduction", double(reduction));
    expectClose(net.run(), y, 1e-6);
  }
}

TEST(QnnPlaces, OneHot) {
  Random random(12);
  Values at = places(random, {2, 3}, 4);
  for (std::int64_t axis : {0, 1, 2}) {
    Dims dims = {2, 3};
    dims.insert(dims.begin() + axis, 4);
    Reference y(dims);
    forEachIndex(dims, [&](const Dims &i) {
      Dims place = i;
      place.erase(place.begin() + axis);
      bool isHot = placeAt(at, place) == i[std::size_t(axis)];
      y.at(i) = isHot ? 2.5 : -1;
    });
    OneNode net("OneHot");
    net.input(at).output(F32, dims).param("depth", 4);
    if (axis != 2) // which is the default
      net.param("axis", double(axis));
    net.real("on_value", 2.5).real("off_value", -1);
    expectClose(net.run(), y, 0);
  }
}

TEST(QnnPlaces, CumulativeSum) {
  Values x = Random(13).values(F32, {2, 5, 3}, {}, -2, 2);
  for (bool isExclusive : {false, true})
    for (bool isReverse : {false, true}) {
      Reference y(x.dims);
      forEachIndex(y.dims, [&](const Dims &i) {
        for (std::int64_t k = 0; k < 5; ++k) {
          bool isBefore = isReverse ? k > i[1] : k < i[1];
          if (isBefore || (k == i[1] && !isExclusive))
            y.at(i) += Reference(x).at({i[0], k, i[2]});
        }
      });
      OneNode net("CumulativeSum");
      net.input(x).output(F32, x.dims).param("axis", 1);
      net.flag("exclusive", isExclusive).flag("reverse", isReverse);
      expectClose(net.run(), y, 1e-6);
    }
}

TEST(QnnPlaces, ReduceSumSquare) {
  Values x = Random(14).values(F32, {2, 3, 4}, {}, -2, 2);
  Reference y(Dims{3});
  forEachIndex(x.dims, [&](const Dims &i) {
    y.at({i[1]}) += Reference(x).at(i) * Reference(x).at(i);
  });
  for (bool keeps : {false, true}) {
    y.dims = keeps ? Dims{1, 3, 1} : Dims{3};
    OneNode net("ReduceSumSquare");
    net.input(x).output(F32, y.dims).list("axes", {2}, {2, 0});
    net.flag("keep_dims", keeps);
    expectClose(net.run(), y, 1e-6);
  }
}

TEST(QnnPlaces, Shape) {
  OneNode all("Shape"), part("Shape");
  all.input(floats({2, 1, 3}, {1, 2, 3, 4, 5, 6})).output(U32, {3});
  part.input(floats({2, 1, 3}, {1, 2, 3, 4, 5, 6})).output(U32, {2});
  part.param("start", 1).param("end", 3);
  EXPECT_THAT(all.run().numbers, ::testing::ElementsAre(2, 1, 3));
  EXPECT_THAT(part.run().numbers, ::testing::ElementsAre(1, 3));
}

TEST(QnnPlaces, UnPack) {
  Values x = Random(15).values(U8, {2, 3, 4}, encodingFor(U8, -1, 1));
  for (std::int64_t k = 0; k < 3; ++k) {
    Reference y(Dims{2, 4});
    forEachIndex(y.dims, [&](const Dims &i) {
      y.at(i) = Reference(x).at({i[0], k, i[1]});
    });
    OneNode net("UnPack");
    net.input(x).param("axis", 1);
    for (int output = 0; output < 3; ++output)
      net.output(U8, y.dims, x.encoding);
    expectEqual(net.run(std::size_t(k)), y);
  }
}

/// A stated result of another shape is no graph.
TEST(QnnPlaces, StatedLengthsAreCompared) {
  OneNode net("CumulativeSum");
  net.input(floats({2}, {1, 2})).output(F32, {3}).param("axis", 0);
  EXPECT_FALSE(net.import());
  EXPECT_TRUE(net.reports("E1009"));
}
