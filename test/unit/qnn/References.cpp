//===- References.cpp - What QNN's definitions compute --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/qnn/References.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace yarrow;
using namespace yarrow::test;

static std::size_t countOf(const Dims &dims) {
  return std::size_t(std::accumulate(dims.begin(), dims.end(), std::int64_t(1),
                                     std::multiplies<>()));
}

static std::size_t placeOf(const Dims &dims, const Dims &index) {
  std::int64_t place = 0;
  for (std::size_t a = 0; a < dims.size(); ++a)
    place = place * dims[a] + index[a];
  return std::size_t(place);
}

Reference::Reference(Dims dims) : dims(std::move(dims)) {
  reals.assign(countOf(this->dims), 0.0);
}
double &Reference::at(const Dims &index) { return reals[placeOf(dims, index)]; }
double Reference::at(const Dims &index) const {
  return reals[placeOf(dims, index)];
}
bool Reference::has(const Dims &index) const {
  for (std::size_t a = 0; a < dims.size(); ++a)
    if (index[a] < 0 || index[a] >= dims[a])
      return false;
  return true;
}

void test::forEachIndex(const Dims &dims,
                        const std::function<void(const Dims &)> &fn) {
  Dims axes(dims.size());
  std::iota(axes.begin(), axes.end(), 0);
  forEachAlong(dims, axes, Dims(dims.size()), fn);
}

void test::forEachAlong(const Dims &dims, const Dims &axes, Dims at,
                        const std::function<void(const Dims &)> &fn) {
  if (axes.empty())
    return fn(at);
  Dims rest(axes.begin() + 1, axes.end());
  auto axis = std::size_t(axes[0]);
  for (at[axis] = 0; at[axis] < dims[axis]; ++at[axis])
    forEachAlong(dims, rest, at, fn);
}

/// Where cell \p k of window \p o lies along each axis.
static Dims placeIn(const Steps &s, const Dims &window, const Dims &cell,
                    const Dims &last) {
  Dims place = {window[0]};
  for (std::size_t a = 0; a < s.stride.size(); ++a)
    place.push_back(window[a + 1] * s.stride[a] - s.before[a] +
                    cell[a] * (s.dilation.empty() ? 1 : s.dilation[a]));
  place.insert(place.end(), last.begin(), last.end());
  return place;
}

static std::int64_t span(const Steps &s, std::int64_t kernel, std::size_t a) {
  return (kernel - 1) * (s.dilation.empty() ? 1 : s.dilation[a]) + 1;
}

Reference test::convolved(const Reference &x, const Reference &w,
                          const std::vector<double> &bias, const Steps &s) {
  std::size_t axes = s.stride.size();
  std::int64_t outputs = w.dims.back(), inputs = w.dims[axes];
  Dims kernel(w.dims.begin(), w.dims.begin() + std::ptrdiff_t(axes)), dims = {
    x.dims[0]
  };
  for (std::size_t a = 0; a < axes; ++a)
    dims.push_back(
        (s.before[a] + x.dims[a + 1] + s.after[a] - span(s, kernel[a], a)) /
            s.stride[a] +
        1);
  dims.push_back(outputs);
  Reference y(dims);
  forEachIndex(dims, [&](const Dims &o) {
    std::int64_t channel = o.back(),
                 first = channel / (outputs / s.group) * inputs;
    double sum = bias.empty() ? 0 : bias[std::size_t(channel)];
    forEachIndex(kernel, [&](const Dims &k) {
      for (std::int64_t i = 0; i < inputs; ++i) {
        Dims place = placeIn(s, o, k, {first + i}), at = k;
        at.insert(at.end(), {i, channel});
        if (x.has(place))
          sum += x.at(place) * w.at(at);
      }
    });
    y.at(o) = sum;
  });
  return y;
}

