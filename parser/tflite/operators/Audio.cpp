//===- Audio.cpp - Spectrograms and their coefficients --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// TensorFlow's AudioSpectrogram and Mfcc, in front of networks that listen, as
// products with constants: a window's Fourier transform is a convolution over
// the samples, mel bands and their cosine transform are matrices.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/Expressions.h"
#include "parser/tflite/FlexMap.h"
#include "parser/tflite/OperatorReader.h"
#include <algorithm>
#include <cmath>
#include <numbers>

using namespace yarrow;
using namespace yarrow::tflite;
using graph::Attribute;
using graph::Constant;
using graph::Expressions;
using graph::Node;
using graph::Tensor;

namespace {

/// A number of the options from \p least to \p most, \p fallback if it is not
/// there; nullopt, and told, if it is none of these.
std::optional<double> option(OperatorReader &r, const FlexMap &map,
                             const char *key, double fallback, double least,
                             double most) {
  double value = map.number(key).value_or(fallback);
  if (value >= least && value <= most)
    return value;
  r.bad(std::string("the option ") + key + " has an invalid value",
        std::to_string(value),
        std::to_string(least) + " to " + std::to_string(most));
  return std::nullopt;
}

/// Samples are weighted by a raised cosine, and zeros fill them up to a power
/// of 2: [real and imaginary parts of all frequencies, window].
std::vector<float> fourier(std::int64_t window, std::int64_t length) {
  std::int64_t bins = length / 2 + 1;
  std::vector<float> weights;
  weights.reserve(std::size_t(2 * bins * window));
  constexpr double kTurn = 2 * std::numbers::pi;
  for (bool isReal : {true, false})
    for (std::int64_t bin = 0; bin < bins; ++bin)
      for (std::int64_t i = 0; i < window; ++i) {
        double angle = kTurn * double(bin * i % length) / double(length);
        double raised =
            0.5 - 0.5 * std::cos(kTurn * double(i) / double(window));
        weights.push_back(
            float(raised * (isReal ? std::cos(angle) : std::sin(angle))));
      }
  return weights;
}

/// How loud a frequency is in the mel scale.
double mel(double frequency) { return 1127 * std::log1p(frequency / 700); }

/// [bins, bands]: each frequency is shared by the two bands beside it.
std::vector<float> melBands(std::int64_t bins, std::int64_t bands, double low,
                            double high, double sampleRate) {
  double lowest = mel(low), spacing = (mel(high) - lowest) / double(bands + 1);
  auto centre = [&](std::int64_t band) {
    return lowest + spacing * double(band + 1);
  };
  double perBin = 0.5 * sampleRate / double(bins - 1);
  auto first = std::int64_t(1.5 + low / perBin),
       last = std::min(std::int64_t(high / perBin), bins - 1);
  std::vector<float> weights(std::size_t(bins * bands));
  std::int64_t above = 0; // the first band whose centre is not below
  for (std::int64_t bin = first; bin <= last; ++bin) {
    double place = mel(double(bin) * perBin);
    while (above < bands && centre(above) < place)
      ++above;
    std::int64_t below = above - 1;
    // centre(-1) is the lowest.
    double share = (centre(above) - place) / (centre(above) - centre(below));
    auto *row = &weights[std::size_t(bin * bands)];
    if (below >= 0)
      row[below] += float(share);
    if (above < bands)
      row[above] += float(1 - share);
  }
  return weights;
}

/// [bands, count]
std::vector<float> cosines(std::int64_t bands, std::int64_t count) {
  double norm = std::sqrt(2.0 / double(bands));
  std::vector<float> weights;
  for (std::int64_t band = 0; band < bands; ++band)
    for (std::int64_t i = 0; i < count; ++i)
      weights.push_back(
          float(norm * std::cos(std::numbers::pi / double(bands) * double(i) *
                                (double(band) + 0.5))));
  return weights;
}

} // namespace

