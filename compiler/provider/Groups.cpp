//===- Groups.cpp - Connected parts of a graph that can be one node -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/provider/Groups.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

using namespace yarrow::provider;

namespace {

/// The graph with each group as one node. Groups are known by a member.
class Contracted {
public:
  explicit Contracted(const ModelGraph &graph)
      : parent(graph.nodes().size()), first(parent.size()),
        after(parent.size()) {
    std::iota(parent.begin(), parent.end(), 0);
    std::iota(first.begin(), first.end(), 0);
    for (std::size_t i = 0; i < parent.size(); ++i)
      for (const std::string &tensor : graph.nodes()[i].writes)
        for (std::size_t reader : graph.readersOf(tensor))
          after[i].insert(reader);
  }

  std::size_t groupOf(std::size_t node) {
    while (parent[node] != node)
      node = parent[node] = parent[parent[node]];
    return node;
  }

  /// Whether the groups can be one: no other group lies between them.
  /// \p last is the last member of \p to.
  bool canMerge(std::size_t from, std::size_t to, std::size_t last) {
    std::set<std::size_t> seen = {from, to};
    std::vector<std::size_t> open;
    auto visit = [&](std::size_t group) {
      for (std::size_t next : after[group])
        if (next = groupOf(next);
            first[next] <= last && seen.insert(next).second)
          open.push_back(next);
    };
    auto reaches = [&](std::size_t group) {
      for (std::size_t next : after[group])
        if (groupOf(next) == to)
          return true;
      return false;
    };
    visit(from);
    while (!open.empty()) {
      std::size_t group = open.back();
      open.pop_back();
      if (reaches(group))
        return false;
      visit(group);
    }
    return true;
  }

  void merge(std::size_t from, std::size_t to) {
    if (after[from].size() < after[to].size())
      after[from].swap(after[to]);
    after[from].merge(after[to]);
    after[to].clear();
    parent[to] = from;
    first[from] = std::min(first[from], first[to]);
  }

private:
  std::vector<std::size_t> parent, first;
  std::vector<std::set<std::size_t>> after;
};

} // namespace

std::vector<Group>
yarrow::provider::convexGroups(const ModelGraph &graph,
                               const std::vector<int> &colours) {
  Contracted groups(graph);
  const std::vector<ModelNode> &nodes = graph.nodes();
  // Later nodes are groups of their own yet, so nothing but what comes before
  // a node can lie between it and another group.
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (colours[i] == kLeftOut)
      continue;
    for (const std::string &tensor : nodes[i].reads) {
      std::int64_t writer = graph.writerOf(tensor);
      if (writer < 0 || colours[writer] != colours[i])
        continue;
      std::size_t from = groups.groupOf(std::size_t(writer));
      std::size_t to = groups.groupOf(i);
      if (from != to && groups.canMerge(from, to, i))
        groups.merge(from, to);
    }
  }
  std::map<std::size_t, Group> members;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (colours[i] != kLeftOut)
      members[groups.groupOf(i)].push_back(i);
  std::vector<Group> result;
  result.reserve(members.size());
  for (auto &[group, list] : members)
    result.push_back(std::move(list));
  std::ranges::sort(result);
  return result;
}
