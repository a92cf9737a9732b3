//===- ConvFold.h - A kernel's columns as channels --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The array takes inputLanes channels at a time, of which an image has one or
// three: the other lanes are idle in the first layer of most networks. In SRAM
// the pixels under a row of the kernel are adjacent, so they are also one pixel
// with kernelX * channels: the window moves by a pixel, and the next pixel
// shares most of its channels. The weights do not change, [output][ky][kx][c]
// is [output][ky][1][kx * c]. Padding has to be there, as the engine pads with
// whole pixels.
//
//   foldColumns(layer, inputIsInSram, machine); // where it takes fewer cycles
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_DESCRIBE_CONVFOLD_H
#define YARROW_PASSES_LOWER_DESCRIBE_CONVFOLD_H

#include "isa/Machine.h"
#include "passes/lower/describe/ConvLayer.h"

namespace yarrow::npu {

/// Changes a layer in direct form, if that saves more than it costs.
void foldColumns(ConvLayer &layer, bool isInputInSram,
                 const isa::Machine &machine);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_DESCRIBE_CONVFOLD_H