Reference test::convolvedBack(const Reference &x, const Reference &w,
                              const std::vector<double> &bias, const Steps &s,
                              const Dims &outputPadding) {
  std::size_t axes = s.stride.size();
  std::int64_t inputs = w.dims[axes], each = w.dims.back();
  Dims kernel(w.dims.begin(), w.dims.begin() + std::ptrdiff_t(axes)), dims = {
    x.dims[0]
  };
  for (std::size_t a = 0; a < axes; ++a)
    dims.push_back(s.stride[a] * (x.dims[a + 1] - 1) + span(s, kernel[a], a) -
                   s.before[a] - s.after[a] + outputPadding[a]);
  dims.push_back(each * s.group);
  Reference y(dims);
  for (std::size_t i = 0; !bias.empty() && i < y.reals.size(); ++i)
    y.reals[i] = bias[i % bias.size()];
  forEachIndex(x.dims, [&](const Dims &i) {
    std::int64_t group = i.back() / (inputs / s.group);
    forEachIndex(kernel, [&](const Dims &k) {
      for (std::int64_t o = 0; o < each; ++o) {
        Dims place = placeIn(s, i, k, {group * each + o}), at = k;
        at.insert(at.end(), {i.back(), o});
        if (y.has(place))
          y.at(place) += x.at(i) * w.at(at);
      }
    });
  });
  return y;
}

Reference test::pooled(const Reference &x, const Dims &filter, const Steps &s,
                       Pool how, bool countsPads, bool roundsUp) {
  Dims dims = {x.dims[0]};
  for (std::size_t a = 0; a < filter.size(); ++a) {
    double count =
        double(s.before[a] + x.dims[a + 1] + s.after[a] - filter[a]) /
            double(s.stride[a]) +
        1;
    dims.push_back(
        std::int64_t(roundsUp ? std::ceil(count) : std::floor(count)));
  }
  dims.push_back(x.dims.back());
  Reference y(dims);
  forEachIndex(dims, [&](const Dims &o) {
    double sum = 0, squares = 0, most = -INFINITY, cells = 0;
    forEachIndex(filter, [&](const Dims &k) {
      Dims place = placeIn(s, o, k, {o.back()});
      if (!x.has(place))
        return;
      double value = x.at(place);
      sum += value, squares += value * value, ++cells;
      most = std::max(most, value);
    });
    y.at(o) = how == Pool::Maximum         ? most
              : how == Pool::RootOfSquares ? std::sqrt(squares)
              : countsPads                 ? sum / double(countOf(filter))
                                           : sum / cells;
  });
  return y;
}

qnn::Encoding test::encodingFor(DataType type, double low, double high) {
  low = std::min(low, 0.0), high = std::max(high, 1e-3);
  auto [least, most] = Values{type}.range();
  auto scale = float((high - low) / (most - least));
  return scaleOffset(scale,
                     std::int32_t(std::nearbyint(low / double(scale)) - least));
}

qnn::Encoding test::encodingFor(DataType type, const Reference &y) {
  auto [low, high] = std::ranges::minmax(y.reals);
  return encodingFor(type, low, high);
}

void test::expectClose(const Values &found, const Reference &expected,
                       double tolerance) {
  ASSERT_EQ(found.numbers.size(), expected.reals.size());
  double largest = 1e-30, error = 0;
  for (std::size_t i = 0; i < expected.reals.size(); ++i) {
    largest = std::max(largest, std::abs(expected.reals[i]));
    double beside = std::abs(found.numbers[i] - expected.reals[i]);
    error = std::isnan(beside) ? INFINITY : std::max(error, beside);
  }
  EXPECT_LE(error, tolerance * largest);
}

Agreement test::agreementOf(const Values &found, const Reference &expected) {
  Agreement result;
  for (std::size_t i = 0; i < found.numbers.size(); ++i)
    result.add(found.numbers[i], found.stored(expected.reals[i], i));
  return result;
}

void test::expectEqual(const Values &found, const Reference &expected) {
  Agreement agreement = agreementOf(found, expected);
  EXPECT_EQ(agreement.total(), expected.reals.size());
  EXPECT_EQ(agreement.equal, agreement.total()) << agreement.text();
}

void test::expectWithinOne(const Values &found, const Reference &expected) {
  Agreement agreement = agreementOf(found, expected);
  EXPECT_EQ(agreement.total(), expected.reals.size());
  EXPECT_EQ(agreement.far, 0u) << agreement.text();
}
