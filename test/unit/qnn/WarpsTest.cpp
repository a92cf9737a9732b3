//===- WarpsTest.cpp - Images of QNN read at given places -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Expected values follow from the definitions, in double precision.
//
//===----------------------------------------------------------------------===//
#include "test/unit/qnn/Numbers.h"

using namespace yarrow;
using namespace yarrow::test;

namespace {

/// Along one axis: where a place that may lie outside is read. REFLECTION is
/// the definition's example: -3.5 becomes 1.5, then 0.5.
double reflected(double at, double low, double high) {
  if (high <= low)
    return low;
  while (at < low || at > high)
    at = at < low ? 2 * low - at : 2 * high - at;
  return at;
}

struct SampleForm {
  Dims image, grid;
  bool isNearest = false, isAligned = false;
  int padding = 0; ///< ZEROS, BORDER, REFLECTION
};

/// The pixel at whole places; 0 outside.
double pixelAt(const Reference &x, const Dims &place) {
  return x.has(place) ? x.at(place) : 0;
}

/// Between pixels along all axes of \p at, which are those behind the first.
double interpolated(const Reference &x, std::int64_t batch, const Reals &at,
                    std::int64_t channel) {
  double sum = 0;
  for (unsigned corner = 0; corner < (1u << at.size()); ++corner) {
    double weight = 1;
    Dims place = {batch};
    for (std::size_t a = 0; a < at.size(); ++a) {
      double low = std::floor(at[a]), share = at[a] - low;
      bool isHigh = corner >> a & 1;
      weight *= isHigh ? share : 1 - share;
      place.push_back(std::int64_t(low) + isHigh);
    }
    place.push_back(channel);
    if (weight != 0)
      sum += weight * pixelAt(x, place);
  }
  return sum;
}

double nearest(const Reference &x, std::int64_t batch, const Reals &at,
               std::int64_t channel) {
  Dims place = {batch};
  for (double v : at)
    place.push_back(std::int64_t(std::nearbyint(v)));
  place.push_back(channel);
  return pixelAt(x, place);
}

void expectSamples(const SampleForm &form, DataType type, double tolerance) {
  Random random(std::uint64_t(form.padding + 7 * form.isNearest + 1));
  std::size_t axes = form.image.size() - 2;
  Values x = randomReals(random, form.image, -1, 1, type),
         grid = random.values(kReal, form.grid, {}, -1.6, 1.6);
  OneNode net("GridSample");
  net.input(x)
      .input(grid)
      .flag("align_corners", form.isAligned)
      .param("mode", form.isNearest)
      .param("padding_mode", form.padding);
  Dims out = form.grid;
  out.back() = form.image.back();
  net.output(kReal, out);
  Reference image(x), places(grid), expected(out);
  forEachIndex(out, [&](const Dims &at) {
    Reals place;
    for (std::size_t a = 0; a < axes; ++a) {
      Dims from = at;
      from.back() = std::int64_t(axes - 1 - a); // x is the last axis
      auto length = double(form.image[a + 1]);
      double g = places.at(from);
      double v = form.isAligned ? (g + 1) / 2 * (length - 1)
                                : ((g + 1) * length - 1) / 2;
      if (form.padding == 1)
        v = std::clamp(v, 0.0, length - 1);
      else if (form.padding == 2)
        v = std::clamp(form.isAligned ? reflected(v, 0, length - 1)
                                      : reflected(v, -0.5, length - 0.5),
                       0.0, length - 1);
      place.push_back(v);
    }
    expected.at(at) = form.isNearest
                          ? nearest(image, at[0], place, at.back())
                          : interpolated(image, at[0], place, at.back());
  });
  expectNear(net.run(), expected.reals, tolerance);
}

} // namespace

TEST(QnnWarps, GridSampleReadsPlaces) {
  for (int padding : {0, 1, 2})
    for (bool isNearest : {false, true})
      for (bool isAligned : {false, true}) {
        expectSamples(
            {{2, 4, 5, 3}, {2, 3, 2, 2}, isNearest, isAligned, padding}, kReal,
            1e-5);
        expectSamples(
            {{1, 3, 4, 2, 2}, {1, 2, 2, 3, 3}, isNearest, isAligned, padding},
            kReal, 1e-5);
      }
  expectSamples({{1, 4, 4, 2}, {1, 5, 2, 2}}, kByte, 2.0 / 255);
}

