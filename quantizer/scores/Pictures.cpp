//===- Pictures.cpp - Metrics of depths and of pictures -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/scores/Makers.h"
#include "quantizer/scores/MeanScore.h"
#include "quantizer/scores/Resize.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;

namespace {

/// Without axes of 1.
ScoreShape squeezed(std::span<const int64_t> shape) {
  ScoreShape result;
  for (int64_t size : shape)
    if (size != 1)
      result.push_back(size);
  return result;
}

class Rmse : public MeanScore {
public:
  std::string misfit(const ScoreContext &context) const override {
    if (squeezed(context.outputs[0]).size() != 2)
      return "an output [height,width] of depths";
    return !context.labels.empty() && squeezed(context.labels[0]).size() == 2
               ? ""
               : "labels [height,width] of depths";
  }
  std::vector<double> observe(const ScoredSample &sample) const override {
    ScoreShape from = squeezed(sample.outputs[0].shape),
               to = squeezed(sample.labels[0].shape);
    std::vector<float> depths = resized(
        {sample.outputs[0].values, std::size_t(from[0]), std::size_t(from[1])},
        std::size_t(to[0]), std::size_t(to[1]), Resize::Bicubic);
    double squares = 0;
    for (std::size_t i = 0; i < depths.size(); ++i) {
      double error =
          double(depths[i]) - double(sample.labels[0].values[i]) / 1000;
      squares += error * error;
    }
    return {std::sqrt(squares / double(depths.size()))};
  }
};

/// Bright pixels of a label are Y, or Y, V, U; a network gives Y alone then.
class Psnr : public Score {
public:
  std::string misfit(const ScoreContext &context) const override {
    const ScoreShape &output = context.outputs[0];
    if (output.size() != 3)
      return "an output [height,width,channels]";
    if (context.labels.empty() || context.labels[0].size() != 3)
      return "labels [height,width,channels]";
    std::size_t pixels = countOf(context.labels[0]);
    if (context.labels[0][2] == 3)
      pixels /= 3;
    return context.labels[0][2] != 2 && pixels == countOf(output)
               ? ""
               : "labels of the output's size, with one channel or with three";
  }
  std::vector<double> observe(const ScoredSample &sample) const override {
    std::vector<double> x = pixelsOf(sample.outputs[0]), y;
    std::span<const float> label = sample.labels[0].values;
    if (sample.labels[0].shape[2] == 3) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        double red = 1.4075 * (double(label[3 * i + 1]) - 128);
        x[i] += red;
        y.push_back(double(label[3 * i]) + red);
      }
    } else {
      y.assign(label.begin(), label.end());
    }
    double dot = 0, xx = 0, yy = 0, squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      double a = std::clamp(x[i], 0.0, 255.0), b = std::clamp(y[i], 0.0, 255.0);
      dot += a * b;
      xx += a * a;
      yy += b * b;
      squares += (a - b) * (a - b);
    }
    double mse = squares / double(sample.labels[0].shape[0]) /
                 double(sample.labels[0].shape[1]);
    double cosine =
        dot / (std::max(std::sqrt(xx), 1e-8) * std::max(std::sqrt(yy), 1e-8));
    return {10 * std::log10(255.0 * 255.0 / mse), cosine};
  }
  void add(std::span<const double> observation) override {
    decibels += observation[0];
    cosines += observation[1];
    ++count;
  }
  std::optional<double> result(DiagnosticEngine &) override {
    double mean = decibels / double(count);
    double factor = mean < 10 ? 0.1 : mean < 20 ? 0.85 : 1.0;
    return factor * cosines / double(count);
  }

private:
  /// Channels first, of 0 to 1, as networks of torch give them: turned around.
  static std::vector<double> pixelsOf(const ScoredTensor &output) {
    std::vector<double> pixels(output.values.begin(), output.values.end());
    if (output.shape[0] >= 4)
      return pixels;
    std::size_t channels = std::size_t(output.shape[0]),
                size = pixels.size() / channels;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t c = 0; c < channels; ++c)
        pixels[i * channels + c] =
            std::clamp(double(output.values[c * size + i]) * 255, 0.0, 255.0);
    return pixels;
  }

  double decibels = 0, cosines = 0;
  std::size_t count = 0;
};

class Delta1 : public MeanScore {
public:
  std::string misfit(const ScoreContext &context) const override {
    return expectLabel(context, countOf(context.outputs[0]));
  }
  std::vector<double> observe(const ScoredSample &sample) const override {
    std::size_t near = 0, count = 0;
    for (std::size_t i = 0; i < sample.outputs[0].values.size(); ++i) {
      double p = sample.outputs[0].values[i], t = sample.labels[0].values[i];
      if (!(t > 0 || p > 0))
        continue;
      ++count;
      near += std::max(p / t, t / p) < 1.25;
    }
    return {double(near) / double(count)};
  }
};

} // namespace

std::unique_ptr<Score> scores::makeRmse(ScoreArguments &) {
  return std::make_unique<Rmse>();
}
std::unique_ptr<Score> scores::makePsnr(ScoreArguments &) {
  return std::make_unique<Psnr>();
}
std::unique_ptr<Score> scores::makeDelta1(ScoreArguments &) {
  return std::make_unique<Delta1>();
}
