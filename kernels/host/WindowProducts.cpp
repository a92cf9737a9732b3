//===- WindowProducts.cpp - Windows times filters on the host -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/host/WindowProducts.h"

#ifdef __x86_64__
#include <algorithm>
#include <cstring>
#include <immintrin.h>

using namespace yarrow::kernels;

#define YARROW_VNNI                                                            \
  __attribute__((target("arch=x86-64-v4,avx512vnni"), min_vector_width(512)))

/// Products of which so many surely fit 32 bits: 255 * 128 of bytes; of words
/// 255 * 32768, 32768 * 128 or 32768 * 255.
static constexpr uint32_t kMostByteTerms = 65535, kMostWordTerms = 256;

bool yarrow::kernels::hostAddsProducts() {
  static const bool has = __builtin_cpu_supports("avx512vnni") &&
                          __builtin_cpu_supports("x86-64-v4");
  return has;
}

Filters::Filters(Products products, DType type, const void *weights,
                 int64_t filterPitch, const std::vector<WindowRun> &runs)
    : how(products), type(type), weights(weights), filterPitch(filterPitch),
      runs(runs) {
  uint32_t perStep = 4 / elementBytes();
  uint32_t most = how == Products::Bytes ? kMostByteTerms / perStep * perStep
                                         : kMostWordTerms;
  uint32_t terms = 0;
  allBatches.push_back({0, 0, 0});
  for (const WindowRun &run : runs)
    for (uint32_t at = 0; at < run.length;) {
      if (terms == most) {
        allBatches.push_back({pieces.size(), pieces.size(), numSteps});
        terms = 0;
      }
      uint32_t length = std::min(run.length - at, most - terms);
      uint32_t steps = (length + perStep - 1) / perStep;
      pieces.push_back({(run.input + at) * elementBytes(), steps});
      numSteps += steps;
      terms += steps * perStep;
      at += length;
      allBatches.back().endPiece = pieces.size();
    }
}

int32_t Filters::weightAt(int64_t index) const {
  return type == DType::I8 ? static_cast<const int8_t *>(weights)[index]
                           : static_cast<const int16_t *>(weights)[index];
}

/// A run of a filter, as the steps of its pieces from \p step on.
void Filters::packRun(const WindowRun &run, int64_t filter, std::size_t step,
                      uint32_t lane) {
  uint32_t stride = numVectors * kFilterLanes;
  uint32_t *to = packed.data() + step * stride + lane;
  int64_t from = filter * filterPitch + run.weight;
  if (how == Products::Bytes) {
    const int8_t *bytes = static_cast<const int8_t *>(weights) + from;
    uint32_t i = 0;
    for (; i + 4 <= run.length; i += 4, to += stride)
      std::memcpy(to, bytes + i, 4);
    if (i < run.length)
      std::memcpy(to, bytes + i, run.length - i);
    return;
  }
  uint32_t *high = how == Products::WordHalves
                       ? upper.data() + step * stride + lane
                       : nullptr;
  for (uint32_t i = 0; i < run.length; i += 2, to += stride) {
    int32_t a = weightAt(from + i),
            b = i + 1 < run.length ? weightAt(from + i + 1) : 0;
    if (!high) {
      *to = uint32_t(uint16_t(a)) | uint32_t(b) << 16;
      continue;
    }
    *to = uint32_t(a & 0xff) | uint32_t(b & 0xff) << 16;
    *high = uint32_t(uint16_t(a >> 8)) | uint32_t(b >> 8) << 16;
    high += stride;
  }
}

template <typename Weight>
static int64_t sumOfRun(const void *weights, int64_t from, uint32_t length) {
  const Weight *w = static_cast<const Weight *>(weights) + from;
  int64_t sum = 0;
  for (uint32_t i = 0; i < length; ++i)
    sum += w[i];
  return sum;
}

void Filters::pack(uint32_t first, uint32_t count) {
  uint32_t vectors = (count + kFilterLanes - 1) / kFilterLanes;
  numVectors = vectors == 3 ? 4 : vectors;
  std::size_t size = numSteps * numVectors * kFilterLanes;
  packed.assign(size, 0);
  if (how == Products::WordHalves)
    upper.assign(size, 0);
  uint32_t perStep = 4 / elementBytes();
  for (uint32_t lane = 0; lane < count; ++lane) {
    std::size_t step = 0;
    sums[lane] = 0;
    for (const WindowRun &run : runs) {
      packRun(run, first + lane, step, lane);
      // No run is cut within a step.
      step += (run.length + perStep - 1) / perStep;
      int64_t from = int64_t(first + lane) * filterPitch + run.weight;
      sums[lane] += type == DType::I8
                        ? sumOfRun<int8_t>(weights, from, run.length)
                        : sumOfRun<int16_t>(weights, from, run.length);
    }
  }
}

