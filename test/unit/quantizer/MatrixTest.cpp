//===- MatrixTest.cpp - Products, factors, rounding with feedback ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/math/Matrix.h"
#include "quantizer/math/Eigen.h"
#include "quantizer/math/Feedback.h"
#include "support/ThreadPool.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace yarrow;

static Matrix randomMatrix(std::size_t rows, std::size_t columns,
                           unsigned seed) {
  std::mt19937 random(seed);
  Matrix m(rows, columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (float &value : m.rowOf(i))
      value = float(int(random() % 2001) - 1000) / 500;
  return m;
}

/// Second moments of inputs that depend on one another.
static Matrix moments(std::size_t terms, unsigned seed) {
  Matrix x = randomMatrix(4 * terms, terms, seed);
  for (std::size_t r = 0; r < x.rows; ++r)
    for (std::size_t j = 1; j < terms; ++j)
      x.at(r, j) += 0.8f * x.at(r, j - 1);
  Matrix h(terms, terms);
  addProduct(x.transposed(), x, h, ProductPart::Upper);
  mirrorUpper(h);
  return h;
}

TEST(Matrix, ProductIsThatOfPlainLoops) {
  Matrix a = randomMatrix(71, 300, 1), b = randomMatrix(300, 45, 2);
  Matrix product(71, 45);
  addProduct(a, b, product);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < b.columns; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < a.columns; ++k)
        sum += double(a.at(i, k)) * b.at(k, j);
      EXPECT_NEAR(product.at(i, j), sum, 1e-3);
    }
}

TEST(Matrix, ProductHasTheSameBitsOnAnyNumberOfThreads) {
  Matrix a = randomMatrix(130, 600, 3), b = randomMatrix(600, 70, 4);
  Matrix one(130, 70), many(130, 70);
  setDefaultThreadCount(1);
  addProduct(a, b, one);
  setDefaultThreadCount(4);
  addProduct(a, b, many);
  setDefaultThreadCount(0);
  for (std::size_t i = 0; i < one.rows; ++i)
    EXPECT_TRUE(std::ranges::equal(one.rowOf(i), many.rowOf(i)));
}

TEST(Matrix, FactorSolves) {
  for (std::size_t size : {1u, 31u, 32u, 33u, 100u}) {
    Matrix h = moments(size, unsigned(size)), factor = h;
    ASSERT_TRUE(factorize(factor));
    std::vector<float> wanted(size), values(size);
    for (std::size_t i = 0; i < size; ++i)
      wanted[i] = float(i % 7) - 3;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j)
        values[j] += wanted[i] * h.at(i, j);
    solve(factor, values);
    for (std::size_t i = 0; i < size; ++i)
      EXPECT_NEAR(values[i], wanted[i], 0.05) << size << " " << i;
  }
}

TEST(Matrix, WhatIsNotPositiveHasNoFactor) {
  Matrix h(2, 2);
  h.at(0, 0) = 1, h.at(0, 1) = h.at(1, 0) = 2, h.at(1, 1) = 1;
  EXPECT_FALSE(factorize(h));
}

TEST(Eigen, RebuildsTheMatrix) {
  Matrix h = moments(12, 5);
  EigenSystem e = eigenSystem(h);
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 12; ++k)
        sum += e.values[k] * e.vectors.at(k, i) * e.vectors.at(k, j);
      EXPECT_NEAR(sum, h.at(i, j), 1e-3 * std::fabs(h.at(0, 0)));
    }
}

/// e H e^T with e what rounding does to the weights.
static double errorOf(const Matrix &h, std::span<const float> weights,
                      float step, std::span<const int16_t> rounded) {
  double error = 0;
  for (std::size_t i = 0; i < weights.size(); ++i)
    for (std::size_t j = 0; j < weights.size(); ++j)
      error += (rounded[i] * double(step) - weights[i]) * h.at(i, j) *
               (rounded[j] * double(step) - weights[j]);
  return error;
}

