//===- FilePasses.cpp - Files that come of a module -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/Emit.h"
#include "compiler/pipeline/ModuleFile.h"
#include "compiler/pipeline/Passes.h"
#include "passes/PassDiagnostics.h"

using namespace yarrow;
using namespace mlir;

namespace yarrow {
#define GEN_PASS_DEF_EMITEXECUTABLE
#define GEN_PASS_DEF_WRITEMODULE
#include "compiler/pipeline/Passes.h.inc"
} // namespace yarrow

namespace {

struct EmitExecutable : yarrow::impl::EmitExecutableBase<EmitExecutable> {
  using EmitExecutableBase::EmitExecutableBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto work = [&](const yarrow::isa::Machine &machine,
                    yarrow::DiagnosticEngine &diags) {
      emitExecutable(module, machine, output,
                     {cache, samples, profile, weightFile}, diags);
    };
    if (failed(withMachine(module, work)))
      signalPassFailure();
  }
};

struct WriteModule : yarrow::impl::WriteModuleBase<WriteModule> {
  using WriteModuleBase::WriteModuleBase;

  void runOnOperation() override {
    yarrow::DiagnosticEngine diags;
    writeModule(getOperation(), output,
                withoutWeights ? ModuleForm::Brief : ModuleForm::Complete,
                diags);
    if (failed(emitAll(diags, getOperation())))
      signalPassFailure();
  }
};

} // namespace
