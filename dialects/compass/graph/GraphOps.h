//===- GraphOps.h - Inputs and constants ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Op classes of compass.input and compass.constant. Neither has a kernel: the
// caller provides the one, the weights file the other.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_GRAPH_GRAPHOPS_H
#define YARROW_DIALECTS_COMPASS_GRAPH_GRAPHOPS_H

#include "dialects/compass/Compass.h"

namespace yarrow::compass {
void registerGraphOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/graph/GraphOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_GRAPH_GRAPHOPS_H
