//===- TecTarget.h - LLVM set up for a TEC ----------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The one place that says which RISC-V a TEC is: rv32imafdv with VLEN 256, no
// compressed instructions, ABI ilp32d, position-independent code.
//
//   llvm::LLVMContext context;
//   TecTarget target;
//   std::unique_ptr<llvm::Module> module = target.createModule("step",
//   context);
//   ... fill the module; target.decorate(function) for each function ...
//   target.optimize(*module);
//   std::vector<char> object = target.compile(*module);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_TECTARGET_H
#define YARROW_CODEGEN_TECTARGET_H

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace yarrow {

constexpr std::string_view kTecTriple = "riscv32-unknown-elf";
constexpr std::string_view kTecCpu = "generic-rv32";
constexpr std::string_view kTecFeatures = "+m,+a,+f,+d,+v,+zvl256b";
constexpr unsigned kTecVectorBits = 256; ///< Of a register: zvl256b.

/// The LLVM target of the TECs; registers it on first use.
const llvm::Target &tecLlvmTarget();

/// A target machine; for use by one thread at a time.
class TecTarget {
public:
  enum class Effort {
    Quick, ///< For code that runs once: no scheduling, fast registers.
    Full,
  };
  explicit TecTarget(Effort effort);
  ~TecTarget();

  std::unique_ptr<llvm::Module> createModule(llvm::StringRef name,
                                             llvm::LLVMContext &context) const;
  /// Gives \p function the attributes that the operator library's have.
  void decorate(llvm::Function &function) const;
  /// The standard pipeline at O2, with rounding shifts as instructions.
  void optimize(llvm::Module &module) const;
  /// A relocatable ELF file.
  std::vector<char> compile(llvm::Module &module) const;

private:
  std::unique_ptr<llvm::TargetMachine> machine;
};

} // namespace yarrow

#endif // YARROW_CODEGEN_TECTARGET_H
