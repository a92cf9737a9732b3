//===- SsdAnchors.cpp - The boxes from which an SSD departs ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/Detection.h"
#include <algorithm>
#include <array>
#include <cmath>

using namespace yarrow;
using namespace yarrow::graph;

namespace {
struct Size {
  double height, width;
};
using Anchors = std::vector<std::array<float, 4>>;
} // namespace

/// A box of \p scale whose width is \p ratio times its height.
static Size sizeOf(double scale, double ratio) {
  return {scale / std::sqrt(ratio), scale * std::sqrt(ratio)};
}

/// SSD with MobileNet: scales from 0.2 to 0.95, all boxes of a cell together.
static Anchors mobileNetAnchors(const DetectionOptions &options) {
  Anchors anchors;
  auto maps = options.featureMaps.size();
  auto scaleOf = [&](std::size_t map) {
    return map >= maps ? 1.0
           : maps == 1 ? 0.2
                       : 0.2 + 0.75 * double(map) / double(maps - 1);
  };
  for (std::size_t map = 0; map < maps; ++map) {
    double scale = scaleOf(map), between = std::sqrt(scale * scaleOf(map + 1));
    std::vector<Size> sizes = {sizeOf(0.1, 1), sizeOf(scale, 2),
                               sizeOf(scale, 0.5)};
    if (map > 0)
      sizes = {sizeOf(scale, 1), sizeOf(scale, 2),       sizeOf(scale, 0.5),
               sizeOf(scale, 3), sizeOf(scale, 1.0 / 3), sizeOf(between, 1)};
    auto [rows, columns] = options.featureMaps[map];
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column)
        for (Size size : sizes)
          anchors.push_back({float((double(row) + 0.5) / double(rows)),
                             float((double(column) + 0.5) / double(columns)),
                             float(size.height), float(size.width)});
  }
  return anchors;
}

/// SSD with ResNet-34: up to six maps, all cells of a box together, within the
/// image.
static Anchors resnetAnchors(const DetectionOptions &options) {
  // Sides in an image of 300 pixels; boxes of other ratios than 1.
  static constexpr int kSides[] = {21, 45, 99, 153, 207, 261, 315};
  static const std::vector<double> kRatios[] = {{2},    {2, 3}, {2, 3},
                                                {2, 3}, {2},    {2}};
  Anchors anchors;
  auto whole = [](double value) { return double(std::int64_t(value)); };
  auto width = double(options.width), height = double(options.height);
  std::size_t maps = std::min(options.featureMaps.size(), std::size(kRatios));
  for (std::size_t map = 0; map < maps; ++map) {
    auto [rows, columns] = options.featureMaps[map];
    double small = whole(kSides[map] * width / 300) / width,
           large = whole(kSides[map + 1] * height / 300) / height,
           between = std::sqrt(small * large);
    // Steps are whole pixels.
    double down = whole(width / whole(width / double(rows))),
           right = whole(height / whole(height / double(columns)));
    std::vector<Size> sizes = {{small, small}, {between, between}};
    for (double ratio : kRatios[map]) {
      sizes.push_back(sizeOf(small, ratio));
      sizes.push_back(sizeOf(small, 1 / ratio));
    }
    for (Size size : sizes)
      for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column)
          anchors.push_back({float((double(row) + 0.5) / down),
                             float((double(column) + 0.5) / right),
                             float(size.height), float(size.width)});
  }
  for (auto &anchor : anchors)
    for (float &value : anchor)
      value = std::clamp(value, 0.0f, 1.0f);
  return anchors;
}

Anchors graph::ssdAnchors(const DetectionOptions &options) {
  return options.head == DetectionOptions::SsdResnet
             ? resnetAnchors(options)
             : mobileNetAnchors(options);
}
