//===- ByteRows.cpp - 8-bit engine inputs, row by row ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/ByteRows.h"

#include "simulator/engine/HostVector.h"
#include "simulator/engine/Sram.h"
#include <algorithm>
#include <cstring>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

YARROW_HOST_CLONES static void addHalfRange(const uint8_t *from, uint64_t count,
                                            uint8_t *to) {
  for (uint64_t i = 0; i < count; ++i)
    to[i] = from[i] ^ 0x80;
}

static uint64_t coveredColumns(const Conv &conv) {
  return uint64_t(conv.outWidth - 1) * conv.strideX +
         uint64_t(conv.kernelX - 1) * conv.dilationX + 1;
}
static uint64_t coveredRows(const Conv &conv) {
  return uint64_t(conv.outHeight - 1) * conv.strideY +
         uint64_t(conv.kernelY - 1) * conv.dilationY + 1;
}

bool ByteRows::padsSides(const Conv &conv) {
  return conv.padLeft > 0 ||
         int64_t(coveredColumns(conv)) - conv.padLeft > conv.inWidth;
}

bool ByteRows::canHold(const Conv &conv) {
  if (elementBytes(conv.inType) != 1)
    return false;
  bool padsRows = conv.padTop > 0 ||
                  int64_t(coveredRows(conv)) - conv.padTop > conv.inHeight;
  TypeRange range = rangeOf(conv.inType);
  return (!padsRows && !padsSides(conv)) ||
         (conv.padValue >= range.lowest && conv.padValue <= range.highest);
}

void ByteRows::copyRow(const Conv &conv, const uint8_t *from,
                       uint8_t *to) const {
  auto copy = [&](const uint8_t *source, uint64_t count, uint8_t *target) {
    if (isShifted)
      addHalfRange(source, count, target);
    else
      std::memcpy(target, source, count);
  };
  if (!padsSides(conv)) {
    copy(from - int64_t(conv.padLeft) * pitch,
         (columns - 1) * uint64_t(pitch) + conv.inChannels, to);
    return;
  }
  // Columns [begin, end) are inside the tensor.
  auto begin = std::clamp<int64_t>(conv.padLeft, 0, int64_t(columns));
  auto end = std::clamp<int64_t>(int64_t(conv.padLeft) + conv.inWidth, begin,
                                 int64_t(columns));
  std::memset(to, pad, uint64_t(begin * pitch));
  const uint8_t *source =
      from + (begin - conv.padLeft) * int64_t(conv.inPixelStride);
  if (conv.inPixelStride == conv.inChannels)
    copy(source, uint64_t((end - begin) * pitch), to + begin * pitch);
  else
    for (int64_t x = begin; x < end; ++x, source += conv.inPixelStride)
      copy(source, conv.inChannels, to + x * pitch);
  std::memset(to + end * pitch, pad, uint64_t(int64_t(columns) - end) * pitch);
}

template <typename Fn>
void ByteRows::findRows(const Conv &conv, const BytePlace &place,
                        uint8_t *padding, Fn fn) {
  rows.assign(coveredRows(conv), nullptr);
  bool isWritten = false;
  for (uint64_t y = 0; y < conv.outHeight; ++y)
    for (uint64_t ky = 0; ky < conv.kernelY; ++ky) {
      uint64_t r = y * conv.strideY + ky * conv.dilationY;
      if (rows[r])
        continue;
      int64_t held = int64_t(r) - conv.padTop;
      if (held >= 0 && held < conv.inHeight) {
        rows[r] = fn(place.input + held * int64_t(conv.inRowStride));
        continue;
      }
      if (!isWritten)
        std::memset(padding, pad, rowBytes(conv));
      isWritten = true;
      rows[r] = padding;
    }
}

uint64_t ByteRows::rowBytes(const Conv &conv) const {
  return (columns - 1) * uint64_t(pitch) + conv.inChannels;
}

void ByteRows::build(const Conv &conv, const BytePlace &place, bool plus128,
                     uint64_t extraBytes) {
  columns = coveredColumns(conv);
  pitch = int64_t(pixelPitchOf(conv));
  isShifted = plus128;
  pad = uint8_t(conv.padValue + (plus128 ? 128 : 0));
  bool copiesAll = padsSides(conv) || isShifted || place.mustCopy;
  uint64_t readBytes = rowBytes(conv) + extraBytes;
  uint64_t copyBytes = (readBytes + 63) & ~uint64_t(63);
  // One of padding, and one for each row.
  uint8_t *padding = copies.reserve((coveredRows(conv) + 1) * copyBytes);
  uint8_t *next = padding + copyBytes;
  findRows(conv, place, padding, [&](const uint8_t *from) -> const uint8_t * {
    const uint8_t *first = from - int64_t(conv.padLeft) * pitch;
    if (!copiesAll && first + readBytes <= place.end)
      return first;
    uint8_t *to = next;
    copyRow(conv, from, to);
    next += copyBytes;
    return to;
  });
}

void ByteRows::buildBare(const Conv &conv, const BytePlace &place) {
  columns = coveredColumns(conv);
  pitch = conv.inPixelStride;
  isShifted = false;
  pad = uint8_t(conv.padValue);
  findRows(conv, place, copies.reserve(rowBytes(conv)),
           [&](const uint8_t *from) {
             return from - int64_t(conv.padLeft) * pitch;
           });
}
