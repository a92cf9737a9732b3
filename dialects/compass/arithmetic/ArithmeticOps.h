//===- ArithmeticOps.h - Division, remainders and affine sums -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Op classes of compass.div, mod, gemm and their kin.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ARITHMETIC_ARITHMETICOPS_H
#define YARROW_DIALECTS_COMPASS_ARITHMETIC_ARITHMETICOPS_H

#include "dialects/compass/Compass.h"

namespace yarrow::compass {
void registerArithmeticOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/arithmetic/ArithmeticOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_ARITHMETIC_ARITHMETICOPS_H
