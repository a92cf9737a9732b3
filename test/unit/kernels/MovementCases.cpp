//===- MovementCases.cpp - Calls that move or reduce values ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/KernelCaseBuilder.h"
#include "test/unit/kernels/TypeLimits.h"

#include <algorithm>
#include <numeric>

using namespace yarrow;
using namespace yarrow::kernels;
using yarrow::testing::KernelCaseBuilder;

void KernelCaseBuilder::addImages() {
  ResizeShape resize{
      .batch = between(1, 2),
      .inH = between(1, 8),
      .inW = between(1, 8),
      .channels = between(1, 12),
      .outH = between(1, 10),
      .outW = between(1, 10),
      .method = ResizeMethod(random.below(2)),
      .coordMode =
          CoordMode(random.below(uint32_t(CoordMode::HalfPixelSymmetric) + 1)),
      .nearestMode =
          NearestMode(random.below(uint32_t(NearestMode::Simple) + 1))};
  if (flip()) {
    resize.ratioH = real(0.2f, 1.2f), resize.ratioW = real(0.2f, 1.2f);
    resize.outH = std::max(uint32_t(resize.ratioH * resize.inH), 1u);
    resize.outW = std::max(uint32_t(resize.ratioW * resize.inW), 1u);
  }
  resize.antialias = flip(), resize.excludeOutside = flip();
  ResizeIntParams resizeInt{.shape = resize, .inType = smallInt()};
  resizeInt.outType = resizeInt.inType;
  resizeInt.weightShift = int32_t(between(0, 16));
  resizeInt.lo = limitsOf(resizeInt.outType).low;
  resizeInt.hi = limitsOf(resizeInt.outType).high;
  add("yk_resize_int", resizeInt);
  add("yk_resize_float", ResizeFloatParams{.shape = resize,
                                           .inType = floating(),
                                           .outType = floating()});
}

ReduceShape KernelCaseBuilder::reduceShape() {
  std::vector<uint32_t> sizes = dims(1500);
  ReduceShape shape{.rank = uint32_t(sizes.size())};
  std::ranges::copy(sizes, shape.dims);
  shape.reducedMask = between(1, (1u << shape.rank) - 1);
  // A variance needs two terms.
  shape.dims[__builtin_ctz(shape.reducedMask)] += 1;
  return shape;
}

void KernelCaseBuilder::addReductions() {
  for (ReduceOp op : {ReduceOp::Sum, ReduceOp::Mean, ReduceOp::Min,
                      ReduceOp::Max, ReduceOp::All, ReduceOp::Any,
                      ReduceOp::Variance, ReduceOp::UnbiasedVariance}) {
    bool isVariance = op >= ReduceOp::Variance;
    ReduceIntParams p{.shape = reduceShape(),
                      .op = op,
                      .inType = !isVariance && random.oneIn(6) ? DType::I32
                                                               : smallInt(),
                      .requant = requant()};
    p.inZp = zeroPoint(p.inType);
    if (op >= ReduceOp::Min && op <= ReduceOp::Any)
      p.requant.outType = p.inType;
    add("yk_reduce_int", p);
  }
  for (ReduceOp op : {ReduceOp::L1, ReduceOp::L2}) {
    ReduceNormIntParams p{.shape = reduceShape(),
                          .op = op,
                          .inType = smallInt(),
                          .tableType = smallInt(),
                          .log2TableSize = between(8, 12),
                          .requant = requant()};
    p.inZp = zeroPoint(p.inType);
    add("yk_reduce_norm_int", p);
  }
  MomentsIntParams moments{.shape = reduceShape(), .inType = smallInt()};
  moments.meanType = random.of({DType::I8, DType::U8});
  moments.meanLo = limitsOf(moments.meanType).low;
  moments.meanHi = limitsOf(moments.meanType).high;
  moments.isWide = dtypeBytes(moments.inType) > 1;
  moments.variance = requant();
  moments.variance.shift += 10;
  add("yk_moments_int", moments, {}, 1, 2);
  DifferenceSumsIntParams sums{
      .shape = reduceShape(), .sum = requant(), .squareSum = requant()};
  sums.sum.shift += 8, sums.squareSum.shift += 8;
  add("yk_difference_sums_int", sums, {{0, kBiasSlot}}, 1, 2);
  for (int k = 0; k < 4; ++k)
    add("yk_reduce_float",
        ReduceFloatParams{.shape = reduceShape(),
                          .op = ReduceOp(random.below(
                              uint32_t(ReduceOp::UnbiasedVariance) + 1)),
                          .inType = floating(),
                          .outType = floating()});
}