namespace {

/// Windows that a block of filters meets.
struct Windows {
  const uint8_t *first;
  int64_t pitchBytes;
};

/// sums[window][vector] of a batch.
template <bool AreBytes, uint32_t Vectors, uint32_t Count>
YARROW_VNNI __attribute__((always_inline)) inline void
multiply(const Filters::Piece *piece, const Filters::Piece *end,
         const uint32_t *weights, const Windows &windows,
         __m512i (&sums)[Count][Vectors]) {
  for (uint32_t i = 0; i < Count; ++i)
    for (uint32_t v = 0; v < Vectors; ++v)
      sums[i][v] = _mm512_setzero_si512();
  for (; piece != end; ++piece) {
    const uint8_t *from = windows.first + piece->input;
    for (uint32_t step = 0; step < piece->steps; ++step, from += 4) {
      __m512i w[Vectors];
      for (uint32_t v = 0; v < Vectors; ++v, weights += kFilterLanes)
        w[v] = _mm512_loadu_si512(weights);
#pragma clang loop unroll(full)
      for (uint32_t i = 0; i < Count; ++i) {
        int32_t four;
        std::memcpy(&four, from + i * windows.pitchBytes, 4);
        __m512i x = _mm512_set1_epi32(four);
#pragma clang loop unroll(full)
        for (uint32_t v = 0; v < Vectors; ++v)
          sums[i][v] = AreBytes ? _mm512_dpbusd_epi32(sums[i][v], x, w[v])
                                : _mm512_dpwssd_epi32(sums[i][v], x, w[v]);
      }
    }
  }
}

/// to[window][vector * kFilterLanes + lane] += sums * 2^shift.
template <uint32_t Vectors, uint32_t Count>
YARROW_VNNI __attribute__((always_inline)) inline void
addSums(const __m512i (&sums)[Count][Vectors], uint32_t shift, int64_t *to) {
  for (uint32_t i = 0; i < Count; ++i, to += kMostFilters)
    for (uint32_t v = 0; v < Vectors; ++v) {
      int64_t *at = to + v * kFilterLanes;
      __m512i low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(sums[i][v])),
              high = _mm512_cvtepi32_epi64(
                  _mm512_extracti64x4_epi64(sums[i][v], 1));
      low = _mm512_slli_epi64(low, shift);
      high = _mm512_slli_epi64(high, shift);
      _mm512_storeu_si512(at, _mm512_add_epi64(low, _mm512_loadu_si512(at)));
      _mm512_storeu_si512(at + 8,
                          _mm512_add_epi64(high, _mm512_loadu_si512(at + 8)));
    }
}

template <bool AreBytes, uint32_t Vectors, uint32_t Count>
YARROW_VNNI void addBatches(const Filters &filters, const Windows &windows,
                            int64_t *sums) {
  for (const Filters::Batch &batch : filters.batches()) {
    const Filters::Piece *piece = filters.piece(batch.firstPiece),
                         *end = filters.piece(batch.endPiece);
    __m512i parts[Count][Vectors];
    multiply<AreBytes, Vectors, Count>(
        piece, end, filters.lanes(batch.firstStep, /*isUpper=*/false), windows,
        parts);
    addSums<Vectors, Count>(parts, 0, sums);
    if (AreBytes || filters.products() != Products::WordHalves)
      continue;
    multiply<AreBytes, Vectors, Count>(
        piece, end, filters.lanes(batch.firstStep, /*isUpper=*/true), windows,
        parts);
    addSums<Vectors, Count>(parts, 8, sums);
  }
}

/// As many windows at a time as registers hold sums of.
template <bool AreBytes, uint32_t Vectors, uint32_t Count>
void addWindowsOf(const Filters &filters, Windows windows, uint32_t count,
                  int64_t *sums) {
  for (; count >= Count; count -= Count) {
    addBatches<AreBytes, Vectors, Count>(filters, windows, sums);
    windows.first += Count * windows.pitchBytes;
    sums += Count * kMostFilters;
  }
  if constexpr (Count > 1)
    addWindowsOf<AreBytes, Vectors, Count / 2>(filters, windows, count, sums);
}

template <bool AreBytes>
void addWindowsOf(const Filters &filters, const Windows &windows,
                  uint32_t count, int64_t *sums) {
  switch (filters.vectors()) {
  case 1:
    return addWindowsOf<AreBytes, 1, 8>(filters, windows, count, sums);
  case 2:
    return addWindowsOf<AreBytes, 2, 8>(filters, windows, count, sums);
  default:
    return addWindowsOf<AreBytes, 4, 4>(filters, windows, count, sums);
  }
}

} // namespace

void yarrow::kernels::addWindows(const Filters &filters, const uint8_t *first,
                                 int64_t pitchBytes, uint32_t windows,
                                 int64_t *sums) {
  if (filters.products() == Products::Bytes)
    addWindowsOf<true>(filters, {first, pitchBytes}, windows, sums);
  else
    addWindowsOf<false>(filters, {first, pitchBytes}, windows, sums);
}

#endif
