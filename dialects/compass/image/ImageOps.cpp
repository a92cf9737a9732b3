//===- ImageOps.cpp - Sampling, regions of interest, colour spaces --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/image/ImageOps.h"
#include "dialects/compass/image/ImageShapes.h"

using namespace yarrow::compass;

#define GET_OP_CLASSES
#include "dialects/compass/image/ImageOps.cpp.inc"

void yarrow::compass::registerImageOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/image/ImageOps.cpp.inc"
      >();
}
