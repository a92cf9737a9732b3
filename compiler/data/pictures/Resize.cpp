//===- Resize.cpp - Pictures of the size of a network's input -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/data/pictures/Resize.h"

#include <algorithm>

using namespace yarrow;

/// value * factor / divisor, rounded, and 1 at least.
static int64_t proportional(int64_t value, int64_t factor, int64_t divisor) {
  return std::max<int64_t>((value * factor + divisor / 2) / divisor, 1);
}

PicturePlacement yarrow::placementOf(int64_t pictureWidth,
                                     int64_t pictureHeight, int64_t width,
                                     int64_t height, PictureFit fit) {
  PicturePlacement place{{0, 0, pictureWidth, pictureHeight},
                         {0, 0, width, height}};
  bool isWider = pictureWidth * height > width * pictureHeight;
  if (fit == PictureFit::Crop && isWider)
    place.from.width =
        std::min(proportional(pictureHeight, width, height), pictureWidth);
  else if (fit == PictureFit::Crop)
    place.from.height =
        std::min(proportional(pictureWidth, height, width), pictureHeight);
  else if (fit == PictureFit::Letterbox && isWider)
    place.to.height =
        std::min(proportional(width, pictureHeight, pictureWidth), height);
  else if (fit == PictureFit::Letterbox)
    place.to.width =
        std::min(proportional(height, pictureWidth, pictureHeight), width);
  place.from.x = (pictureWidth - place.from.width) / 2;
  place.from.y = (pictureHeight - place.from.height) / 2;
  place.to.x = (width - place.to.width) / 2;
  place.to.y = (height - place.to.height) / 2;
  return place;
}

namespace {

/// Where a pixel is read: two neighbours, and how much the second one counts of
/// 2 * to.
struct Tap {
  int64_t first, second, weight;
};

std::vector<Tap> tapsOf(int64_t from, int64_t to) {
  std::vector<Tap> taps;
  int64_t unit = 2 * to; // of a pixel
  for (int64_t i = 0; i < to; ++i) {
    int64_t at =
        std::clamp<int64_t>((2 * i + 1) * from - to, 0, (from - 1) * unit);
    int64_t first = at / unit;
    taps.push_back({first, std::min(first + 1, from - 1), at % unit});
  }
  return taps;
}

} // namespace

std::vector<uint8_t> yarrow::resized(const Picture &picture, int64_t width,
                                     int64_t height, PictureFit fit) {
  auto [from, to] =
      placementOf(picture.width, picture.height, width, height, fit);
  std::vector<Tap> columns = tapsOf(from.width, to.width),
                   rows = tapsOf(from.height, to.height);
  constexpr int64_t kChannels = Picture::kChannels;
  std::vector<uint8_t> result(std::size_t(width * height * kChannels), 0);
  int64_t acrossUnit = 2 * to.width, downUnit = 2 * to.height,
          whole = acrossUnit * downUnit;
  auto rowAt = [&](int64_t y) {
    return picture.pixels.data() +
           ((from.y + y) * picture.width + from.x) * kChannels;
  };
  for (int64_t y = 0; y < to.height; ++y) {
    const Tap &down = rows[std::size_t(y)];
    const uint8_t *above = rowAt(down.first), *below = rowAt(down.second);
    uint8_t *out = result.data() + ((to.y + y) * width + to.x) * kChannels;
    for (const Tap &across : columns)
      for (int64_t c = 0; c < kChannels; ++c) {
        int64_t left = across.first * kChannels + c,
                right = across.second * kChannels + c,
                nearer = acrossUnit - across.weight;
        int64_t upper = above[left] * nearer + above[right] * across.weight,
                lower = below[left] * nearer + below[right] * across.weight;
        int64_t sum = upper * (downUnit - down.weight) + lower * down.weight;
        *out++ = uint8_t((sum + whole / 2) / whole);
      }
  }
  return result;
}
