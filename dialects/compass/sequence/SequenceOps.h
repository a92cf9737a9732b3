//===- SequenceOps.h - Recurrent layers and embeddings --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_SEQUENCE_SEQUENCEOPS_H
#define YARROW_DIALECTS_COMPASS_SEQUENCE_SEQUENCEOPS_H

#include "dialects/compass/Compass.h"

namespace yarrow::compass {
void registerSequenceOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/sequence/SequenceOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_SEQUENCE_SEQUENCEOPS_H
