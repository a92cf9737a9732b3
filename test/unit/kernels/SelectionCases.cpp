//===- SelectionCases.cpp - Calls that choose, or read at indices ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Indices are random bytes, so that most of them are wrong.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/KernelCaseBuilder.h"
#include "test/unit/kernels/TypeLimits.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::kernels;
using yarrow::testing::KernelCaseBuilder;

DType KernelCaseBuilder::wholeNumber() {
  return random.of({DType::I8, DType::U8, DType::I16, DType::U16, DType::I32,
                    DType::U32, DType::I64, DType::Bool});
}

DType KernelCaseBuilder::orderedType() {
  return flip() ? floating()
                : random.of({DType::I8, DType::U8, DType::I16, DType::U16,
                             DType::I32, DType::U32});
}

void KernelCaseBuilder::addSelections() {
  for (bool isInner : {false, true}) {
    ArgMinMaxParams arg{.outer = between(1, 9),
                        .axis = between(1, isInner ? 20 : 300),
                        .inner = isInner ? between(1, 200) / 10 + 1 : 1,
                        .inType = orderedType(),
                        .outType = random.of({DType::U16, DType::I32}),
                        .least = flip(),
                        .last = flip()};
    arg.outer = std::min(arg.outer, 4000 / (arg.axis * arg.inner) + 1);
    add("yk_arg_min_max", arg);
    TopKParams top{.outer = between(1, 4),
                   .axis = arg.axis,
                   .inner = isInner ? between(1, 8) : 1,
                   .k = between(1, arg.axis),
                   .type = orderedType(),
                   .indexType = random.of({DType::U16, DType::I32}),
                   .least = flip(),
                   .last = flip()};
    add("yk_top_k", top, {}, 1, 2);
  }
  add("yk_in_top_k", InTopKParams{.rows = between(1, 20),
                                  .classes = between(1, 150),
                                  .k = between(1, 20),
                                  .type = orderedType(),
                                  .targetType = wholeNumber(),
                                  .outType = smallInt()});
  for (bool isMoved : {false, true}) {
    WhereShape shape{.rank = between(0, 3)};
    for (auto &strides : shape.strides) {
      int32_t stride = 1;
      for (uint32_t d = shape.rank; d-- > 0;) {
        if (&strides == &shape.strides[0])
          shape.dims[d] = between(1, 12);
        bool repeats = random.oneIn(4);
        strides[d] = repeats ? 0 : stride;
        stride *= repeats ? 1 : int32_t(shape.dims[d]);
      }
    }
    if (isMoved) {
      add("yk_where",
          WhereParams{.shape = shape,
                      .conditionType = flip() ? floating() : wholeNumber(),
                      .elemBytes = random.of({1u, 2u, 4u, 8u})});
      continue;
    }
    WhereIntParams where{
        .shape = shape, .conditionType = smallInt(), .requant = requant()};
    where.conditionZp = flip() ? 0 : zeroPoint(where.conditionType);
    for (WhereChoice &choice : where.choices)
      choice = {smallInt(), around(100), int32_t(random.below(65536)),
                around(20)};
    add("yk_where_int", where);
  }
}

void KernelCaseBuilder::addIndexing() {
  uint32_t elemBytes = random.of({1u, 2u, 4u, 8u});
  GatherElementsParams elements{.elemBytes = elemBytes, .rank = between(1, 3)};
  uint32_t axis = random.below(elements.rank);
  int32_t stride = 1;
  for (uint32_t d = elements.rank; d-- > 0;) {
    elements.dims[d] = between(1, 12);
    int32_t size = int32_t(elements.dims[d] + random.below(3));
    elements.strides[d] = d == axis ? 0 : stride;
    if (d == axis)
      elements.axisSize = size, elements.axisStride = stride;
    stride *= size;
  }
  elements.elemBytes = stride > 2000 ? 4 : elemBytes;
  elements.indexType = random.of({DType::I8, DType::U16, DType::I32});
  add("yk_gather_elements", elements);
  GatherNDParams places{.elemBytes = elemBytes,
                        .batch = between(1, 2),
                        .places = between(1, 60),
                        .inner = random.oneIn(3) ? 1 : between(1, 7),
                        .rank = between(1, 3),
                        .indexType = wholeNumber()};
  for (uint32_t d = 0; d < places.rank; ++d)
    places.dims[d] = between(1, 5);
  // Random bytes are in bounds of what holds them all.
  add("yk_check_indices",
      CheckIndicesParams{.places = between(1, 300),
                         .rank = 2,
                         .lengths = {65536, 70000},
                         .fromEnd = flip(),
                         .indexType = random.of({DType::U8, DType::U16})});
  add("yk_gather_nd", places);
  bool isInner = flip();
  OneHotParams hot{.outer = between(1, 9),
                   .depth = between(1, 12),
                   .inner = isInner ? between(1, 15) : 1,
                   .indexType = wholeNumber(),
                   .elemBytes = elemBytes,
                   .on = {uint32_t(random.next()), 1},
                   .off = {uint32_t(random.next()), 0}};
  add("yk_one_hot", hot);
  CompressParams compress{.elemBytes = elemBytes,
                          .outer = between(1, 4),
                          .axis = between(1, 40),
                          .inner = between(1, 6),
                          .conditionType = wholeNumber(),
                          .fill = {uint32_t(random.next()), 7}};
  compress.conditions = between(1, compress.axis);
  compress.capacity = between(1, compress.axis);
  add("yk_compress", compress);
  NonZeroParams nonZero{.rank = between(1, 3),
                        .inType = flip() ? floating() : wholeNumber(),
                        .indexType = wholeNumber(),
                        .countType = DType::I32,
                        .mostIndex = 9};
  uint32_t count = 1;
  for (uint32_t d = 0; d < nonZero.rank; ++d)
    count *= nonZero.dims[d] = between(1, 10);
  nonZero.capacity = between(1, std::min(count, 600u));
  add("yk_non_zero", nonZero, {}, 1, 2);
  UniqueParams unique{.outer = between(1, 3),
                      .axis = between(1, 60),
                      .inner = between(1, 3),
                      .sorted = flip(),
                      .type = orderedType(),
                      .indexType = random.of({DType::U16, DType::I32}),
                      .inverseType = DType::I32,
                      .countType = DType::U8,
                      .mostCount = 255,
                      .fill = 5};
  unique.capacity = between(1, unique.axis);
  add("yk_unique", unique, {}, 1, 5);
}
