//===- ConvWinograd.cpp - Convolution with transformed weights ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What an IR with with_winograd=true means, for any F(m x n, r x s) with whole
// transforms. One tile of outputs at a time, for a block of output channels:
// each tap of the tile is an inner product over the channels of the transformed
// input, and goes from there with its factors of the output transform straight
// into the sums of the tile's outputs. So nothing of the size of the layer is
// kept: neither transformed inputs nor products.
//
//===----------------------------------------------------------------------===//
#include "kernels/Dot.h"
#include "kernels/conv/Conv.h"
#include "kernels/conv/ConvLoop.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Sums at work, outputs of a tile times output channels: 2 KB of stack. A tile
/// has at most 64 outputs, which leaves a block of dotRows.
constexpr uint32_t kSums = 256;
static_assert(kSums >= kMaxWinogradTile * kMaxWinogradTile * kDotRows);
/// Output channels at work; their products have another 512 bytes.
constexpr uint32_t kBlock = 64;
/// Bytes of transformed inputs at work.
constexpr uint32_t kTransformedBytes = 256;

/// One tile: where it starts in the padded input, and the first of its outputs
/// with the number of those that the result has.
struct Tile {
  uint32_t n;
  int32_t top, left;
  uint32_t outY, outX, rows, columns;
};

/// By how much an axis can enlarge a value: the largest sum of the magnitudes
/// of a row of B^T.
inline int32_t inputGain(const WinogradAxis &axis) {
  int32_t gain = 0;
  for (uint32_t i = 0; i < axis.tile(); ++i) {
    int32_t sum = 0;
    for (uint32_t k = 0; k < axis.tile(); ++k) {
      int32_t factor = axis.inputTransform[i][k];
      sum += factor < 0 ? -factor : factor;
    }
    gain = sum > gain ? sum : gain;
  }
  return gain;
}

/// v[i] = (B^T d B)[tapY][tapX] of channels [first, first + n). Every partial
/// sum is below the gain of both axes times the largest input, for which the
/// caller has chosen Value.
template <typename In, typename Value>
void transformCells(const Conv2DWinogradParams &p, const In *input,
                    const Tile &tile, uint32_t tapY, uint32_t tapX,
                    uint32_t first, uint32_t n, Value *__restrict v) {
  const Conv2DShape &s = p.conv.shape;
  for (uint32_t i = 0; i < n; ++i)
    v[i] = 0;
  for (uint32_t ky = 0; ky < p.y.tile(); ++ky)
    for (uint32_t kx = 0; kx < p.x.tile(); ++kx) {
      int32_t factor =
          int32_t(p.y.inputTransform[tapY][ky]) * p.x.inputTransform[tapX][kx];
      int64_t y = tile.top + int32_t(ky), x = tile.left + int32_t(kx);
      if (factor == 0)
        continue;
      if (y < 0 || y >= s.inH || x < 0 || x >= s.inW) {
        for (uint32_t i = 0; i < n && p.conv.padValue != 0; ++i)
          v[i] = Value(v[i] + factor * p.conv.padValue);
        continue;
      }
      const In *cell =
          input + ((int64_t(tile.n) * s.inH + y) * s.inW + x) * s.inC + first;
      for (uint32_t i = 0; i < n; ++i)
        v[i] = Value(v[i] + factor * int32_t(cell[i]));
    }
}

template <typename Value>
void transform(const Conv2DWinogradParams &p, const void *input,
               const Tile &tile, uint32_t tapY, uint32_t tapX, uint32_t first,
               uint32_t n, Value *v) {
  switch (p.conv.inType) {
  case DType::I8:
    return transformCells(p, static_cast<const int8_t *>(input), tile, tapY,
                          tapX, first, n, v);
  case DType::U8:
    return transformCells(p, static_cast<const uint8_t *>(input), tile, tapY,
                          tapX, first, n, v);
  case DType::I16:
    return transformCells(p, static_cast<const int16_t *>(input), tile, tapY,
                          tapX, first, n, v);
  default:
    return transformCells(p, static_cast<const uint16_t *>(input), tile, tapY,
                          tapX, first, n, v);
  }
}

/// Transformed inputs below this are multiplied as 16-bit numbers. With 8-bit
/// weights any 16-bit number will do (safeTerms); with 16-bit ones 1023 leaves
/// room for a useful number of terms: 64 * 1023 * 2^15 < 2^31.
constexpr int32_t narrowLimit(DType weightType) {
  return weightType == DType::I8 ? 32767 : 1023;
}
constexpr uint32_t kNarrowTerms = 64;

/// products[i] = sum over c of W[o + i][tap][c] * V[tap][c] of one tap.
template <typename Value>
void multiplyTap(const Conv2DWinogradParams &p,
                 const Conv2DWinogradIntBuffers &buffers, const Tile &tile,
                 uint32_t tapY, uint32_t tapX, uint32_t o, uint32_t n,
                 int64_t *products) {
  const Conv2DShape &s = p.conv.shape;
  constexpr uint32_t kTerms = sizeof(Value) == 2 ? kNarrowTerms : 0;
  int64_t rowStride = int64_t(p.y.tile()) * p.x.tile() * s.inC;
  int64_t firstWeight =
      o * rowStride + (int64_t(tapY) * p.x.tile() + tapX) * s.inC;
  for (uint32_t i = 0; i < n; ++i)
    products[i] = 0;
  constexpr uint32_t kDepth = kTransformedBytes / sizeof(Value);
  for (uint32_t c = 0; c < s.inC; c += kDepth) {
    uint32_t depth = s.inC - c < kDepth ? s.inC - c : kDepth;
    Value v[kDepth];
    transform(p, buffers.input(), tile, tapY, tapX, c, depth, v);
    if (p.conv.weightType == DType::I8)
      dotRows(v,
              static_cast<const int8_t *>(buffers.weights()) + firstWeight + c,
              rowStride, n, depth, products);
    else
      dotRowsOf<kTerms>(
          v, static_cast<const int16_t *>(buffers.weights()) + firstWeight + c,
          rowStride, n, depth, products);
  }
}

