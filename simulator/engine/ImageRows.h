//===- ImageRows.h - Engine inputs as padded int16 --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The input of a convolution, widened to int16 with its padding written out:
// [group][row][column][channels of the group, made even]. A uint16 input is
// moved down by 32768 so that it fits; its inner products are corrected by
// 32768 times the sum of the weights. For a Winograd command, 128 is subtracted
// from uint8 inputs, which is part of its definition.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_IMAGEROWS_H
#define YARROW_SIMULATOR_ENGINE_IMAGEROWS_H

#include "isa/CommandRules.h"
#include "simulator/engine/Scratch.h"
#include <cstdint>

namespace yarrow::sim {

struct ImageRows {
  uint32_t groups = 0, rows = 0, columns = 0;
  uint32_t channels = 0; ///< Per group, even.
  Scratch<int16_t> data;

  int64_t columnPitch() const { return channels; }
  int64_t rowPitch() const { return int64_t(columns) * channels; }
  int64_t groupPitch() const { return rows * rowPitch(); }
};

using isa::widenOffset;

/// Converts \p count elements.
void widen(isa::ElementType type, const uint8_t *from, uint64_t count,
           int16_t *to);

/// Rows and columns that the windows of \p conv cover. \p repeat writes each
/// channel that many times (depthwise with a multiplier); only then or with one
/// group is `evenChannels` false allowed.
void buildImage(const isa::Conv &conv, const uint8_t *input, uint32_t groups,
                uint32_t repeat, bool evenChannels, ImageRows &image);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_IMAGEROWS_H
