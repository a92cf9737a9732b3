//===- BitsChoiceTest.cpp - Which layers are worth 16 bits ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/precision/BitsChoice.h"

#include "gtest/gtest.h"

using namespace yarrow;

namespace {

BitsLayer layer(std::vector<double> noise, std::vector<unsigned> touched,
                double removable = 1) {
  return {std::move(noise), removable, std::move(touched)};
}

TEST(BitsChoice, TakesWhatGainsMostForItsPrice) {
  BitsProblem problem;
  problem.layers = {layer({0.004}, {0}), layer({0.005}, {1}),
                    layer({0.0005}, {2})};
  problem.measured = {0.0095};
  problem.prices = {{100}, {10000}, {100}};
  problem.target = 0.001;
  problem.budget = 20000;
  BitsChoice choice = chooseLayers(problem);
  EXPECT_EQ(choice.results, (std::vector<unsigned>{0, 1}));
  EXPECT_TRUE(choice.isEnough);
  EXPECT_NEAR(choice.expected[0], 0.0005, 1e-12);

  problem.budget = 5000;
  choice = chooseLayers(problem);
  EXPECT_EQ(choice.results, (std::vector<unsigned>{0, 2}));
  EXPECT_FALSE(choice.isEnough);
  EXPECT_LE(choice.price, problem.budget);
}

TEST(BitsChoice, LooksAtEachPartOfTheOutputs) {
  // The scores need the second layer, which the boxes do not notice.
  BitsProblem problem;
  problem.layers = {layer({1e-5, 0}, {0}), layer({1e-7, 0.1}, {1})};
  problem.measured = {1.01e-5, 0.1};
  problem.prices = {{1}, {1}};
  problem.budget = 10;
  EXPECT_EQ(chooseLayers(problem).results, (std::vector<unsigned>{1}));
}

TEST(BitsChoice, WhatHas16BitsAlreadyLeavesItsWeights) {
  BitsLayer entry = layer({0.004, 0.1}, {0}, 0.75);
  entry.inWeights = 0.25;
  entry.takeResult();
  EXPECT_DOUBLE_EQ(entry.noise[0], 0.001);
  EXPECT_DOUBLE_EQ(entry.noise[1], 0.025);
  EXPECT_EQ(entry.removable, 0);
  EXPECT_DOUBLE_EQ(entry.inWeights, 1);
}

TEST(BitsChoice, WeightsHaveWhatWideResultsLeave) {
  // By themselves layers lose as much by weights as by results. Together they
  // do not: with all results at 16 bits little is left.
  BitsProblem problem;
  problem.layers = {layer({0.01}, {0}, 0.5), layer({0.01}, {1}, 0.5)};
  for (BitsLayer &each : problem.layers)
    each.inWeights = 0.5;
  problem.measured = {0.02};
  problem.measuredWide = {0.0005};
  problem.prices = {{10, 10, 20}, {10, 10, 20}};
  problem.target = 0.001;
  problem.budget = 100;
  BitsChoice choice = chooseLayers(problem);
  EXPECT_EQ(choice.results, (std::vector<unsigned>{0, 1}));
  EXPECT_TRUE(choice.weights.empty());
  EXPECT_TRUE(choice.isEnough);
  // What they leave is the weights'.
  problem.measuredWide = {0.002};
  EXPECT_FALSE(chooseLayers(problem).weights.empty());
  problem.takesWeights = false;
  choice = chooseLayers(problem);
  EXPECT_TRUE(choice.weights.empty());
  EXPECT_FALSE(choice.isEnough);
}

TEST(BitsChoice, PaysForAReaderOnce) {
  // Both are read by the layer of row 2.
  BitsProblem problem;
  problem.layers = {layer({0.01}, {0, 2}), layer({0.01}, {1, 2})};
  problem.measured = {0.02};
  problem.prices = {{1}, {1}, {50}};
  problem.budget = 60;
  BitsChoice choice = chooseLayers(problem);
  EXPECT_EQ(choice.results.size(), 2u);
  EXPECT_EQ(choice.price, 52);
}

TEST(BitsChoice, SaysWhatTheTargetCosts) {
  BitsProblem problem;
  problem.layers = {layer({0.004}, {0}), layer({0.005}, {1}, 0.5)};
  problem.measured = {0.009};
  problem.prices = {{100}, {200}};
  problem.target = 0.003;
  problem.budget = 50;
  EXPECT_EQ(cyclesForTarget(problem), 300);
  problem.target = 0.002; // 0.0025 are left whatever has 16 bits.
  EXPECT_EQ(cyclesForTarget(problem), std::nullopt);
}

TEST(BitsChoice, LearnsWhichRowsAreDear) {
  // A Concat, row 2, of one wide and one narrow operand takes the cores.
  BitsProblem problem;
  problem.layers = {layer({0.01}, {0, 2}), layer({0.008}, {1})};
  problem.measured = {0.018};
  problem.prices = {{10}, {10}, {0}};
  problem.target = 0.009;
  problem.budget = 30;
  BitsChoice first = chooseLayers(problem);
  EXPECT_EQ(first.results, std::vector<unsigned>{0});
  problem.correctPrices(first, std::vector<double>{12, 0, 500}, 512);
  EXPECT_EQ(problem.prices[0].results, 12);
  EXPECT_EQ(problem.prices[1].results, 10);
  EXPECT_EQ(problem.prices[2].results, 500);
  EXPECT_EQ(problem.priceFactor, 1);
  EXPECT_EQ(chooseLayers(problem).results, std::vector<unsigned>{1});
}

TEST(BitsChoice, GivesWeightsBitsWhereTheErrorIsTheirs) {
  BitsProblem problem;
  problem.layers = {layer({0.01}, {0, 1}, 0.1), layer({0.001}, {1})};
  problem.layers[0].inWeights = 0.9;
  problem.measured = {0.011};
  problem.prices = {{10, 20, 60}, {10, 20, 60}};
  problem.target = 0.0025;
  problem.budget = 100;
  BitsChoice choice = chooseLayers(problem);
  EXPECT_EQ(choice.results, std::vector<unsigned>());
  EXPECT_EQ(choice.weights, std::vector<unsigned>{0});
  EXPECT_EQ(choice.price, 20);
  EXPECT_NEAR(choice.expected[0], 0.002, 1e-12);

  // With its result it takes four passes, and its reader two.
  problem.target = 0.0015;
  choice = chooseLayers(problem);
  EXPECT_EQ(choice.weights, std::vector<unsigned>{0});
  EXPECT_EQ(choice.results, std::vector<unsigned>{1});
  EXPECT_EQ(choice.price, 30);
}

TEST(BitsChoice, DropsTheDearestThatOthersMadeNeedless) {
  // The first two are worth most for their price, until the third is taken.
  BitsProblem problem;
  problem.layers = {layer({0.003}, {0}), layer({0.0036}, {1}),
                    layer({0.02}, {2})};
  problem.measured = {0.0266};
  problem.prices = {{10}, {12.1}, {1000}};
  problem.target = 0.006;
  problem.budget = 5000;
  BitsChoice choice = chooseLayers(problem);
  EXPECT_EQ(choice.results, (std::vector<unsigned>{0, 2}));
  EXPECT_NEAR(choice.price, 1010, 1e-9);
}

TEST(BitsChoice, LearnsFromWhatWasFound) {
  BitsProblem problem;
  problem.layers = {layer({0.004}, {0}), layer({0.0008}, {1})};
  problem.measured = {0.0048};
  problem.prices = {{1}, {1}};
  problem.budget = 10;
  BitsChoice first = chooseLayers(problem);
  EXPECT_EQ(first.results, (std::vector<unsigned>{0}));
  // More was left than expected: the other one is needed as well.
  OutputLoss found;
  found.parts.resize(1);
  found.parts[0].signalSquares = 1;
  found.parts[0].noiseSquares = 0.0015;
  problem.correct(first, found);
  EXPECT_EQ(chooseLayers(problem).results, (std::vector<unsigned>{0, 1}));
}

} // namespace
