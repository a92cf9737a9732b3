//===- ByteDepthwise.h - Depthwise convolutions of bytes --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Depthwise convolutions of 8-bit inputs with int8 weights, one filter per
// channel, with VNNI of 512 bits: up to four rows of a window are interleaved
// once per column, byte by byte, so that a multiply-add takes the column's
// cells of 16 channels.
//
//   PackedDepthwise packed;
//   packDepthwise(weights, channels, kernelY, kernelX, packed);
//   runByteDepthwise(conv, place, packed, scratch, output);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_BYTEDEPTHWISE_H
#define YARROW_SIMULATOR_ENGINE_BYTEDEPTHWISE_H

#include "simulator/engine/ByteGemm.h"
#include "simulator/engine/ByteRows.h"
#include "simulator/engine/ConvOutput.h"

namespace yarrow::sim {

/// Channels that are computed together: four vectors.
inline constexpr uint32_t kDepthwiseChannels = 64;
/// Rows of a window that are interleaved.
inline constexpr uint32_t kDepthwiseRows = 4;

struct PackedDepthwise {
  uint32_t channels = 0, kernelY = 0, kernelX = 0;
  /// [block of channels][four rows][kernelX][4], zero where there is no
  /// row or channel.
  std::vector<PackedBytes::Quads> data;
  /// Per channel of all blocks, as PackedBytes::signedStart.
  std::vector<int32_t> signedStart;

  uint32_t blocks() const {
    return (channels + kDepthwiseChannels - 1) / kDepthwiseChannels;
  }
  uint32_t rowGroups() const {
    return (kernelY + kDepthwiseRows - 1) / kDepthwiseRows;
  }
  uint64_t sizeBytes() const {
    return data.size() * sizeof(data[0]) + signedStart.size() * 4;
  }
};

bool hostHasByteDepthwise();

/// \p filters is [channels][kernelY][kernelX].
void packDepthwise(const int8_t *filters, uint32_t channels, uint32_t kernelY,
                   uint32_t kernelX, PackedDepthwise &to);

/// Memory kept from one command to the next.
struct ByteDepthwiseScratch {
  /// Of a part of the rows.
  struct Room {
    Scratch<int32_t> sums;
    std::vector<PackedBytes::Quads> columns;
  };
  ByteRows rows;
  std::vector<Room> rooms;
};

void runByteDepthwise(const isa::Conv &conv, const BytePlace &place,
                      const PackedDepthwise &weights,
                      ByteDepthwiseScratch &scratch, ConvOutput &output);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_BYTEDEPTHWISE_H
