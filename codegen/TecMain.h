//===- TecMain.h - The part of a TEC program that calls kernels -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Builds the entry, the start of the engines, and one function per step:
//
//   std::vector<TecCallee> callees = {{"yk_lut"}, {"yk_softmax.4.0123..."}};
//   std::vector<char> object = compileTecMain(input, callees);
//
// A callee that is named like the step's kernel is called with parameters; any
// other is a SpecializedKernel, which gets its open words.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_TECMAIN_H
#define YARROW_CODEGEN_TECMAIN_H

#include "codegen/TecCallee.h"
#include "codegen/TecProgramInput.h"

namespace yarrow {

/// The symbol of a step's function, for example "step.3.yk_lut".
std::string tecStepName(const TecProgramInput &input, size_t step);

/// \p callees has the function to call for each step.
std::vector<char> compileTecMain(const TecProgramInput &input,
                                 const std::vector<TecCallee> &callees);

} // namespace yarrow

#endif // YARROW_CODEGEN_TECMAIN_H
