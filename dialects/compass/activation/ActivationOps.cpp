//===- ActivationOps.cpp - The ops of the family --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/activation/ActivationOps.h"
#include "dialects/compass/LayerCheck.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/compass/activation/ActivationOps.cpp.inc"

void compass::registerActivationOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/activation/ActivationOps.cpp.inc"
      >();
}
