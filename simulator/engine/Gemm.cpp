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

#define YARROW_VNNI                                                            \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

template <int Pixels, int Blocks>
YARROW_VNNI static void tileVnni(const GemmJob &job, const int16_t *firstA,
                                 const int16_t *b, int32_t *c) {
  __m512i sums[Pixels][Blocks];
  for (int i = 0; i < Pixels; ++i)
    for (int j = 0; j < Blocks; ++j)
      sums[i][j] = _mm512_setzero_si512();
  for (const GemmSegment &s : job.segments) {
    const int16_t *a = firstA + s.offset;
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
      _mm512_storeu_si512(c + i * job.cPitch + j * kGemmColumns, sums[i][j]);
}

/// Rows so short that the columns' pairs stay in registers: of such products
/// tileVnni spends a third of the time on beginning and end.
template <int Pairs> YARROW_VNNI static void shortRowsVnni(const GemmJob &job) {
  constexpr uint32_t kPixels = 8;
  __m512i column[Pairs];
  for (int p = 0; p < Pairs; ++p)
    column[p] = _mm512_loadu_si512(job.b + p * 2 * kGemmColumns);
  const int16_t *a = job.a + job.segments[0].offset;
  int32_t *c = job.c;
  uint32_t left = job.pixels;
  for (; left >= kPixels; left -= kPixels) {
    __m512i sums[kPixels];
    for (uint32_t i = 0; i < kPixels; ++i)
      sums[i] = _mm512_setzero_si512();
#pragma unroll
    for (int p = 0; p < Pairs; ++p)
#pragma unroll
      for (uint32_t i = 0; i < kPixels; ++i) {
        int32_t pair;
        std::memcpy(&pair, a + i * job.pixelPitch + p * 2, 4);
        sums[i] =
            _mm512_dpwssd_epi32(sums[i], _mm512_set1_epi32(pair), column[p]);
      }
    for (uint32_t i = 0; i < kPixels; ++i)
      _mm512_storeu_si512(c + i * job.cPitch, sums[i]);
    a += kPixels * job.pixelPitch;
    c += kPixels * job.cPitch;
  }
  for (; left != 0; --left) {
    __m512i sum = _mm512_setzero_si512();
    for (int p = 0; p < Pairs; ++p) {
      int32_t pair;
      std::memcpy(&pair, a + p * 2, 4);
      sum = _mm512_dpwssd_epi32(sum, _mm512_set1_epi32(pair), column[p]);
    }
    _mm512_storeu_si512(c, sum);
    a += job.pixelPitch;
    c += job.cPitch;
  }
}

#define YARROW_AVX2 __attribute__((target("avx2")))

template <int Pixels, int Blocks>
YARROW_AVX2 static void tileAvx2(const GemmJob &job, const int16_t *firstA,
                                 const int16_t *b, int32_t *c) {
  static_assert(Blocks == 1);
  __m256i sums[Pixels][2];
  for (int i = 0; i < Pixels; ++i)
    sums[i][0] = sums[i][1] = _mm256_setzero_si256();
  for (const GemmSegment &s : job.segments) {
    const int16_t *a = firstA + s.offset;
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
          reinterpret_cast<__m256i *>(c + i * job.cPitch + half * 8),
          sums[i][half]);
}

/// The first pixel's row, the first pair of columns and where sums go.
using TileFn = void (*)(const GemmJob &, const int16_t *a, const int16_t *b,
                        int32_t *c);

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
      shape->fn(job, job.a + pixel * job.pixelPitch,
                job.b + block * job.blockStride,
                job.c + pixel * job.cPitch + block * kGemmColumns);
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
  if (job.blocks == 1 && job.segments.size() == 1)
    switch (job.segments[0].pairs) {
    case 4:
      return shortRowsVnni<4>(job);
    case 8:
      return shortRowsVnni<8>(job);
    case 12:
      return shortRowsVnni<12>(job);
    case 16:
      return shortRowsVnni<16>(job);
    default:
      break;
    }
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
