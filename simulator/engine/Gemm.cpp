//===- Gemm.cpp - The inner product of the tensor engine ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/Gemm.h"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace yarrow::sim;

void yarrow::sim::packMatrix(const int16_t *rows, uint64_t rowPitch,
                             uint32_t columns, uint32_t k, PackedMatrix &to) {
  to.columns = columns;
  to.pairs = (k + 1) / 2;
  to.data.resize(to.blockStride() * to.blocks());
  uint32_t wholePairs = k / 2;
  for (uint32_t block = 0; block < to.blocks(); ++block) {
    int16_t *out = to.data.data() + block * to.blockStride();
    for (uint32_t lane = 0; lane < kGemmColumns; ++lane) {
      uint32_t column = block * kGemmColumns + lane;
      int16_t *cell = out + lane * 2;
      if (column >= columns) {
        for (uint32_t p = 0; p < to.pairs; ++p)
          std::memset(cell + p * 2 * kGemmColumns, 0, 4);
        continue;
      }
      const int16_t *row = rows + column * rowPitch;
      for (uint32_t p = 0; p < wholePairs; ++p)
        std::memcpy(cell + p * 2 * kGemmColumns, row + p * 2, 4);
      if (k & 1) {
        int16_t *last = cell + wholePairs * 2 * kGemmColumns;
        last[0] = row[k - 1];
        last[1] = 0;
      }
    }
  }
}

/// Rows x blocks of sums, in any host's code.
static void gemmPortable(const GemmJob &job) {
  for (uint32_t pixel = 0; pixel < job.pixels; ++pixel)
    for (uint32_t block = 0; block < job.blocks; ++block) {
      uint32_t sums[kGemmColumns] = {};
      const int16_t *b = job.b + block * job.blockStride;
      for (const GemmSegment &s : job.segments) {
        const int16_t *a = job.a + pixel * job.pixelPitch + s.offset;
        for (uint32_t p = 0; p < s.pairs; ++p, b += 2 * kGemmColumns)
          for (uint32_t lane = 0; lane < kGemmColumns; ++lane)
            sums[lane] += uint32_t(int32_t(a[2 * p]) * b[2 * lane]) +
                          uint32_t(int32_t(a[2 * p + 1]) * b[2 * lane + 1]);
      }
      std::memcpy(job.c + pixel * job.cPitch + block * kGemmColumns, sums,
                  sizeof sums);
    }
}

#if defined(__x86_64__)

/// What a kernel of `Pixels` x `Blocks` sums needs of the job.
struct GemmTile {
  const int16_t *a;
  const int16_t *b;
  int32_t *c;
};

#define YARROW_VNNI                                                            \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

template <int Pixels, int Blocks>
YARROW_VNNI static void tileVnni(const GemmJob &job, GemmTile t) {
  __m512i sums[Pixels][Blocks];
  for (int i = 0; i < Pixels; ++i)
    for (int j = 0; j < Blocks; ++j)
      sums[i][j] = _mm512_setzero_si512();
  const int16_t *b = t.b;
  for (const GemmSegment &s : job.segments) {
    const int16_t *a = t.a + s.offset;
    for (uint32_t p = 0; p < s.pairs; ++p, a += 2, b += 2 * kGemmColumns) {
      __m512i column[Blocks];
      for (int j = 0; j < Blocks; ++j)
        column[j] = _mm512_loadu_si512(b + j * job.blockStride);
      for (int i = 0; i < Pixels; ++i) {
        int32_t pair;
        std::memcpy(&pair, a + i * job.pixelPitch, 4);
        __m512i row = _mm512_set1_epi32(pair);
        for (int j = 0; j < Blocks; ++j)
          sums[i][j] = _mm512_dpwssd_epi32(sums[i][j], row, column[j]);
      }
    }
  }
  for (int i = 0; i < Pixels; ++i)
    for (int j = 0; j < Blocks; ++j)
      _mm512_storeu_si512(t.c + i * job.cPitch + j * kGemmColumns, sums[i][j]);
}

#define YARROW_AVX2 __attribute__((target("avx2")))

