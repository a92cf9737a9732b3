//===- ConvColumns.h - Rows of outputs in two parts -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The row buffer of depthwise convolutions takes as many columns of the input
// at a time as the array has pixels. A row of 32 outputs of a kernel of three
// covers 34 columns, three times 16: its first 30 outputs take two steps, and
// the last two of all rows are packed many rows to a step.
//
//   splitColumns(layer, machine); // where it takes fewer cycles
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_DESCRIBE_CONVCOLUMNS_H
#define YARROW_PASSES_LOWER_DESCRIBE_CONVCOLUMNS_H

#include "isa/Machine.h"
#include "passes/lower/describe/ConvLayer.h"

namespace yarrow::npu {

/// Makes two phases of a depthwise layer: both with all weights.
void splitColumns(ConvLayer &layer, const isa::Machine &machine);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_DESCRIBE_CONVCOLUMNS_H
