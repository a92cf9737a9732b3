//===- RandomInputs.h - Inputs of a run without data ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// For trying an executable out before there are data. The same seed gives the
// same inputs on every machine. Real numbers are normally distributed;
// quantized inputs get stored integers spread over their whole range; whole
// numbers, which mostly count or choose, are 1 and some 0.
//
//   auto inputs = makeRunInputs(randomInputs(executable.inputs(), 0),
//                               executable.inputs(), diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_RUN_RANDOMINPUTS_H
#define YARROW_COMPILER_RUN_RANDOMINPUTS_H

#include "runtime/Executable.h"
#include "support/Npy.h"

#include <cstdint>
#include <vector>

namespace yarrow {

/// One sample of each input.
std::vector<NpyView>
randomInputs(const std::vector<runtime::IoDescription> &inputs, uint64_t seed);

} // namespace yarrow

#endif // YARROW_COMPILER_RUN_RANDOMINPUTS_H
