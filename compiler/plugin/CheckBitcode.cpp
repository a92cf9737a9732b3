//===- CheckBitcode.cpp - What a plugin's kernels need --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/plugin/KernelCompiler.h"

#include "support/diagnostics/Plugins.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace yarrow;

/// What kernels/tec/Builtins.cpp has, and the compiler calls by itself.
static constexpr llvm::StringLiteral kBuiltins[] = {"memcpy", "memmove",
                                                    "memset", "memcmp"};

bool yarrow::checkBitcode(const compass::PluginOperator &plugin,
                          llvm::ArrayRef<char> bitcode,
                          const std::string &source, DiagnosticEngine &diags) {
  llvm::LLVMContext context;
  auto parsed = llvm::parseBitcodeFile(
      llvm::MemoryBufferRef({bitcode.data(), bitcode.size()}, source), context);
  size_t before = diags.numErrors();
  auto problem = [&](std::string message) -> Diagnostic & {
    return diags.report(diag::PluginSource, {source}, std::move(message));
  };
  if (!parsed) {
    problem("clang's output is not bitcode")
        .found(llvm::toString(parsed.takeError()));
    return false;
  }
  std::vector<std::string> defined;
  for (const llvm::Function &function : **parsed) {
    if (!function.isDeclaration()) {
      if (function.hasExternalLinkage())
        defined.push_back(function.getName().str());
      continue;
    }
    if (function.isIntrinsic() || function.use_empty() ||
        llvm::is_contained(kBuiltins, function.getName()))
      continue;
    problem("a kernel calls a function that the NPU's cores do not have")
        .found(function.getName().str())
        .hint("use the elementary functions of kernels/Math.h");
  }
  for (const llvm::GlobalVariable &variable : (*parsed)->globals()) {
    if (variable.isConstant() || variable.getName().starts_with("llvm."))
      continue;
    problem(
        "a kernel has a global variable, for which the cores have no memory")
        .found(llvm::demangle(variable.getName()))
        .expected("only constants and local variables");
  }
  for (const std::string &symbol : {plugin.floatSymbol, plugin.intSymbol})
    if (!symbol.empty() && !llvm::is_contained(defined, symbol))
      diags
          .report(diag::PluginSource, {source},
                  "the file has no kernel " + symbol + ", which the record " +
                      plugin.file + " names")
          .expected("YARROW_CUSTOM_KERNEL(" + symbol + ", " +
                    plugin.record.layerType.str() + ") { ... }")
          .suggest(symbol, defined);
  return diags.numErrors() == before;
}
