//===- Scatter.h - Kernels that write at indices ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// ScatterElements, ScatterND and SlotUpdate (docs/operators/indexing.md).
// Updates meet values in a buffer of wider numbers, `state`, as large as the
// data: values go into it, updates are applied in their order, the result is
// made of it. A task does all of this for its own part of the data, so that
// several updates of one place stay in order.
//
// Per element of data two passes of a few vector operations, and 4 or 8 bytes
// of state; per update its index is read by every task, and a run of `inner`
// neighbours is applied as vectors by the task that owns it.
//
// Kernels: Scatter.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_INDEXING_SCATTER_H
#define YARROW_KERNELS_INDEXING_SCATTER_H

#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

enum class ScatterOp : uint32_t { None, Add, Mul, Max, Min };

/// Where updates go. `axisSize` 0: places of `rank` indices into the lengths
/// `dims`, `places` of them, an update of each being `inner` neighbours. Else
/// an update of each element of `dims`, at the sum of i_d * strides_d + index *
/// axisStride, strides being those of the data, 0 along the axis. Negative
/// indices count from the end; those beyond an end are the end's.
struct ScatterShape {
  uint32_t elements = 1; // of the data
  uint32_t places = 1, inner = 1;
  uint32_t rank = 0;
  uint32_t dims[kMaxRank] = {};
  int32_t strides[kMaxRank] = {};
  int32_t axisSize = 0, axisStride = 1;
  DType indexType = DType::I32;
};
static_assert(sizeof(ScatterShape) == 92);

/// How integers multiply, by the layer and its bits.
enum class ScatterMul : uint32_t {
  Halved,  // y * u halved into 16 bits (k times), * mulScale >> mulShift - k
  Rounded, // RNE(y * u / 2^mulShift)
  Floored, // y * u >> mulShift
};

/// state = clip((x + dataZp) * dataScale) in stateBits; None, Add, Max and Min
/// with clip((u + updateZp) * updateScale), each step again in stepBits; y =
/// RQ(state). A multiplication of kind Halved begins with RQ(x + dataZp,
/// dataScale, dataShift) in stateBits and ends with clip(state). Bits are 16 to
/// 64, 64 for no limit, of a signed number if isSigned.
///
/// I32 as the state's type is enough for values and steps below 2^31; I64 is
/// for all: 17 bits times 17 bits, or 47 bits of int32 data, summed up.
struct ScatterIntParams {
  ScatterShape shape;
  ScatterOp op = ScatterOp::None;
  DType dataType = DType::I8, updateType = DType::I8; // I8 U8 I16 U16 I32
  DType stateType = DType::I32;                       // I32 I64
  int32_t dataZp = 0, updateZp = 0;
  int32_t dataScale = 1, updateScale = 1, dataShift = 0;
  uint32_t isSigned = 1, stateBits = 64, stepBits = 64;
  ScatterMul mul = ScatterMul::Rounded;
  int32_t mulScale = 1, mulShift = 0;
  uint32_t floors = 0; // 1: y = clip((state * scale >> shift) - zp)
  Requant requant;     // act None, per tensor
};
static_assert(sizeof(ScatterIntParams) == 220);

/// The same in floats; the state is float32.
struct ScatterFloatParams {
  ScatterShape shape;
  ScatterOp op = ScatterOp::None;
  DType dataType = DType::F32, updateType = DType::F32, outType = DType::F32;
};
static_assert(sizeof(ScatterFloatParams) == 108);

constexpr uint32_t kMaxSlotLists = 16;

/// y[n, index_i[k], :] = sum of x[n, i, k, :] over the lists i and k <
/// counts_i, of [batch, lists, slots, inner]; indices as of a ScatterShape. A
/// sum of n terms of 17 bits has 17 + log2(n) bits.
struct SlotUpdateParams {
  uint32_t batch = 1, lists = 1, slots = 1, inner = 1;
  uint32_t counts[kMaxSlotLists] = {};
  DType indexType = DType::I32; // of all lists
  DType inType = DType::I8;     // I8 U8 I16 U16, or floats
  DType stateType = DType::I32; // I32 I64 F32
  int32_t inZp = 0;
  Requant requant; // act None, per tensor; of floats, outType alone
};
static_assert(sizeof(SlotUpdateParams) == 160);
constexpr uint32_t variadicCount(const SlotUpdateParams &p) { return p.lists; }

#define YARROW_KERNELS "kernels/indexing/Scatter.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_INDEXING_SCATTER_H
