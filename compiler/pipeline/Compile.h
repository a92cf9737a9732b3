//===- Compile.h - From integer IR to an executable -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The phases after quantization (Phases.def), on a copy of the network, by one
// PassManager.
//
//   CompileOptions options;
//   if (!compileNetwork(module, machine, options, "aipu.bin", diags)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PIPELINE_COMPILE_H
#define YARROW_COMPILER_PIPELINE_COMPILE_H

#include "compiler/pipeline/Phases.h"
#include "dialects/npu/Target.h"
#include "isa/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "support/Diagnostics.h"
#include <optional>
#include <string>

namespace yarrow {

/// What the passes tell about themselves, on the stream of messages.
struct PassInstruments {
  bool timing = false; ///< A table of the time that each took.
  /// If not empty, each pass that changes the module writes it to a file in
  /// this folder.
  std::string irFolder = {};
};

struct CompileOptions {
  /// Off: no clean-up, no fusion, no tensors kept in SRAM, no prefetch, kernels
  /// as they are.
  bool optimize = true;
  std::vector<npu::Optimization> disabled = {}; ///< Of those, by name.
  /// Plans are chosen by the SRAM that they take.
  bool isFootprintWanted = false;
  /// A folder where compiled kernels and plans are kept (support/BuildCache.h);
  /// it is made if it is not there. Empty: none.
  std::string cache = {};
  uint32_t samples = 1;        ///< That a run of the executable computes.
  bool hasProfile = false;     ///< See codegen/Emit.h.
  std::string weightFile = {}; ///< See codegen/Emit.h.
  /// See PhaseOptions.
  decltype(PhaseOptions::chooseForms) chooseForms = {};
  /// If not empty, the module is written there as text after scheduling.
  std::string dumpNpuPath = {};
  PassInstruments instruments = {};
};

/// Numbers of a finished compilation.
struct CompileResult {
  npu::MemoryUse memory;
  npu::CommandCount count;
};

/// The whole way to a file; with an empty \p path nothing is written. The
/// network stays as it is. False after errors.
bool compileNetwork(mlir::ModuleOp network, const isa::Machine &machine,
                    const CompileOptions &options, const std::string &path,
                    DiagnosticEngine &diags, CompileResult *result = nullptr);

/// The same for one network with inputs of several shapes, ascending: one
/// executable, in which the inputs of a run choose. Commands as
/// text and the result are the last one's.
bool compileVariants(llvm::ArrayRef<mlir::ModuleOp> networks,
                     const isa::Machine &machine, const CompileOptions &options,
                     const std::string &path, DiagnosticEngine &diags,
                     CompileResult *result = nullptr);

/// The same file in memory; nothing is written. Nullopt after errors.
/// options.weightFile and dumpNpuPath are empty.
std::optional<std::string>
compileInMemory(llvm::ArrayRef<mlir::ModuleOp> networks,
                const isa::Machine &machine, const CompileOptions &options,
                DiagnosticEngine &diags, CompileResult *result = nullptr);
/// One that is run and forgotten, for which it need not be explained how it
/// came about: no warnings of its speed. \p isTrial: see codegen/Emit.h.
std::optional<std::string> compileToRun(mlir::ModuleOp network,
                                        const isa::Machine &machine,
                                        const CompileOptions &options,
                                        DiagnosticEngine &diags,
                                        bool isTrial = false);

/// Says that the machine has cores that an executable leaves idle, if it has.
/// \p usesSeveral: its layers are divided among all of them.
void warnOfIdleCores(const isa::Machine &machine, bool usesSeveral,
                     DiagnosticEngine &diags);

/// The way to the end of the phase \p last: the module as it is then. Null
/// after errors.
mlir::OwningOpRef<mlir::ModuleOp> compileUntil(mlir::ModuleOp network,
                                               const isa::Machine &machine,
                                               const CompileOptions &options,
                                               const std::string &last,
                                               DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_PIPELINE_COMPILE_H
