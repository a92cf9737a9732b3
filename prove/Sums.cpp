//===- Sums.cpp - What sums a convolution can have ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/Sums.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace yarrow;
using namespace yarrow::prove;
using namespace yarrow::isa;

SumRange prove::typeRange(ElementType type) {
  switch (type) {
  case ElementType::I8:
    return {-128, 127};
  case ElementType::U8:
    return {0, 255};
  case ElementType::I16:
    return {-32768, 32767};
  case ElementType::U16:
    return {0, 65535};
  default:
    return {INT32_MIN, INT32_MAX};
  }
}

/// All inputs, padding included.
static SumRange inputRange(const Conv &conv) {
  SumRange range = typeRange(conv.inType);
  range.least = std::min<int64_t>(range.least, conv.padValue);
  range.greatest = std::max<int64_t>(range.greatest, conv.padValue);
  return range;
}

static SumRange times(int64_t factor, const SumRange &range) {
  return factor >= 0 ? SumRange{factor * range.least, factor * range.greatest}
                     : SumRange{factor * range.greatest, factor * range.least};
}

int64_t prove::weightAt(const Conv &conv, std::span<const uint8_t> weights,
                        size_t index) {
  if (conv.packedWeights) {
    int value = weights[index / 2] >> (index % 2 * 4) & 15;
    return value < 8 ? value : value - 16;
  }
  if (conv.weightType == ElementType::I16) {
    int16_t value = 0;
    std::memcpy(&value, &weights[2 * index], sizeof value);
    return value;
  }
  return conv.weightType == ElementType::I8 ? int64_t(int8_t(weights[index]))
                                            : int64_t(weights[index]);
}

/// Sum of weights times any inputs.
static SumBounds directBounds(const Conv &conv,
                              std::span<const uint8_t> weights) {
  SumBounds bounds;
  SumRange input = inputRange(conv);
  size_t count = size_t(conv.kernelY) * conv.kernelX *
                 (conv.depthwise ? 1 : conv.inChannels / conv.groups);
  for (size_t c = 0; c < conv.outChannels; ++c) {
    int64_t above = 0, below = 0;
    for (size_t i = 0; i < count; ++i) {
      int64_t w = weightAt(conv, weights, c * count + i);
      (w > 0 ? above : below) += w;
    }
    SumRange range = times(above, input) + times(below, input);
    // Zero inputs, and sums that have only begun.
    range.least = std::min<int64_t>(range.least, 0);
    range.greatest = std::max<int64_t>(range.greatest, 0);
    bounds.channels.push_back(range);
    bounds.largest = std::max(bounds.largest, range.magnitude());
  }
  return bounds;
}

//===----------------------------------------------------------------------===//
// Winograd's algorithm: everything is linear in the inputs of a tile.
//===----------------------------------------------------------------------===//

