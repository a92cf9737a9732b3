//===- Layout.cpp - Where the layers of a network are drawn ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/page/Layout.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

using namespace yarrow;

namespace {

/// A node, or the lane of one's edges through a row.
struct Place {
  uint32_t row = 0;
  double width = 0, centre = 0;
  std::vector<uint32_t> above, below; ///< Neighbours in the next rows.
};

class Layouter {
public:
  Layouter(const std::vector<std::vector<uint32_t>> &sources,
           const LayoutSizes &sizes)
      : sources(sources), sizes(sizes) {}

  GraphLayout run() {
    chooseRows();
    makeLanes();
    chooseMain();
    orderRows();
    chooseCentres();
    return finish();
  }

private:
  static constexpr int kSweeps = 8;

  void chooseRows() {
    places.resize(sources.size());
    std::vector<uint32_t> firstUse(sources.size(), UINT32_MAX);
    for (uint32_t node = 0; node < sources.size(); ++node)
      for (uint32_t source : sources[node]) {
        assert(source < node && "a node reads what comes before it");
        places[node].row = std::max(places[node].row, places[source].row + 1);
      }
    for (uint32_t node = 0; node < sources.size(); ++node)
      for (uint32_t source : sources[node])
        firstUse[source] = std::min(firstUse[source], places[node].row);
    // What reads nothing comes right above what reads it.
    for (uint32_t node = 0; node < sources.size(); ++node)
      if (sources[node].empty() && firstUse[node] != UINT32_MAX)
        places[node].row = firstUse[node] - 1;
  }

  /// The place in row \p row that edges of \p source come from: itself or its
  /// lane there.
  uint32_t laneIn(uint32_t source, uint32_t row) {
    std::vector<uint32_t> &lanes = lanesOf[source];
    uint32_t last = lanes.empty() ? source : lanes.back();
    while (places[last].row < row) {
      auto lane = uint32_t(places.size());
      places.push_back(
          {places[last].row + 1, double(sizes.laneWidth), 0, {last}, {}});
      places[last].below.push_back(lane);
      lanes.push_back(lane);
      last = lane;
    }
    uint32_t passed = row - places[source].row;
    return passed == 0 ? source : lanes[passed - 1];
  }

  void makeLanes() {
    lanesOf.resize(sources.size());
    for (uint32_t node = 0; node < sources.size(); ++node) {
      places[node].width = sizes.nodeWidth;
      std::vector<uint32_t> seen;
      for (uint32_t source : sources[node]) {
        if (std::find(seen.begin(), seen.end(), source) != seen.end())
          continue;
        seen.push_back(source);
        uint32_t from = laneIn(source, places[node].row - 1);
        places[node].above.push_back(from);
        places[from].below.push_back(node);
        edges.push_back({source, node, {}});
      }
    }
    for (uint32_t p = 0; p < places.size(); ++p) {
      if (places[p].row >= rows.size())
        rows.resize(places[p].row + 1);
      rows[places[p].row].push_back(p);
    }
  }

  /// One longest path, which is to be straight: the trunk of the drawing.
  void chooseMain() {
    isMain.resize(places.size());
    if (rows.empty())
      return;
    for (uint32_t at = rows.back().front();;) {
      isMain[at] = true;
      const std::vector<uint32_t> &above = places[at].above;
      auto next = std::find_if(above.begin(), above.end(),
                               [&](uint32_t p) { return !isLane(p); });
      if (next == above.end())
        return;
      at = *next;
    }
  }

  double meanOf(const std::vector<uint32_t> &neighbours, double otherwise,
                const std::vector<double> &positions) const {
    if (neighbours.empty())
      return otherwise;
    double sum = 0;
    for (uint32_t n : neighbours)
      sum += positions[n];
    return sum / double(neighbours.size());
  }

