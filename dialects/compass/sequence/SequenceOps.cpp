//===- SequenceOps.cpp - Recurrent layers and embeddings ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/sequence/SequenceOps.h"
#include "dialects/compass/sequence/SequenceShapes.h"

using namespace yarrow::compass;

#define GET_OP_CLASSES
#include "dialects/compass/sequence/SequenceOps.cpp.inc"

void yarrow::compass::registerSequenceOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/sequence/SequenceOps.cpp.inc"
      >();
}
