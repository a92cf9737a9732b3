//===- TensorEngine.h - What the tensor engine computes ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Executes tensor commands on SRAM. Written against docs/isa.md and not from
// kernels/, so that comparing the two proves both.
//
//   TensorEngine engine(memory, machine.winograd);
//   if (Fault fault = engine.execute(conv))
//     ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_TENSORENGINE_H
#define YARROW_SIMULATOR_ENGINE_TENSORENGINE_H

#include "isa/Descriptors.h"
#include "isa/Machine.h"
#include "simulator/engine/ByteConv.h"
#include "simulator/engine/ConvWeightCache.h"
#include "simulator/engine/Effort.h"
#include "simulator/engine/ImageRows.h"
#include "simulator/engine/Sram.h"
#include "simulator/engine/Winograd.h"

namespace yarrow::sim {

class TensorEngine {
public:
  /// \p winograd is that of the machine; the default is to have none. What the
  /// host multiplies bytes with, \p kernel (null: it does not), never changes a
  /// result.
  explicit TensorEngine(Memory &memory, const isa::WinogradUnit &winograd = {},
                        const ByteKernel *kernel = fastestByteKernel())
      : sram(memory), winograd(winograd), byteKernel(kernel),
        weightCache(kernel) {}

  /// Null for \p budget does not limit the work.
  Fault execute(const isa::Conv &conv, Budget *budget = nullptr);
  Fault execute(const isa::MatMul &matmul, Budget *budget = nullptr);
  Fault execute(const isa::Pool &pool, Budget *budget = nullptr);

private:
  BytePlace placeOf(const isa::Conv &conv, const ConvOperands &operands) const;

  Sram sram;
  isa::WinogradUnit winograd;
  const ByteKernel *byteKernel;
  ConvWeightCache weightCache;
  ImageRows image; ///< Of the present command.
  ByteScratch byteScratch;
  ByteDepthwiseScratch depthwiseScratch;
  WinogradScratch winogradScratch;
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_TENSORENGINE_H
