//===- Sampling.h - Grids, regions and colours ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Rules of single operators, which those of their classes (Rules.h) call. False
// after a diagnostic.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_SAMPLING_H
#define YARROW_QUANTIZER_RULES_SAMPLING_H

#include "quantizer/rules/LayerContext.h"

namespace yarrow {

bool quantizeGridSample(LayerContext &layer);
bool quantizeAffineGrid(LayerContext &layer);
bool quantizeCropAndResize(LayerContext &layer);
bool quantizeRoiAlign(LayerContext &layer);
bool quantizeMaxRoiPool(LayerContext &layer);
bool quantizePyramidRoiAlign(LayerContext &layer);
bool quantizeColours(LayerContext &layer); // RgbToYuv, YuvToRgb

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_SAMPLING_H
