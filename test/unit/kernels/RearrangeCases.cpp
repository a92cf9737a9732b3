//===- RearrangeCases.cpp - Calls that repeat, reverse or fold ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/KernelCaseBuilder.h"

using namespace yarrow;
using namespace yarrow::kernels;
using yarrow::testing::KernelCaseBuilder;

void KernelCaseBuilder::addRearrangements() {
  auto count = [&] {
    return random.of(
        {DType::I8, DType::U8, DType::I16, DType::U16, DType::I32, DType::U32});
  };
  for (uint32_t elemBytes : {1u, 2u, 4u, 8u}) {
    RepeatParams repeat{.elemBytes = elemBytes,
                        .repeatType = count(),
                        .outer = between(1, 2),
                        .slices = between(1, 200),
                        .length = between(1, 200),
                        .inner = random.of({1u, 1u, 3u, 4u})};
    repeat.repeatCount = flip() ? repeat.slices : 1;
    add("yk_repeat", repeat);
    add("yk_reverse_sequence",
        ReverseSequenceParams{.elemBytes = elemBytes,
                              .lengthType = count(),
                              .isTimeFirst = flip(),
                              .outer = between(1, 3),
                              .sequences = between(1, 6),
                              .middle = between(1, 3),
                              .time = between(1, 20),
                              .inner = random.of({1u, 3u, 1u, 1u})});
  }
  for (uint32_t inner : {1u, 40u})
    add("yk_reverse_sequence",
        ReverseSequenceParams{.elemBytes = 1,
                              .lengthType = DType::U8,
                              .isTimeFirst = inner != 1 && flip(),
                              .sequences = between(1, 3),
                              .time = between(60, 80),
                              .inner = inner});

  FoldShape fold{.outer = between(1, 2)};
  for (FoldAxis &axis : fold.axes) {
    bool isInner = &axis == &fold.axes[2];
    axis.kernel = between(1, isInner ? 4 : 2);
    axis.windows = between(1, isInner ? 40 : 4);
    axis.stride = between(1, 3);
    axis.dilation = between(1, 3);
    axis.pad = random.below(3);
    axis.image = between(1, isInner ? 140 : 5);
  }
  FoldIntParams foldInt{.shape = fold,
                        .most = random.of({16u, 1u << 15}),
                        .inType = smallInt(),
                        .requant = requant()};
  foldInt.inZp = zeroPoint(foldInt.inType);
  add("yk_fold_int", foldInt);
  add("yk_fold_float", FoldFloatParams{.shape = fold,
                                       .inType = floating(),
                                       .outType = floating()});
}
