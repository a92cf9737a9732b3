//===- Engines.h - Which engines compute which kernels ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A call of a kernel can be lowered to an engine that has a command for it; the
// TECs can compute all calls. Operators' records only list the kernels that
// their programs call; this header says which engines execute them. `yarrow
// ops` and the documentation use it, too.
//
//   for (const EngineForm &form : engineForms(call))
//     if (form.lower(lowering, step)) // false: not this form of it
//       return;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_COMMANDS_ENGINES_H
#define YARROW_PASSES_LOWER_COMMANDS_ENGINES_H

#include "dialects/compass/LayerProgram.h"
#include "isa/Descriptors.h"

namespace yarrow::npu {

class Lowering;
struct Step;

/// One way to compute a kernel on an engine.
struct EngineForm {
  llvm::StringRef kernel; ///< Its symbol.
  isa::Engine engine;
  /// Emits the commands, or nothing and answers false if the engine of this
  /// machine cannot do it.
  bool (*lower)(Lowering &, const Step &);
  /// Which calls that are, in words, for users.
  llvm::StringLiteral takes;
};

/// Those of a kernel, best first.
llvm::ArrayRef<EngineForm> engineForms(llvm::StringRef kernel);
inline llvm::ArrayRef<EngineForm> engineForms(const compass::KernelCall &call) {
  return engineForms(call.symbol());
}

/// Why no engine computes a call that was not lowered to one, and what one
/// would take, in words.
std::string whyOnTecs(const compass::KernelCall &call);

/// What may compute calls of these kernels, in words, the TECs last: "tensor
/// engine or TEC"; "" for no kernels.
std::string unitsOf(llvm::ArrayRef<llvm::StringRef> kernels);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_COMMANDS_ENGINES_H
