//===- Norms.h - Normalizations on the engine -------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Once mean and gain of a group are known, the output stage can normalise each
// value: a sum and a product with a second operand, one per pixel (groups that
// are rows) or per channel (columns). The weights are a depthwise convolution
// with a window of one cell.
//
//   NormCommands norm;
//   if (!describeNorm(call, machine, norm)) return false;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_DESCRIBE_NORMS_H
#define YARROW_PASSES_LOWER_DESCRIBE_NORMS_H

#include "kernels/norm/LayerNorm.h"
#include "passes/lower/describe/Pointwise.h"

namespace yarrow::npu {

struct NormCommands {
  /// Of yk_norm_gains, by which the TECs find the numbers of the groups: first
  /// all that are added, then all gains.
  kernels::LayerNormIntParams numbers;
  uint64_t numberCount = 0;
  /// Of what yk_norm_sums makes for it; 0 if it does without.
  uint64_t sumBytes = 0;
  /// From values to what is multiplied by the gain, if there is a mean, and
  /// from there to the normalised values n. Both operands' axes are the same,
  /// the outermost one of the tensor first.
  bool hasDifference = false;
  Pointwise difference, product;
  uint64_t elements = 0;
  /// From n to results: yk_batch_norm_int, whose input and output are unbound.
  std::optional<KernelCall> affine;
};

/// yk_layer_norm_int; false if the engine lacks something.
bool describeNorm(const KernelCall &call, const isa::Machine &machine,
                  NormCommands &norm);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_DESCRIBE_NORMS_H
