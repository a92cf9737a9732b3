//===- Spectra.cpp - Fourier transforms -----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A transform of a fixed length is a product with a constant matrix; one of
// frames that overlap is a convolution.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include <cmath>
#include <numeric>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;

/// Weights that a matrix may have.
constexpr int64_t kMostDftWeights = 1 << 26;

namespace {
/// A transform of \p length values, of which \p bins results are taken.
struct Transform {
  int64_t length, bins;
  bool isInverse = false;

  /// What part \p from (0: real, 1: imaginary) of value \p k adds to part
  /// \p to of result \p bin.
  double weight(int64_t bin, int64_t k, int64_t to, int64_t from) const {
    // The remainder keeps the angle exact.
    double angle =
        2 * M_PI * double(bin * k % length) / double(length) * sign();
    double scale = isInverse ? 1 / double(length) : 1;
    if (to == from)
      return std::cos(angle) * scale;
    return (to == 1 ? std::sin(angle) : -std::sin(angle)) * scale;
  }

private:
  double sign() const { return isInverse ? 1 : -1; }
};
} // namespace

/// A length that input \p i gives; \p fallback without one.
static FailureOr<int64_t> lengthOf(NodeEmitter &n, size_t i, int64_t fallback) {
  if (!n.has(i))
    return fallback;
  auto given = n.integers(i, "the length");
  if (failed(given))
    return failure();
  if (given->size() != 1 || given->front() < 1 ||
      given->front() > kMostDftWeights)
    return n.bad("the length is out of range", shapeText(*given),
                 "one number above 0");
  return given->front();
}

/// Reports a signal whose last axis has not one real part, or both.
static LogicalResult checkParts(NodeEmitter &n) {
  if (!n.isFloat(0))
    return n.bad("the signal is not of floats",
                 compass::dtypeName(irElement(n.type(0))).str(), "floats");
  // A signal without an axis of parts is real: exporters leave it out.
  bool mayLackParts = n.node.op == "STFT" && n.rank(0) == 2;
  if (mayLackParts ||
      (n.rank(0) >= 2 && (n.shape(0).back() == 1 || n.shape(0).back() == 2)))
    return success();
  return n.bad("the signal has a wrong shape", shapeText(n.shape(0)),
               "[..., 1] or [..., 2]");
}

LogicalResult graph::emitDft(NodeEmitter &n) {
  if (failed(checkParts(n)))
    return failure();
  int64_t given = n.node.integer("axis", 1);
  if (n.has(2)) {
    auto axis = n.integers(2, "the axis");
    if (failed(axis))
      return failure();
    given = axis->empty() ? -2 : axis->front();
  } else if (n.node.version >= 20) {
    given = -2;
  }
  auto axis = n.wrapped(given, n.rank(0));
  if (failed(axis))
    return failure();
  if (*axis == n.rank(0) - 1)
    return n.bad(
        "the axis is the last one, which holds real and imaginary parts",
        std::to_string(given), "an axis before the last one");
  int64_t have = n.shape(0)[size_t(*axis)], parts = n.shape(0).back();
  auto length = lengthOf(n, 1, have);
  if (failed(length))
    return failure();
  bool isOneSided = n.node.integer("onesided", 0) != 0;
  Transform t{*length, isOneSided ? *length / 2 + 1 : *length,
              n.node.integer("inverse", 0) != 0};
  if (isOneSided && t.isInverse)
    return n.refuse("an inverse one-sided transform is not supported",
                    "inverse and onesided", "one of the two");
  if (have * parts > kMostDftWeights / (2 * t.bins))
    return n.refuse("this length is not supported", std::to_string(have),
                    "at most " + std::to_string(kMostDftWeights) + " weights");
  std::vector<float> weights;
  for (int64_t bin = 0; bin < t.bins; ++bin)
    for (int64_t to = 0; to < 2; ++to)
      for (int64_t k = 0; k < have; ++k)
        for (int64_t from = 0; from < parts; ++from)
          // Beyond the length values are left out, up to it they are zeros.
          weights.push_back(k < *length ? float(t.weight(bin, k, to, from))
                                        : 0.0f);
  // The axis stands before the parts.
  std::vector<int64_t> perm(size_t(n.rank(0)));
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[size_t(*axis)], perm[perm.size() - 2]);
  Value x = n.build.transpose(n.plain(0), perm);
  if (!x)
    return failure();
  Shape shape(shapeOf(x).begin(), shapeOf(x).end());
  x = n.build.reshape(x, {numElements(shape) / (have * parts), have * parts});
  Value y = n.layer(
      "FullyConnected", {x},
      {{"weights", n.build.floats({2 * t.bins, have * parts}, weights)},
       {"biases", n.build.floats({2 * t.bins},
                                 std::vector<float>(size_t(2 * t.bins), 0.0f))},
       {"num_output", 2 * t.bins}});
  shape[shape.size() - 2] = t.bins;
  shape.back() = 2;
  return n.out(0, n.build.transpose(n.build.reshape(y, shape), perm));
}