template <int Pixels, int Blocks>
YARROW_AVX2 static void tileAvx2(const GemmJob &job, GemmTile t) {
  static_assert(Blocks == 1);
  __m256i sums[Pixels][2];
  for (int i = 0; i < Pixels; ++i)
    sums[i][0] = sums[i][1] = _mm256_setzero_si256();
  const int16_t *b = t.b;
  for (const GemmSegment &s : job.segments) {
    const int16_t *a = t.a + s.offset;
    for (uint32_t p = 0; p < s.pairs; ++p, a += 2, b += 2 * kGemmColumns) {
      auto low = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(b));
      auto high = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(b + 16));
      for (int i = 0; i < Pixels; ++i) {
        int32_t pair;
        std::memcpy(&pair, a + i * job.pixelPitch, 4);
        __m256i row = _mm256_set1_epi32(pair);
        sums[i][0] = _mm256_add_epi32(sums[i][0], _mm256_madd_epi16(row, low));
        sums[i][1] = _mm256_add_epi32(sums[i][1], _mm256_madd_epi16(row, high));
      }
    }
  }
  for (int i = 0; i < Pixels; ++i)
    for (int half = 0; half < 2; ++half)
      _mm256_storeu_si256(
          reinterpret_cast<__m256i *>(t.c + i * job.cPitch + half * 8),
          sums[i][half]);
}

using TileFn = void (*)(const GemmJob &, GemmTile);

/// A step of the driver: at least `pixels` pixels and `blocks` blocks left.
struct TileShape {
  uint32_t pixels, blocks;
  TileFn fn;
};

/// Covers pixels x blocks with the first shape of \p shapes that fits what is
/// left; the last shape must be 1 x 1.
template <size_t N>
static void cover(const GemmJob &job, const TileShape (&shapes)[N]) {
  for (uint32_t block = 0; block < job.blocks;) {
    uint32_t width = 0;
    for (uint32_t pixel = 0; pixel < job.pixels;) {
      const TileShape *shape = shapes;
      while (
          shape->pixels > job.pixels - pixel ||
          (width ? shape->blocks != width : shape->blocks > job.blocks - block))
        ++shape;
      width = shape->blocks;
      shape->fn(job, {job.a + pixel * job.pixelPitch,
                      job.b + block * job.blockStride,
                      job.c + pixel * job.cPitch + block * kGemmColumns});
      pixel += shape->pixels;
    }
    block += width;
  }
}

// Enough independent sums to hide the latency of the multiply-add (5 cycles,
// up to 2 per cycle), as few loads per multiply-add as the registers allow.
static void gemmVnni(const GemmJob &job) {
  static constexpr TileShape wide[] = {
      {8, 2, tileVnni<8, 2>}, {4, 2, tileVnni<4, 2>},   {2, 2, tileVnni<2, 2>},
      {1, 2, tileVnni<1, 2>}, {16, 1, tileVnni<16, 1>}, {8, 1, tileVnni<8, 1>},
      {4, 1, tileVnni<4, 1>}, {2, 1, tileVnni<2, 1>},   {1, 1, tileVnni<1, 1>}};
  static constexpr TileShape few[] = {{2, 4, tileVnni<2, 4>},
                                      {1, 4, tileVnni<1, 4>},
                                      {2, 1, tileVnni<2, 1>},
                                      {1, 1, tileVnni<1, 1>}};
  if (job.pixels < 4)
    cover(job, few);
  else
    cover(job, wide);
}

static void gemmAvx2(const GemmJob &job) {
  static constexpr TileShape shapes[] = {
      {4, 1, tileAvx2<4, 1>}, {2, 1, tileAvx2<2, 1>}, {1, 1, tileAvx2<1, 1>}};
  cover(job, shapes);
}

static void (*chooseGemm())(const GemmJob &) {
  if (__builtin_cpu_supports("avx512vnni") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return gemmVnni;
  return __builtin_cpu_supports("avx2") ? gemmAvx2 : gemmPortable;
}

void yarrow::sim::gemm(const GemmJob &job) {
  static void (*const chosen)(const GemmJob &) = chooseGemm();
  chosen(job);
}

#else

void yarrow::sim::gemm(const GemmJob &job) { gemmPortable(job); }

#endif

void yarrow::sim::gemmReference(const GemmJob &job) { gemmPortable(job); }
