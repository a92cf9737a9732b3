//===- ModuleFile.h - A module as a file ------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// yarrow-opt reads the output of a phase and continues from it, so weights and
// locations are included, as text or as MLIR bytecode. The brief form leaves
// them out for people.
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