TEST(QnnWarps, ImageProjectionTransformMapsPixels) {
  Random random(3);
  for (bool isNearest : {false, true})
    for (std::int64_t matrices : {1, 2}) {
      Dims dims = {2, 4, 5, 2};
      Values x = random.values(kReal, dims);
      Values m = random.values(kReal, {matrices, 8}, {}, -0.1, 0.1);
      for (std::int64_t i = 0; i < matrices; ++i) {
        m.numbers[std::size_t(i * 8)] += 1;
        m.numbers[std::size_t(i * 8 + 2)] += 0.7;
        m.numbers[std::size_t(i * 8 + 4)] += 0.9;
      }
      for (double &v : m.numbers)
        v = double(float(v));
      OneNode net("ImageProjectionTransform");
      net.input(x).input(m).param("interpolation_mode", isNearest);
      net.output(kReal, dims);
      Reference image(x), expected(dims);
      forEachIndex(dims, [&](const Dims &at) {
        const double *a = &m.numbers[matrices > 1 ? std::size_t(at[0] * 8) : 0];
        auto px = double(at[2]), py = double(at[1]);
        double k = a[6] * px + a[7] * py + 1;
        Reals place = {(a[3] * px + a[4] * py + a[5]) / k,
                       (a[0] * px + a[1] * py + a[2]) / k};
        expected.at(at) = isNearest ? nearest(image, at[0], place, at[3])
                                    : interpolated(image, at[0], place, at[3]);
      });
      expectNear(net.run(), expected.reals, 2e-5);
    }
}

TEST(QnnWarps, ExtractGlimpseCutsWindows) {
  constexpr std::int64_t kHeight = 6, kWidth = 5;
  for (bool isCentred : {false, true})
    for (bool isNormalised : {false, true})
      for (DataType type : {kReal, kByte}) {
        Random random(4);
        Values x = randomReals(random, {2, kHeight, kWidth, 2}, 1, 3, type);
        double most = isNormalised ? 1 : 3.5;
        Values offsets = random.values(kReal, {2, 2}, {}, -most, most);
        OneNode net("ExtractGlimpse");
        net.input(x)
            .input(offsets)
            .list("size", {2}, {3, 4}, kWhole)
            .flag("centered", isCentred)
            .flag("normalized", isNormalised)
            .param("noise", 2, kWhole)
            .output(type, {2, 3, 4, 2}, x.encoding);
        Reference image(x), expected(Dims{2, 3, 4, 2});
        forEachIndex(expected.dims, [&](const Dims &at) {
          Dims place = {at[0], 0, 0, at[3]};
          for (std::size_t a : {0, 1}) {
            double o = offsets.numbers[std::size_t(at[0] * 2) + a],
                   length = double(a ? kWidth : kHeight), size = a ? 4 : 3;
            double start = isNormalised && isCentred
                               ? (o + 1) / 2 * length - size / 2
                           : isNormalised ? o * length
                           : isCentred    ? o + length / 2
                                          : o;
            place[a + 1] = std::int64_t(std::trunc(start)) + at[a + 1];
          }
          expected.at(at) = pixelAt(image, place);
        });
        expectNear(net.run(), expected.reals, 1e-6);
      }
}

TEST(QnnWarps, ExtractGlimpseDrawsNoNoise) {
  auto net = [](Reals offsets, int noise) {
    OneNode result("ExtractGlimpse");
    result.input(Random(1).values(kReal, {1, 4, 4, 1}))
        .constant(floats({1, 2}, std::move(offsets)))
        .list("size", {2}, {2, 2}, kWhole)
        .flag("centered", false)
        .flag("normalized", false)
        .param("noise", noise, kWhole)
        .output(kReal, {1, 2, 2, 1});
    return result.import();
  };
  // Nothing is filled where the glimpse lies inside.
  EXPECT_TRUE(net({2, 2}, 0));
  EXPECT_FALSE(net({3, 2}, 0));
  EXPECT_FALSE(net({3, 2}, 1));
  EXPECT_TRUE(net({3, 2}, 2));
}

