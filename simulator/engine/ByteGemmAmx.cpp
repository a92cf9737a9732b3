//===- ByteGemmAmx.cpp - Products of bytes in AMX tiles -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A tile of rows holds 64 consecutive k of up to 16 pixels of one row, read
// where they lie; a tile of columns 64 k of 16 of them, as packed. All tiles of
// rows have the same height, so that the tiles are configured once: the last
// one of a row of pixels begins so early that it ends with it, and computes
// some sums twice.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/ByteGemm.h"

#if defined(__x86_64__)

#include <algorithm>
#include <immintrin.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace yarrow::sim;

/// The system saves tiles only of processes that asked for them.
static bool systemGrantsTiles() {
#if defined(__linux__) && defined(SYS_arch_prctl)
  constexpr int kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

bool yarrow::sim::hostHasAmx() {
  static const bool has = __builtin_cpu_supports("amx-int8") &&
                          __builtin_cpu_supports("amx-tile") &&
                          systemGrantsTiles();
  return has;
}

#define YARROW_AMX __attribute__((target("amx-tile,amx-int8")))

static constexpr uint32_t kTileRows = 16, kTileBytes = 64;
static constexpr uint32_t kStepQuads = kTileBytes / 4;

namespace {
struct alignas(64) TileConfig {
  uint8_t palette = 1, startRow = 0;
  uint8_t reserved[14] = {};
  uint16_t rowBytes[16] = {};
  uint8_t rows[16] = {};
};

/// Up to 16 pixels.
struct RowTile {
  const uint8_t *const *starts;
  int64_t offset;
  int32_t *c;
};

class Tiles {
public:
  Tiles(const ByteGemmJob &job) : job(job), b(*job.columns) {
    perRow = (job.pixels + kTileRows - 1) / kTileRows;
    height = (job.pixels + perRow - 1) / perRow;
  }
  YARROW_AMX void run();

private:
  RowTile tile(uint32_t index) const {
    uint32_t row = index / perRow;
    uint32_t x = std::min(index % perRow * height, job.pixels - height);
    return {&job.starts[uint64_t(row) * b.segments],
            int64_t(x) * job.pixelPitch,
            job.c + (uint64_t(row) * job.pixels + x) * job.cPitch};
  }
  const PackedBytes::Quads *block(uint32_t number) const {
    return b.data.data() + number * b.blockQuads();
  }

  template <bool Signed> YARROW_AMX void cover();
  template <bool Signed> YARROW_AMX void rowOfBlocks(uint32_t first);
  template <bool Signed, int Rows>
  YARROW_AMX void narrow(uint32_t firstTile, uint32_t number);
  template <bool Signed, int Blocks>
  YARROW_AMX void wide(const RowTile &row, uint32_t firstBlock);
  template <bool Signed>
  YARROW_AMX void square(const RowTile &upper, const RowTile &lower,
                         uint32_t firstBlock);
  const ByteGemmJob &job;
  const PackedBytes &b;
  uint32_t perRow, height;
};
} // namespace

// Sums are in tiles 0 to 3, rows in 4 and 5, columns in 6 and 7.
#define DOT(SUM, ROWS, COLUMNS)                                                \
  do {                                                                         \
    if constexpr (Signed)                                                      \
      _tile_dpbssd(SUM, ROWS, COLUMNS);                                        \
    else                                                                       \
      _tile_dpbusd(SUM, ROWS, COLUMNS);                                        \
  } while (false)

/// Two tiles of rows by two blocks: each tile that is loaded is used twice.
template <bool Signed>
void Tiles::square(const RowTile &upper, const RowTile &lower,
                   uint32_t firstBlock) {
  const PackedBytes::Quads *left = block(firstBlock);
  const PackedBytes::Quads *right = block(firstBlock + 1);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (uint32_t s = 0; s < b.segments; ++s) {
    const uint8_t *above = upper.starts[s] + upper.offset;
    const uint8_t *below = lower.starts[s] + lower.offset;
    for (uint32_t q = 0; q < b.segmentQuads; q += kStepQuads) {
      _tile_loadd(4, above, job.pixelPitch);
      _tile_loadd(6, left, kTileBytes);
      DOT(0, 4, 6);
      _tile_loadd(7, right, kTileBytes);
      DOT(1, 4, 7);
      _tile_loadd(5, below, job.pixelPitch);
      DOT(2, 5, 6);
      DOT(3, 5, 7);
      above += kTileBytes;
      below += kTileBytes;
      left += kStepQuads;
      right += kStepQuads;
    }
  }
  uint64_t first = uint64_t(firstBlock) * kByteColumns;
  uint64_t pitch = job.cPitch * sizeof(int32_t);
  _tile_stored(0, upper.c + first, pitch);
  _tile_stored(1, upper.c + first + kByteColumns, pitch);
  _tile_stored(2, lower.c + first, pitch);
  _tile_stored(3, lower.c + first + kByteColumns, pitch);
}

/// One tile of rows by up to four blocks.
template <bool Signed, int Blocks>
void Tiles::wide(const RowTile &row, uint32_t firstBlock) {
  const PackedBytes::Quads *columns = block(firstBlock);
  uint64_t stride = b.blockQuads();
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (uint32_t s = 0; s < b.segments; ++s) {
    const uint8_t *a = row.starts[s] + row.offset;
    for (uint32_t q = 0; q < b.segmentQuads; q += kStepQuads) {
      _tile_loadd(4, a, job.pixelPitch);
      _tile_loadd(6, columns, kTileBytes);
      DOT(0, 4, 6);
      if constexpr (Blocks > 1) {
        _tile_loadd(7, columns + stride, kTileBytes);
        DOT(1, 4, 7);
      }
      if constexpr (Blocks > 2) {
        _tile_loadd(6, columns + 2 * stride, kTileBytes);
        DOT(2, 4, 6);
        _tile_loadd(7, columns + 3 * stride, kTileBytes);
        DOT(3, 4, 7);
      }
      a += kTileBytes;
      columns += kStepQuads;
    }
  }
  int32_t *c = row.c + uint64_t(firstBlock) * kByteColumns;
  uint64_t pitch = job.cPitch * sizeof(int32_t);
  _tile_stored(0, c, pitch);
  if constexpr (Blocks > 1)
    _tile_stored(1, c + kByteColumns, pitch);
  if constexpr (Blocks > 2) {
    _tile_stored(2, c + 2 * kByteColumns, pitch);
    _tile_stored(3, c + 3 * kByteColumns, pitch);
  }
}

/// Up to four tiles of rows by one block.
template <bool Signed, int Rows>
void Tiles::narrow(uint32_t firstTile, uint32_t number) {
  const PackedBytes::Quads *columns = block(number);
  RowTile rows[Rows];
  for (int i = 0; i < Rows; ++i)
    rows[i] = tile(firstTile + uint32_t(i));
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (uint32_t s = 0; s < b.segments; ++s) {
    const uint8_t *a[Rows];
    for (int i = 0; i < Rows; ++i)
      a[i] = rows[i].starts[s] + rows[i].offset;
    for (uint32_t q = 0; q < b.segmentQuads; q += kStepQuads) {
      uint64_t at = q * 4;
      _tile_loadd(7, columns, kTileBytes);
      _tile_loadd(4, a[0] + at, job.pixelPitch);
      DOT(0, 4, 7);
      if constexpr (Rows > 1) {
        _tile_loadd(5, a[1] + at, job.pixelPitch);
        DOT(1, 5, 7);
      }
      if constexpr (Rows > 2) {
        _tile_loadd(4, a[2] + at, job.pixelPitch);
        DOT(2, 4, 7);
        _tile_loadd(5, a[3] + at, job.pixelPitch);
        DOT(3, 5, 7);
      }
      columns += kStepQuads;
    }
  }
  uint64_t first = uint64_t(number) * kByteColumns;
  uint64_t pitch = job.cPitch * sizeof(int32_t);
  _tile_stored(0, rows[0].c + first, pitch);
  if constexpr (Rows > 1)
    _tile_stored(1, rows[1].c + first, pitch);
  if constexpr (Rows > 2) {
    _tile_stored(2, rows[2].c + first, pitch);
    _tile_stored(3, rows[3].c + first, pitch);
  }
}

template <bool Signed> void Tiles::cover() {
  uint32_t tiles = job.rows * perRow, blocks = b.blocks();
  uint32_t pairs = blocks & ~1u, t = 0;
  // Pairs of tiles by pairs of blocks.
  if (pairs != 0)
    for (; t + 2 <= tiles; t += 2) {
      RowTile upper = tile(t), lower = tile(t + 1);
      for (uint32_t n = 0; n < pairs; n += 2)
        square<Signed>(upper, lower, n);
    }
  if (t < tiles && pairs != 0) {
    RowTile row = tile(t);
    uint32_t n = 0;
    for (; n + 4 <= pairs; n += 4)
      wide<Signed, 4>(row, n);
    if (n < pairs)
      wide<Signed, 2>(row, n);
  }
  if (pairs == blocks)
    return;
  // A last block.
  t = 0;
  for (; t + 4 <= tiles; t += 4)
    narrow<Signed, 4>(t, pairs);
  for (; t + 2 <= tiles; t += 2)
    narrow<Signed, 2>(t, pairs);
  if (t < tiles)
    narrow<Signed, 1>(t, pairs);
}

void Tiles::run() {
  TileConfig config;
  for (unsigned i = 0; i < 8; ++i) {
    config.rowBytes[i] = kTileBytes;
    config.rows[i] = i < 6 ? uint8_t(height) : kTileRows;
  }
  _tile_loadconfig(&config);
  if (job.isSigned)
    cover<true>();
  else
    cover<false>();
  _tile_release();
}

void yarrow::sim::multiplyBytesAmx(const ByteGemmJob &job) { Tiles(job).run(); }

#endif