void KernelCaseBuilder::addCumulations() {
  CumulateShape shape{.outer = between(1, 4),
                      .length = between(1, 200),
                      .inner = flip() ? 1 : between(2, 7),
                      .exclusive = flip(),
                      .reverse = flip()};
  CumulateSumIntParams sum{.shape = shape,
                           .inType = random.oneIn(4) ? DType::I32 : smallInt(),
                           .requant = requant()};
  sum.inZp = zeroPoint(sum.inType);
  add("yk_cumulate_sum_int", sum);
  CumulateProductIntParams product{.shape = shape, .inType = smallInt()};
  product.inZp = zeroPoint(product.inType);
  product.requant = requant();
  add("yk_cumulate_product_int", product, {{2, kBiasSlot}});
  add("yk_cumulate_float", CumulateFloatParams{.shape = shape,
                                               .isProduct = flip(),
                                               .inType = floating(),
                                               .outType = floating()});
  uint32_t a = between(1, 9), b = between(1, 9), c = between(1, 9);
  ReduceProductIntParams reduce{
      .kept = {.rank = 1, .dims = {b}, .strides = {c}},
      .reduced = {.rank = 2, .dims = {c, a}, .strides = {1, b * c}},
      .inType = smallInt(),
      .shift = around(40),
      .requant = requant()};
  reduce.inZp = zeroPoint(reduce.inType);
  add("yk_reduce_product_int", reduce);
  CountParams count{.outer = between(1, 4),
                    .inner = between(1, 300),
                    .bins = between(1, 40),
                    .outType = random.of({DType::U8, DType::U16, DType::I32})};
  count.inType = smallInt();
  add("yk_count_int", count);
  count.inType = floating();
  add("yk_count_float", count);
}

void KernelCaseBuilder::addConversions() {
  uint32_t count = between(1, 1500);
  QuantizeParams quantize{.count = count,
                          .inType = floating(),
                          .outType = random.oneIn(4) ? DType::I32 : smallInt(),
                          .scale = real(1, 300)};
  quantize.zp =
      quantize.outType == DType::I32 ? 0 : zeroPoint(quantize.outType);
  quantize.lo = limitsOf(quantize.outType).low;
  quantize.hi = limitsOf(quantize.outType).high;
  add("yk_quantize", quantize);
  DequantizeParams dequantize{.count = count,
                              .inType =
                                  random.oneIn(4) ? DType::I32 : smallInt(),
                              .outType = floating(),
                              .scale = real(1, 300)};
  dequantize.zp = zeroPoint(dequantize.inType);
  add("yk_dequantize", dequantize);
  for (CastMode mode :
       {CastMode::Requantize, CastMode::Saturate, CastMode::Wrap,
        CastMode::Float, CastMode::RequantizeTowardsZero}) {
    bool isFloat = mode == CastMode::Float;
    CastParams cast{.count = count,
                    .inType = isFloat && flip() ? floating() : smallInt(),
                    .outType = smallInt(),
                    .mode = mode,
                    .scale = int32_t(random.below(65536)),
                    .shift = int32_t(random.below(24))};
    if (isFloat && (dtypeBytes(cast.inType) < 4 || flip()))
      cast.outType = floating();
    cast.inZp = isFloat ? 0 : zeroPoint(cast.inType);
    cast.zp = isFloat ? 0 : zeroPoint(cast.outType);
    cast.lo = limitsOf(cast.outType).low;
    cast.hi = limitsOf(cast.outType).high;
    add("yk_cast", cast);
  }
  ConcatParams concat{.outer = between(1, 9),
                      .inputCount = between(1, 5),
                      .outType = smallInt()};
  concat.zp = zeroPoint(concat.outType);
  concat.lo = limitsOf(concat.outType).low;
  concat.hi = limitsOf(concat.outType).high;
  for (uint32_t k = 0; k < concat.inputCount; ++k) {
    ConcatBranch &branch = concat.branches[k];
    branch = {between(1, 50), smallInt(), 0, int32_t(random.below(65536)),
              int32_t(random.below(20))};
    branch.inZp = zeroPoint(branch.inType);
    concat.outInner += branch.inner;
  }
  add("yk_concat", concat, {}, concat.inputCount);
}

