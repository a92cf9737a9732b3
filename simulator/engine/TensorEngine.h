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
#include "simulator/engine/SramLoads.h"
#include "simulator/engine/Winograd.h"

namespace yarrow::sim {

/// Whether a command writes every byte between its first and last one.
inline bool writesDensely(const isa::Conv &conv) {
  uint64_t pixelBytes =
      uint64_t(conv.outChannels) * isa::elementBytes(writtenType(conv));
  return conv.accumulateOut ||
         ((conv.outWidth == 1 || conv.outPixelStride == pixelBytes) &&
          (conv.outHeight == 1 ||
           conv.outRowStride == conv.outWidth * pixelBytes));
}
inline bool writesDensely(const isa::Pool &) { return false; }
inline bool writesDensely(const isa::MatMul &) { return false; }

class TensorEngine {
public:
  /// \p winograd and \p stage are those of the machine; the defaults are none
  /// and one that has wide scales. What the host multiplies bytes with, \p
  /// kernel (null: it does not), never changes a result.
  explicit TensorEngine(Memory &memory, const isa::WinogradUnit &winograd = {},
                        const ByteKernel *kernel = fastestByteKernel(),
                        const isa::OutputStage &stage = {.widePasses = 2})
      : memory(memory), sram(memory), loadedConstants(memory),
        winograd(winograd), stage(stage), byteKernel(kernel),
        weightCache(kernel) {}

  /// What copies loaded into SRAM, for all that accesses it.
  SramLoads &loads() { return loadedConstants; }
  /// The DDR of a program's constants, which only the host writes until the
  /// next call; empty if it has none. Weights from there are known again as
  /// long as they stay the same.
  void useConstants(uint64_t begin, uint64_t end);

  /// Null for \p budget does not limit the work.
  Fault execute(const isa::Conv &conv, Budget *budget = nullptr);
  Fault execute(const isa::MatMul &matmul, Budget *budget = nullptr);
  Fault execute(const isa::Pool &pool, Budget *budget = nullptr);

private:
  Fault checkStage(std::string_view mnemonic, bool isWide) const {
    if (isWide && stage.widePasses == 0)
      return faultText(mnemonic, ": this machine has no wide scales");
    return std::nullopt;
  }
  /// Before \p command is executed: what it reads is there, what it writes is
  /// no longer what was loaded. Not of the weights of a convolution.
  template <typename D> void access(const D &command);
  const ConvWeights &weightsOf(const isa::Conv &conv,
                               const ConvOperands &operands);
  BytePlace placeOf(const isa::Conv &conv, const ConvOperands &operands) const;

  Memory &memory;
  Sram sram;
  SramLoads loadedConstants;
  uint64_t constantsBegin = 0, constantsEnd = 0, constantsWrites = 0;
  isa::WinogradUnit winograd;
  isa::OutputStage stage;
  const ByteKernel *byteKernel;
  ConvWeightCache weightCache;
  ImageRows image; ///< Of the present command.
  ByteScratch byteScratch;
  ByteDepthwiseScratch depthwiseScratch;
  WinogradScratch winogradScratch;
};

template <typename D> void TensorEngine::access(const D &command) {
  if (loadedConstants.isEmpty())
    return;
  constexpr bool isConv = std::is_same_v<D, isa::Conv>;
  auto forAll = [&](bool isWrite, auto fn) {
    command.forEachAccess([&](const isa::FieldAccess &a) {
      if (a.isWrite == isWrite &&
          !(isConv && D::kAddressFields[a.field].name == "weights"))
        fn(a.offset + a.extent.begin, a.offset + a.extent.end);
    });
  };
  forAll(false,
         [&](int64_t begin, int64_t end) { loadedConstants.read(begin, end); });
  forAll(true, [&](int64_t begin, int64_t end) {
    loadedConstants.write(begin, end, writesDensely(command));
  });
}

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_TENSORENGINE_H
