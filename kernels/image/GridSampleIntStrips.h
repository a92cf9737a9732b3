//===- GridSampleIntStrips.h - Sampling integers, 32 places at once -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The form of yk_grid_sample_int for images of 8 and 16 bits, without BICUBIC:
// places and neighbours in registers (SampleStrips.h), in 32 bits.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_IMAGE_GRIDSAMPLEINTSTRIPS_H
#define YARROW_KERNELS_IMAGE_GRIDSAMPLEINTSTRIPS_H

#include "kernels/image/SampleStrips.h"

namespace yarrow::kernels {

/// The least value of a type of 8 or 16 bits.
constexpr int32_t lowestOf(DType type) {
  return type == DType::I8 ? -128 : type == DType::I16 ? -32768 : 0;
}

/// Whether strips do it: differences of pixels times a fraction have 30 bits at
/// most, so have numbers of elements, and what counts as 0 is a pixel.
inline bool areStripPlaces(const GridSampleIntParams &p) {
  const GridSampleShape &s = p.shape;
  if (s.axes != 2 || s.method == SampleMethod::Bicubic || !isSmallInt(p.type) ||
      !isSmallInt(p.gridType) ||
      uint64_t(s.sizes[1]) * s.sizes[2] * s.channels >= 1u << 30)
    return false;
  int32_t bits = isByte(p.type) ? 8 : 16;
  int32_t least = lowestOf(p.type), most = least + (1 << bits) - 1;
  for (uint32_t axis = 1; axis < 3; ++axis)
    if (bits + 1 + p.fractionBits[axis] > 30)
      return false;
  return -p.zp >= least && -p.zp <= most;
}

/// Places along an axis: pixels, and how far beyond them.
struct CellStrip {
  Strip<int32_t> index, fraction;
};

template <typename Vector> inline void limitTo16Bits(Vector &v) {
  v = __builtin_elementwise_max(v, Vector{} - 32768);
  v = __builtin_elementwise_min(v, Vector{} + 32767);
}

/// clip((q * scale >> shift) + (size - 1) * 2^(bits - 1), 16 bits), of the
/// grid's q without its zero point.
inline void fixedPlaces(const GridSampleIntParams &p, uint32_t axis,
                        const Strip<int32_t> &q, Strip<int32_t> &v) {
  int32_t scale = p.scale[axis], shift = p.shift[axis];
  int64_t middle = (int64_t(p.shape.sizes[axis]) - 1)
                   << (p.fractionBits[axis] - 1);
  // Of 15 bits and a sign the products with both halves of a scale fit.
  bool isNarrow =
      p.gridType == DType::I16
          ? p.gridZp == 0
          : isByte(p.gridType) && p.gridZp >= -32000 && p.gridZp <= 32000;
  if (isNarrow && shift >= 16 && middle < 1 << 29) {
    Strip<int32_t> low = q * (scale & 0xffff);
    v = q * (scale >> 16) + (low >> 16);
    v = (v >> (shift - 16 < 31 ? shift - 16 : 31)) + int32_t(middle);
    return limitTo16Bits(v);
  }
  auto wide = __builtin_convertvector(q, Strip<int64_t>) * scale;
  wide = (wide >> shift) + middle;
  limitTo16Bits(wide);
  v = __builtin_convertvector(wide, Strip<int32_t>);
}

template <typename Buffers>
inline void cellsOf(const GridSampleIntParams &p, const Buffers &buffers,
                    uint32_t axis, const Strip<int32_t> &q, CellStrip &cells) {
  bool isX = axis == 2;
  int32_t bits = p.fractionBits[axis];
  if (p.tables) {
    Strip<int32_t> entry = q - lowestOf(p.gridType);
    gatherStrip(
        static_cast<const int16_t *>(isX ? buffers.cellsX() : buffers.cellsY()),
        entry, cells.index);
    const void *fractions = isX ? buffers.fractionsX() : buffers.fractionsY();
    cells.fraction = Strip<int32_t>{};
    if (fractions)
      gatherStrip(static_cast<const uint16_t *>(fractions), entry,
                  cells.fraction);
    // Tables of a broken file hold more than a pixel.
    cells.fraction = __builtin_elementwise_min(cells.fraction,
                                               Strip<int32_t>{} + (1 << bits));
    return;
  }
  Strip<int32_t> v;
  fixedPlaces(p, axis, q + p.gridZp, v);
  if (p.shape.method == SampleMethod::Nearest)
    v = __builtin_elementwise_min(v + (1 << (bits - 1)),
                                  Strip<int32_t>{} + 32767);
  cells.index = v >> bits;
  cells.fraction = v & ((1 << bits) - 1);
}

/// What the places of a strip read: elements of the first channels of up to two
/// rows (k & 2) and columns (k & 1), below 0 of what counts as 0.
struct PixelStrip {
  Strip<int32_t> element[4];
  Strip<int32_t> fractionY, fractionX;
};

/// The elements along an axis of the grid's places from `first` on, and of
/// their neighbours.
template <typename Buffers>
inline void findAlong(const GridSampleIntParams &p, const Buffers &buffers,
                      uint32_t first, uint32_t n, uint32_t axis,
                      const SampleAxis &along, CellStrip &cells,
                      Strip<int32_t> &next) {
  const GridSampleShape &s = p.shape;
  Strip<int32_t> q;
  withSmallInt(p.gridType, [&](auto zero) {
    loadStrided<decltype(zero)>(buffers.grid(), int64_t(first) * 2 + 2 - axis,
                                2, PartOfStrip{n}, q);
  });
  cellsOf(p, buffers, axis, q, cells);
  next = cells.index + 1;
  elementsAlong(along, s.padding, s.alignCorners, cells.index);
  elementsAlong(along, s.padding, s.alignCorners, next);
}

template <typename Buffers>
inline void findPixels(const GridSampleIntParams &p, const Buffers &buffers,
                       uint32_t first, uint32_t n, PixelStrip &pixels) {
  CellStrip x, y;
  Strip<int32_t> right, below;
  findAlong(p, buffers, first, n, 2, columnsOf(p.shape), x, right);
  findAlong(p, buffers, first, n, 1, rowsOf(p.shape), y, below);
  pixels.fractionX = x.fraction, pixels.fractionY = y.fraction;
  pixels.element[0] = y.index + x.index, pixels.element[1] = y.index + right;
  pixels.element[2] = below + x.index, pixels.element[3] = below + right;
}

/// a += (b - a) * fraction >> bits.
template <typename Vector, typename Fraction>
inline void moveTowards(Vector &a, const Vector &b, const Fraction &fraction,
                        int32_t bits) {
  a += ((b - a) * fraction) >> bits;
}

/// The means of pixels that pixelOf(k, pixel) reads, limited.
template <typename Vector, typename Fraction, typename PixelOf>
inline void meanOf(const GridSampleIntParams &p, const Fraction &fractionY,
                   const Fraction &fractionX, Vector &y, PixelOf pixelOf) {
  pixelOf(0, y);
  if (p.shape.method == SampleMethod::Bilinear) {
    Vector right, below;
    pixelOf(1, right);
    moveTowards(y, right, fractionX, p.fractionBits[2]);
    pixelOf(2, below);
    pixelOf(3, right);
    moveTowards(below, right, fractionX, p.fractionBits[2]);
    moveTowards(y, below, fractionY, p.fractionBits[1]);
  }
  y = __builtin_elementwise_max(y, Vector{} + p.lo);
  y = __builtin_elementwise_min(y, Vector{} + p.hi);
}

/// A channel of all places after the other.
template <typename T>
inline void sampleChannels(const GridSampleIntParams &p,
                           const PixelStrip &pixels, uint32_t n, const T *input,
                           T *output) {
  int32_t channels = int32_t(p.shape.channels);
  bool isBounded = p.shape.padding == SamplePadding::Zeros;
  for (int32_t c = 0; c < channels; ++c) {
    Strip<int32_t> y;
    meanOf(p, pixels.fractionY, pixels.fractionX, y,
           [&](uint32_t k, Strip<int32_t> &x) {
             const Strip<int32_t> &element = pixels.element[k];
             if (isBounded)
               gatherWhere(input + c, element, element >= 0, T(-p.zp), x);
             else
               gatherStrip(input + c, element, x);
           });
    storeStrided<T>(y, PartOfStrip{n}, output + c, 0, channels);
  }
}

/// A place after the other.
template <typename T>
inline void samplePlaces(const GridSampleIntParams &p, const PixelStrip &pixels,
                         uint32_t n, const T *input, T *output) {
  uint32_t channels = p.shape.channels;
  int32_t element[4][kStrip], fractionY[kStrip], fractionX[kStrip];
  uint32_t read = p.shape.method == SampleMethod::Nearest ? 1 : 4;
  for (uint32_t k = 0; k < read; ++k)
    storeStrip<int32_t>(pixels.element[k], WholeStrip(), element[k], 0);
  storeStrip<int32_t>(pixels.fractionY, WholeStrip(), fractionY, 0);
  storeStrip<int32_t>(pixels.fractionX, WholeStrip(), fractionX, 0);
  for (uint32_t i = 0; i < n; ++i)
    forEachFittingStrip(0, channels, [&](uint32_t c, auto size) {
      using Vector = Fitting<int32_t, decltype(size)>;
      Vector y;
      meanOf(p, fractionY[i], fractionX[i], y, [&](uint32_t k, Vector &x) {
        if (element[k][i] < 0)
          x = Vector{} - p.zp;
        else
          loadStrip<T>(input, element[k][i] + c, size, x);
      });
      storeStrip<T>(y, size, output, int64_t(i) * channels + c);
    });
}

template <typename Buffers>
inline void sampleStrips(const GridSampleIntParams &p, const Buffers &buffers,
                         uint32_t task, uint32_t taskCount) {
  const GridSampleShape &s = p.shape;
  int64_t imageElements = int64_t(s.sizes[1]) * s.sizes[2] * s.channels;
  forEachPlaces(
      s, task, taskCount, [&](uint32_t out, uint32_t n, uint32_t image) {
        PixelStrip pixels;
        findPixels(p, buffers, out, n, pixels);
        withSmallInt(p.type, [&](auto zero) {
          using T = decltype(zero);
          const T *input =
              static_cast<const T *>(buffers.input()) + image * imageElements;
          T *output =
              static_cast<T *>(buffers.output()) + int64_t(out) * s.channels;
          if (s.channels <= kMostGathered)
            sampleChannels(p, pixels, n, input, output);
          else
            samplePlaces(p, pixels, n, input, output);
        });
      });
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_IMAGE_GRIDSAMPLEINTSTRIPS_H
