//===- SignalsTest.cpp - Transforms, windows as columns, masks of QNN -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Expected values follow from the definitions, in double precision.
//
//===----------------------------------------------------------------------===//
#include "test/unit/qnn/Numbers.h"
#include <limits>
#include <numbers>

using namespace yarrow;
using namespace yarrow::test;

namespace {

struct StftForm {
  std::int64_t batch = 2, signal = 12, frame = 8, step = 2;
  bool isOneSided = true, statesLength = true;
  enum { None, Constant, Input } window = None;
};

/// Of fixed point within a step.
void expectStft(const StftForm &s, DataType type = kReal) {
  Random random(std::uint64_t(s.frame));
  OneNode net("Stft");
  Values x = randomReals(random, {s.batch, s.signal, 1}, -1, 1, type),
         window = randomReals(random, {s.frame}, 0, 1, type);
  net.input(x);
  if (s.window == StftForm::Constant)
    net.constant(window);
  else if (s.window == StftForm::Input)
    net.input(window);
  net.param("frame_step", double(s.step)).flag("onesided", s.isOneSided);
  if (s.statesLength)
    net.param("frame_length", double(s.frame));
  std::int64_t frames = (s.signal - s.frame) / s.step + 1,
               bins = s.isOneSided ? s.frame / 2 + 1 : s.frame;
  Reals reals = x.reals(), weights = window.reals();
  Reference expected(Dims{s.batch, frames, bins, 2});
  forEachIndex(expected.dims, [&](const Dims &at) {
    double sum = 0;
    for (std::int64_t i = 0; i < s.frame; ++i) {
      double angle =
                 -2 * std::numbers::pi * double(at[2] * i) / double(s.frame),
             value = reals[std::size_t(at[0] * s.signal + at[1] * s.step + i)];
      if (s.window != StftForm::None)
        value *= weights[std::size_t(i)];
      sum += value * (at[3] ? std::sin(angle) : std::cos(angle));
    }
    expected.at(at) = sum;
  });
  if (type == kReal) {
    net.output(kReal, expected.dims);
    expectNear(net.run(), expected.reals);
  } else {
    net.output(type, expected.dims, encodingFor(type, expected));
    expectWithinOne(net.run(), expected);
  }
}

} // namespace

TEST(QnnSignals, StftIsTheFourierTransformOfFrames) {
  expectStft({});
  expectStft({.frame = 7, .step = 3, .isOneSided = false});
  expectStft({.window = StftForm::Constant});
  expectStft(
      {.isOneSided = false, .statesLength = false, .window = StftForm::Input});
  expectStft({.frame = 12, .statesLength = false});
  expectStft({}, kByte);
  expectStft({.window = StftForm::Constant}, kByte);
  expectStft({.statesLength = false, .window = StftForm::Input}, kByte);
}

TEST(QnnSignals, HadamardMatricesDouble) {
  Random random(1);
  for (std::int64_t length : {1, 2, 8}) {
    // H(2n) = [[H, H], [H, -H]]
    std::vector<Reals> h = {{1}};
    while (std::int64_t(h.size()) < length) {
      std::vector<Reals> twice;
      for (bool isLower : {false, true})
        for (const Reals &row : h) {
          twice.push_back(row);
          for (double v : row)
            twice.back().push_back(isLower ? -v : v);
        }
      h = twice;
    }
    for (DataType type : {kReal, kByte}) {
      OneNode net("HadamardTransform");
      Values x = randomReals(random, {3, 2, length}, -2, 2, type);
      net.input(x).real("scale", 0.5);
      Reals reals = x.reals();
      Reference expected(x.dims, {});
      for (std::size_t row = 0; row < 6; ++row)
        for (const Reals &signs : h) {
          double sum = 0;
          for (std::size_t i = 0; i < signs.size(); ++i)
            sum += signs[i] * reals[row * signs.size() + i];
          expected.reals.push_back(0.5 * sum);
        }
      if (type == kReal) {
        net.output(kReal, x.dims);
        expectNear(net.run(), expected.reals);
      } else {
        net.output(type, x.dims, encodingFor(type, expected));
        expectWithinOne(net.run(), expected);
      }
    }
  }
  OneNode odd("HadamardTransform");
  odd.input(floats({3}, {1, 2, 3})).output(kReal, {3});
  EXPECT_FALSE(odd.import());
}

