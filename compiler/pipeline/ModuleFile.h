//===- ModuleFile.h - A module as a file ------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a phase prints is read by yarrow-opt, which goes on from there: weights
// and locations are part of it, as text or as MLIR bytecode. People read it
// better without.
//
//   writeModule(module, "lowered.mlirbc", ModuleForm::Complete, diags);
//   std::string text = moduleText(module, ModuleForm::Brief);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PIPELINE_MODULEFILE_H
#define YARROW_COMPILER_PIPELINE_MODULEFILE_H

#include "mlir/IR/BuiltinOps.h"
#include "support/Diagnostics.h"
#include <string>

namespace yarrow {

enum class ModuleForm {
  Brief,    ///< Without weights and locations; for people.
  Complete, ///< To be read again.
};

mlir::OpPrintingFlags printingFlags(ModuleForm form);
std::string moduleText(mlir::ModuleOp module, ModuleForm form);

/// A path that ends in .mlirbc gets a complete module as bytecode, others get
/// text. False after FileUnwritable.
bool writeModule(mlir::ModuleOp module, const std::string &path,
                 ModuleForm form, DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_PIPELINE_MODULEFILE_H
