//===- PoolTest.cpp - Pools of QNN ----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/qnn/References.h"

using namespace yarrow;
using namespace yarrow::test;

namespace {

struct PoolCase {
  Dims x, filter;
  Steps steps;
};

std::vector<PoolCase> allPools() {
  return {
      {{1, 6, 7, 3}, {2, 3}, {{2, 2}, {0, 0}, {0, 0}, {}}},
      {{2, 5, 6, 4}, {3, 3}, {{2, 1}, {1, 1}, {1, 2}, {}}},
      {{1, 9, 10, 2}, {3, 2}, {{3, 3}, {1, 0}, {1, 0}, {}}},
      {{1, 4, 4, 33}, {4, 4}, {{1, 1}, {0, 0}, {0, 0}, {}}},
      {{1, 5, 6, 7, 2}, {2, 3, 2}, {{2, 1, 2}, {0, 1, 1}, {1, 1, 0}, {}}},
      {{1, 4, 4, 4, 3}, {3, 2, 3}, {{1, 2, 3}, {1, 0, 1}, {1, 0, 0}, {}}},
  };
}

void setParams(OneNode &net, const PoolCase &pool, Pool how, bool countsPads,
               bool roundsUp) {
  auto axes = std::int64_t(pool.filter.size());
  auto add = [&](const char *name, const Dims &values) {
    net.list(name, {axes}, {values.begin(), values.end()});
  };
  add("filter_size", pool.filter);
  add("stride", pool.steps.stride);
  std::vector<double> pads;
  for (std::size_t a = 0; a < pool.filter.size(); ++a)
    pads.insert(pads.end(),
                {double(pool.steps.before[a]), double(pool.steps.after[a])});
  net.list("pad_amount", {axes, 2}, pads);
  if (how == Pool::Average && countsPads)
    net.flag("count_pad_for_edges", true);
  if (how != Pool::RootOfSquares && roundsUp)
    net.param("rounding_mode", 1);
}

std::string nameOf(const PoolCase &pool, Pool how) {
  return (how == Pool::Average   ? "PoolAvg"
          : how == Pool::Maximum ? "PoolMax"
                                 : "L2Pool") +
         std::to_string(pool.filter.size()) + "d";
}

/// Calls \p fn for every pool that the definitions have.
void forEachPool(
    const std::function<void(const PoolCase &, Pool, bool, bool)> &fn) {
  for (const PoolCase &pool : allPools())
    for (Pool how : {Pool::Average, Pool::Maximum, Pool::RootOfSquares})
      for (bool countsPads : {false, true})
        for (bool roundsUp : {false, true})
          if ((how == Pool::Average || !countsPads) &&
              (how != Pool::RootOfSquares ||
               (!roundsUp && pool.filter.size() == 2)))
            fn(pool, how, countsPads, roundsUp);
}

} // namespace

TEST(QnnPool, ComputesFloats) {
  Random random(1);
  forEachPool([&](const PoolCase &pool, Pool how, bool countsPads,
                  bool roundsUp) {
    SCOPED_TRACE(nameOf(pool, how) + (countsPads ? " counts pads" : "") +
                 (roundsUp ? " rounds up" : ""));
    // Negative numbers alone: pads are no maximum.
    Values x =
        random.values(F32, pool.x, {}, -2, how == Pool::Maximum ? -1 : 1);
    Reference y = pooled(x, pool.filter, pool.steps, how, countsPads, roundsUp);
    OneNode net(nameOf(pool, how));
    setParams(net, pool, how, countsPads, roundsUp);
    net.input(x).output(F32, y.dims);
    expectClose(net.run(), y, 1e-6);
  });
}

TEST(QnnPool, ComputesStoredNumbers) {
  Random random(2);
  Agreement all;
  for (DataType type : {U8, S8, U16, S16})
    forEachPool([&](const PoolCase &pool, Pool how, bool countsPads,
                    bool roundsUp) {
      for (bool isSame : {true, false}) {
        if (pool.filter.size() == 3 && type == S16)
          continue; // as U16
        SCOPED_TRACE(nameOf(pool, how) + (countsPads ? " counts pads" : "") +
                     (roundsUp ? " rounds up" : ""));
        Values x = random.values(type, pool.x, encodingFor(type, -1.5, 2.25));
        Reference y =
            pooled(x, pool.filter, pool.steps, how, countsPads, roundsUp);
        OneNode net(nameOf(pool, how));
        setParams(net, pool, how, countsPads, roundsUp);
        net.input(x).output(type, y.dims,
                            isSame ? x.encoding : encodingFor(type, y));
        Values found = net.run();
        Agreement one = agreementOf(found, y);
        all.equal += one.equal, all.near += one.near;
        EXPECT_EQ(one.far, 0u) << one.text();
        if (how == Pool::Maximum)
          EXPECT_EQ(one.near, 0u) << one.text();
      }
    });
  RecordProperty("agreement", all.text());
  EXPECT_GT(all.equal, 100 * all.near) << all.text();
}

TEST(QnnPool, RefusesWindowsInPadding) {
  OneNode net("PoolMax2d");
  net.input(floats({1, 2, 2, 1}, {1, 2, 3, 4}))
      .list("filter_size", {2}, {1, 1})
      .list("stride", {2}, {1, 1})
      .list("pad_amount", {2, 2}, {1, 0, 0, 0})
      .output(F32, {1, 3, 2, 1});
  EXPECT_FALSE(net.import());
  EXPECT_TRUE(net.reports("E1005")) << net.diags.all().front().str();
}

TEST(QnnPool, CountsPadsWhereThereIsNothingElse) {
  OneNode net("PoolAvg2d");
  net.input(floats({1, 1, 2, 1}, {4, 8}))
      .list("filter_size", {2}, {1, 2})
      .list("stride", {2}, {1, 3})
      .list("pad_amount", {2, 2}, {0, 0, 1, 1})
      .flag("count_pad_for_edges", true)
      .param("rounding_mode", 1)
      .output(F32, {1, 1, 2, 1});
  EXPECT_THAT(net.run().numbers, ::testing::ElementsAre(2, 0));
}

TEST(QnnPool, ReportsAWrongResult) {
  OneNode net("PoolMax2d");
  net.input(floats({1, 2, 2, 1}, {1, 2, 3, 4}))
      .list("filter_size", {2}, {2, 2})
      .list("stride", {2}, {2, 2})
      .list("pad_amount", {2, 2}, {0, 0, 0, 0})
      .output(F32, {1, 2, 2, 1});
  EXPECT_FALSE(net.import());
  EXPECT_TRUE(net.reports("E1009")) << net.diags.all().front().str();
}