TEST(QnnSignals, Correlation1DReadsShiftedColumns) {
  Random random(2);
  for (std::int64_t shift : {-1, 0, 2}) {
    constexpr std::int64_t kDisplacement = 2;
    Dims dims = {2, 2, 5, 3}, out = {2, 2, 5, 2 * kDisplacement + 1};
    Values a = random.values(kReal, dims), b = random.values(kReal, dims);
    OneNode net("Correlation1D");
    net.input(a).input(b).param("displacement", kDisplacement);
    net.param("shift", double(shift), kWhole).output(kReal, out);
    Reference x(a), y(b), expected(out);
    forEachIndex(out, [&](const Dims &at) {
      std::int64_t w = at[2] + at[3] - (kDisplacement - shift);
      for (std::int64_t c = 0; w >= 0 && w < 5 && c < 3; ++c)
        expected.at(at) +=
            x.at({at[0], at[1], at[2], c}) * y.at({at[0], at[1], w, c}) / 3;
    });
    expectNear(net.run(), expected.reals);
  }
}

namespace {
struct WindowForm {
  Dims image, kernel, stride, pads, dilation;
  std::int64_t columns(std::size_t axis) const {
    return (image[axis + 1] + pads[2 * axis] + pads[2 * axis + 1] -
            dilation[axis] * (kernel[axis] - 1) - 1) /
               stride[axis] +
           1;
  }
  std::int64_t count() const { return columns(0) * columns(1); }
  void setParams(OneNode &net) const {
    net.list("kernel_size", {2}, Reals(kernel.begin(), kernel.end()))
        .list("stride", {2}, Reals(stride.begin(), stride.end()))
        .list("pad_amount", {2, 2}, Reals(pads.begin(), pads.end()))
        .list("dilation", {2}, Reals(dilation.begin(), dilation.end()));
  }
  /// The pixel of cell \p k of window \p w.
  Dims pixel(std::int64_t batch, std::int64_t channel, std::int64_t k,
             std::int64_t w) const {
    return {batch,
            w / columns(1) * stride[0] + k / kernel[1] * dilation[0] - pads[0],
            w % columns(1) * stride[1] + k % kernel[1] * dilation[1] - pads[2],
            channel};
  }
};
const WindowForm kWindows[] = {
    {{2, 4, 5, 3}, {2, 3}, {1, 1}, {0, 0, 0, 0}, {1, 1}},
    {{1, 5, 6, 2}, {3, 2}, {2, 3}, {1, 2, 0, 1}, {2, 1}},
    {{1, 3, 3, 1}, {1, 1}, {1, 2}, {0, 0, 1, 1}, {1, 1}},
};
} // namespace

TEST(QnnSignals, Im2ColHasAColumnForEachWindow) {
  Random random(3);
  for (const WindowForm &form : kWindows)
    for (DataType type : {kReal, kByte}) {
      Values x = randomReals(random, form.image, -1, 3, type);
      std::int64_t cells = form.kernel[0] * form.kernel[1];
      Dims out = {form.image[0], form.image[3] * cells, form.count()};
      OneNode net("Im2Col");
      form.setParams(net.input(x));
      net.output(type, out, x.encoding);
      Reference image(x), expected(out);
      forEachIndex(out, [&](const Dims &at) {
        Dims from = form.pixel(at[0], at[1] / cells, at[1] % cells, at[2]);
        if (image.has(from))
          expected.at(at) = image.at(from);
      });
      expectNear(net.run(), expected.reals, 0);
    }
}

TEST(QnnSignals, Col2ImAddsOverlappingColumns) {
  Random random(4);
  for (const WindowForm &form : kWindows) {
    std::int64_t cells = form.kernel[0] * form.kernel[1];
    Values x = random.values(
        kReal, {form.image[0], form.image[3] * cells, form.count()});
    OneNode net("Col2Im");
    form.setParams(net.input(x));
    net.output(kReal, form.image);
    Reference columns(x), expected(form.image);
    forEachIndex(x.dims, [&](const Dims &at) {
      Dims to = form.pixel(at[0], at[1] / cells, at[1] % cells, at[2]);
      if (expected.has(to))
        expected.at(to) += columns.at(at);
    });
    expectNear(net.run(), expected.reals);
  }
}

