//===- Effort.cpp - What executing a command costs the host ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The factors were measured with commands of extreme shapes on one core of an
// x86-64 host with AVX2 (test/unit/simulator/EffortTest.cpp repeats that): none
// takes longer than the default budget's minute per its units.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/Effort.h"

#include "simulator/engine/ConvOperands.h"
#include "simulator/engine/Gemm.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

/// Decoding, checking, packing of what is small: any command.
static constexpr double kCommand = 200;

/// Products of the host's matrix product in a unit, columns filled up.
static constexpr double kProductsPerUnit = 64;
/// The same where sums of a few products are widened to 64 bits.
static constexpr double kWideProductsPerUnit = 4;

Fault Budget::take(uint64_t wanted) {
  if (wanted > units) {
    exceeded = true;
    return faultText("the command needs ", wanted, " units of work, but only ",
                     units, " of the budget of ", all, " are left");
  }
  units -= wanted;
  return std::nullopt;
}

uint64_t sim::effortUnits(double effort) {
  constexpr double kMost = 1e18;
  return uint64_t(std::min(effort, kMost)) + 1;
}

static double roundUp(double value, double to) {
  double over = value - to * double(uint64_t(value / to));
  return over > 0 ? value + to - over : value;
}

namespace {
/// The parts of a convolution, as doubles.
struct ConvSizes {
  double pixels, cells, groups, inGroup, outGroup, out;
  double imagePixels; ///< Padding included.
  bool isWide;        ///< Sums of 64 bits.

  explicit ConvSizes(const Conv &c)
      : pixels(double(c.outHeight) * c.outWidth),
        cells(double(c.kernelY) * c.kernelX),
        groups(std::max<uint32_t>(1, c.groups)),
        inGroup(roundUp(std::max(1.0, c.inChannels / groups), 2)),
        outGroup(roundUp(std::max(1.0, c.outChannels / groups), kGemmColumns)),
        out(c.outChannels), imagePixels((double(c.outHeight) * c.strideY +
                                         double(c.kernelY) * c.dilationY) *
                                        (double(c.outWidth) * c.strideX +
                                         double(c.kernelX) * c.dilationX)),
        isWide(elementBytes(c.inType) == 2 || elementBytes(c.weightType) == 2) {
  }
};
} // namespace

static double products(const ConvSizes &s, double rows, double cells) {
  return rows * cells * s.groups * s.inGroup * s.outGroup /
         (s.isWide ? kWideProductsPerUnit : kProductsPerUnit);
}

static double directEffort(const Conv &c, const ConvSizes &s) {
  // Segments of a window: whole rows, or single cells.
  double segments = c.dilationX == 1 ? c.kernelY : s.cells;
  double blocks = s.outGroup / kGemmColumns;
  double image = s.imagePixels * s.groups * (2 + s.inGroup / 4);
  double packed = s.groups * s.outGroup * s.cells * s.inGroup;
  return image + packed * (s.isWide ? 2 : 1) + products(s, s.pixels, s.cells) +
         s.pixels * s.groups * blocks * (2 + segments);
}

static double depthwiseEffort(const Conv &c, const ConvSizes &s) {
  bool isRepeated = c.outChannels != c.inChannels;
  return s.imagePixels * (2 + s.out * (isRepeated ? 2 : 0.25)) +
         s.out * s.cells * 2 + s.pixels * s.cells * (1 + s.out / 4);
}

static double winogradEffort(const Conv &c, const ConvSizes &s) {
  WinogradTile tile = tileOf(c.winograd);
  double tiles = (s.pixels + c.outHeight + c.outWidth + 1) /
                 (tile.outRows * tile.outColumns);
  double taps = tile.taps();
  return s.imagePixels * (2 + s.inGroup / 4) +
         s.outGroup * s.inGroup * taps * 2 + products(s, tiles, taps) +
         tiles * taps * (s.inGroup + s.outGroup) / 2;
}

uint64_t sim::effortOf(const Conv &conv) {
  ConvSizes sizes(conv);
  double effort = conv.winograd != WinogradMode::None
                      ? winogradEffort(conv, sizes)
                  : conv.depthwise ? depthwiseEffort(conv, sizes)
                                   : directEffort(conv, sizes);
  // The way out, residual and table included.
  effort += sizes.pixels * sizes.out * (sizes.isWide ? 6 : 3) / 2;
  return effortUnits(kCommand + effort);
}

uint64_t sim::effortOf(const MatMul &m) {
  bool isWide = elementBytes(m.aType) == 2 || elementBytes(m.bType) == 2;
  double rows = m.rows, inner = roundUp(m.inner, 2);
  double columns = roundUp(m.columns, kGemmColumns);
  auto reading = [](double elements, uint32_t stride, ElementType type) {
    return elements * (stride == elementBytes(type) ? 0.5 : 2);
  };
  double effort = reading(rows * inner, m.aInnerStride, m.aType) + rows +
                  reading(columns * inner, m.bInnerStride, m.bType) + columns +
                  columns * inner * (isWide ? 2 : 1) +
                  rows * inner * columns /
                      (isWide ? kWideProductsPerUnit : kProductsPerUnit) +
                  rows * columns * (isWide ? 6 : 3) / 2;
  return effortUnits(m.batch * (kCommand + effort));
}

uint64_t sim::effortOf(const Pool &p) {
  // Only cells of a window that are inside of the tensor are looked at.
  auto inside = [](double kernel, double extent, double dilation) {
    return std::min(kernel, extent / std::max(1.0, dilation) + 1);
  };
  double cells = inside(p.kernelY, p.inHeight, p.dilationY) *
                 inside(p.kernelX, p.inWidth, p.dilationX);
  double channels = p.inChannels;
  double pixels = double(p.outHeight) * p.outWidth;
  return effortUnits(kCommand +
                     pixels * (4 + cells * (2 + channels / 8) + channels * 2));
}
