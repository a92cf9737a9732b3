//===- PoolCases.cpp - Calls of pooling -----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/KernelCaseBuilder.h"
#include "test/unit/kernels/TypeLimits.h"

using namespace yarrow;
using namespace yarrow::kernels;
using yarrow::testing::KernelCaseBuilder;

PoolShape KernelCaseBuilder::pool() {
  PoolShape pool;
  pool.batch = between(1, 2);
  pool.channels = between(1, 40);
  pool.kernelH = between(1, 3);
  pool.kernelW = between(1, 3);
  pool.strideH = between(1, 3);
  pool.strideW = between(1, 3);
  pool.padTop = int32_t(random.below(pool.kernelH));
  pool.padLeft = int32_t(random.below(pool.kernelW));
  pool.inH = pool.kernelH + random.below(4);
  pool.inW = pool.kernelW + random.below(5);
  pool.outH =
      (pool.inH + uint32_t(pool.padTop) - pool.kernelH) / pool.strideH + 1;
  pool.outW =
      (pool.inW + uint32_t(pool.padLeft) - pool.kernelW) / pool.strideW + 1;
  pool.countIncludePad = flip();
  return pool;
}

void KernelCaseBuilder::addPooling() {
  PoolShape shape = pool();
  PoolIntParams poolInt{.shape = shape,
                        .inType = smallInt(),
                        .outType = smallInt(),
                        .scaleRatio = real(0.1f, 3)};
  poolInt.inZp = zeroPoint(poolInt.inType);
  poolInt.zp = zeroPoint(poolInt.outType);
  poolInt.lo = limitsOf(poolInt.outType).low;
  poolInt.hi = limitsOf(poolInt.outType).high;
  for (PoolMethod method : {PoolMethod::Avg, PoolMethod::Max}) {
    poolInt.shape.method = method;
    add("yk_pool_int", poolInt);
  }
  shape.method = PoolMethod(random.below(uint32_t(PoolMethod::L2) + 1));
  add("yk_pool_float", PoolFloatParams{.shape = shape,
                                       .inType = floating(),
                                       .outType = floating()});
  for (PoolMethod method : {PoolMethod::L1, PoolMethod::L2}) {
    PoolNormIntParams p{.shape = pool(), .inType = smallInt()};
    p.shape.method = method;
    p.inZp = zeroPoint(p.inType);
    p.requant = requant();
    if (method == PoolMethod::L2) {
      p.requant.zp = 0, p.requant.lo = 0, p.requant.hi = 65535;
      p.tableType = DType::I16, p.outType = DType::I16;
      p.log2TableSize = between(0, 12);
    } else {
      p.outType = smallInt();
      p.requant.lo = limitsOf(p.outType).low;
      p.requant.hi = limitsOf(p.outType).high;
    }
    add("yk_pool_norm_int", p, {{1, kTableSlot}});
  }
  PoolVolume volume{.batch = between(1, 2),
                    .inD = between(2, 5),
                    .inH = between(2, 5),
                    .inW = between(2, 5),
                    .channels = between(1, 20),
                    .outD = between(1, 4),
                    .outH = between(1, 4),
                    .outW = between(1, 4),
                    .kernelD = between(1, 3),
                    .kernelH = between(1, 3),
                    .kernelW = between(1, 3),
                    .strideD = between(1, 2),
                    .strideH = between(1, 2),
                    .strideW = between(1, 2),
                    .dilationW = between(1, 2),
                    .padFront = int32_t(random.below(3)),
                    .padTop = int32_t(random.below(3)),
                    .padLeft = int32_t(random.below(3))};
  PoolAverage3DIntParams average{.shape = volume, .inType = smallInt()};
  average.outType = average.inType;
  average.zp = zeroPoint(average.inType);
  average.lo = limitsOf(average.inType).low;
  average.hi = limitsOf(average.inType).high;
  average.countIncludePad = flip();
  add("yk_pool_average3d_int", average);
  PoolAreas areas{.batch = between(1, 2),
                  .inD = 8,
                  .inH = 8,
                  .inW = 8,
                  .channels = between(1, 4),
                  .outD = between(1, 4),
                  .outH = between(1, 4),
                  .outW = between(1, 4),
                  .method = flip() ? PoolMethod::Avg : PoolMethod::Max};
  PoolAreasIntParams areasInt{.shape = areas, .type = smallInt()};
  areasInt.lo = limitsOf(areasInt.type).low;
  areasInt.hi = limitsOf(areasInt.type).high;
  add("yk_pool_areas_int", areasInt, {{1, testing::kBoundsSlot}});
  add("yk_pool_areas_float",
      PoolAreasFloatParams{
          .shape = areas, .inType = floating(), .outType = floating()},
      {{1, testing::kBoundsSlot}});
  MaxPoolArgParams arg{.shape = pool(),
                       .inType = smallInt(),
                       .index = FlatIndex(random.below(4)),
                       .isColumnMajor = flip()};
  arg.outType = arg.inType;
  add("yk_max_pool_arg_int", arg, {}, 1, 2);
  arg.inType = floating(), arg.outType = floating();
  add("yk_max_pool_arg_float", arg, {}, 1, 2);
  add("yk_unpool",
      UnpoolParams{.elemBytes = 1u << random.below(3),
                   .batch = between(1, 2),
                   .inH = between(1, 5),
                   .inW = between(1, 5),
                   .channels = between(1, 20),
                   .outH = between(1, 9),
                   .outW = between(1, 9),
                   .indexType = random.of({DType::U8, DType::I16, DType::I32}),
                   .index = FlatIndex(random.below(4)),
                   .isColumnMajor = flip(),
                   .fill = random.below(256)});
  MorphologyIntParams morphology{.shape = pool(),
                                 .isErosion = flip(),
                                 .inType = smallInt(),
                                 .weightType = signedInt(),
                                 .scaleInput = int32_t(random.below(65536)),
                                 .scaleWeights = int32_t(random.below(65536)),
                                 .requant = requant()};
  morphology.inZp = zeroPoint(morphology.inType);
  add("yk_morphology_int", morphology);
  add("yk_morphology_float", MorphologyFloatParams{.shape = pool(),
                                                   .isErosion = flip(),
                                                   .inType = floating(),
                                                   .weightType = floating(),
                                                   .outType = floating()});
}