  /// By the mean position of the neighbours above and below in turn.
  void orderRows() {
    std::vector<double> position(places.size());
    auto number = [&](const std::vector<uint32_t> &row) {
      for (std::size_t i = 0; i < row.size(); ++i)
        position[row[i]] = double(i) - double(row.size() - 1) / 2;
    };
    for (auto &row : rows)
      number(row);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      bool isDown = sweep % 2 == 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        auto &row = rows[isDown ? i : rows.size() - 1 - i];
        std::vector<double> wish(places.size());
        for (uint32_t p : row)
          wish[p] = meanOf(isDown ? places[p].above : places[p].below,
                           position[p], position);
        std::stable_sort(row.begin(), row.end(), [&](uint32_t a, uint32_t b) {
          return wish[a] < wish[b];
        });
        number(row);
      }
    }
  }

  double distance(uint32_t left, uint32_t right) const {
    return (places[left].width + places[right].width) / 2 + sizes.columnGap;
  }

  /// Puts the places of a row as near to \p wish as their distances allow: the
  /// least squares with weights, by pooling neighbours that wish to be nearer.
  void placeRow(const std::vector<uint32_t> &row,
                const std::vector<double> &wish,
                const std::vector<double> &weight) {
    struct Pool {
      double mean, weight;
      std::size_t count;
    };
    std::vector<Pool> pools;
    std::vector<double> offset(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i)
        offset[i] = offset[i - 1] + distance(row[i - 1], row[i]);
      pools.push_back({wish[i] - offset[i], weight[i], 1});
      while (pools.size() > 1 &&
             pools[pools.size() - 2].mean > pools.back().mean) {
        Pool last = pools.back();
        pools.pop_back();
        Pool &pool = pools.back();
        pool.mean = (pool.mean * pool.weight + last.mean * last.weight) /
                    (pool.weight + last.weight);
        pool.weight += last.weight;
        pool.count += last.count;
      }
    }
    std::size_t i = 0;
    for (const Pool &pool : pools)
      for (std::size_t k = 0; k < pool.count; ++k, ++i)
        places[row[i]].centre = pool.mean + offset[i];
  }

  bool isLane(uint32_t place) const { return place >= sources.size(); }
  /// Lanes give way to nodes.
  double weightOf(uint32_t place) const {
    return isMain[place] ? 1e6 : isLane(place) ? 1 : 50;
  }

  void chooseCentres() {
    for (const auto &row : rows) {
      std::vector<double> weight;
      for (uint32_t p : row)
        weight.push_back(weightOf(p));
      placeRow(row, std::vector<double>(row.size()), weight);
    }
    for (int sweep = 0; sweep < kSweeps; ++sweep)
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto &row = rows[sweep % 2 ? rows.size() - 1 - i : i];
        std::vector<double> wish, weight;
        for (uint32_t p : row) {
          // The first sweep knows nothing yet of the rows below.
          double sum = 0, weights = 0;
          auto look = [&](const std::vector<uint32_t> &neighbours) {
            for (uint32_t n : neighbours) {
              // Nodes lie below nodes and lanes are straight; the bends are
              // where one becomes the other. Nothing bends the trunk.
              double w = isMain[p] != isMain[n]   ? (isMain[p] ? 0 : 1)
                         : isLane(p) == isLane(n) ? 1
                                                  : 0.01;
              sum += w * places[n].centre;
              weights += w;
            }
          };
          look(places[p].above);
          if (sweep)
            look(places[p].below);
          wish.push_back(weights ? sum / weights : places[p].centre);
          weight.push_back(weightOf(p));
        }
        placeRow(row, wish, weight);
      }
  }

  int32_t topOf(uint32_t row) const {
    return int32_t(row) * (sizes.nodeHeight + sizes.rowGap);
  }

  GraphLayout finish() {
    GraphLayout layout;
    layout.sizes = sizes;
    double left = 0;
    for (const Place &place : places)
      left = std::min(left, place.centre - place.width / 2);
    // To whole pixels, which must not bring two nearer to each other.
    for (const auto &row : rows)
      for (std::size_t i = 0; i < row.size(); ++i) {
        Place &place = places[row[i]];
        double least =
            i ? places[row[i - 1]].centre + distance(row[i - 1], row[i])
              : place.width / 2;
        place.centre = std::max(std::floor(place.centre - left), least);
        layout.width =
            std::max(layout.width, int32_t(place.centre + place.width / 2));
      }
    layout.height =
        rows.empty() ? 0 : topOf(uint32_t(rows.size()) - 1) + sizes.nodeHeight;
    for (uint32_t node = 0; node < sources.size(); ++node)
      layout.nodes.push_back(
          {places[node].row,
           {int32_t(places[node].centre) - sizes.nodeWidth / 2,
            topOf(places[node].row)}});
    for (LayoutEdge &edge : edges)
      trace(edge);
    layout.edges = std::move(edges);
    return layout;
  }

  void trace(LayoutEdge &edge) {
    auto add = [&](uint32_t place, int32_t y) {
      edge.points.push_back({int32_t(places[place].centre), y});
    };
    uint32_t first = places[edge.from].row, last = places[edge.to].row;
    add(edge.from, topOf(first) + sizes.nodeHeight);
    for (uint32_t row = first + 1; row < last; ++row) {
      uint32_t lane = lanesOf[edge.from][row - first - 1];
      add(lane, topOf(row));
      add(lane, topOf(row) + sizes.nodeHeight);
    }
    add(edge.to, topOf(last));
  }

  const std::vector<std::vector<uint32_t>> &sources;
  LayoutSizes sizes;
  std::vector<Place> places;                  ///< The nodes, then lanes.
  std::vector<std::vector<uint32_t>> lanesOf; ///< Of each node, by row.
  std::vector<std::vector<uint32_t>> rows;    ///< Left to right.
  std::vector<bool> isMain;                   ///< By place.
  std::vector<LayoutEdge> edges;
};

} // namespace

GraphLayout yarrow::layOut(const std::vector<std::vector<uint32_t>> &sources,
                           const LayoutSizes &sizes) {
  return Layouter(sources, sizes).run();
}
