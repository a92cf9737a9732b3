//===- DetectOps.h - From predictions to boxes ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_DETECT_DETECTOPS_H
#define YARROW_DIALECTS_COMPASS_DETECT_DETECTOPS_H

#include "dialects/compass/Compass.h"

namespace yarrow::compass {
void registerDetectOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/detect/DetectOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_DETECT_DETECTOPS_H
