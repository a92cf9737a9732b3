//===- Families.h - Registration of operator families ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// For Compass.cpp and the family that defines the function. Apart from
// Compass.h, so that a new family does not rebuild all that uses the dialect.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_FAMILIES_H
#define YARROW_DIALECTS_COMPASS_FAMILIES_H

namespace yarrow::compass {

class CompassDialect;

void registerDetectOps(CompassDialect &dialect);
void registerSelectOps(CompassDialect &dialect);
void registerImageOps(CompassDialect &dialect);
void registerSequenceOps(CompassDialect &dialect);
void registerControlOps(CompassDialect &dialect);
void registerConvVariantOps(CompassDialect &dialect);
void registerPoolVariantOps(CompassDialect &dialect);
void registerIndexOps(CompassDialect &dialect);
void registerRearrangeOps(CompassDialect &dialect);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_FAMILIES_H
