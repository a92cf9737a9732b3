//===- AccuracyOverRanksTest.cpp - Several processes as one ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/Accuracy.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Measuring.h"
#include "test/unit/quantizer/TestNetwork.h"
#include "test/unit/scores/ThreadRanks.h"

#include <bit>

using namespace yarrow;

static const char *const kClassifier = R"(
func.func @main() -> tensor<1x4xf32> {
  %x = compass.input() : () -> tensor<1x6xf32> loc("input")
  %y = compass.fully_connected(%x) {
    weights = dense<[[0.5, -0.25, 0.125, 0.9, -0.3, 0.2],
                     [0.75, 0.3, -0.9, 0.1, 0.4, -0.6],
                     [-0.2, 0.8, 0.35, -0.7, 0.15, 0.05],
                     [0.01, -0.4, 0.6, 0.33, -0.8, 0.7]]> : tensor<4x6xf32>,
    biases = dense<[0.1, -0.2, 0.05, 0.0]> : tensor<4xf32>
  } : (tensor<1x6xf32>) -> tensor<1x4xf32> loc("fc")
  return %y : tensor<1x4xf32>
})";

namespace {

constexpr std::size_t kSamples = 100;

NpyView classes() {
  auto values = std::make_shared<std::vector<int64_t>>();
  for (std::size_t i = 0; i < kSamples; ++i)
    values->push_back(int64_t(i * 7 % 4));
  return {NpyType::Int64, {kSamples}, kSamples, values->data(), values, "l"};
}

QuantizerOptions coarse() {
  QuantizerOptions options;
  options.global.weightBits = 4;
  // The same range for any number of samples in a run.
  options.global.activationStrategy = *CalibrationStrategy::parse("extrema");
  return options;
}

std::optional<AccuracyResult> measure(Ranks *ranks, DiagnosticEngine &diags,
                                      NpyView data,
                                      const char *network = kClassifier,
                                      bool hasClasses = true) {
  TestNetwork net(network);
  EXPECT_TRUE(net.quantize(coarse(), {normalSamples({8, 6}, 5)}))
      << net.problems();
  AccuracyTask task;
  task.floating = *net.original;
  task.integer = *net.module;
  task.data = {std::move(data)};
  if (hasClasses) {
    task.labels = {classes()};
    task.topK = {1, 2};
    ScoreProblem problem;
    task.scores.push_back(
        *ScoreRequest::read("TopKMetric", {"2"}, "", problem));
  }
  task.integersAreReal = true;
  task.ranks = ranks;
  return measureAccuracy(task, diags);
}

/// Every figure, to the last bit.
std::vector<uint64_t> bitsOf(const AccuracyResult &result) {
  std::vector<uint64_t> bits = {result.samples};
  auto add = [&](double v) { bits.push_back(std::bit_cast<uint64_t>(v)); };
  for (const AccuracyRow &row : result.rows) {
    for (double v : row.topPercent)
      add(v);
    for (double v : row.scores)
      add(v);
    for (const OutputDistance &output : row.outputs) {
      add(output.meanCosine);
      add(output.similarity.noiseSquares);
      add(output.similarity.dot);
    }
    if (row.agreement) {
      add(row.agreement->divergence);
      bits.insert(bits.end(), {row.agreement->agreed, row.agreement->lost,
                               row.agreement->won});
    }
  }
  return bits;
}

TEST(AccuracyOverRanks, IsThatOfOneProcess) {
  DiagnosticEngine diags;
  NpyView data = normalSamples({kSamples, 6});
  auto alone = measure(nullptr, diags, data);
  ASSERT_TRUE(alone);
  ASSERT_TRUE(alone->rows[1].agreement);
  EXPECT_GT(alone->rows[1].agreement->divergence, 0);
  EXPECT_EQ(alone->rows[1].agreement->samples, kSamples);
  // top1 of both differ by what was lost and won.
  const Agreement &a = *alone->rows[1].agreement;
  EXPECT_NEAR(alone->rows[1].topPercent[0] - alone->rows[0].topPercent[0],
              100 * (double(a.won) - double(a.lost)) / kSamples, 1e-9);
  for (std::size_t count : {2u, 3u, 8u}) {
    std::vector<std::optional<AccuracyResult>> results(count);
    onRanks(count, [&](Ranks &ranks) {
      DiagnosticEngine own;
      results[ranks.rank()] = measure(&ranks, own, data);
    });
    for (const auto &result : results) {
      ASSERT_TRUE(result) << count;
      EXPECT_EQ(bitsOf(*result), bitsOf(*alone)) << count;
      EXPECT_EQ(result->table(80), alone->table(80));
    }
  }
}

/// Without classes, the rows of all processes say that the output has answers.
TEST(AccuracyOverRanks, AnswersAreFoundInTheRowsOfAll) {
  DiagnosticEngine diags;
  NpyView data = normalSamples({kSamples, 6});
  auto alone = measure(nullptr, diags, data, kClassifier, /*hasClasses=*/false);
  ASSERT_TRUE(alone);
  ASSERT_TRUE(alone->rows[1].agreement);
  std::vector<std::optional<AccuracyResult>> results(3);
  onRanks(results.size(), [&](Ranks &ranks) {
    DiagnosticEngine own;
    results[ranks.rank()] =
        measure(&ranks, own, data, kClassifier, /*hasClasses=*/false);
  });
  for (const auto &result : results) {
    ASSERT_TRUE(result);
    EXPECT_EQ(bitsOf(*result), bitsOf(*alone));
  }
}

/// A network that takes four samples in a run counts each of them.
TEST(Accuracy, BatchesAreSamples) {
  DiagnosticEngine diags;
  NpyView data = normalSamples({kSamples, 6});
  auto one = measure(nullptr, diags, data);
  std::string batched = kClassifier;
  for (const char *shape : {"tensor<1x4xf32>", "tensor<1x6xf32>"})
    for (std::size_t at; (at = batched.find(shape)) != std::string::npos;)
      batched[at + 7] = '4';
  auto four = measure(nullptr, diags, data, batched.c_str());
  ASSERT_TRUE(one && four);
  EXPECT_EQ(four->samples, kSamples);
  for (std::size_t n = 0; n < 2; ++n) {
    EXPECT_EQ(four->rows[n].topPercent, one->rows[n].topPercent);
    EXPECT_EQ(four->rows[n].scores, one->rows[n].scores);
  }
  EXPECT_EQ(four->rows[1].agreement->agreed, one->rows[1].agreement->agreed);
  EXPECT_EQ(four->rows[1].agreement->lost, one->rows[1].agreement->lost);
  EXPECT_NEAR(four->rows[1].agreement->divergence,
              one->rows[1].agreement->divergence, 1e-12);
}

TEST(AccuracyOverRanks, ReportsOfAnotherThatHasStopped) {
  std::vector<DiagnosticEngine> diags(2);
  onRanks(2, [&](Ranks &ranks) {
    // The second one has other data, which do not fit.
    bool isFirst = ranks.isFirst();
    EXPECT_FALSE(measure(&ranks, diags[ranks.rank()],
                         normalSamples({kSamples, isFirst ? 6 : 5})));
  });
  ASSERT_EQ(diags[0].numErrors(), 1u);
  const Diagnostic &d = diags[0].all()[0];
  EXPECT_EQ(d.id, diag::RankStopped);
  EXPECT_EQ(diags[1].numErrors(), 1u);
  EXPECT_EQ(diags[1].all()[0].id, diag::TensorMismatch);
}

TEST(CalibrationOverRanks, IsThatOfOneProcess) {
  for (const char *strategy : {"mean", "3std", "kld"})
    for (unsigned batch : {1u, 7u, 100u}) {
      auto ranges = [&](Ranks *ranks) {
        TestNetwork net(kClassifier);
        QuantizerOptions options;
        options.calibrationBatchSize = batch;
        options.global.activationStrategy =
            *CalibrationStrategy::parse(strategy);
        auto c = Calibration::run(*net.module, {normalSamples({kSamples, 6})},
                                  options, {}, net.diags, ranks);
        EXPECT_TRUE(c) << net.problems();
        FloatRange range;
        if (c)
          range = c->range(net.find("fully_connected")->getResult(0), 8, true);
        return std::pair(std::bit_cast<uint32_t>(range.min),
                         std::bit_cast<uint32_t>(range.max));
      };
      auto alone = ranges(nullptr);
      onRanks(3, [&](Ranks &ranks) {
        EXPECT_EQ(ranges(&ranks), alone) << strategy << " " << batch;
      });
    }
}

} // namespace
