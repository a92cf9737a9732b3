//===- ImageRows.cpp - Engine inputs as padded int16 ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/ImageRows.h"

#include "simulator/engine/HostVector.h"
#include "simulator/engine/Sram.h"
#include <algorithm>
#include <cstring>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

YARROW_HOST_CLONES static void widenI8(const int8_t *from, uint64_t count,
                                       int16_t *to) {
  for (uint64_t i = 0; i < count; ++i)
    to[i] = from[i];
}
YARROW_HOST_CLONES static void widenU8(const uint8_t *from, uint64_t count,
                                       int16_t *to) {
  for (uint64_t i = 0; i < count; ++i)
    to[i] = from[i];
}

YARROW_HOST_CLONES static void widenU8Less(const uint8_t *from, uint64_t count,
                                           int16_t offset, int16_t *to) {
  for (uint64_t i = 0; i < count; ++i)
    to[i] = int16_t(from[i] - offset);
}

void sim::widen(ElementType type, const uint8_t *from, uint64_t count,
                int16_t *to) {
  switch (type) {
  case ElementType::I8:
    return widenI8(reinterpret_cast<const int8_t *>(from), count, to);
  case ElementType::U8:
    return widenU8(from, count, to);
  case ElementType::I16:
    std::memcpy(to, from, count * 2);
    return;
  default:
    std::memcpy(to, from, count * 2);
    for (uint64_t i = 0; i < count; ++i)
      to[i] = int16_t(to[i] ^ 0x8000);
  }
}

/// Inputs of \p conv, less its winogradOffset().
static void widenInputs(const Conv &conv, const uint8_t *from, uint64_t count,
                        int16_t *to) {
  if (int32_t offset = winogradOffset(conv))
    return widenU8Less(from, count, int16_t(offset), to);
  widen(conv.inType, from, count, to);
}

/// Widens one pixel of \p count channels of a group.
static void widenPixel(const Conv &conv, const uint8_t *from, uint32_t count,
                       uint32_t repeat, int16_t *to) {
  if (repeat == 1)
    return widenInputs(conv, from, count, to);
  for (uint32_t c = 0; c < count; ++c) {
    int16_t value;
    widenInputs(conv, from + c * elementBytes(conv.inType), 1, &value);
    std::fill_n(to + uint64_t(c) * repeat, repeat, value);
  }
}

void sim::buildImage(const Conv &conv, const uint8_t *input, uint32_t groups,
                     uint32_t repeat, bool evenChannels, ImageRows &image) {
  uint32_t groupChannels = conv.inChannels / groups;
  uint32_t channels = groupChannels * repeat;
  image.groups = groups;
  image.channels = evenChannels ? (channels + 1) & ~1u : channels;
  image.rows = (conv.outHeight - 1) * conv.strideY +
               (conv.kernelY - 1) * conv.dilationY + 1;
  image.columns = (conv.outWidth - 1) * conv.strideX +
                  (conv.kernelX - 1) * conv.dilationX + 1;
  image.data.reserve(groups * image.groupPitch());

  auto pad =
      int16_t(conv.padValue - widenOffset(conv.inType) - winogradOffset(conv));
  uint32_t bytes = elementBytes(conv.inType);
  // Columns [from, to) of a row are inside the tensor.
  int64_t from = std::clamp<int64_t>(conv.padLeft, 0, image.columns);
  int64_t to = std::clamp<int64_t>(int64_t(conv.padLeft) + conv.inWidth, from,
                                   image.columns);
  bool isDense = groups == 1 && repeat == 1 && image.channels == channels &&
                 conv.inPixelStride == uint64_t(channels) * bytes;
  for (uint32_t g = 0; g < groups; ++g)
    for (uint32_t r = 0; r < image.rows; ++r) {
      int16_t *row =
          image.data.get() + g * image.groupPitch() + r * image.rowPitch();
      int64_t y = int64_t(r) - conv.padTop;
      if (y < 0 || y >= conv.inHeight || from == to) {
        std::fill_n(row, image.rowPitch(), pad);
        continue;
      }
      std::fill_n(row, from * image.channels, pad);
      const uint8_t *source =
          input + uint64_t(y) * conv.inRowStride +
          uint64_t(from - conv.padLeft) * conv.inPixelStride +
          uint64_t(g) * groupChannels * bytes;
      int16_t *pixel = row + from * image.channels;
      if (isDense) {
        widenInputs(conv, source, uint64_t(to - from) * channels, pixel);
        pixel += (to - from) * image.channels;
      } else {
        for (int64_t x = from; x < to; ++x) {
          widenPixel(conv, source, groupChannels, repeat, pixel);
          // Weights of the padding channel are 0: any value will do.
          if (image.channels != channels)
            pixel[channels] = 0;
          source += conv.inPixelStride;
          pixel += image.channels;
        }
      }
      std::fill_n(pixel, (image.columns - to) * image.channels, pad);
    }
}