TEST(QnnSignals, ExtractPatchesStacksPatchesInChannels) {
  Random random(5);
  for (bool isSame : {false, true})
    for (DataType type : {kReal, kByte}) {
      Dims image = {2, 6, 5, 2}, size = {2, 3}, stride = {2, 1}, rate = {2, 1};
      Values x = randomReals(random, image, -1, 1, type);
      Dims count, before;
      for (std::size_t a : {0, 1}) {
        std::int64_t length = image[a + 1],
                     dilated = size[a] + (size[a] - 1) * (rate[a] - 1);
        count.push_back(isSame ? (length + stride[a] - 1) / stride[a]
                               : (length - dilated) / stride[a] + 1);
        std::int64_t missing = (count[a] - 1) * stride[a] + dilated - length;
        before.push_back(isSame && missing > 0 ? missing / 2 : 0);
      }
      Dims out = {2, count[0], count[1], size[0] * size[1] * 2};
      OneNode net("ExtractPatches");
      net.input(x)
          .list("size", {2}, {2, 3})
          .list("stride", {2}, {2, 1})
          .list("rate", {2}, {2, 1})
          .param("padding", isSame)
          .output(type, out, x.encoding);
      Reference from(x), expected(out);
      forEachIndex(out, [&](const Dims &at) {
        std::int64_t cell = at[3] / 2;
        Dims pixel = {at[0], at[1] * stride[0] + cell / 3 * rate[0] - before[0],
                      at[2] * stride[1] + cell % 3 * rate[1] - before[1],
                      at[3] % 2};
        if (from.has(pixel))
          expected.at(at) = from.at(pixel);
      });
      expectNear(net.run(), expected.reals, 0);
    }
}

TEST(QnnSignals, LogitUndoesASigmoid) {
  Random random(6);
  for (double epsilon : {0.0, 0.2}) {
    Values x = random.values(kReal, {3, 5}, {}, 0.01, 0.99);
    OneNode net("Logit");
    net.input(x);
    if (epsilon > 0)
      net.constant(floats({1}, {double(float(epsilon))}));
    net.output(kReal, x.dims);
    Reals expected;
    for (double v : x.numbers) {
      double z = epsilon > 0 ? std::clamp(v, epsilon, 1 - epsilon) : v;
      expected.push_back(std::log(z / (1 - z)));
    }
    expectNear(net.run(), expected);
  }
}

namespace {

/// Of the columns that count; 0 of the others.
Reals maskedSoftmax(const Reals &row, const std::vector<bool> &counts) {
  double sum = 0;
  Reals result;
  for (std::size_t i = 0; i < row.size(); ++i) {
    result.push_back(counts[i] ? std::exp(row[i]) : 0);
    sum += result[i];
  }
  for (double &v : result)
    v = sum > 0 ? v / sum : 0;
  return result;
}

} // namespace

TEST(QnnSignals, MaskedSoftmaxLeavesColumnsOut) {
  Random random(7);
  Values x = random.values(kReal, {2, 2, 3, 5});
  Values mask = floats({2, 5}, {0, 0, 0, -10000, 0, -10000, 0, 0, 0, -10000});
  OneNode net("MaskedSoftmax");
  net.input(x).input(mask).output(kReal, x.dims);
  Reals expected;
  for (std::size_t row = 0; row < 12; ++row) {
    Reals of(x.numbers.begin() + std::ptrdiff_t(row * 5),
             x.numbers.begin() + std::ptrdiff_t(row * 5 + 5));
    std::vector<bool> counts;
    for (std::size_t i = 0; i < 5; ++i)
      counts.push_back(mask.numbers[row / 6 * 5 + i] == 0);
    Reals result = maskedSoftmax(of, counts);
    expected.insert(expected.end(), result.begin(), result.end());
  }
  expectNear(net.run(), expected);
}

TEST(QnnSignals, MaskedSoftmaxKeepsSequencesApart) {
  Random random(8);
  constexpr std::size_t kLength = 6;
  // Behind the second batch's sequences there is nothing.
  const std::vector<std::vector<std::size_t>> lengths = {{1, 2, 3}, {2, 0, 2}};
  Values x = random.values(kReal, {2, 2, kLength, kLength});
  OneNode net("MaskedSoftmax");
  net.input(x)
      .input(integers({2, 3}, {1, 2, 3, 2, 0, 2}))
      .param("mode", 1)
      .output(kReal, x.dims);
  Reals expected;
  for (std::size_t row = 0; row < 4 * kLength; ++row) {
    std::size_t w = row % kLength, first = 0;
    std::vector<bool> counts(kLength, false);
    for (std::size_t length : lengths[row / (2 * kLength)]) {
      for (std::size_t i = first; i < first + length; ++i)
        if (w >= first && w < first + length)
          counts[i] = true;
      first += length;
    }
    Reals result = maskedSoftmax(
        Reals(x.numbers.begin() + std::ptrdiff_t(row * kLength),
              x.numbers.begin() + std::ptrdiff_t((row + 1) * kLength)),
        counts);
    expected.insert(expected.end(), result.begin(), result.end());
  }
  expectNear(net.run(), expected);
}

