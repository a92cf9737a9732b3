//===- ByteDepthwise.cpp - Depthwise convolutions of bytes ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/ByteDepthwise.h"

#include "simulator/engine/Pieces.h"
#include "support/ThreadPool.h"
#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

using Quads = PackedBytes::Quads;

/// Vectors of a block of channels.
static constexpr uint32_t kVectors = kDepthwiseChannels / kByteColumns;

void sim::packDepthwise(const int8_t *filters, uint32_t channels,
                        uint32_t kernelY, uint32_t kernelX,
                        PackedDepthwise &to) {
  to.channels = channels;
  to.kernelY = kernelY;
  to.kernelX = kernelX;
  to.data.assign(uint64_t(to.blocks()) * to.rowGroups() * kernelX * kVectors,
                 {});
  to.signedStart.assign(uint64_t(to.blocks()) * kDepthwiseChannels, 0);
  for (uint32_t c = 0; c < channels; ++c) {
    uint64_t block = c / kDepthwiseChannels, lane = c % kDepthwiseChannels;
    uint32_t sum = 0;
    for (uint32_t ky = 0; ky < kernelY; ++ky)
      for (uint32_t kx = 0; kx < kernelX; ++kx) {
        int8_t weight = *filters++;
        uint64_t group = block * to.rowGroups() + ky / kDepthwiseRows;
        Quads &quads =
            to.data[(group * kernelX + kx) * kVectors + lane / kByteColumns];
        quads.bytes[lane % kByteColumns * 4 + ky % kDepthwiseRows] = weight;
        sum += uint32_t(int32_t(weight));
      }
    to.signedStart[c] = int32_t(0 - 128 * sum);
  }
}

#if defined(__x86_64__)

#define YARROW_VNNI512                                                         \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

bool sim::hostHasByteDepthwise() {
  static const bool has = __builtin_cpu_supports("avx512vnni") &&
                          __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512vl");
  return has;
}

namespace {
/// One row of pixels of one block of channels.
struct DepthwiseRow {
  const uint8_t *const *rows; ///< Of the window, at the block's channels.
  int64_t pitch;              ///< Bytes from one column to the next.
  uint32_t columns, pixels, strideX, dilationX;
  /// Columns [insideBegin, insideEnd) can be read, the others are `pad`.
  uint32_t insideBegin, insideEnd;
  uint8_t pad;
  uint32_t channels; ///< Of the block.
  bool isSigned;
  const PackedDepthwise *weights;
  uint32_t block;
  Quads *interleaved; ///< [columns][kVectors]
  int32_t *sums;
  uint64_t sumsPitch;
};
} // namespace

/// Four rows, cell by cell, of all columns.
YARROW_VNNI512 static void interleave(const DepthwiseRow &row, uint32_t group) {
  // Vector j of the result has channels 16 j on, in order, though unpacking
  // works in quarters.
  const __m512i order =
      _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512i half = _mm512_set1_epi8(row.isSigned ? char(0x80) : 0);
  auto lanes = row.channels == kDepthwiseChannels
                   ? ~__mmask64(0)
                   : (__mmask64(1) << row.channels) - 1;
  uint32_t first = group * kDepthwiseRows;
  uint32_t last = row.weights->kernelY - 1;
  // Of rows that there are not, the weights are 0.
  const uint8_t *from[kDepthwiseRows];
  for (uint32_t i = 0; i < kDepthwiseRows; ++i)
    from[i] = row.rows[std::min(first + i, last)];
  const __m512i pad = _mm512_xor_si512(_mm512_set1_epi8(char(row.pad)), half);
  Quads *to = row.interleaved;
  for (uint32_t x = 0; x < row.columns; ++x, to += kVectors) {
    if (x < row.insideBegin || x >= row.insideEnd) {
      for (uint32_t j = 0; j < kVectors; ++j)
        _mm512_store_si512(to + j, pad);
      continue;
    }
    int64_t at = int64_t(x) * row.pitch;
    __m512i cells[kDepthwiseRows];
    for (uint32_t i = 0; i < kDepthwiseRows; ++i)
      cells[i] = _mm512_permutexvar_epi32(
          order,
          _mm512_xor_si512(_mm512_maskz_loadu_epi8(lanes, from[i] + at), half));
    __m512i low01 = _mm512_unpacklo_epi8(cells[0], cells[1]);
    __m512i high01 = _mm512_unpackhi_epi8(cells[0], cells[1]);
    __m512i low23 = _mm512_unpacklo_epi8(cells[2], cells[3]);
    __m512i high23 = _mm512_unpackhi_epi8(cells[2], cells[3]);
    _mm512_store_si512(to, _mm512_unpacklo_epi16(low01, low23));
    _mm512_store_si512(to + 1, _mm512_unpackhi_epi16(low01, low23));
    _mm512_store_si512(to + 2, _mm512_unpacklo_epi16(high01, high23));
    _mm512_store_si512(to + 3, _mm512_unpackhi_epi16(high01, high23));
  }
}

