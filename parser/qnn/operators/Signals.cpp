//===- Signals.cpp - Transforms and correlations --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/operators/Formulas.h"
#include <bit>
#include <cmath>
#include <numbers>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Shape;
using graph::Tensor;

/// Above this many elements a matrix is a wrong length rather than a transform
/// that somebody would compile.
static constexpr std::int64_t kMostElements = std::int64_t(1) << 26;

namespace {
/// Lengths of a Stft.
struct Frames {
  std::int64_t images, length, count, step, frequencies;
};
} // namespace

static std::optional<Frames> framesOf(Formula &f) {
  OpReader &r = f.r;
  if (!f.expectDims(0, {-1, -1, 1}))
    return std::nullopt;
  std::int64_t signal = r.dims(0)[1],
               length =
                   r.scalar("frame_length",
                            r.has(1) ? graph::numElements(r.dims(1)) : signal);
  if (length < 1 || length > signal) {
    r.bad("frame_length is out of range", std::to_string(length),
          "1 to " + std::to_string(signal));
    return std::nullopt;
  }
  std::int64_t step = r.scalar("frame_step");
  Frames n{r.dims(0)[0], length, (signal - length) / step + 1, step,
           r.flag("onesided") ? length / 2 + 1 : length};
  if (2 * n.frequencies * length > kMostElements) {
    r.refuse("a frame of this length is not supported", std::to_string(length),
             "a matrix of up to " + std::to_string(kMostElements) +
                 " elements");
    return std::nullopt;
  }
  if (!f.expectDims(1, {length}) ||
      !f.expectOutput(0, {n.images, n.count, n.frequencies, 2}))
    return std::nullopt;
  return n;
}

/// cos and -sin of each frequency in turns, times the window if it is known:
/// [2 * frequencies, length].
static Tensor *fourierMatrix(Formula &f, const Frames &n,
                             const Tensor *window) {
  std::vector<float> values;
  for (std::int64_t k = 0; k < n.frequencies; ++k)
    for (bool isImaginary : {false, true})
      for (std::int64_t i = 0; i < n.length; ++i) {
        double angle =
            2 * std::numbers::pi * double(k * i % n.length) / double(n.length);
        double value = isImaginary ? -std::sin(angle) : std::cos(angle);
        if (window && window->constant)
          value *= window->constant->numberAt(i);
        values.push_back(float(value));
      }
  return f.numbers({2 * n.frequencies, n.length}, values);
}

bool qnn::readStft(OpReader &r) {
  Formula f(r, "stft");
  auto n = framesOf(f);
  if (!n)
    return false;
  std::vector<std::int64_t> places;
  for (std::int64_t frame = 0; frame < n->count; ++frame)
    for (std::int64_t i = 0; i < n->length; ++i)
      places.push_back(frame * n->step + i);
  Tensor *signal = f.movedTo(r.input(0), {n->images, r.dims(0)[1]});
  Tensor *frames =
      f.moved(signal, "Gather",
              {signal, f.integers({std::int64_t(places.size())}, places)},
              {{"axis", Attribute::of(std::int64_t(1))}});
  frames = f.movedTo(frames, {n->images * n->count, n->length});
  Tensor *window = f.real(1);
  if (window && !window->constant)
    frames = f.multiply(frames, window);
  f.write(f.reshaped(f.product(frames, fourierMatrix(f, *n, window)),
                     {n->images, n->count, n->frequencies, 2}),
          0);
  return true;
}

/// Rows in the natural order: row i has the sign (-1)^(ones of i & k).
bool qnn::readHadamardTransform(OpReader &r) {
  Formula f(r, "hadamard");
  if (r.rank(0) < 1)
    return r.bad("in[0] has no axes", dimsText(r.dims(0)), "1 or more");
  std::int64_t length = r.dims(0).back();
  if (length < 1 || !std::has_single_bit(std::uint64_t(length)) ||
      length * length > kMostElements)
    return r.refuse("a transform of this length is not supported",
                    std::to_string(length), "a power of 2, up to 8192");
  auto scale = float(r.real("scale"));
  std::vector<float> values;
  for (std::int64_t i = 0; i < length; ++i)
    for (std::int64_t k = 0; k < length; ++k)
      values.push_back(std::popcount(std::uint64_t(i & k)) % 2 ? -scale
                                                               : scale);
  Tensor *x =
      f.movedTo(r.input(0), {graph::numElements(r.dims(0)) / length, length});
  f.write(
      f.reshaped(f.product(x, f.numbers({length, length}, values)), r.dims(0)),
      0);
  return true;
}

/// All products of pixels of a row are one matrix, of which each displacement
/// reads a diagonal.
bool qnn::readCorrelation1D(OpReader &r) {
  Formula f(r, "correlation");
  if (!f.expectRank(0, 4, "[batch, height, width, depth]") ||
      !f.expectDims(1, r.dims(0)))
    return false;
  const Shape &dims = r.dims(0);
  std::int64_t displacement = r.scalar("displacement"),
               shift = r.scalar("shift"), depth = 2 * displacement + 1,
               rows = dims[0] * dims[1], width = dims[2];
  if (!f.expectOutput(0, {dims[0], dims[1], width, depth}))
    return false;
  if (rows * width * std::max(width, depth) > kMostElements)
    return r.refuse("a correlation of this shape is not supported",
                    dimsText(dims),
                    "up to " + std::to_string(kMostElements) + " products");
  Tensor *a = f.movedTo(r.input(0), {rows, width, dims[3]}),
         *b = f.movedTo(r.input(1), {rows, width, dims[3]});
  b = f.moved(b, "Transpose", {b},
              {{"perm", Attribute::of(std::vector<std::int64_t>{0, 2, 1})}});
  Tensor *products = f.of("MatMul", {a, b});
  std::vector<std::int64_t> places;
  std::vector<float> factors;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t w = 0; w < width; ++w)
      for (std::int64_t d = 0; d < depth; ++d) {
        std::int64_t other = w + d - (displacement - shift);
        bool isInside = other >= 0 && other < width;
        places.push_back(isInside ? other : 0);
        if (row == 0)
          factors.push_back(isInside ? float(1 / double(dims[3])) : 0);
      }
  Tensor *diagonals = f.of("GatherElements",
                           {products, f.integers({rows, width, depth}, places)},
                           {{"axis", Attribute::of(std::int64_t(2))}});
  f.write(
      f.reshaped(f.multiply(diagonals, f.numbers({1, width, depth}, factors)),
                 r.outputDims()),
      0);
  return true;
}