/// [samples, 1]: [1, windows, frequencies].
bool tflite::readAudioSpectrogram(OperatorReader &r) {
  if (!r.checkCounts(1, 1))
    return false;
  const graph::Shape &shape = r.input(0)->declaredShape;
  if (shape.size() != 2 || shape[1] != 1)
    return r.refuse("several channels are not supported",
                    std::to_string(shape.empty() ? 0 : shape.back()) +
                        " channels",
                    "samples of one channel, [samples,1]");
  FlexMap map(r.customOptions);
  constexpr double kMost = 1 << 14;
  auto window = option(r, map, "window_size", 0, 2, kMost),
       stride = option(r, map, "stride", 0, 1, kMost);
  if (!window || !stride)
    return false;
  std::int64_t taps = std::int64_t(*window), length = 2;
  while (length < taps)
    length *= 2;
  std::int64_t bins = length / 2 + 1;
  Expressions e(r, "spectrum");
  Tensor *samples =
      e.of("Reshape", {r.input(0), r.integers("image", {1, -1, 1, 1})});
  Tensor *parts = r.between("parts");
  Node &node =
      r.add("Conv2D",
            {samples, r.constant("transform",
                                 Constant::ofFloats({2 * bins, taps, 1, 1},
                                                    fourier(taps, length)))},
            {parts});
  node.domain = kDomain;
  constexpr std::int64_t kValid = 1;
  node.attributes["padding"] = Attribute::of(kValid);
  node.attributes["stride_h"] = Attribute::of(std::int64_t(*stride));
  node.attributes["stride_w"] = Attribute::of(std::int64_t(1));
  // [1, windows, 1, real and imaginary parts]
  Tensor *pairs =
      e.of("Reshape", {parts, r.integers("pairs", {1, -1, 2, bins})});
  Tensor *squares = e.of("Mul", {pairs, pairs});
  Tensor *power = e.of("ReduceSum", {squares, r.integers("axis", {2})},
                       {{"keepdims", Attribute::of(std::int64_t(0))}});
  bool isSquared = map.number("magnitude_squared").value_or(0) != 0;
  r.add(isSquared ? "Identity" : "Sqrt", {power}, {r.output(0)});
  return true;
}

/// Squares of magnitudes [1, windows, frequencies] and the samples of a second:
/// [1, windows, coefficients].
bool tflite::readMfcc(OperatorReader &r) {
  if (!r.checkCounts(2, 2))
    return false;
  auto rate = r.integerOf(1, "the rate of samples");
  if (!rate)
    return false;
  std::int64_t bins =
      r.input(0)->declaredShape.empty() ? 0 : r.input(0)->declaredShape.back();
  constexpr std::int64_t kMostBins = 1 << 14;
  if (*rate < 1 || bins < 2 || bins > kMostBins)
    return r.bad("the spectrogram has no frequencies",
                 std::to_string(bins) + ", " + std::to_string(*rate) +
                     " samples per second",
                 "2 to " + std::to_string(kMostBins));
  FlexMap map(r.customOptions);
  constexpr double kMostBands = 1024, kMostFrequency = 1e9;
  auto high = option(r, map, "upper_frequency_limit", 4000, 1, kMostFrequency),
       low = option(r, map, "lower_frequency_limit", 20, 0, kMostFrequency),
       bands = option(r, map, "filterbank_channel_count", 40, 1, kMostBands),
       count = option(r, map, "dct_coefficient_count", 13, 1,
                      bands.value_or(kMostBands));
  if (!high || !low || !bands || !count)
    return false;
  if (!(*low < *high))
    return r.bad("the limits of frequencies are not valid",
                 std::to_string(*low), "less than " + std::to_string(*high));
  auto rows = std::int64_t(*bands), results = std::int64_t(*count);
  constexpr float kQuietest = 1e-12f;
  Expressions e(r, "mel");
  Tensor *magnitudes = e.of("Sqrt", {r.input(0)});
  Tensor *loud = e.of(
      "MatMul",
      {magnitudes,
       r.constant("bands", Constant::ofFloats({bins, rows},
                                              melBands(bins, rows, *low, *high,
                                                       double(*rate))))});
  Tensor *logarithms =
      e.of("Log", {e.of("Max", {loud, r.number("quietest", kQuietest)})});
  r.add("MatMul",
        {logarithms,
         r.constant("cosines", Constant::ofFloats({rows, results},
                                                  cosines(rows, results)))},
        {r.output(0)});
  return true;
}