/// sums[output][i] += A^T products A, the share of one tap.
inline void addTap(const Conv2DWinogradParams &p, const Tile &tile,
                   uint32_t tapY, uint32_t tapX, uint32_t n,
                   const int64_t *products, int64_t *sums) {
  for (uint32_t y = 0; y < tile.rows; ++y)
    for (uint32_t x = 0; x < tile.columns; ++x) {
      int64_t factor =
          int64_t(p.y.outputTransform[y][tapY]) * p.x.outputTransform[x][tapX];
      int64_t *to = sums + (y * tile.columns + x) * n;
      for (uint32_t i = 0; i < n && factor != 0; ++i)
        to[i] += factor * products[i];
    }
}

/// The outputs of one tile for output channels [o, o + n), before the bias.
template <typename Value>
void filterTile(const Conv2DWinogradParams &p,
                const Conv2DWinogradIntBuffers &buffers, const Tile &tile,
                uint32_t o, uint32_t n, int64_t *sums) {
  uint32_t taps = p.y.tile() * p.x.tile();
  const uint8_t *shifts = static_cast<const uint8_t *>(buffers.tapShifts());
  for (uint32_t i = 0; i < tile.rows * tile.columns * n; ++i)
    sums[i] = 0;
  for (uint32_t tapY = 0; tapY < p.y.tile(); ++tapY)
    for (uint32_t tapX = 0; tapX < p.x.tile(); ++tapX) {
      int64_t products[kBlock];
      multiplyTap<Value>(p, buffers, tile, tapY, tapX, o, n, products);
      uint32_t tap = tapY * p.x.tile() + tapX;
      for (uint32_t i = 0; i < n && p.hasTapShifts; ++i)
        products[i] *= int64_t(1) << shifts[int64_t(o + i) * taps + tap];
      addTap(p, tile, tapY, tapX, n, products, sums);
    }
}

inline Tile tileAt(const Conv2DWinogradParams &p, uint32_t row,
                   uint32_t column) {
  const Conv2DShape &s = p.conv.shape;
  uint32_t tileRows = (s.outH + p.y.outputs - 1) / p.y.outputs;
  Tile t;
  t.n = row / tileRows;
  t.outY = row % tileRows * p.y.outputs, t.outX = column * p.x.outputs;
  t.top = int32_t(t.outY) - s.padTop, t.left = int32_t(t.outX) - s.padLeft;
  t.rows = s.outH - t.outY < p.y.outputs ? s.outH - t.outY : p.y.outputs;
  t.columns = s.outW - t.outX < p.x.outputs ? s.outW - t.outX : p.x.outputs;
  return t;
}

template <typename Value>
void convolve(const Conv2DWinogradParams &p,
              const Conv2DWinogradIntBuffers &buffers, uint32_t task,
              uint32_t taskCount) {
  const Conv2DShape &s = p.conv.shape;
  IntEpilogue epilogue(p.conv.requant, buffers.scale(), buffers.shift(),
                       buffers.slope());
  uint32_t tileRows = (s.outH + p.y.outputs - 1) / p.y.outputs;
  uint32_t tileColumns = (s.outW + p.x.outputs - 1) / p.x.outputs;
  uint32_t block = kSums / (p.y.outputs * p.x.outputs);
  block = block < kBlock ? block : kBlock;
  Share share = shareOf(s.batch * tileRows, task, taskCount);
  for (uint32_t row = share.begin; row < share.end; ++row)
    for (uint32_t column = 0; column < tileColumns; ++column) {
      Tile tile = tileAt(p, row, column);
      for (uint32_t o = 0; o < s.outC; o += block) {
        uint32_t n = s.outC - o < block ? s.outC - o : block;
        int64_t sums[kSums];
        filterTile<Value>(p, buffers, tile, o, n, sums);
        const int32_t *bias = static_cast<const int32_t *>(buffers.bias()) + o;
        for (uint32_t i = 0; i < tile.rows * tile.columns; ++i) {
          int64_t *acc = sums + i * n;
          for (uint32_t k = 0; k < n; ++k)
            acc[k] = (acc[k] >> p.outputShift) + bias[k];
          int64_t y = tile.outY + i / tile.columns;
          int64_t x = tile.outX + i % tile.columns;
          epilogue.store(
              acc, n, o,
              ((int64_t(tile.n) * s.outH + y) * s.outW + x) * s.outC + o,
              buffers.output());
        }
      }
    }
}

} // namespace

YARROW_KERNEL(yk_conv2d_winograd_int, Conv2DWinogradInt) {
  int64_t largest = dtypeBytes(p.conv.inType) == 1 ? 255 : 65535;
  largest *= int64_t(inputGain(p.y)) * inputGain(p.x);
  if (largest <= narrowLimit(p.conv.weightType))
    convolve<int16_t>(p, buffers, task, taskCount);
  else
    convolve<int32_t>(p, buffers, task, taskCount);
}
