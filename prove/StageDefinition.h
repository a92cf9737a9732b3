//===- StageDefinition.h - What an output stage means -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The function from a sum to a result, one element at a time, written from
// docs/isa.md (`conv`) and the definition of the integers: one product, one
// rounding, no vectors and no tricks. The simulated engine has its own
// implementation (simulator/engine); StageProof compares them.
//
//   StageDefinition stage(conv, {.bias = -3, .scale = 77, .shift = 12}, table);
//   int64_t result = stage.result(/*sum=*/1234, /*residual=*/0);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PROVE_STAGEDEFINITION_H
#define YARROW_PROVE_STAGEDEFINITION_H

#include "isa/Descriptors.h"
#include <span>

namespace yarrow::prove {

/// What a stage has for each channel.
struct StageChannel {
  int64_t bias = 0, scale = 0, shift = 0, slope = 0;
  bool operator==(const StageChannel &) const = default;
};

/// round(value * scale / 2^shift); halves go to the even neighbour, or up.
__int128 requantized(__int128 value, int64_t scale, int64_t shift, bool halfUp);

class StageDefinition {
public:
  /// \p table is the look-up table, or empty. All outlive the stage.
  StageDefinition(const isa::Conv &conv, const StageChannel &channel,
                  std::span<const int32_t> table)
      : conv(conv), channel(channel), table(table) {}

  /// Of a sum without bias.
  int64_t result(int64_t sum, int64_t residual) const {
    return last(first(sum), residual);
  }
  /// Before the residual and the table: from outMin to outMax.
  int64_t first(int64_t sum) const;
  /// From there to the result.
  int64_t last(int64_t value, int64_t residual) const {
    if (conv.hasResidual)
      value = joined(value, residual);
    return conv.hasLut ? lookedUp(value) : value;
  }

private:
  int64_t joined(int64_t value, int64_t residual) const;
  int64_t lookedUp(int64_t value) const;
  __int128 activated(isa::Activation activation, __int128 value) const;

  const isa::Conv &conv;
  const StageChannel &channel;
  std::span<const int32_t> table;
};

} // namespace yarrow::prove

#endif // YARROW_PROVE_STAGEDEFINITION_H
