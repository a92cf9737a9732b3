//===- ConvWiden.h - Neighbouring outputs as channels -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A convolution with few output channels leaves most of the array's output
// lanes idle. P neighbours in a row of outputs are stored like one pixel with P
// times as many channels. So a kernel that is P - 1 strides wider, with weights
// of 0 at the cells that an output does not cover, computes them at once.
//
//   widenOutputs(layer, machine); // where it takes far fewer cycles
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_DESCRIBE_CONVWIDEN_H
#define YARROW_PASSES_LOWER_DESCRIBE_CONVWIDEN_H

#include "isa/Machine.h"
#include "passes/lower/describe/ConvLayer.h"

namespace yarrow::npu {

/// Changes a layer in direct form that is not folded yet.
void widenOutputs(ConvLayer &layer, const isa::Machine &machine);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_DESCRIBE_CONVWIDEN_H
