//===- ConvertOps.h - Conversions of element type ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Op classes of compass.cast, quantize, dequantize.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONVERT_CONVERTOPS_H
#define YARROW_DIALECTS_COMPASS_CONVERT_CONVERTOPS_H

#include "dialects/compass/Compass.h"

namespace yarrow::compass {
void registerConvertOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/convert/ConvertOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_CONVERT_CONVERTOPS_H
