//===- ModuleFile.cpp - A module as a file --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/ModuleFile.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "support/AtomicFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace yarrow;
using namespace mlir;

OpPrintingFlags yarrow::printingFlags(ModuleForm form) {
  OpPrintingFlags flags;
  return form == ModuleForm::Complete
             ? flags.enableDebugInfo()
             : flags.elideLargeElementsAttrs(16).elideLargeResourceString(16);
}

std::string yarrow::moduleText(ModuleOp module, ModuleForm form) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, printingFlags(form));
  os << '\n';
  return text;
}

bool yarrow::writeModule(ModuleOp module, const std::string &path,
                         ModuleForm form, yarrow::DiagnosticEngine &diags) {
  if (!StringRef(path).ends_with(".mlirbc"))
    return writeFile(path, moduleText(module, form), diags);
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  [[maybe_unused]] LogicalResult written = writeBytecodeToFile(module, os);
  assert(succeeded(written) && "the newest version is always possible");
  return writeFile(path, bytes, diags);
}