TEST(ErrorFeedback, RoundsBetterThanToTheNearest) {
  constexpr std::size_t kTerms = 40;
  Matrix h = moments(kTerms, 6), w = randomMatrix(8, kTerms, 7);
  for (RoundingOrder order :
       {RoundingOrder::AsStored, RoundingOrder::StrongestFirst}) {
    auto feedback = ErrorFeedback::create(h, 0.01f, order);
    ASSERT_TRUE(feedback);
    double plain = 0, fed = 0;
    for (std::size_t o = 0; o < w.rows; ++o) {
      std::vector<int16_t> nearest, rounded(kTerms);
      for (float x : w.rowOf(o))
        nearest.push_back(int16_t(std::llround(x / 0.3f)));
      feedback->round({{w.rowOf(o), 0.3f, rounded}}, -7, 7);
      plain += errorOf(h, w.rowOf(o), 0.3f, nearest);
      fed += errorOf(h, w.rowOf(o), 0.3f, rounded);
      for (std::size_t i = 0; i < kTerms; ++i)
        EXPECT_LE(std::abs(rounded[i]), 7);
    }
    EXPECT_LT(fed, 0.5 * plain);
  }
}

TEST(ErrorFeedback, RoundsOutputsSideBySideAsOneAfterTheOther) {
  // More inputs than are carried together, and no whole number of outputs.
  constexpr std::size_t kTerms = 103, kOutputs = 7;
  auto feedback = ErrorFeedback::create(moments(kTerms, 6), 0.01f);
  ASSERT_TRUE(feedback);
  Matrix w = randomMatrix(kOutputs, kTerms, 7);
  std::vector<std::vector<int16_t>> alone(kOutputs), together(kOutputs);
  std::vector<ErrorFeedback::Output> outputs;
  for (std::size_t o = 0; o < kOutputs; ++o) {
    alone[o].resize(kTerms);
    together[o].resize(kTerms);
    float step = 0.1f + 0.05f * float(o);
    feedback->round({{w.rowOf(o), step, alone[o]}}, -7, 7);
    outputs.push_back({w.rowOf(o), step, together[o]});
  }
  feedback->round(outputs, -7, 7);
  EXPECT_EQ(alone, together);
}

TEST(ErrorFeedback, OfIndependentInputsIsRoundingToTheNearest) {
  Matrix h(5, 5);
  for (std::size_t i = 0; i < 5; ++i)
    h.at(i, i) = float(i + 1);
  auto feedback = ErrorFeedback::create(h, 0.01f);
  std::vector<float> weights{0.26f, -0.74f, 9, -9, 0};
  std::vector<int16_t> rounded(5);
  feedback->round({{weights, 0.5f, rounded}}, -7, 7);
  EXPECT_EQ(rounded, (std::vector<int16_t>{1, -1, 7, -7, 0}));
}

TEST(ErrorFeedback, TargetStaysWhereInputsAreTheSame) {
  Matrix h = moments(10, 8);
  auto feedback = ErrorFeedback::create(h, 0.01f);
  std::vector<float> weights{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, moved = weights;
  feedback->moveTarget(h, moved);
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_NEAR(moved[i], weights[i], 1e-2);
}

TEST(ErrorFeedback, TargetUndoesAFactorOfTheInputs) {
  // x' = 2 x: E[x x'^T] = 2 E[x x^T], E[x' x'^T] = 4 E[x x^T].
  Matrix h = moments(6, 9), cross(6, 6), second(6, 6);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      cross.at(i, j) = 2 * h.at(i, j), second.at(i, j) = 4 * h.at(i, j);
  auto feedback = ErrorFeedback::create(second, 0);
  std::vector<float> weights{2, -4, 6, -8, 10, -12};
  feedback->moveTarget(cross, weights);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(weights[i], (i % 2 ? -1.0 : 1.0) * double(i + 1), 1e-2);
}

TEST(ErrorFeedback, InputsThatAreAlwaysZeroHaveNone) {
  EXPECT_FALSE(ErrorFeedback::create(Matrix(4, 4), 0.01f));
}
