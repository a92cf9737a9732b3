//===- ByteGemm.h - Products of bytes on the host ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Products of 8-bit rows with packed int8 columns into int32 sums, with the
// host's instructions for bytes: AMX tiles, VNNI of 512 or 256 bits. A host
// without these instructions multiplies int16 (Gemm.h).
//
// Rows are not gathered. A row is a window of a convolution: segments of the
// same length, each a contiguous run of bytes, that move by the same pitch from
// one pixel to the next. If a segment is not a multiple of a kernel's step, the
// kernel reads beyond it and multiplies by zero: these bytes must be readable.
//
//   PackedBytes: columns in blocks of 16; in a block, segment by segment,
//   groups of 4 consecutive k, the 16 columns' groups side by side.
//
//   const ByteKernel &kernel = byteKernels().front();
//   PackedBytes packed;
//   packBytes(kernel, weights, columns, {.segments = 3, .bytes = 48}, packed);
//   kernel.multiply(job);
//
// Sums wrap at 32 bits: callers limit the length of a row.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_BYTEGEMM_H
#define YARROW_SIMULATOR_ENGINE_BYTEGEMM_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace yarrow::sim {

inline constexpr uint32_t kByteColumns = 16;

/// What the windows of a convolution are made of.
struct ByteWindow {
  uint32_t segments = 0;
  uint32_t bytes = 0; ///< Of each segment.
};

struct PackedBytes {
  /// Four consecutive k of 16 columns: a row of a tile, a vector.
  struct alignas(64) Quads {
    int8_t bytes[kByteColumns * 4];
  };
  uint32_t columns = 0;
  uint32_t segments = 0;
  uint32_t segmentQuads = 0; ///< With those that are zero.
  std::vector<Quads> data;
  /// -128 times each column's sum, of all 16 of each block: what sums start
  /// from where 128 was added to signed rows.
  std::vector<int32_t> signedStart;

  uint32_t blocks() const {
    return (columns + kByteColumns - 1) / kByteColumns;
  }
  uint64_t blockQuads() const { return uint64_t(segments) * segmentQuads; }
  uint64_t sizeBytes() const {
    return data.size() * sizeof(Quads) + signedStart.size() * 4;
  }
};

/// Rows x pixels windows times all columns.
struct ByteGemmJob {
  /// The segments' first bytes, of the first pixel of each row: [rows][segments
  /// of `columns`].
  std::span<const uint8_t *const> starts;
  uint32_t rows = 0, pixels = 0;
  int64_t pixelPitch = 0; ///< Bytes.
  /// Rows are int8, or int8 plus 128 for a kernel that does not take those: its
  /// sums are corrected.
  bool isSigned = false;
  const PackedBytes *columns = nullptr;
  int32_t *c = nullptr; ///< [rows * pixels][cPitch], 16 sums per block.
  uint64_t cPitch = 0;
};

struct ByteKernel {
  const char *name;
  uint32_t stepBytes; ///< Segments are read in steps of so many.
  bool takesSigned;   ///< Rows of int8; else 128 is added to them.
  void (*multiply)(const ByteGemmJob &);

  uint64_t readBytes(const ByteWindow &window) const {
    return (uint64_t(window.bytes) + stepBytes - 1) / stepBytes * stepBytes;
  }
};

/// Those that this host has, the fastest first. The last one is for any host
/// and for tests: products of int16 are faster.
std::span<const ByteKernel> byteKernels();

/// The fastest; null where products of int16 are faster.
const ByteKernel *fastestByteKernel();

/// Packs \p rows[c], of window.segments * window.bytes values each.
void packBytes(const ByteKernel &kernel, const int8_t *rows, uint32_t columns,
               const ByteWindow &window, PackedBytes &to);

// The kernels of x86-64 hosts; see byteKernels().
void multiplyBytesAmx(const ByteGemmJob &job);
void multiplyBytesVnni512(const ByteGemmJob &job);
void multiplyBytesVnni256(const ByteGemmJob &job);
/// Whether processor and system let this process use AMX; asks for it once.
bool hostHasAmx();

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_BYTEGEMM_H
