//===- FormSearchTest.cpp - The search on networks made up ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/forms/FormSearch.h"
#include "test/Random.h"
#include "gmock/gmock.h"

#include <algorithm>
#include <numeric>

using namespace yarrow;
using ::testing::ElementsAre;

namespace {

/// A machine whose array and bus work side by side: the slower one counts, as
/// in a network that loads weights ahead.
struct Network {
  /// [layer][form]
  std::vector<std::vector<uint64_t>> compute, load;
  unsigned numMeasured = 0;

  FormSearch::Allowed everyForm() const {
    FormSearch::Allowed allowed(compute.size());
    for (std::size_t layer = 0; layer < compute.size(); ++layer)
      for (std::size_t form = 1; form < compute[layer].size(); ++form)
        allowed[layer].push_back(uint8_t(form));
    return allowed;
  }

  NetworkCycles cycles(const FormChoice &choice) const {
    NetworkCycles result;
    uint64_t computeSum = 0, loadSum = 0;
    for (std::size_t layer = 0; layer < choice.size(); ++layer) {
      uint64_t c = compute[layer][choice[layer]],
               l = load[layer][choice[layer]];
      computeSum += c;
      loadSum += l;
      result.layers.push_back(std::max(c, l));
    }
    result.total = std::max(computeSum, loadSum);
    return result;
  }

  FormSearch search() {
    return FormSearch([this](const FormChoice &choice) {
      ++numMeasured;
      return std::optional(cycles(choice));
    });
  }
};

/// Calls fn(choice) for every choice that is allowed.
template <typename Fn>
void forEachChoice(const FormSearch::Allowed &allowed, Fn fn) {
  FormChoice choice(allowed.size());
  while (true) {
    fn(choice);
    std::size_t layer = 0;
    for (; layer < choice.size(); ++layer) {
      auto next = std::find(allowed[layer].begin(), allowed[layer].end(),
                            choice[layer]);
      next = choice[layer] == 0 ? allowed[layer].begin() : next + 1;
      if (next != allowed[layer].end()) {
        choice[layer] = *next;
        break;
      }
      choice[layer] = 0;
    }
    if (layer == choice.size())
      return;
  }
}

} // namespace

TEST(FormSearchTest, TakesTheFormThatMultipliesLeast) {
  Network network{{{90, 60, 40}, {90, 60, 40}}, {{9, 12, 16}, {9, 12, 16}}};
  FormSearch search = network.search();
  EXPECT_THAT(*search.fastest(network.everyForm()), ElementsAre(2, 2));
}

TEST(FormSearchTest, LeavesLayersThatWaitForWeights) {
  // The second layer's weights are what the network waits for.
  Network network{{{90, 60, 40}, {90, 60, 40}}, {{9, 12, 16}, {100, 133, 177}}};
  FormSearch search = network.search();
  EXPECT_THAT(*search.fastest(network.everyForm()), ElementsAre(2, 0));
}

TEST(FormSearchTest, AmongEqualsChangesFewerLayers) {
  // The bus decides, whatever the forms are.
  Network network{{{10, 5}, {10, 5}}, {{50, 50}, {50, 50}}};
  FormSearch search = network.search();
  EXPECT_THAT(*search.fastest(network.everyForm()), ElementsAre(0, 0));
}

TEST(FormSearchTest, KeepsToWhatIsAllowed) {
  Network network{{{90, 60, 40}, {90, 60, 40}, {90, 60, 40}},
                  {{9, 12, 16}, {9, 12, 16}, {9, 12, 16}}};
  FormSearch search = network.search();
  EXPECT_THAT(*search.fastest({{1}, {}, {2}}), ElementsAre(1, 0, 2));
}

TEST(FormSearchTest, TakesTheBetterOfTwoThatAreTooMuchTogether) {
  Network network{{{100, 70}, {100, 60}}, {{80, 101}, {80, 100}}};
  FormSearch search = network.search();
  // One changed: 170 or 160 cycles of compute beside 180 of the bus. Both: 200.
  EXPECT_THAT(*search.fastest(network.everyForm()), ElementsAre(0, 1));
}

TEST(FormSearchTest, MeasuresAChoiceOnce) {
  Network network{{{90, 60}, {90, 60}}, {{9, 12}, {9, 12}}};
  FormSearch search = network.search();
  search.fastest(network.everyForm());
  EXPECT_LE(network.numMeasured, 4u);
  EXPECT_EQ(search.cyclesOf({1, 0})->total, 150u);
  EXPECT_LE(network.numMeasured, 4u);
}

TEST(FormSearchTest, StopsAtTheFirstError) {
  unsigned numMeasured = 0;
  FormSearch search([&](const FormChoice &choice) {
    ++numMeasured;
    return choice == FormChoice{0, 0} ? std::optional(NetworkCycles{9, {5, 4}})
                                      : std::nullopt;
  });
  EXPECT_FALSE(search.fastest({{1}, {1}}));
  EXPECT_EQ(numMeasured, 2u);
}

TEST(FormSearchTest, IsNeverSlowerThanDirectAndNearTheBest) {
  yarrow::testing::Random random(1);
  double worst = 1;
  for (unsigned run = 0; run < 200; ++run) {
    Network network;
    for (unsigned layer = 0; layer < 6; ++layer) {
      uint64_t macs = 20 + random.below(180), weights = 5 + random.below(145);
      network.compute.push_back({macs, macs * 2 / 3, macs * 4 / 9});
      network.load.push_back({weights, weights * 4 / 3, weights * 16 / 9});
    }
    FormSearch search = network.search();
    FormChoice found = *search.fastest(network.everyForm());
    uint64_t least = UINT64_MAX, total = network.cycles(found).total;
    forEachChoice(network.everyForm(), [&](const FormChoice &choice) {
      least = std::min(least, network.cycles(choice).total);
    });
    EXPECT_LE(total, network.cycles(FormChoice(6)).total);
    EXPECT_GE(total, least);
    worst = std::max(worst, double(total) / double(least));
  }
  // What climbing and exchanging miss of all 729 choices.
  EXPECT_LT(worst, 1.05);
}