namespace {
constexpr int kBT[4][4] = {
    {1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
constexpr int kAT[2][4] = {{1, 1, 1, 0}, {0, 1, -1, -1}};

/// Tiles of [rows][columns] cells; f(2,3) transforms along columns alone.
struct TileForm {
  size_t rows, outRows;
  bool transformsRows;

  explicit TileForm(WinogradMode mode)
      : rows(mode == WinogradMode::F2x2_3x3 ? 4 : 3),
        outRows(mode == WinogradMode::F2x2_3x3 ? 2 : 1),
        transformsRows(mode == WinogradMode::F2x2_3x3) {}
  int rowIn(size_t tap, size_t cell) const {
    return transformsRows ? kBT[tap][cell] : tap == cell;
  }
  int rowOut(size_t out, size_t tap) const {
    return transformsRows ? kAT[out][tap] : 1;
  }
  size_t taps() const { return rows * 4; }
};

class WinogradBounds {
public:
  WinogradBounds(const Conv &conv, std::span<const uint8_t> weights)
      : conv(conv), weights(weights), form(conv.winograd),
        input(inputRange(conv)) {
    int64_t offset = conv.inType == ElementType::U8 ? 128 : 0;
    input = input + -offset;
    input.least = std::min<int64_t>(input.least, 0);
    input.greatest = std::max<int64_t>(input.greatest, 0);
  }

  SumBounds run() {
    SumBounds bounds;
    for (size_t c = 0; c < conv.outChannels; ++c) {
      SumRange range = channel(c, bounds.largest);
      int shift = int(conv.winogradShift);
      range = {range.least >> shift, range.greatest >> shift};
      bounds.channels.push_back(range);
      bounds.largest = std::max(bounds.largest, range.magnitude());
    }
    return bounds;
  }

private:
  int64_t weight(size_t out, size_t tap, size_t in) const {
    return weightAt(conv, weights,
                    (out * form.taps() + tap) * conv.inChannels + in);
  }
  int64_t tapShift(size_t out, size_t tap) const {
    return conv.hasTapShifts
               ? weights[tapShiftOffset(conv) + out * form.taps() + tap]
               : 0;
  }
  SumRange channel(size_t out, int64_t &largest) const;
  SumRange tapRange(size_t tap, int64_t above, int64_t below) const;
  SumRange outputRange(const std::vector<int64_t> &tile, size_t y,
                       size_t x) const;

  const Conv &conv;
  std::span<const uint8_t> weights;
  TileForm form;
  SumRange input;
};
} // namespace

/// Of weights that add up to \p above and \p below zero times a transformed
/// input, a sum of inputs with factors 1 and -1.
SumRange WinogradBounds::tapRange(size_t tap, int64_t above,
                                  int64_t below) const {
  SumRange transformed;
  for (size_t row = 0; row < form.rows; ++row)
    for (size_t column = 0; column < 4; ++column)
      transformed =
          transformed +
          times(form.rowIn(tap / 4, row) * kBT[tap % 4][column], input);
  return times(above, transformed) + times(below, transformed);
}

/// What one input channel adds to an output: its tile of weights, back in the
/// coordinates of the inputs.
SumRange WinogradBounds::outputRange(const std::vector<int64_t> &tile, size_t y,
                                     size_t x) const {
  SumRange range;
  for (size_t row = 0; row < form.rows; ++row)
    for (size_t column = 0; column < 4; ++column) {
      int64_t factor = 0;
      for (size_t tap = 0; tap < tile.size(); ++tap) {
        int sign = form.rowOut(y, tap / 4) * form.rowIn(tap / 4, row) *
                   kAT[x][tap % 4] * kBT[tap % 4][column];
        factor += sign * tile[tap];
      }
      range = range + times(factor, input);
    }
  return range;
}

SumRange WinogradBounds::channel(size_t out, int64_t &largest) const {
  std::vector<int64_t> tile(form.taps()), above(form.taps()),
      below(form.taps());
  std::array<SumRange, 4> outputs = {};
  for (size_t in = 0; in < conv.inChannels; ++in) {
    for (size_t tap = 0; tap < tile.size(); ++tap) {
      int64_t w = weight(out, tap, in);
      (w > 0 ? above : below)[tap] += w;
      tile[tap] = w << tapShift(out, tap);
    }
    for (size_t y = 0; y < form.outRows; ++y)
      for (size_t x = 0; x < 2; ++x)
        outputs[2 * y + x] = outputs[2 * y + x] + outputRange(tile, y, x);
  }
  // Taps as they are added up and shifted, and the additions of the output
  // transform in any order.
  std::array<int64_t, 4> added = {};
  for (size_t tap = 0; tap < tile.size(); ++tap) {
    int64_t shifted = tapRange(tap, above[tap], below[tap]).magnitude()
                      << tapShift(out, tap);
    largest = std::max(largest, shifted);
  }
  SumRange all;
  for (size_t i = 0; i < 2 * form.outRows; ++i) {
    all.least = std::min(all.least, outputs[i].least);
    all.greatest = std::max(all.greatest, outputs[i].greatest);
    added[i] = outputs[i].magnitude();
    largest = std::max(largest, added[i]);
  }
  return all;
}

SumBounds prove::sumBounds(const Conv &conv, std::span<const uint8_t> weights) {
  return conv.winograd == WinogradMode::None
             ? directBounds(conv, weights)
             : WinogradBounds(conv, weights).run();
}

SumRange prove::sumBounds(const MatMul &product, SumRange a, SumRange b) {
  a = a + product.aZeroPoint;
  b = b + product.bZeroPoint;
  int64_t ends[] = {a.least * b.least, a.least * b.greatest,
                    a.greatest * b.least, a.greatest * b.greatest};
  auto [least, greatest] =
      std::minmax_element(std::begin(ends), std::end(ends));
  int64_t inner = product.inner;
  return {std::min<int64_t>(0, *least) * inner,
          std::max<int64_t>(0, *greatest) * inner};
}
