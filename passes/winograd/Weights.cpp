//===- Weights.cpp - Winograd's weights and the convolutions behind them --===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/winograd/Weights.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace yarrow;
using compass::ConstantView;
using kernels::DType;

WinogradPhases yarrow::phasesOf(const WinogradMatrices &axis) {
  assert(axis.isIntegral());
  unsigned tile = axis.tile();
  auto factor = [&](unsigned phase, unsigned cell, unsigned tap) {
    return axis.at(phase, tap).num * axis.bt(tap, cell).num;
  };
  WinogradPhases phases;
  phases.count = axis.outputs;
  phases.tile = tile;
  // Whatever the weights are, cells without factors have none.
  for (unsigned phase = 0; phase < axis.outputs; ++phase) {
    unsigned first = tile, last = 0;
    for (unsigned cell = 0; cell < tile; ++cell)
      for (unsigned tap = 0; tap < tile; ++tap)
        if (factor(phase, cell, tap) != 0) {
          first = std::min(first, cell);
          last = cell;
        }
    phases.start.push_back(first);
    phases.window = std::max(phases.window, last - first + 1);
  }
  for (unsigned phase = 0; phase < axis.outputs; ++phase) {
    unsigned &start = phases.start[phase];
    start = std::min(start, tile - phases.window);
    for (unsigned cell = 0; cell < phases.window; ++cell)
      for (unsigned tap = 0; tap < tile; ++tap)
        phases.factors.push_back(factor(phase, start + cell, tap));
  }
  return phases;
}

namespace {

/// Row by row of values: to[i] += factor * from[i].
void addScaled(int64_t factor, const int64_t *from, uint64_t count,
               int64_t *to) {
  if (factor == 0)
    return;
  for (uint64_t i = 0; i < count; ++i)
    to[i] += factor * from[i];
}

/// The phases of one output channel.
class Filter {
public:
  Filter(const WinogradPhases &y, const WinogradPhases &x, uint64_t channels)
      : y(y), x(x), channels(channels),
        rows(uint64_t(y.tile) * x.count * x.window * channels) {}

  /// \p weights is [tile y][tile x][channel], shifted already.
  void transform(const std::vector<int64_t> &weights) {
    std::fill(rows.begin(), rows.end(), 0);
    for (unsigned tapY = 0; tapY < y.tile; ++tapY)
      for (unsigned phase = 0; phase < x.count; ++phase)
        for (unsigned cell = 0; cell < x.window; ++cell)
          for (unsigned tap = 0; tap < x.tile; ++tap)
            addScaled(x.factor(phase, cell, tap),
                      &weights[(tapY * x.tile + tap) * channels], channels,
                      row(tapY, phase, cell));
  }

  /// [window y][window x][channel] of one phase.
  void phase(unsigned phaseY, unsigned phaseX, std::vector<int64_t> &to) {
    uint64_t rowSize = x.window * channels;
    to.assign(y.window * rowSize, 0);
    for (unsigned cell = 0; cell < y.window; ++cell)
      for (unsigned tap = 0; tap < y.tile; ++tap)
        addScaled(y.factor(phaseY, cell, tap), row(tap, phaseX, 0), rowSize,
                  &to[cell * rowSize]);
  }

private:
  int64_t *row(unsigned tapY, unsigned phase, unsigned cell) {
    return &rows[((tapY * x.count + phase) * x.window + cell) * channels];
  }

  const WinogradPhases &y, &x;
  uint64_t channels;
  std::vector<int64_t> rows; ///< [tap y][phase x][window x][channel]
};

} // namespace

/// Exact division by 2^shift into 16 bits; false if it is not.
static bool narrow(const std::vector<int64_t> &from, unsigned shift,
                   int16_t *to) {
  int64_t rest = (int64_t(1) << shift) - 1;
  for (int64_t value : from) {
    int64_t quotient = value >> shift;
    if ((value & rest) != 0 || quotient != int16_t(quotient))
      return false;
    *to++ = int16_t(quotient);
  }
  return true;
}

std::optional<std::vector<int16_t>>
yarrow::phaseWeights(const WinogradPhases &y, const WinogradPhases &x,
                     const ConstantView &weights,
                     llvm::ArrayRef<uint8_t> tapShifts, unsigned outputShift) {
  assert(weights.shape.size() == 4 && weights.shape[1] == y.tile &&
         weights.shape[2] == x.tile);
  uint64_t outputs = weights.shape[0], channels = weights.shape[3];
  unsigned taps = y.tile * x.tile;
  uint64_t filterSize = uint64_t(y.window) * x.window * channels;
  std::vector<int16_t> result(y.count * x.count * outputs * filterSize);
  std::vector<int64_t> transformed(taps * channels), values;
  Filter filter(y, x, channels);
  for (uint64_t o = 0; o < outputs; ++o) {
    // Below 2^15 * 2^15; times the factors of both axes, which are below 2^10
    // for the tiles that have whole transforms, and summed over at most 64
    // taps: 2^56.
    for (uint64_t i = 0; i < transformed.size(); ++i)
      transformed[i] =
          weights.intAt(o * transformed.size() + i)
          << (tapShifts.empty() ? 0 : tapShifts[o * taps + i / channels]);
    filter.transform(transformed);
    for (unsigned phaseY = 0; phaseY < y.count; ++phaseY)
      for (unsigned phaseX = 0; phaseX < x.count; ++phaseX) {
        filter.phase(phaseY, phaseX, values);
        uint64_t index = (phaseY * x.count + phaseX) * outputs + o;
        if (!narrow(values, outputShift, &result[index * filterSize]))
          return std::nullopt;
      }
  }
  return result;
}

std::vector<int16_t> yarrow::exactWeights(const ConstantView &weights) {
  assert(weights.shape.size() == 4 && weights.shape[1] == 3 &&
         weights.shape[2] == 3 && weights.dtype == DType::I8);
  constexpr unsigned kTile = 4, kWindow = 3;
  WinogradMatrices f = winogradMatrices(2, kWindow);
  auto doubled = [&](unsigned tap, unsigned cell) {
    Rational g = f.g(tap, cell);
    return int32_t(2 * g.num / g.den); // G has halves
  };
  uint64_t outputs = weights.shape[0], channels = weights.shape[3];
  std::vector<int16_t> result(outputs * kTile * kTile * channels);
  for (uint64_t o = 0; o < outputs; ++o)
    for (unsigned tapY = 0; tapY < kTile; ++tapY)
      for (unsigned tapX = 0; tapX < kTile; ++tapX) {
        int16_t *to = &result[((o * kTile + tapY) * kTile + tapX) * channels];
        for (unsigned y = 0; y < kWindow; ++y)
          for (unsigned x = 0; x < kWindow; ++x) {
            int32_t factor = doubled(tapY, y) * doubled(tapX, x);
            uint64_t from = ((o * kWindow + y) * kWindow + x) * channels;
            for (uint64_t c = 0; factor != 0 && c < channels; ++c)
              to[c] += int16_t(factor * int8_t(weights.bytes[from + c]));
          }
      }
  return result;
}
