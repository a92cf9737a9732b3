//===- OptPasses.h - The phases as passes of yarrow-opt -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The phases after quantization are functions that make one module of another.
// Here they are wrapped as passes, for yarrow-opt alone.
//
//   registerOptPasses(); // --yarrow-cleanup, --yarrow-lower=target=X2_1204 ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_TOOLS_OPTPASSES_H
#define YARROW_COMPILER_TOOLS_OPTPASSES_H

namespace yarrow {

void registerOptPasses();

} // namespace yarrow

#endif // YARROW_COMPILER_TOOLS_OPTPASSES_H
