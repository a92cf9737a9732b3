//===- Loop.h - What a loop does between its iterations ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Counts and decides on the device: a loop's body is a block of commands that
// is repeated while its state is not 0 (npu.while).
//
// Kernels: Loop.def. One TEC counts; rows are collected by all.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_CONTROL_LOOP_H
#define YARROW_KERNELS_CONTROL_LOOP_H

#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

/// The state of a loop, int32: the iteration that comes next, from 0, and
/// whether it does, 1 or 0.
constexpr uint32_t kLoopIteration = 0, kLoopGoesOn = 1, kLoopStateWords = 2;

/// i = previous iteration + 1, or 0 without a previous state;
/// goesOn = i < count and given != 0; i and `given` are also stored as the
/// body wants them.
struct LoopNextParams {
  DType countType = DType::I32;     // all: I8 to I64, Bool
  DType givenType = DType::Bool;    // of the condition that was computed
  DType iterationType = DType::I32; // of the body's inputs
  DType conditionType = DType::Bool;
};
static_assert(sizeof(LoopNextParams) == 16);

/// rows[i * rowBytes ...] = value, i being the iteration of the state; nothing
/// from row `capacity` on.
struct LoopCollectParams {
  uint32_t rowBytes = 0, capacity = 0;
};
static_assert(sizeof(LoopCollectParams) == 8);

#define YARROW_KERNELS "kernels/control/Loop.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_CONTROL_LOOP_H