TEST(QnnSignals, BatchPermutationClosesUpWhatItIgnores) {
  Random random(9);
  for (bool isStatic : {false, true})
    for (DataType type : {kReal, kByte, kWhole}) {
      Values x = type == kWhole ? random.values(kWhole, {4, 2, 3}, {}, -9, 9)
                                : randomReals(random, {4, 2, 3}, -1, 2, type);
      for (Reals order : {Reals{2, 0, 1, 3}, Reals{3, -1, 0}, Reals{7, 1}}) {
        OneNode net("BatchPermutation");
        net.input(x);
        Values indices = integers({std::int64_t(order.size())}, order);
        if (isStatic)
          net.constant(indices);
        else
          net.input(indices);
        net.output(type, {std::int64_t(order.size()), 2, 3}, x.encoding);
        Reals reals = x.reals(), expected;
        for (double i : order)
          if (i >= 0 && i < 4)
            expected.insert(expected.end(),
                            reals.begin() + std::ptrdiff_t(i) * 6,
                            reals.begin() + std::ptrdiff_t(i) * 6 + 6);
        expected.resize(order.size() * 6, 0);
        expectNear(net.run(), expected, 0);
      }
    }
}

TEST(QnnSignals, NonZeroReportsPlacesThenMinusOne) {
  for (DataType type : {kReal, kWhole, kByte}) {
    OneNode net("NonZero");
    Values x{type, {2, 3}, {}, {0, 5, 0, 7, 0, 1}};
    if (type == kByte) {
      x.encoding = scaleOffset(0.5f, -3);
      x.numbers = {3, 8, 3, 10, 3, 4};
    }
    net.input(x).output(kWhole, {6, 2});
    expectExactly(net.run(), {0, 1, 1, 0, 1, 2, -1, -1, -1, -1, -1, -1});
  }
}

TEST(QnnSignals, MomentsAreMeanAndVariance) {
  Random random(10);
  for (bool keeps : {false, true})
    for (DataType type : {kReal, kByte}) {
      Values x = randomReals(random, {2, 3, 4}, -1, 3, type);
      OneNode net("Moments");
      net.input(x).list("axes", {2}, {0, 2}, kWhole).flag("keep_dims", keeps);
      Dims out = keeps ? Dims{1, 3, 1} : Dims{3};
      net.output(kReal, out).output(kReal, out);
      Reference of(x);
      Reals means, variances;
      for (std::int64_t k = 0; k < 3; ++k) {
        double sum = 0, squares = 0;
        forEachAlong(x.dims, {0, 2}, {0, k, 0},
                     [&](const Dims &at) { sum += of.at(at) / 8; });
        forEachAlong(x.dims, {0, 2}, {0, k, 0}, [&](const Dims &at) {
          squares += (of.at(at) - sum) * (of.at(at) - sum) / 8;
        });
        means.push_back(sum), variances.push_back(squares);
      }
      // Integers may round the mean to a step, and the variance with it.
      double tolerance = type == kReal ? 1e-5 : 0.02;
      expectNear(net.run(0), means, tolerance);
      expectNear(net.run(1), variances, tolerance);
    }
}

TEST(QnnSignals, ReportsWhatIsNoNumber) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Values x = floats({5}, {1, kInfinity, -kInfinity, std::nan(""), 0});
  OneNode nan("IsNan");
  nan.input(x).output(DataType::BOOL_8, {5});
  expectExactly(nan.run(), {0, 0, 0, 1, 0});
  for (bool negative : {false, true})
    for (bool positive : {false, true}) {
      OneNode net("IsInf");
      net.input(x)
          .flag("detect_negative", negative)
          .flag("detect_positive", positive)
          .output(DataType::BOOL_8, {5});
      expectExactly(net.run(), {0, double(positive), double(negative), 0, 0});
    }
}
