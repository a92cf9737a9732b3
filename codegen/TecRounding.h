//===- TecRounding.h - Rounding shifts as one instruction -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The kernels round half to even with four operations (roundRightShift of
// support/Numeric.h), which is what a vectorized loop then consists of. A TEC
// has instructions for it: vssra with vxrm = rne and, where the result is
// limited and narrowed, vnclip. Where the shift is a constant, or each lane has
// one of its own (roundShiftEach of kernels/StripRequant.h), this pass puts
// them in.
//
//   builder.registerOptimizerLastEPCallback([](auto &passes, auto, auto) {
//     passes.addPass(createModuleToFunctionPassAdaptor(
//         TecRoundingPass(kTecVectorBits)));
//   });
//
// The sum in the four operations must not overflow, which is what their callers
// promise: then the bytes are the same. Code that is not vectorized is left as
// it is.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_TECROUNDING_H
#define YARROW_CODEGEN_TECROUNDING_H

#include "llvm/IR/PassManager.h"

namespace yarrow {

class TecRoundingPass : public llvm::PassInfoMixin<TecRoundingPass> {
public:
  /// Of a vector register.
  explicit TecRoundingPass(unsigned vectorBits) : vectorBits(vectorBits) {}

  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &);

private:
  unsigned vectorBits;
};

} // namespace yarrow

#endif // YARROW_CODEGEN_TECROUNDING_H
