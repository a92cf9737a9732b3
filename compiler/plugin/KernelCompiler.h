//===- KernelCompiler.h - The C++ file of a plugin --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Compiles a plugin's kernels twice, with the flags of Yarrow's own
// (kernels/CMakeLists.txt): as a shared object for the host, and as bitcode for
// the TECs. clang of Yarrow's LLVM version is asked; what it makes is kept in
// the user's cache folder, by the preprocessed text. Problems are reported
// (E1102).
//
//   std::optional<CompiledKernels> compiled = compileKernels(record, diags);
//   compiled->host; compiled->bitcode;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PLUGIN_KERNELCOMPILER_H
#define YARROW_COMPILER_PLUGIN_KERNELCOMPILER_H

#include "compiler/plugin/RecordReader.h"

namespace yarrow {

struct CompiledKernels {
  std::vector<char> host;    ///< A shared object.
  std::vector<char> bitcode; ///< LLVM bitcode, riscv32.
};

std::optional<CompiledKernels> compileKernels(const PluginRecord &record,
                                              DiagnosticEngine &diags);

/// Whether \p bitcode has the kernels, and nothing that a TEC has not: calls of
/// other code, and variables. Reports what it has (E1102) at \p source.
bool checkBitcode(const compass::PluginOperator &plugin,
                  llvm::ArrayRef<char> bitcode, const std::string &source,
                  DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_PLUGIN_KERNELCOMPILER_H