/// Frames of a signal, times a window, transformed: a filter for each part of
/// each result.
LogicalResult graph::emitStft(NodeEmitter &n) {
  if (failed(checkParts(n)))
    return failure();
  auto step = lengthOf(n, 1, 1);
  auto length = lengthOf(n, 3, n.has(2) ? numElements(n.shape(2)) : 0);
  if (failed(step) || failed(length))
    return failure();
  std::vector<double> window(size_t(std::max<int64_t>(*length, 0)), 1.0);
  if (n.has(2)) {
    auto given = n.numbers(2, "the window");
    if (failed(given))
      return failure();
    window = *given;
  }
  int64_t batch = n.shape(0)[0], samples = n.shape(0)[1],
          parts = n.rank(0) == 2 ? 1 : n.shape(0).back();
  if (n.rank(0) > 3 || *length < 1 || *length > samples ||
      int64_t(window.size()) != *length)
    return n.bad("signal, window and frames do not match",
                 shapeText(n.shape(0)) + ", a window of " +
                     std::to_string(window.size()) + ", frames of " +
                     std::to_string(*length),
                 "[batch, samples, 1 or 2], frames as long as the window");
  bool isOneSided = n.node.integer("onesided", 1) != 0;
  Transform t{*length, isOneSided ? *length / 2 + 1 : *length};
  if (*length * parts > kMostDftWeights / (2 * t.bins))
    return n.refuse("this length is not supported", std::to_string(*length),
                    "at most " + std::to_string(kMostDftWeights) + " weights");
  std::vector<float> weights;
  for (int64_t bin = 0; bin < t.bins; ++bin)
    for (int64_t to = 0; to < 2; ++to)
      for (int64_t k = 0; k < *length; ++k)
        for (int64_t from = 0; from < parts; ++from)
          weights.push_back(
              float(t.weight(bin, k, to, from) * window[size_t(k)]));
  int64_t outputs = 2 * t.bins, frames = (samples - *length) / *step + 1;
  Value x = n.build.reshape(n.plain(0), {batch, 1, samples, parts});
  Value y = n.layer(
      "Convolution", {x},
      {{"weights", n.build.floats({outputs, 1, *length, parts}, weights)},
       {"biases",
        n.build.floats({outputs}, std::vector<float>(size_t(outputs), 0.0f))},
       {"num_output", outputs},
       {"kernel_y", 1},
       {"kernel_x", *length},
       {"stride_y", 1},
       {"stride_x", *step},
       {"dilation_y", 1},
       {"dilation_x", 1},
       {"pad_top", 0},
       {"pad_bottom", 0},
       {"pad_left", 0},
       {"pad_right", 0},
       {"group", 1}});
  return n.out(0, n.build.reshape(y, {batch, frames, t.bins, 2}));
}

/// Triangles over the bins of a spectrum, whose corners are equally far apart
/// on the mel scale.
LogicalResult graph::emitMelWeights(NodeEmitter &n) {
  double given[5];
  for (size_t i = 0; i < 5; ++i) {
    auto values = n.numbers(i, "a parameter");
    if (failed(values))
      return failure();
    if (values->size() != 1)
      return n.bad("a parameter is not a single number", shapeText(n.shape(i)),
                   "one value");
    given[i] = values->front();
  }
  auto [bands, length, rate, lower, upper] = given;
  if (!(bands >= 1 && bands <= 1 << 16 && length >= 1 && length <= 1 << 20 &&
        rate > 0 && lower >= 0 && upper >= lower && upper <= rate))
    return n.bad("the parameters are out of range",
                 std::to_string(bands) + " bands, a transform of " +
                     std::to_string(length),
                 "bands and lengths above 0, edges within the rate");
  auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  auto count = int64_t(bands), bins = int64_t(length) / 2 + 1;
  double step = (mel(upper) - mel(lower)) / double(count + 2);
  std::vector<int64_t> corners;
  for (int64_t i = 0; i < count + 2; ++i) {
    double hertz =
        700 * (std::pow(10, (double(i) * step + mel(lower)) / 2595) - 1);
    corners.push_back(
        std::min(int64_t(std::floor((length + 1) * hertz / rate)), bins - 1));
  }
  std::vector<float> weights(size_t(bins * count), 0.0f);
  for (int64_t i = 0; i < count; ++i) {
    auto at = [&](int64_t bin) -> float & {
      return weights[size_t(bin * count + i)];
    };
    int64_t first = corners[size_t(i)], middle = corners[size_t(i + 1)],
            last = corners[size_t(i + 2)];
    at(middle) = 1;
    for (int64_t j = first; j < middle; ++j)
      at(j) = float(j - first) / float(middle - first);
    for (int64_t j = middle; j < last; ++j)
      at(j) = float(last - j) / float(last - middle);
  }
  return n.outConstant(0, Constant::ofFloats({bins, count}, weights));
}
