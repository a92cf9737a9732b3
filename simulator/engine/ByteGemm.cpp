//===- ByteGemm.cpp - Products of bytes on the host -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/ByteGemm.h"

#include <cstring>

using namespace yarrow::sim;

void yarrow::sim::packBytes(const ByteKernel &kernel, const int8_t *rows,
                            uint32_t columns, const ByteWindow &window,
                            PackedBytes &to) {
  to.columns = columns;
  to.segments = window.segments;
  to.segmentQuads = uint32_t(kernel.readBytes(window) / 4);
  to.data.assign(to.blockQuads() * to.blocks(), {});
  to.signedStart.assign(to.blocks() * kByteColumns, 0);
  uint64_t rowBytes = uint64_t(window.segments) * window.bytes;
  for (uint32_t column = 0; column < columns; ++column) {
    const int8_t *row = rows + column * rowBytes;
    PackedBytes::Quads *quads =
        to.data.data() + column / kByteColumns * to.blockQuads();
    uint32_t lane = column % kByteColumns * 4;
    uint32_t sum = 0;
    for (uint32_t s = 0; s < window.segments; ++s, quads += to.segmentQuads)
      for (uint32_t k = 0; k < window.bytes; k += 4) {
        uint32_t n = window.bytes - k < 4 ? window.bytes - k : 4;
        std::memcpy(&quads[k / 4].bytes[lane], row, n);
        for (uint32_t i = 0; i < n; ++i)
          sum += uint32_t(int32_t(row[i]));
        row += n;
      }
    to.signedStart[column] = int32_t(0 - 128 * sum);
  }
}

static void multiplyPortable(const ByteGemmJob &job) {
  const PackedBytes &b = *job.columns;
  for (uint32_t row = 0; row < job.rows; ++row)
    for (uint32_t pixel = 0; pixel < job.pixels; ++pixel)
      for (uint32_t block = 0; block < b.blocks(); ++block) {
        uint32_t sums[kByteColumns] = {};
        const PackedBytes::Quads *quads = &b.data[block * b.blockQuads()];
        for (uint32_t s = 0; s < b.segments; ++s) {
          const uint8_t *a = job.starts[row * b.segments + s] +
                             int64_t(pixel) * job.pixelPitch;
          for (uint32_t q = 0; q < b.segmentQuads; ++q, ++quads, a += 4)
            for (uint32_t i = 0; i < kByteColumns * 4; ++i) {
              int32_t x = job.isSigned ? int8_t(a[i % 4]) : a[i % 4];
              sums[i / 4] += uint32_t(x * quads->bytes[i]);
            }
        }
        uint64_t at = uint64_t(row) * job.pixels + pixel;
        std::memcpy(job.c + at * job.cPitch + block * kByteColumns, sums,
                    sizeof sums);
      }
}

static std::vector<ByteKernel> kernelsOfHost() {
  std::vector<ByteKernel> kernels;
#if defined(__x86_64__)
  if (hostHasAmx())
    kernels.push_back({"amx", 64, true, multiplyBytesAmx});
  if (__builtin_cpu_supports("avx512vnni") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    kernels.push_back({"avx512-vnni", 4, false, multiplyBytesVnni512});
  if (__builtin_cpu_supports("avxvnni"))
    kernels.push_back({"avx-vnni", 4, false, multiplyBytesVnni256});
#endif
  kernels.push_back({"portable", 4, true, multiplyPortable});
  return kernels;
}

std::span<const ByteKernel> yarrow::sim::byteKernels() {
  static const std::vector<ByteKernel> kernels = kernelsOfHost();
  return kernels;
}

const ByteKernel *yarrow::sim::fastestByteKernel() {
  std::span<const ByteKernel> kernels = byteKernels();
  return kernels.size() > 1 ? &kernels.front() : nullptr;
}
