//===- ArithmeticOps.cpp - Division, remainders and affine sums -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/arithmetic/ArithmeticOps.h"
#include "dialects/compass/arithmetic/ArithmeticShapes.h"
#include "dialects/compass/eltwise/Elementwise.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/compass/arithmetic/ArithmeticOps.cpp.inc"

void compass::registerArithmeticOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/arithmetic/ArithmeticOps.cpp.inc"
      >();
}
