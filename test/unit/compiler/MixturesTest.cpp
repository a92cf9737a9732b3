//===- MixturesTest.cpp - One choice for each of many layers --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/precision/Mixtures.h"
#include "compiler/precision/Precision.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

using namespace yarrow;

namespace {

using Layers = std::vector<std::vector<MixtureChoice>>;

Layers randomLayers(unsigned seed, unsigned count, int64_t mostPrice) {
  std::mt19937 generator(seed);
  Layers layers(count);
  for (auto &choices : layers)
    for (unsigned c = 0; c < 1 + generator() % 4; ++c)
      choices.push_back({int64_t(generator() % mostPrice),
                         double(generator() % 1000) / 1000});
  return layers;
}

MixtureChoice sumOf(const Layers &layers,
                    const std::vector<unsigned> &choices) {
  MixtureChoice sum;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    sum.price += layers[i][choices[i]].price;
    sum.loss += layers[i][choices[i]].loss;
  }
  return sum;
}

/// The least loss within a budget, by trying all.
double leastLoss(const Layers &layers, int64_t budget) {
  std::vector<unsigned> choices(layers.size());
  double least = std::numeric_limits<double>::infinity();
  for (;;) {
    MixtureChoice sum = sumOf(layers, choices);
    if (sum.price <= budget)
      least = std::min(least, sum.loss);
    std::size_t i = 0;
    while (i < layers.size() && ++choices[i] == layers[i].size())
      choices[i++] = 0;
    if (i == layers.size())
      return least;
  }
}

TEST(Mixtures, AreTheBestForEveryBudget) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Layers layers = randomLayers(seed, 1 + seed % 7, 50);
    Mixtures mixtures = Mixtures::of(layers);
    for (std::size_t i = 0; i < mixtures.size(); ++i) {
      MixtureChoice sum = sumOf(layers, mixtures.choices(i));
      EXPECT_EQ(sum.price, mixtures.price(i));
      EXPECT_NEAR(sum.loss, mixtures.loss(i), 1e-9);
    }
    for (int64_t budget = 0; budget < 350; budget += 11) {
      double least = leastLoss(layers, budget);
      std::size_t found = mixtures.withinPrice(budget);
      if (std::isfinite(least)) {
        EXPECT_LE(mixtures.price(found), budget);
        EXPECT_NEAR(mixtures.loss(found), least, 1e-9);
      } else {
        EXPECT_EQ(found, 0u); // the cheapest there is
      }
    }
  }
}

TEST(Mixtures, OfALossTheCheapest) {
  Layers layers = {{{10, 0.5}, {20, 0.1}}, {{10, 0.25}, {40, 0.0}}};
  Mixtures mixtures = Mixtures::of(layers);
  EXPECT_EQ(mixtures.price(mixtures.withinLoss(1)), 20);
  EXPECT_EQ(mixtures.price(mixtures.withinLoss(0.4)), 30);
  EXPECT_EQ(mixtures.choices(mixtures.withinLoss(0.4)),
            (std::vector<unsigned>{1, 0}));
  EXPECT_EQ(mixtures.price(mixtures.withinLoss(0.1)), 60);
  EXPECT_EQ(mixtures.price(mixtures.withinLoss(0)), 60); // the best there is
}

/// Few are kept: what is left is a mixture, and near the best.
TEST(Mixtures, ManyAreThinned) {
  Layers layers = randomLayers(3, 60, 100000);
  Mixtures all = Mixtures::of(layers), few = Mixtures::of(layers, 256);
  EXPECT_LE(few.size(), 256u);
  for (std::size_t i = 0; i < few.size(); ++i)
    EXPECT_EQ(sumOf(layers, few.choices(i)).price, few.price(i));
  EXPECT_EQ(few.price(0), all.price(0));
  for (double share : {0.25, 0.5, 0.75}) {
    auto budget = int64_t(share * double(all.price(all.size() - 1)));
    EXPECT_LE(few.price(few.withinPrice(budget)),
              std::max(budget, few.price(0)));
    EXPECT_LE(few.loss(few.withinPrice(budget)),
              all.loss(all.withinPrice(budget)) + 0.05 * all.loss(0));
  }
}

TEST(Precision, Words) {
  EXPECT_EQ(Precision::parse("4")->weightBits, 4u);
  EXPECT_EQ(Precision::parse("4")->activationBits, 8u);
  EXPECT_EQ(Precision::parse("16")->activationBits, 16u);
  EXPECT_EQ(Precision::parse("float16")->floatType, ElementType::F16);
  EXPECT_TRUE(Precision::parse("given")->isUnchanged());
  for (const char *word : {"", "3", "17", "8 ", "8x", "float8", "-8"})
    EXPECT_FALSE(Precision::parse(word)) << word;
  EXPECT_TRUE(
      Precision::parse("4")->isSameWithoutWeights(*Precision::parse("8")));
}

} // namespace
