//===- CustomOps.h - Layers of plugins --------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The op class of compass.custom.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CUSTOM_CUSTOMOPS_H
#define YARROW_DIALECTS_COMPASS_CUSTOM_CUSTOMOPS_H

#include "dialects/compass/Compass.h"

namespace yarrow::compass {
void registerCustomOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/custom/CustomOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_CUSTOM_CUSTOMOPS_H
