//===- IntegerOutput.h - The output stage in integers -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// From sums to results by IntegerPasses.h: what ConvOutput does for commands
// with wide scales or halves that go up, and for sums that doubles do not hold.
//
//   IntegerOutput stage(conv, operands);
//   stage.run(sums, n, /*table=*/firstChannel, partials, residual, results);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_INTEGEROUTPUT_H
#define YARROW_SIMULATOR_ENGINE_INTEGEROUTPUT_H

#include "simulator/engine/ConvOperands.h"
#include "simulator/engine/IntegerPasses.h"

namespace yarrow::sim {

/// Whether a command adds a residual that lies as its results do, and has at
/// most RELU behind it.
inline bool isPlainSum(const isa::Conv &conv) {
  return conv.sumOp == isa::SumOp::Add && !conv.residualPerPixel &&
         (conv.sumActivation == isa::Activation::None ||
          conv.sumActivation == isa::Activation::Relu);
}

/// Whether a command has scales or roundings that Passes.h does not do.
inline bool needsIntegers(const isa::Conv &conv) {
  return conv.wideScale || conv.halfUp ||
         (conv.hasResidual &&
          (conv.wideSum || conv.sumHalfUp || !isPlainSum(conv)));
}

/// Of a channel, without what CLIP keeps for its second rounding: from SRAM, or
/// that of all.
int32_t scaleOf(const isa::Conv &conv, const ConvOperands &at, size_t channel);
int32_t shiftOf(const isa::Conv &conv, const ConvOperands &at, size_t channel);
/// Of wide ones as many bits as the accumulators have.
int64_t biasOf(const isa::Conv &conv, const ConvOperands &at, size_t channel);

class IntegerOutput {
public:
  /// Numbers of \p repeats pixels lie one behind the other, for runs of several
  /// pixels.
  IntegerOutput(const isa::Conv &conv, const ConvOperands &operands,
                uint32_t repeats);

  /// Element i is of the channel \p table + i, modulo all channels. \p partials
  /// and \p residual are null unless the command has them. Sum is int32_t or
  /// int64_t.
  template <typename Sum>
  void run(const Sum *sums, size_t n, size_t table, const int64_t *partials,
           const int32_t *residual, int32_t *results) const;

private:
  void firstStage(int64_t *values, size_t n, size_t table) const;
  void joinResidual(int64_t *values, size_t n, size_t table,
                    const int32_t *residual) const;
  void activate(isa::Activation activation, int64_t *values, size_t n,
                size_t table) const;

  const isa::Conv &conv;
  /// Whether sums are held as accumulators hold them. Those of commands that
  /// doubles do are exact beyond, as in doubles.
  bool wraps32;
  std::vector<int64_t> bias, slopes;
  RoundFactors factors;
  isa::SumScales sumScales;
  RoundFactor sumFactor;
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_INTEGEROUTPUT_H