TEST(QnnWarps, CropAndResizeAlignsCorners) {
  Random random(5);
  for (bool isNearest : {false, true}) {
    Values x = random.values(kReal, {2, 4, 5, 3});
    Values boxes = floats({3, 4}, {0.125, 0.25, 0.875, 1,     //
                                   0.9375, 0.75, 0.25, 0.125, // flipped
                                   -0.5, 0, 0.5, 1.25});      // outside
    OneNode net("CropAndResize");
    net.input(x)
        .input(boxes)
        .constant(integers({3}, {1, 0, 1}, kCount))
        .list("resize_dims", {2}, {3, 4})
        .param("interpolation_mode", isNearest)
        .real("extrapolation_value", 9)
        .output(kReal, {3, 3, 4, 3});
    Reference image(x), expected(Dims{3, 3, 4, 3});
    const std::int64_t batch[] = {1, 0, 1};
    forEachIndex(expected.dims, [&](const Dims &at) {
      const double *b = &boxes.numbers[std::size_t(at[0] * 4)];
      double y = (b[0] + (b[2] - b[0]) * double(at[1]) / 2) * 3,
             c = (b[1] + (b[3] - b[1]) * double(at[2]) / 3) * 4;
      std::int64_t n = batch[at[0]];
      bool isInside = y >= 0 && y <= 3 && c >= 0 && c <= 4;
      expected.at(at) = !isInside ? 9
                        : isNearest
                            ? image.at({n, std::int64_t(std::round(y)),
                                        std::int64_t(std::round(c)), at[3]})
                            : interpolated(image, n, {y, c}, at[3]);
    });
    expectNear(net.run(), expected.reals);
  }
}

namespace {

struct RoiForm {
  std::int64_t samples = 2; ///< -1: as many as a bin has pixels.
  bool isAligned = false, allowsInvalid = false;
};

/// Of fixed point within a step.
void expectRois(const RoiForm &form, DataType type) {
  Random random(6);
  constexpr std::int64_t kRows = 2, kColumns = 3;
  constexpr double kRatioH = 2, kRatioW = 4;
  Values x = randomReals(random, {2, 6, 7, 2}, -1, 2, type);
  // The second region is shorter than a cell, the third has no size.
  Values rois = floats({3, 4}, {3, 1, 22, 9, 8, 4, 9, 4.5, 5, 3, 5, 3});
  OneNode net("RoiAlign");
  net.input(x)
      .input(rois)
      .input(integers({3}, {1, 0, 1}, kCount))
      .list("img_size_ratio", {2}, {kRatioH, kRatioW}, kReal)
      .param("num_samples_y", double(form.samples), kWhole)
      .param("num_samples_x", double(form.samples), kWhole)
      .flag("aligned", form.isAligned)
      .flag("allow_invalid_roi", form.allowsInvalid)
      .output(type, {3, kRows, kColumns, 2}, x.encoding);
  const std::int64_t batch[] = {1, 0, 1};
  Reference image(x), expected(Dims{3, kRows, kColumns, 2});
  forEachIndex(expected.dims, [&](const Dims &at) {
    const double *b = &rois.numbers[std::size_t(at[0] * 4)];
    if (form.allowsInvalid && b[0] == b[2] && b[1] == b[3])
      return;
    double half = form.isAligned ? 0.5 : 0;
    double start[] = {b[1] / kRatioH - half, b[0] / kRatioW - half},
           end[] = {b[3] / kRatioH - half, b[2] / kRatioW - half};
    double bin[2];
    std::int64_t count[2];
    for (std::size_t a : {0, 1}) {
      double length = end[a] - start[a];
      if (!form.isAligned)
        length = std::max(length, 1.0);
      bin[a] = length / double(a ? kColumns : kRows);
      count[a] =
          form.samples > 0 ? form.samples : std::int64_t(std::ceil(bin[a]));
    }
    double sum = 0;
    for (std::int64_t i = 0; i < count[0]; ++i)
      for (std::int64_t k = 0; k < count[1]; ++k) {
        double y = start[0] + bin[0] * (double(at[1]) +
                                        (double(i) + 0.5) / double(count[0])),
               c = start[1] + bin[1] * (double(at[2]) +
                                        (double(k) + 0.5) / double(count[1]));
        sum += interpolated(image, batch[at[0]],
                            {std::clamp(y, 0.0, 5.0), std::clamp(c, 0.0, 6.0)},
                            at[3]);
      }
    if (count[0] * count[1] > 0)
      expected.at(at) = sum / double(count[0] * count[1]);
  });
  if (type == kReal)
    expectNear(net.run(), expected.reals, 2e-5);
  else
    expectWithinOne(net.run(), expected);
}

} // namespace

TEST(QnnWarps, RoiAlignAveragesSamples) {
  for (bool isAligned : {false, true})
    for (std::int64_t samples : {-1, 1, 3})
      expectRois({samples, isAligned, false}, kReal);
  expectRois({2, false, true}, kReal);
  // Regions are data: features of bytes are real numbers beside them.
  expectRois({2, false, true}, kByte);
}

