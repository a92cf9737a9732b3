//===- TensorTypes.cpp - Values of a GGUF tensor as floats ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Blocks of 32 have a scale of 16 bits, and perhaps a least value. Blocks of
// 256, of the types with K, have parts of 32 or 16 values with scales of their
// own, which are small integers times a scale of 16 bits.
//
//===----------------------------------------------------------------------===//
#include "parser/gguf/TensorTypes.h"
#include "parser/gguf/Cursor.h"
#include "support/Half.h"

#include <array>

using namespace yarrow;
using namespace yarrow::gguf;

static unsigned byteAt(const std::byte *from, std::size_t i) {
  return std::to_integer<unsigned>(from[i]);
}

template <typename T> static T read(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

static float halfAt(const std::byte *from) {
  return halfToFloat(read<std::uint16_t>(from));
}

static void decodeF32(const std::byte *from, std::size_t n, float *to) {
  std::memcpy(to, from, n * sizeof(float));
}

static void decodeF16(const std::byte *from, std::size_t n, float *to) {
  for (std::size_t i = 0; i < n; ++i)
    to[i] = halfAt(from + 2 * i);
}

static void decodeBF16(const std::byte *from, std::size_t n, float *to) {
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t bits = std::uint32_t(read<std::uint16_t>(from + 2 * i)) << 16;
    std::memcpy(to + i, &bits, sizeof bits);
  }
}

/// Calls fn(block, its values) for each of \p n blocks.
template <std::size_t bytes, std::size_t elements, typename F>
static void forEachBlock(const std::byte *from, std::size_t n, float *to,
                         F fn) {
  for (std::size_t i = 0; i < n; ++i)
    fn(from + i * bytes, to + i * elements);
}

/// The scale, then two values a byte: low bits have the first 16 values.
static void decodeQ4_0(const std::byte *from, std::size_t n, float *to) {
  forEachBlock<18, 32>(from, n, to, [](const std::byte *block, float *y) {
    float scale = halfAt(block);
    for (std::size_t i = 0; i < 16; ++i) {
      unsigned both = byteAt(block, 2 + i);
      y[i] = float(int(both & 15) - 8) * scale;
      y[i + 16] = float(int(both >> 4) - 8) * scale;
    }
  });
}

/// The scale, the least value, then as Q4_0.
static void decodeQ4_1(const std::byte *from, std::size_t n, float *to) {
  forEachBlock<20, 32>(from, n, to, [](const std::byte *block, float *y) {
    float scale = halfAt(block), least = halfAt(block + 2);
    for (std::size_t i = 0; i < 16; ++i) {
      unsigned both = byteAt(block, 4 + i);
      y[i] = float(both & 15) * scale + least;
      y[i + 16] = float(both >> 4) * scale + least;
    }
  });
}

static void decodeQ8_0(const std::byte *from, std::size_t n, float *to) {
  forEachBlock<34, 32>(from, n, to, [](const std::byte *block, float *y) {
    float scale = halfAt(block);
    for (std::size_t i = 0; i < 32; ++i)
      y[i] = float(read<std::int8_t>(block + 2 + i)) * scale;
  });
}

namespace {
/// Scale and offset of a part of 32 values, 6 bits each.
struct SixBits {
  unsigned scale, offset;
};
} // namespace

/// 12 bytes hold both for 8 parts: the first 4 parts in the low 6 bits of bytes
/// 0 to 7, the others in bytes 8 to 11 and the high 2 bits that are left.
static SixBits sixBitsOf(const std::byte *packed, std::size_t part) {
  if (part < 4)
    return {byteAt(packed, part) & 63, byteAt(packed, part + 4) & 63};
  unsigned low = byteAt(packed, part + 4);
  return {(low & 15) | (byteAt(packed, part - 4) >> 6 << 4),
          (low >> 4) | (byteAt(packed, part) >> 6 << 4)};
}

/// The scale of scales, that of offsets, 12 bytes of both, then 32 bytes for
/// every 64 values: low bits have the first part of 32, high bits the second.
static void decodeQ4_K(const std::byte *from, std::size_t n, float *to) {
  forEachBlock<144, 256>(from, n, to, [](const std::byte *block, float *y) {
    float scale = halfAt(block), offset = halfAt(block + 2);
    for (std::size_t part = 0; part < 8; ++part) {
      SixBits six = sixBitsOf(block + 4, part);
      float step = scale * float(six.scale), least = offset * float(six.offset);
      const std::byte *values = block + 16 + part / 2 * 32;
      for (std::size_t i = 0; i < 32; ++i) {
        unsigned both = byteAt(values, i);
        y[part * 32 + i] =
            step * float(part % 2 ? both >> 4 : both & 15) - least;
      }
    }
  });
}

/// 128 bytes of low 4 bits, 64 bytes of high 2 bits, 16 scales of 8 bits, the
/// scale of scales. Each half of the block has 4 parts of 32: low bits of parts
/// 0 and 2, and of 1 and 3, share bytes; high bits of all four do.
static void decodeQ6_K(const std::byte *from, std::size_t n, float *to) {
  forEachBlock<210, 256>(from, n, to, [](const std::byte *block, float *y) {
    float scale = halfAt(block + 208);
    for (std::size_t half = 0; half < 2; ++half)
      for (std::size_t part = 0; part < 4; ++part)
        for (std::size_t i = 0; i < 32; ++i) {
          unsigned low = byteAt(block, half * 64 + part % 2 * 32 + i);
          unsigned high = byteAt(block, 128 + half * 32 + i) >> (2 * part);
          unsigned value = (part < 2 ? low & 15 : low >> 4) | ((high & 3) << 4);
          std::size_t group = half * 8 + part * 2 + i / 16;
          float step = scale * float(read<std::int8_t>(block + 192 + group));
          y[half * 128 + part * 32 + i] = step * float(int(value) - 32);
        }
  });
}

static constexpr std::array tensorTypes = {
#define BLOCKS(Name, number, elements, bytes)                                  \
  TensorType{number, #Name, elements, bytes, decode##Name},
#include "parser/gguf/TensorTypes.def"
};

const TensorType *gguf::findTensorType(std::uint32_t number) {
  for (const TensorType &type : tensorTypes)
    if (type.number == number)
      return &type;
  return nullptr;
}

std::string gguf::tensorTypeText(std::uint32_t number) {
  switch (number) {
#define BLOCKS(Name, number, elements, bytes)                                  \
  case number:                                                                 \
    return #Name;
#define NAMED(Name, number)                                                    \
  case number:                                                                 \
    return #Name;
#include "parser/gguf/TensorTypes.def"
  default:
    return "type " + std::to_string(number);
  }
}

std::string gguf::readTensorTypesText() {
  std::string text;
  for (std::size_t i = 0; i < tensorTypes.size(); ++i)
    text += (i == 0                        ? ""
             : i + 1 == tensorTypes.size() ? " or "
                                           : ", ") +
            std::string(tensorTypes[i].name);
  return text;
}
