//===- GroupsTest.cpp - Connected parts that can be one node --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/provider/Groups.h"
#include "test/Random.h"
#include "test/unit/provider/Models.h"

#include <gtest/gtest.h>

#include <set>

using namespace yarrow;
using namespace yarrow::provider;

namespace {

std::vector<Group> groupsOf(const ModelGraph &graph,
                            const std::set<std::size_t> &leftOut) {
  std::vector<int> colours(graph.nodes().size(), 0);
  for (std::size_t node : leftOut)
    colours[node] = kLeftOut;
  return convexGroups(graph, colours);
}

TEST(Groups, ChainIsOne) {
  auto graph = models::graph({"a = Relu x", "b = Relu a", "y = Relu b"}, {"y"});
  EXPECT_EQ(groupsOf(*graph, {}), (std::vector<Group>{{0, 1, 2}}));
  EXPECT_EQ(groupsOf(*graph, {1}), (std::vector<Group>{{0}, {2}}));
  EXPECT_TRUE(groupsOf(*graph, {0, 1, 2}).empty());
}

/// The result of a is added to what the left node makes of it: one node of both
/// would wait for itself.
TEST(Groups, NoPathLeavesAndComesBack) {
  auto graph = models::graph(
      {"a = Relu x", "b = Det a", "c = Relu b", "y = Add a c"}, {"y"});
  EXPECT_EQ(groupsOf(*graph, {1}), (std::vector<Group>{{0}, {2, 3}}));
}

TEST(Groups, BranchesBesideALeftNodeStayTogether) {
  auto graph = models::graph(
      {"a = Relu x", "b = Det a", "c = Relu a", "d = Relu c", "e = Relu b"},
      {"d", "e"});
  EXPECT_EQ(groupsOf(*graph, {1}), (std::vector<Group>{{0, 2, 3}, {4}}));
}

/// Each group by itself is convex, but they would wait for each other.
TEST(Groups, NoTwoWaitForEachOther) {
  auto graph = models::graph({"a = Relu x", "b = Relu x", "c = Det a",
                              "d = Det b", "e = Add b c", "f = Add a d"},
                             {"e", "f"});
  std::vector<Group> groups = groupsOf(*graph, {2, 3});
  // b with e needs c of a, so that a with f, which needs d of b, must not be
  // one.
  EXPECT_EQ(groups, (std::vector<Group>{{0}, {1, 4}, {5}}));
}

/// Whether the groups and the other nodes have an order.
bool hasOrder(const ModelGraph &graph, const std::vector<Group> &groups) {
  std::size_t n = graph.nodes().size();
  std::vector<std::size_t> of(n);
  for (std::size_t i = 0; i < n; ++i)
    of[i] = n + i;
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t node : groups[g])
      of[node] = g;
  std::set<std::pair<std::size_t, std::size_t>> edges;
  std::set<std::size_t> left(of.begin(), of.end());
  for (std::size_t i = 0; i < n; ++i)
    for (const std::string &tensor : graph.nodes()[i].writes)
      for (std::size_t reader : graph.readersOf(tensor))
        if (of[i] != of[reader])
          edges.emplace(of[i], of[reader]);
  while (!left.empty()) {
    std::size_t before = left.size();
    for (std::size_t node : std::set(left)) {
      bool isReady = true;
      for (auto [from, to] : edges)
        isReady &= to != node || !left.contains(from);
      if (isReady)
        left.erase(node);
    }
    if (left.size() == before)
      return false;
  }
  return true;
}

TEST(Groups, RandomGraphs) {
  yarrow::testing::Random random(50);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> nodes;
    std::set<std::size_t> leftOut;
    auto pick = [&](int i) {
      int at = int(random.next() % unsigned(i + 1));
      return at ? "n" + std::to_string(at - 1) : std::string("x");
    };
    int count = 4 + int(random.next() % 20);
    for (int i = 0; i < count; ++i) {
      nodes.push_back("n" + std::to_string(i) + " = Add " + pick(i) + " " +
                      pick(i));
      if (random.next() % 4 == 0)
        leftOut.insert(std::size_t(i));
    }
    auto graph = models::graph(nodes, {"n" + std::to_string(count - 1)});
    std::vector<Group> groups = groupsOf(*graph, leftOut);
    EXPECT_TRUE(hasOrder(*graph, groups)) << "round " << round;
    std::size_t members = 0;
    for (const Group &group : groups)
      members += group.size();
    EXPECT_EQ(members + leftOut.size(), std::size_t(count));
  }
}

} // namespace
