//===- DetectOps.cpp - From predictions to boxes --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/detect/DetectOps.h"
#include "dialects/compass/detect/DetectShapes.h"

using namespace yarrow::compass;

#define GET_OP_CLASSES
#include "dialects/compass/detect/DetectOps.cpp.inc"

void yarrow::compass::registerDetectOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/detect/DetectOps.cpp.inc"
      >();
}
