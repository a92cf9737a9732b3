//===- ByteGemmVnni.cpp - Products of bytes with VNNI ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Sums of some pixels by some blocks of columns stay in registers while their
// rows are read four bytes at a time, each broadcast to all lanes.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/ByteGemm.h"

#if defined(__x86_64__)

#include <array>
#include <cstring>
#include <immintrin.h>
#include <utility>

using namespace yarrow::sim;

#define YARROW_VNNI512                                                         \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#define YARROW_VNNI256 __attribute__((target("avx2,avxvnni")))

static int32_t quadAt(const uint8_t *from) {
  int32_t quad;
  std::memcpy(&quad, from, 4);
  return quad;
}

namespace {
/// Where a tile begins.
struct Corner {
  const uint8_t *const *starts; ///< Of its row.
  int64_t offset;
  uint32_t block;
  int32_t *c;
};
using TileFn = void (*)(const ByteGemmJob &, const Corner &);
} // namespace

template <int Pixels, int Blocks>
YARROW_VNNI512 static void tile512(const ByteGemmJob &job,
                                   const Corner &corner) {
  const PackedBytes &b = *job.columns;
  const PackedBytes::Quads *columns =
      b.data.data() + corner.block * b.blockQuads();
  uint64_t stride = b.blockQuads();
  __m512i sums[Pixels][Blocks];
  for (int j = 0; j < Blocks; ++j) {
    const int32_t *start =
        &b.signedStart[(corner.block + uint32_t(j)) * kByteColumns];
    __m512i first =
        job.isSigned ? _mm512_loadu_si512(start) : _mm512_setzero_si512();
    for (int i = 0; i < Pixels; ++i)
      sums[i][j] = first;
  }
  for (uint32_t s = 0; s < b.segments; ++s) {
    const uint8_t *a = corner.starts[s] + corner.offset;
    for (uint32_t q = 0; q < b.segmentQuads; ++q, a += 4, ++columns) {
      __m512i column[Blocks];
      for (int j = 0; j < Blocks; ++j)
        column[j] = _mm512_load_si512(columns + uint64_t(j) * stride);
      for (int i = 0; i < Pixels; ++i) {
        __m512i row = _mm512_set1_epi32(quadAt(a + i * job.pixelPitch));
        for (int j = 0; j < Blocks; ++j)
          sums[i][j] = _mm512_dpbusd_epi32(sums[i][j], row, column[j]);
      }
    }
  }
  for (int i = 0; i < Pixels; ++i)
    for (int j = 0; j < Blocks; ++j)
      _mm512_storeu_si512(
          corner.c + uint64_t(i) * job.cPitch + j * kByteColumns, sums[i][j]);
}

template <int Pixels, int Blocks>
YARROW_VNNI256 static void tile256(const ByteGemmJob &job,
                                   const Corner &corner) {
  static_assert(Blocks == 1);
  const PackedBytes &b = *job.columns;
  const PackedBytes::Quads *columns =
      b.data.data() + corner.block * b.blockQuads();
  __m256i sums[Pixels][2];
  for (int half = 0; half < 2; ++half) {
    const int32_t *start =
        &b.signedStart[corner.block * kByteColumns + uint32_t(half) * 8];
    __m256i first =
        job.isSigned
            ? _mm256_loadu_si256(reinterpret_cast<const __m256i *>(start))
            : _mm256_setzero_si256();
    for (int i = 0; i < Pixels; ++i)
      sums[i][half] = first;
  }
  for (uint32_t s = 0; s < b.segments; ++s) {
    const uint8_t *a = corner.starts[s] + corner.offset;
    for (uint32_t q = 0; q < b.segmentQuads; ++q, a += 4, ++columns) {
      auto *halves = reinterpret_cast<const __m256i *>(columns);
      __m256i low = _mm256_load_si256(halves);
      __m256i high = _mm256_load_si256(halves + 1);
      for (int i = 0; i < Pixels; ++i) {
        __m256i row = _mm256_set1_epi32(quadAt(a + i * job.pixelPitch));
        sums[i][0] = _mm256_dpbusd_avx_epi32(sums[i][0], row, low);
        sums[i][1] = _mm256_dpbusd_avx_epi32(sums[i][1], row, high);
      }
    }
  }
  for (int i = 0; i < Pixels; ++i)
    for (int half = 0; half < 2; ++half)
      _mm256_storeu_si256(reinterpret_cast<__m256i *>(
                              corner.c + uint64_t(i) * job.cPitch + half * 8),
                          sums[i][half]);
}

namespace {
/// Tiles of 1 to MaxPixels pixels by Blocks blocks.
template <int Blocks, int MaxPixels> struct Tiles512 {
  static constexpr uint32_t kBlocks = Blocks, kMaxPixels = MaxPixels;
  template <size_t... I>
  static constexpr std::array<TileFn, MaxPixels>
  make(std::index_sequence<I...>) {
    return {tile512<int(I) + 1, Blocks>...};
  }
  static constexpr std::array<TileFn, MaxPixels> of =
      make(std::make_index_sequence<MaxPixels>());
};
template <int Blocks, int MaxPixels> struct Tiles256 {
  static constexpr uint32_t kBlocks = Blocks, kMaxPixels = MaxPixels;
  template <size_t... I>
  static constexpr std::array<TileFn, MaxPixels>
  make(std::index_sequence<I...>) {
    return {tile256<int(I) + 1, Blocks>...};
  }
  static constexpr std::array<TileFn, MaxPixels> of =
      make(std::make_index_sequence<MaxPixels>());
};
} // namespace

/// All pixels by the blocks from \p block on; rows of pixels in tiles of
/// about the same size.
template <typename Tiles>
static void coverBlocks(const ByteGemmJob &job, uint32_t block) {
  uint32_t parts = (job.pixels + Tiles::kMaxPixels - 1) / Tiles::kMaxPixels;
  for (uint32_t row = 0; row < job.rows; ++row)
    for (uint32_t part = 0, x = 0; part < parts; ++part) {
      uint32_t size = (job.pixels - x) / (parts - part);
      uint64_t at = uint64_t(row) * job.pixels + x;
      Tiles::of[size - 1](
          job, {&job.starts[uint64_t(row) * job.columns->segments],
                int64_t(x) * job.pixelPitch, block,
                job.c + at * job.cPitch + uint64_t(block) * kByteColumns});
      x += size;
    }
}

// Enough independent sums to hide the latency of the multiply-add (5 cycles,
// up to 2 per cycle), as few loads per multiply-add as the registers allow.
void yarrow::sim::multiplyBytesVnni512(const ByteGemmJob &job) {
  uint32_t blocks = job.columns->blocks(), block = 0;
  for (; block + 4 <= blocks; block += 4)
    coverBlocks<Tiles512<4, 6>>(job, block);
  if (blocks - block == 3) {
    coverBlocks<Tiles512<3, 8>>(job, block);
    return;
  }
  if (blocks - block == 2)
    coverBlocks<Tiles512<2, 12>>(job, block);
  else if (blocks - block == 1)
    coverBlocks<Tiles512<1, 14>>(job, block);
}

void yarrow::sim::multiplyBytesVnni256(const ByteGemmJob &job) {
  for (uint32_t block = 0; block < job.columns->blocks(); ++block)
    coverBlocks<Tiles256<1, 6>>(job, block);
}

#endif
