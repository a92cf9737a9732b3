//===- Gemm.h - The inner product of the tensor engine ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Products of int16 rows with packed int16 columns into int32 sums, with the
// host's widest multiply-add. Rows are not gathered: a row is a list of
// segments, contiguous runs of pairs, at the same offsets from each pixel's
// address, which is how a padded NHWC image holds a convolution window.
//
//   PackedMatrix: columns in blocks of 16; in a block, pair after pair of
//   consecutive k, the 16 columns' pairs side by side.
//
// Sums wrap at 32 bits: callers limit the number of pairs of one call.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_GEMM_H
#define YARROW_SIMULATOR_ENGINE_GEMM_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace yarrow::sim {

inline constexpr uint32_t kGemmColumns = 16;

struct GemmSegment {
  int64_t offset; ///< Elements from the pixel's address.
  uint32_t pairs;
};

struct PackedMatrix {
  uint32_t columns = 0, pairs = 0;
  /// As packed by packMatrix; see the file's comment.
  std::vector<int16_t> data;

  uint32_t blocks() const {
    return (columns + kGemmColumns - 1) / kGemmColumns;
  }
  uint64_t blockStride() const { return uint64_t(pairs) * 2 * kGemmColumns; }
};

/// Packs \p rows[c], k values each, into \p to; odd k gets a zero. Rows lie
/// \p rowPitch elements apart.
void packMatrix(const int16_t *rows, uint64_t rowPitch, uint32_t columns,
                uint32_t k, PackedMatrix &to);

struct GemmJob {
  const int16_t *a = nullptr; ///< First pixel.
  int64_t pixelPitch = 0;     ///< Elements.
  uint32_t pixels = 0;
  std::span<const GemmSegment> segments;
  const int16_t *b = nullptr; ///< Pairs of the first segment, first block.
  uint64_t blockStride = 0;
  uint32_t blocks = 0;
  int32_t *c = nullptr; ///< [pixels][cPitch], 16 sums per block.
  uint64_t cPitch = 0;
};
void gemm(const GemmJob &job);
/// The same without host-specific code, for tests.
void gemmReference(const GemmJob &job);

/// Splits \p segments so that each part has at most \p maxPairs pairs. Calls
/// fn(segments of the part, pairs before it).
template <typename Fn>
void forEachChunk(std::span<const GemmSegment> segments, uint32_t maxPairs,
                  Fn fn) {
  std::vector<GemmSegment> part;
  uint32_t partPairs = 0, done = 0;
  auto flush = [&] {
    if (partPairs)
      fn(std::span<const GemmSegment>(part), done);
    done += partPairs;
    part.clear();
    partPairs = 0;
  };
  for (GemmSegment s : segments)
    while (s.pairs) {
      uint32_t take =
          s.pairs < maxPairs - partPairs ? s.pairs : maxPairs - partPairs;
      part.push_back({s.offset, take});
      partPairs += take;
      s.offset += int64_t(take) * 2;
      s.pairs -= take;
      if (partPairs == maxPairs)
        flush();
    }
  flush();
}

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_GEMM_H
