//===- IndexOps.cpp - Operators that read or write at indices -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/indexing/IndexOps.h"
#include "dialects/compass/indexing/IndexShapes.h"

using namespace yarrow::compass;
using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/compass/indexing/IndexOps.cpp.inc"

void yarrow::compass::registerIndexOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/indexing/IndexOps.cpp.inc"
      >();
}
