//===- ByteRows.h - 8-bit engine inputs, row by row -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Where the rows of a convolution's padded input are: in the SRAM itself, as
// far as nothing has to be written between or around their pixels, or in a
// copy. Rows of padding are one row that all share.
//
//   ByteRows rows;
//   if (rows.canHold(conv)) {
//     rows.build(conv, place, /*plus128=*/false, /*extraBytes=*/64);
//     const uint8_t *cell = rows.row(y) + x * rows.pixelPitch();
//   }
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_BYTEROWS_H
#define YARROW_SIMULATOR_ENGINE_BYTEROWS_H

#include "isa/Descriptors.h"
#include "simulator/engine/Scratch.h"
#include <cstdint>
#include <vector>

namespace yarrow::sim {

/// A convolution's input in the host.
struct BytePlace {
  const uint8_t *input; ///< First pixel of the first row held.
  const uint8_t *end;   ///< Of all memory that may be read.
  bool mustCopy;        ///< The command may write what it has yet to read.
};

class ByteRows {
public:
  /// Whether input and padding of \p conv are 8-bit values.
  static bool canHold(const isa::Conv &conv);
  /// Whether pixels get padding at their sides, and with it a pitch of their
  /// own: inChannels.
  static bool padsSides(const isa::Conv &conv);
  static uint64_t pixelPitchOf(const isa::Conv &conv) {
    return padsSides(conv) ? conv.inChannels : conv.inPixelStride;
  }

  /// Rows that the windows of \p conv cover. \p plus128: of int8, the value
  /// plus 128 as uint8. \p extraBytes behind a row may be read, too.
  void build(const isa::Conv &conv, const BytePlace &place, bool plus128,
             uint64_t extraBytes);

  /// The same without padding at the sides: of a row, columns inside of the
  /// tensor alone may be read. Not for a place that must be copied.
  void buildBare(const isa::Conv &conv, const BytePlace &place);

  /// The cell at column 0 of the padded input, and row \p r of it.
  const uint8_t *row(uint64_t r) const { return rows[r]; }
  int64_t pixelPitch() const { return pitch; }

private:
  uint64_t rowBytes(const isa::Conv &conv) const;
  /// fn(from) gives the row whose first pixel in the tensor is at `from`;
  /// rows of padding are \p padding.
  template <typename Fn>
  void findRows(const isa::Conv &conv, const BytePlace &place, uint8_t *padding,
                Fn fn);
  void copyRow(const isa::Conv &conv, const uint8_t *from, uint8_t *to) const;

  std::vector<const uint8_t *> rows;
  Scratch<uint8_t> copies;
  int64_t pitch = 0;
  uint64_t columns = 0; ///< That windows cover.
  bool isShifted = false;
  uint8_t pad = 0;
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_BYTEROWS_H