/// Adds what \p group of rows contributes; the first one begins. KernelX 0:
/// any.
template <uint32_t KernelX>
YARROW_VNNI512 static void addRows(const DepthwiseRow &row, uint32_t group) {
  const PackedDepthwise &w = *row.weights;
  uint32_t kernelX = KernelX ? KernelX : w.kernelX;
  const Quads *weights = &w.data[(uint64_t(row.block) * w.rowGroups() + group) *
                                 w.kernelX * kVectors];
  const int32_t *start =
      &w.signedStart[uint64_t(row.block) * kDepthwiseChannels];
  for (uint32_t p = 0; p < row.pixels; ++p) {
    const Quads *window =
        row.interleaved + uint64_t(p) * row.strideX * kVectors;
    int32_t *sums = row.sums + p * row.sumsPitch;
    __m512i sum[kVectors];
    for (uint32_t j = 0; j < kVectors; ++j)
      sum[j] = group          ? _mm512_loadu_si512(sums + j * kByteColumns)
               : row.isSigned ? _mm512_loadu_si512(start + j * kByteColumns)
                              : _mm512_setzero_si512();
    for (uint32_t kx = 0; kx < kernelX; ++kx) {
      const Quads *cell = window + uint64_t(kx) * row.dilationX * kVectors;
      for (uint32_t j = 0; j < kVectors; ++j)
        sum[j] =
            _mm512_dpbusd_epi32(sum[j], _mm512_load_si512(cell + j),
                                _mm512_load_si512(weights + kx * kVectors + j));
    }
    for (uint32_t j = 0; j < kVectors; ++j)
      _mm512_storeu_si512(sums + j * kByteColumns, sum[j]);
  }
}

static void sumRow(const DepthwiseRow &row) {
  for (uint32_t group = 0; group < row.weights->rowGroups(); ++group) {
    interleave(row, group);
    if (row.weights->kernelX == 3)
      addRows<3>(row, group);
    else
      addRows<0>(row, group);
  }
}

/// Rows [begin, end) of the output.
static void runRows(const Conv &conv, DepthwiseRow row, const ByteRows &rows,
                    ByteDepthwiseScratch::Room &room, uint32_t begin,
                    uint32_t end, ConvOutput &output) {
  int32_t *sums = room.sums.reserve(row.sumsPitch * row.pixels);
  if (uint64_t size = uint64_t(row.columns) * kVectors;
      room.columns.size() < size)
    room.columns.resize(size);
  row.interleaved = room.columns.data();
  std::vector<const uint8_t *> window(conv.kernelY);
  row.rows = window.data();
  for (uint32_t y = begin; y < end; ++y) {
    for (uint32_t b = 0; b < row.weights->blocks(); ++b) {
      uint32_t first = b * kDepthwiseChannels;
      row.block = b;
      row.channels = std::min(kDepthwiseChannels, conv.outChannels - first);
      row.sums = sums + first;
      for (uint32_t ky = 0; ky < conv.kernelY; ++ky)
        window[ky] = rows.row(uint64_t(y) * conv.strideY +
                              uint64_t(ky) * conv.dilationY) +
                     first;
      sumRow(row);
    }
    output.write(sums, row.sumsPitch, y, 0, row.pixels, 0, conv.outChannels);
  }
}

void sim::runByteDepthwise(const Conv &conv, const BytePlace &place,
                           const PackedDepthwise &weights,
                           ByteDepthwiseScratch &scratch, ConvOutput &output) {
  ByteRows &rows = scratch.rows;
  DepthwiseRow row{};
  row.columns = (conv.outWidth - 1) * conv.strideX +
                (conv.kernelX - 1) * conv.dilationX + 1;
  row.insideEnd = row.columns;
  if (place.mustCopy) {
    rows.build(conv, place, false, 0);
  } else {
    rows.buildBare(conv, place);
    auto inside = [&](int64_t column) {
      return uint32_t(std::clamp<int64_t>(column, 0, row.columns));
    };
    row.insideBegin = inside(conv.padLeft);
    row.insideEnd = inside(int64_t(conv.padLeft) + conv.inWidth);
  }
  row.pitch = rows.pixelPitch();
  row.pad = uint8_t(conv.padValue);
  row.pixels = conv.outWidth;
  row.strideX = conv.strideX;
  row.dilationX = conv.dilationX;
  row.isSigned = conv.inType == ElementType::I8;
  row.weights = &weights;
  row.sumsPitch = uint64_t(weights.blocks()) * kDepthwiseChannels;
  uint64_t pieces = std::min<uint64_t>(piecesOf(conv), conv.outHeight);
  if (scratch.rooms.size() < pieces)
    scratch.rooms.resize(pieces);
  parallelFor(pieces, [&](size_t i) {
    runRows(conv, row, rows, scratch.rooms[i],
            uint32_t(conv.outHeight * i / pieces),
            uint32_t(conv.outHeight * (i + 1) / pieces), output);
  });
}

#else

bool sim::hostHasByteDepthwise() { return false; }
void sim::runByteDepthwise(const Conv &, const BytePlace &,
                           const PackedDepthwise &, ByteDepthwiseScratch &,
                           ConvOutput &) {}

#endif
