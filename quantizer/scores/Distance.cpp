//===- Distance.cpp - How near outputs are to their labels ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/scores/Makers.h"
#include "quantizer/scores/MeanScore.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;

namespace {

using Values = std::span<const float>;

struct Cosine {
  double dot = 0, a = 0, b = 0;
  /// The shorter one goes on with zeros.
  void add(Values x, Values y) {
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
      dot += double(x[i]) * double(y[i]);
    for (float v : x)
      a += double(v) * double(v);
    for (float v : y)
      b += double(v) * double(v);
  }
  /// torch's: lengths below 1e-8 count as that.
  double value() const {
    return dot / (std::max(std::sqrt(a), 1e-8) * std::max(std::sqrt(b), 1e-8));
  }
  bool isZero() const { return a == 0 && b == 0; }
};

double cosineOf(Values x, Values y) {
  Cosine cosine;
  cosine.add(x, y);
  return cosine.value();
}

double largestError(Values x, Values y) {
  double largest = 0;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
    largest = std::max(largest, std::abs(double(x[i]) - double(y[i])));
  return largest;
}

/// All outputs and all labels as one vector each.
class JoinedCosine : public MeanScore {
public:
  std::string misfit(const ScoreContext &context) const override {
    return expectLabelsLikeOutputs(context);
  }
  std::vector<double> observe(const ScoredSample &sample) const override {
    Cosine cosine;
    for (std::size_t k = 0; k < sample.outputs.size(); ++k)
      cosine.add(sample.outputs[k].values, sample.labels[k].values);
    return {cosine.value()};
  }
};

/// A figure of each output.
class ByOutput : public MeanScore {
public:
  using Function = double (*)(const ScoredTensor &output,
                              const ScoredTensor &label);
  ByOutput(Function function, bool canBeShorter)
      : function(function), canBeShorter(canBeShorter) {}

  std::string misfit(const ScoreContext &context) const override {
    if (!canBeShorter)
      return expectLabelsLikeOutputs(context);
    return context.labels.size() == context.outputs.size()
               ? ""
               : "an array for each output";
  }
  std::vector<double> observe(const ScoredSample &sample) const override {
    std::vector<double> figures;
    for (std::size_t k = 0; k < sample.outputs.size(); ++k)
      figures.push_back(function(sample.outputs[k], sample.labels[k]));
    return figures;
  }
  std::vector<double> resultByOutput() const override { return meanOfEach(); }

private:
  Function function;
  bool canBeShorter;
};

double eachCosine(const ScoredTensor &x, const ScoredTensor &y) {
  Cosine cosine;
  cosine.add(x.values, y.values);
  return cosine.isZero() ? 1 : cosine.value();
}

/// Of a scalar there is no direction: whether it is the label.
double flattenCosine(const ScoredTensor &x, const ScoredTensor &y) {
  if (x.shape.empty() && !x.values.empty() && !y.values.empty())
    return double(x.values[0] == y.values[0]);
  return cosineOf(x.values, y.values);
}

double maxError(const ScoredTensor &x, const ScoredTensor &y) {
  return largestError(x.values, y.values);
}

/// Of the first steps of the first output, the first axis of a sample.
class OfSteps : public MeanScore {
public:
  using Function = double (*)(Values output, Values label);
  explicit OfSteps(Function function) : function(function) {}

  std::string misfit(const ScoreContext &context) const override {
    if (std::string problem = expectLengths(context); !problem.empty())
      return problem;
    const ScoreShape &output = context.outputs[0], &label = context.labels[0];
    bool fits = !output.empty() && std::equal(output.begin() + 1, output.end(),
                                              label.begin() + 1, label.end());
    return fits ? "" : "steps of the output's shape";
  }
  std::vector<double> observe(const ScoredSample &sample) const override {
    return {function(begin(sample.outputs[0], sample),
                     begin(sample.labels[0], sample))};
  }

private:
  static Values begin(const ScoredTensor &tensor, const ScoredSample &sample) {
    std::size_t steps = std::size_t(tensor.shape[0]);
    double wanted = sample.labels[1].values[0];
    double count = std::clamp(wanted, 0.0, double(steps));
    return steps ? tensor.values.first(std::size_t(count) *
                                       (tensor.values.size() / steps))
                 : tensor.values;
  }

  Function function;
};

} // namespace

std::unique_ptr<Score> scores::makeCosine(ScoreArguments &) {
  return std::make_unique<JoinedCosine>();
}
std::unique_ptr<Score> scores::makeEachCosine(ScoreArguments &) {
  return std::make_unique<ByOutput>(eachCosine, false);
}
std::unique_ptr<Score> scores::makeFlattenCosine(ScoreArguments &) {
  return std::make_unique<ByOutput>(flattenCosine, false);
}
std::unique_ptr<Score> scores::makeOpTestCosine(ScoreArguments &) {
  return std::make_unique<ByOutput>(flattenCosine, true);
}
std::unique_ptr<Score> scores::makeMaxError(ScoreArguments &) {
  return std::make_unique<ByOutput>(maxError, false);
}
std::unique_ptr<Score> scores::makeCosineOfSteps(ScoreArguments &) {
  return std::make_unique<OfSteps>(cosineOf);
}
std::unique_ptr<Score> scores::makeMaxErrorOfSteps(ScoreArguments &) {
  return std::make_unique<OfSteps>(largestError);
}
