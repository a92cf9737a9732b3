//===- ByteConv.h - Convolutions of bytes -----------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Convolutions of 8-bit inputs with int8 weights where the host multiplies
// bytes (ByteGemm.h): windows are read where they lie (ByteRows.h).
//
//   if (!weights.bytes.empty())
//     runByteConv(kernel, conv, place, weights, scratch, output);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_BYTECONV_H
#define YARROW_SIMULATOR_ENGINE_BYTECONV_H

#include "simulator/engine/ByteGemm.h"
#include "simulator/engine/ByteRows.h"
#include "simulator/engine/ConvOutput.h"
#include "simulator/engine/ConvWeights.h"

namespace yarrow::sim {

/// Memory kept from one command to the next.
struct ByteScratch {
  /// Of a part of the results.
  struct Room {
    Scratch<int32_t> sums;
    std::vector<const uint8_t *> starts;
  };
  ByteRows rows;
  std::vector<Room> rooms;
};

/// \p weights have `bytes`, packed for \p kernel.
void runByteConv(const ByteKernel &kernel, const isa::Conv &conv,
                 const BytePlace &place, const ConvWeights &weights,
                 ByteScratch &scratch, ConvOutput &output);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_BYTECONV_H