TEST(QnnWarps, RoiPoolingTakesTheGreatestOfABin) {
  Random random(7);
  Values x = random.values(kReal, {2, 6, 8, 2});
  Values rois = floats({2, 4}, {0, 0, 14, 10, 4, 2, 12, 8});
  OneNode net("RoiPooling");
  net.input(x)
      .input(rois)
      .input(integers({2}, {0, 1}, kCount))
      .list("img_size_ratio", {2}, {2, 2}, kReal)
      .output(kReal, {2, 2, 2, 2});
  Reference image(x), expected(Dims{2, 2, 2, 2});
  forEachIndex(expected.dims, [&](const Dims &at) {
    const double *b = &rois.numbers[std::size_t(at[0] * 4)];
    double low[] = {b[1] / 2, b[0] / 2}, high[] = {b[3] / 2, b[2] / 2};
    std::int64_t first[2], last[2];
    for (std::size_t a : {0, 1}) {
      double size = (high[a] - low[a] + 1) / 2;
      first[a] = std::int64_t(low[a] + std::floor(double(at[a + 1]) * size));
      last[a] = std::int64_t(low[a] + std::ceil(double(at[a + 1] + 1) * size));
    }
    double most = -1e9;
    for (std::int64_t y = first[0]; y < last[0]; ++y)
      for (std::int64_t c = first[1]; c < last[1]; ++c)
        most = std::max(most, image.at({at[0], y, c, at[3]}));
    expected.at(at) = most;
  });
  expectNear(net.run(), expected.reals);
}

TEST(QnnWarps, ArgbToRgbDropsAlpha) {
  Values x = floats({1, 1, 2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
  for (bool isRgba : {false, true})
    for (bool isReversed : {false, true})
      for (DataType type : {kReal, kByte}) {
        OneNode net("ArgbToRgb");
        Values of = x;
        of.type = type;
        if (type == kByte)
          of.encoding = scaleOffset(0.5f, 0);
        net.input(of)
            .param("input_order", isRgba)
            .flag("reverse_output", isReversed)
            .output(type, {1, 1, 2, 3}, of.encoding);
        Reals expected;
        for (double pixel : {0.0, 4.0})
          for (double k : {0.0, 1.0, 2.0})
            expected.push_back(pixel + (isRgba ? 0 : 1) +
                               (isReversed ? 2 - k : k));
        expectExactly(net.run(), expected);
      }
}

TEST(QnnWarps, YuvBecomesRgb) {
  Random random(8);
  for (std::string name : {"Nv12ToRgb", "Nv21ToRgb"})
    for (bool isBgr : {false, true})
      for (DataType type : {kReal, DataType::UINT_8, kByte}) {
        constexpr std::int64_t kHeight = 4, kWidth = 6;
        qnn::Encoding encoding;
        if (type == kByte)
          encoding = scaleOffset(1.0f / 255, 0);
        Values x{type, {2, kHeight * kWidth * 3 / 2}, encoding, {}};
        for (std::size_t i = 0; i < x.count(); ++i)
          x.numbers.push_back(double(random.below(256)));
        OneNode net(name);
        net.input(x).param("output_order", isBgr, kWhole);
        net.output(type, {2, kHeight, kWidth, 3}, encoding);
        Reals expected;
        forEachIndex({2, kHeight, kWidth, 3}, [&](const Dims &at) {
          const double *image =
              &x.numbers[std::size_t(at[0] * kHeight * kWidth * 3 / 2)];
          std::int64_t pair =
              kHeight * kWidth + at[1] / 2 * kWidth + at[2] / 2 * 2;
          double y = (image[at[1] * kWidth + at[2]] - 16) / 219,
                 u = (image[pair] - 128) / 224,
                 v = (image[pair + 1] - 128) / 224;
          if (name == "Nv21ToRgb")
            std::swap(u, v);
          // BT.601: Y = 0.299 R + 0.587 G + 0.114 B.
          double red = y + 1.402 * v, blue = y + 1.772 * u,
                 green = (y - 0.299 * red - 0.114 * blue) / 0.587;
          double rgb[] = {red, green, blue};
          expected.push_back(
              std::clamp(255 * rgb[isBgr ? 2 - at[3] : at[3]], 0.0, 255.0));
        });
        Values found = net.run();
        ASSERT_EQ(found.numbers.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
          EXPECT_NEAR(found.numbers[i], expected[i],
                      type == kReal ? 1e-3 : 0.502);
      }
}
