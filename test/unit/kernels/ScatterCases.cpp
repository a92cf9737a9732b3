//===- ScatterCases.cpp - Calls that write at indices ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Indices are random bytes, so that most of them are wrong.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/KernelCaseBuilder.h"
#include "test/unit/kernels/TypeLimits.h"

using namespace yarrow;
using namespace yarrow::kernels;
using yarrow::testing::KernelCaseBuilder;

ScatterShape KernelCaseBuilder::scatterShape() {
  ScatterShape shape{.rank = between(1, 3), .indexType = wholeNumber()};
  if (flip()) { // places
    shape.places = between(1, 30);
    shape.inner = between(1, 9);
    shape.elements = shape.inner;
    for (uint32_t d = 0; d < shape.rank; ++d)
      shape.elements *= shape.dims[d] = between(1, 5);
    return shape;
  }
  uint32_t axis = random.below(shape.rank);
  for (uint32_t d = shape.rank; d-- > 0;) {
    shape.dims[d] = between(1, 7);
    uint32_t size = shape.dims[d] + random.below(3);
    shape.strides[d] = d == axis ? 0 : int32_t(shape.elements);
    if (d == axis)
      shape.axisSize = int32_t(size),
      shape.axisStride = int32_t(shape.elements);
    shape.elements *= size;
  }
  return shape;
}

void KernelCaseBuilder::addScatters() {
  for (ScatterOp op : {ScatterOp::None, ScatterOp::Add, ScatterOp::Mul,
                       ScatterOp::Max, ScatterOp::Min}) {
    ScatterIntParams p{.shape = scatterShape(),
                       .op = op,
                       .dataType = smallInt(),
                       .updateType = smallInt(),
                       .stateType = flip() ? DType::I32 : DType::I64,
                       .dataScale = int32_t(random.below(65536)),
                       .updateScale = int32_t(random.below(65536)),
                       .dataShift = int32_t(random.below(9)),
                       .isSigned = flip(),
                       .stateBits = random.of({16u, 24u, 32u, 64u}),
                       .stepBits = random.of({32u, 64u}),
                       .mul =
                           random.of({ScatterMul::Halved, ScatterMul::Rounded,
                                      ScatterMul::Floored}),
                       .mulScale = int32_t(random.below(65536)),
                       .mulShift = int32_t(random.below(24)),
                       .floors = flip(),
                       .requant = requant()};
    p.dataZp = zeroPoint(p.dataType), p.updateZp = zeroPoint(p.updateType);
    add("yk_scatter_int", p, {}, 3, 2);
    ScatterFloatParams f{.shape = scatterShape(),
                         .op = op,
                         .dataType = floating(),
                         .updateType = floating(),
                         .outType = floating()};
    add("yk_scatter_float", f, {}, 3, 2);
  }
  for (bool isFloat : {false, true}) {
    SlotUpdateParams slots{.batch = between(1, 2),
                           .lists = between(1, 3),
                           .slots = between(1, 9),
                           .inner = between(1, 20),
                           .indexType = wholeNumber(),
                           .inType = isFloat ? floating() : smallInt(),
                           .stateType = isFloat  ? DType::F32
                                        : flip() ? DType::I32
                                                 : DType::I64,
                           .requant = requant()};
    if (isFloat)
      slots.requant.outType = floating();
    for (uint32_t list = 0; list < slots.lists; ++list)
      slots.counts[list] = between(1, slots.slots);
    slots.inZp = zeroPoint(slots.inType);
    add("yk_slot_update", slots, {}, 1 + slots.lists, 2);
  }
}

void KernelCaseBuilder::addSegments() {
  for (SegmentOp op : {SegmentOp::Sum, SegmentOp::Mean, SegmentOp::Min,
                       SegmentOp::Max, SegmentOp::Prod}) {
    SegmentShape shape{.rows = between(1, 20),
                       .inner = between(1, 40),
                       .segments = between(1, 9),
                       .op = op,
                       .segmentType = wholeNumber()};
    add("yk_segment_reduce_float",
        SegmentReduceFloatParams{
            .shape = shape, .inType = floating(), .outType = floating()});
    if (op == SegmentOp::Prod)
      continue;
    SegmentReduceIntParams p{
        .shape = shape, .inType = smallInt(), .fill = 5, .requant = requant()};
    p.requant.scale /= 2; // times one part of the rows, in 31 bits
    p.inZp = zeroPoint(p.inType);
    add("yk_segment_reduce_int", p);
  }
  for (EmbeddingOp op :
       {EmbeddingOp::Sum, EmbeddingOp::Mean, EmbeddingOp::RootMean}) {
    EmbeddingShape shape{.table = between(1, 9),
                         .inner = between(1, 40),
                         .rows = between(1, 9),
                         .entries = between(1, 30),
                         .idType = wholeNumber(),
                         .valueType = wholeNumber(),
                         .tableType = smallInt(),
                         .weightType = smallInt(),
                         .squares = op == EmbeddingOp::RootMean};
    EmbeddingSumsParams sums{.shape = shape, .tableZp = 3, .weightZp = -2};
    add("yk_embedding_sums", sums, {}, 4, 2);
    EmbeddingCombineParams combine{.rows = shape.rows,
                                   .inner = shape.inner,
                                   .op = op,
                                   .isSigned = flip(),
                                   .isWeightSigned = flip(),
                                   .tableBits = random.of({8u, 16u}),
                                   .sumScale = int32_t(random.below(256)),
                                   .sumShift = int32_t(random.below(40)),
                                   .preShift = int32_t(random.below(9)),
                                   .requant = requant()};
    // Sums of 32 bits and, where there is a root, of 16.
    add("yk_embedding_combine", combine, {{2, kTableSlot}}, 3);
    EmbeddingFloatParams f{.shape = shape,
                           .op = op,
                           .maxNorm = flip() ? 2.0f : 0.0f,
                           .outType = floating()};
    f.shape.tableType = floating(), f.shape.weightType = floating();
    add("yk_embedding_float", f, {}, 4, 3);
  }
}
