//===- Findings.cpp - Common causes of a lost accuracy --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/diagnose/Findings.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/graph/Graphs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "support/Format.h"
#include "support/diagnostics/Quantizer.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;

/// Shares of clipped values: in a few layers or many, and of scores.
static constexpr double kMuchClipped = 0.01, kScoresClipped = 0.01;
/// Decibels that a strategy may lose against extrema.
static constexpr double kRuinedDb = 3;
/// A batch from which on the average of ranges is a range.
static constexpr std::size_t kGoodBatch = 32;

bool yarrow::isSuspect(const CalibrationStrategy &strategy) {
  using Kind = CalibrationStrategy::Kind;
  return strategy.kind != Kind::Extrema && strategy.kind != Kind::InIr &&
         strategy.kind != Kind::Mean;
}

namespace {

class Causes {
public:
  explicit Causes(const Symptoms &symptoms) : symptoms(symptoms) {}

  std::vector<Finding> find() {
    findSingleSamples();
    findRuinousStrategy();
    findClippedClassifier();
    findPictures();
    return std::move(findings);
  }

private:
  void findSingleSamples() {
    std::size_t clipped = 0;
    const TensorMetric *worst = nullptr;
    for (const TensorMetric &layer : symptoms.layers) {
      clipped += layer.clippedShare() >= kMuchClipped;
      if (!worst || layer.clippedShare() > worst->clippedShare())
        worst = &layer;
    }
    bool isMean = symptoms.strategy.kind == CalibrationStrategy::Kind::Mean;
    if (!isMean || symptoms.batchSize != 1 || !clipped)
      return;
    add(diag::QuantSingleSampleRanges,
        "ranges are the mean of single samples (calibration_batch_size = 1): " +
            std::to_string(clipped) +
            (clipped == 1 ? " layer loses" : " layers lose") +
            " 1 % of the values or more, " + worst->layer + " " +
            formatFixed(100 * worst->clippedShare(), 1) + " %",
        "calibration_batch_size", std::to_string(kGoodBatch),
        ", or ranges by extrema");
  }

  void findRuinousStrategy() {
    double now = outputSqnrDb(symptoms.layers);
    if (!symptoms.extremaSqnrDb || *symptoms.extremaSqnrDb < now + kRuinedDb)
      return;
    add(diag::QuantRuinousStrategy,
        "ranges by " + symptoms.strategy.str() + " cost " +
            formatFixed(*symptoms.extremaSqnrDb - now, 1) +
            " dB at the outputs: " + formatFixed(now, 1) +
            " dB, with extrema " + formatFixed(*symptoms.extremaSqnrDb, 1),
        "calibration_strategy_for_activation", "extrema");
  }

  /// Scores of an answer that is sure are the largest: to clip them makes sure
  /// answers alike.
  void findClippedClassifier() {
    for (const TensorMetric &layer : symptoms.layers)
      if (layer.isOutput && layer.clippedShare() >= kScoresClipped &&
          layer.layerId >= 0) {
        std::string id = std::to_string(layer.layerId);
        add(diag::QuantClippedScores,
            "output " + layer.layer + " clips " +
                formatFixed(100 * layer.clippedShare(), 1) +
                " % of its values, the largest ones",
            "calibration_strategy_for_activation",
            symptoms.strategy.str() + " & <[(" + id + "," + id + ")]:extrema>");
      }
  }

  /// Numbers from 0 to 255 that drown the biases of the first layer. A
  /// network that wants such pictures has small weights in that layer, for its
  /// sums to be of its biases' size.
  void findPictures() {
    for (const NpyView &array : symptoms.samples)
      if (!isPicture(array))
        return;
    constexpr double kDrowned = 20;
    mlir::Operation *first = firstWeighted();
    auto biases = first ? tensorKey(first, keys::biases) : mlir::ElementsAttr();
    auto view = biases ? viewConstant(biases) : std::nullopt;
    if (!view || symptoms.samples.empty())
      return;
    double squares = 0;
    for (int64_t i = 0; i < view->numElements(); ++i)
      squares += view->floatAt(i) * view->floatAt(i);
    double bias = std::sqrt(squares / double(view->numElements()));
    std::string tensor = tensorNameOf(first->getResult(0));
    for (const TensorMetric &layer : symptoms.layers) {
      if (layer.tensor != tensor || !layer.similarity.count)
        continue;
      double sum = std::sqrt(layer.similarity.signalSquares /
                             double(layer.similarity.count));
      if (bias > 0 && sum > kDrowned * bias)
        add(diag::QuantRawPictures,
            "the samples are numbers from 0 to 255, and the sums of " +
                layer.layer + " are " + formatFixed(sum / bias, 0) +
                " times its biases: does the network need normalised pictures?",
            "", "",
            "give samples as in training, such as (x - mean) / deviation; "
            "--mean and --scale normalise pictures");
    }
  }

  /// Also of floats: a picture that was resized has any numbers.
  static bool isPicture(const NpyView &array) {
    constexpr std::size_t kLooked = 1 << 20;
    if (array.type == NpyType::UInt8)
      return true;
    std::vector<float> values = array.toFloats();
    values.resize(std::min(values.size(), kLooked));
    float largest = 0;
    for (float x : values) {
      if (!(x >= 0 && x <= 255))
        return false;
      largest = std::max(largest, x);
    }
    return largest > 127;
  }

  mlir::Operation *firstWeighted() const {
    mlir::ModuleOp floating = symptoms.floating;
    for (mlir::Operation &op : mainGraph(floating).getBody().front())
      if (op.getNumOperands() && op.getNumResults() &&
          tensorKey(&op, keys::weights))
        return &op;
    return nullptr;
  }

  void add(DiagId id, std::string what, std::string key, std::string value,
           std::string advice = "") {
    findings.push_back({id, std::move(what), std::move(key), std::move(value),
                        std::move(advice)});
  }

  const Symptoms &symptoms;
  std::vector<Finding> findings;
};

} // namespace

std::vector<Finding> yarrow::findCauses(const Symptoms &symptoms) {
  return Causes(symptoms).find();
}

void yarrow::reportFindings(const std::vector<Finding> &findings,
                            SettingStyle style,
                            yarrow::DiagnosticEngine &diags) {
  for (const Finding &finding : findings)
    diags.report(finding.id, {}, finding.what).hint(finding.remedy(style));
}