void KernelCaseBuilder::addLoops() {
  auto whole = [&] {
    return random.of({DType::I8, DType::U8, DType::I16, DType::U16, DType::I32,
                      DType::U32, DType::I64, DType::Bool});
  };
  add("yk_loop_next",
      LoopNextParams{.countType = whole(),
                     .givenType = whole(),
                     .iterationType = whole(),
                     .conditionType = whole()},
      {}, 3, 3);
  add("yk_loop_collect",
      LoopCollectParams{.rowBytes = between(1, 40), .capacity = between(1, 9)});
}

void KernelCaseBuilder::addMovement() {
  SplitParams split{.elemBytes = random.of({1u, 2u, 4u, 8u}),
                    .outer = between(1, 9),
                    .outputCount = between(1, 4)};
  for (uint32_t k = 0; k < split.outputCount; ++k)
    split.inInner += split.inner[k] = between(1, 40);
  add("yk_split", split, {}, 1, split.outputCount);
  for (uint32_t elemBytes : {1u, 2u, 4u, 8u}) {
    std::vector<uint32_t> sizes = dims(1800);
    CopyParams copy{.elemBytes = elemBytes, .rank = uint32_t(sizes.size())};
    std::ranges::copy(sizes, copy.dims);
    std::vector<uint32_t> order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    // Both sides are dense in an order of their own; sources may run backwards
    // or stand still.
    for (int32_t *strides : {copy.srcStride, copy.dstStride}) {
      for (size_t k = order.size(); k > 1; --k)
        std::swap(order[k - 1], order[random.below(uint32_t(k))]);
      int32_t stride = 1;
      for (uint32_t d : order) {
        strides[d] = stride;
        stride *= int32_t(sizes[d]);
      }
    }
    for (uint32_t d = 0; d < copy.rank; ++d)
      if (random.oneIn(4)) {
        copy.srcOffset += (int32_t(sizes[d]) - 1) * copy.srcStride[d];
        copy.srcStride[d] = -copy.srcStride[d];
      } else if (random.oneIn(6)) {
        copy.srcStride[d] = 0;
      }
    add("yk_copy", copy);
  }
  for (PadMode mode : {PadMode::Constant, PadMode::Reflect, PadMode::Symmetric,
                       PadMode::Edge, PadMode::Wrap}) {
    PadParams pad{.elemBytes = random.of({1u, 2u, 4u, 8u}),
                  .rank = between(1, 3),
                  .mode = mode};
    for (uint32_t d = 0; d < pad.rank; ++d) {
      pad.inDims[d] = between(2, pad.rank == 3 ? 4 : 9);
      // Reflection reaches the last element but one.
      uint32_t before = random.below(pad.inDims[d]);
      pad.padBefore[d] = int32_t(before);
      pad.outDims[d] = pad.inDims[d] + before + random.below(pad.inDims[d]);
      if (random.oneIn(6)) { // crops
        pad.padBefore[d] = -int32_t(random.below(pad.inDims[d]));
        pad.outDims[d] = pad.inDims[d] - uint32_t(-pad.padBefore[d]);
      }
    }
    pad.fill[0] = uint32_t(random.next());
    pad.fill[1] = uint32_t(random.next());
    add("yk_pad", pad);
  }
  GatherParams gather{.elemBytes = random.of({1u, 2u, 4u, 8u}),
                      .batch = between(1, 2),
                      .outer = between(1, 4),
                      .axisSize = between(1, 40),
                      .inner = between(1, 6),
                      .indexCount = between(1, 20),
                      .indexType = random.of({DType::I8, DType::U8, DType::I16,
                                              DType::U16, DType::I32})};
  add("yk_gather", gather);
}
