//===- NormalizeOps.cpp - Normalisations without a kernel -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/normalize/NormalizeOps.h"
#include "dialects/compass/normalize/NormalizeShapes.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/compass/normalize/NormalizeOps.cpp.inc"

void compass::registerNormalizeOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/normalize/NormalizeOps.cpp.inc"
      >();
}
