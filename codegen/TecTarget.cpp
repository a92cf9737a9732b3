//===- TecTarget.cpp - LLVM set up for a TEC ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/TecTarget.h"

#include "codegen/TecRounding.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/SCCP.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include <cassert>

namespace yarrow {

static constexpr llvm::StringRef kAbi = "ilp32d";

/// Has the vectorizer take four registers at once, where it takes two by
/// itself: an access to SRAM takes two cycles before its first byte, and a loop
/// has about eight of addresses and its branch. Eight are better still for
/// short loops, but worse where their values do not fit the registers.
///
/// As the option's default, to which lld resets it. LLVM has no other way to
/// say it.
static void groupVectorRegisters() {
  auto option =
      llvm::cl::getRegisteredOptions().find("riscv-v-register-bit-width-lmul");
  assert(option != llvm::cl::getRegisteredOptions().end() &&
         "LLVM has the option");
  static_cast<llvm::cl::opt<unsigned> *>(option->second)
      ->setInitialValue(YARROW_TEC_VECTOR_GROUP);
}

const llvm::Target &tecLlvmTarget() {
  static const llvm::Target *target = [] {
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTarget();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVAsmPrinter();
    LLVMInitializeRISCVAsmParser(); // inline assembly
    LLVMInitializeRISCVDisassembler();
    std::string error;
    const llvm::Target *found = llvm::TargetRegistry::lookupTarget(
        llvm::Triple(llvm::StringRef(kTecTriple)), error);
    assert(found && "LLVM was built without RISC-V");
    groupVectorRegisters();
    return found;
  }();
  return *target;
}

TecTarget::TecTarget(Effort effort) {
  llvm::TargetOptions options;
  options.MCOptions.ABIName = kAbi.str();
  options.FunctionSections = true;
  options.DataSections = true;
  // Host and TEC must agree to the last bit.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  machine.reset(tecLlvmTarget().createTargetMachine(
      llvm::Triple(llvm::StringRef(kTecTriple)), kTecCpu, kTecFeatures, options,
      llvm::Reloc::PIC_, llvm::CodeModel::Medium,
      effort == Effort::Quick ? llvm::CodeGenOptLevel::None
                              : llvm::CodeGenOptLevel::Default));
}

TecTarget::~TecTarget() = default;

std::unique_ptr<llvm::Module>
TecTarget::createModule(llvm::StringRef name,
                        llvm::LLVMContext &context) const {
  auto module = std::make_unique<llvm::Module>(name, context);
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  module->addModuleFlag(llvm::Module::Error, "target-abi",
                        llvm::MDString::get(context, kAbi));
  return module;
}

void TecTarget::decorate(llvm::Function &function) const {
  function.setDSOLocal(true);
  function.addFnAttr("target-cpu", kTecCpu);
  function.addFnAttr("target-features", kTecFeatures);
  // As -ffreestanding: a loop does not become a call.
  function.addFnAttr("no-builtins");
  function.addFnAttr(llvm::Attribute::NoUnwind);
  function.addFnAttr(
      llvm::Attribute::getWithVScaleRangeArgs(function.getContext(), 4, 4));
}

/// Folds what is constant and drops what then cannot be reached.
static void addFolding(llvm::FunctionPassManager &passes) {
  passes.addPass(llvm::SCCPPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::ADCEPass());
}

/// What its parameters leave of a kernel: it is inlined, loops over parts of
/// the parameters become one part after the other, as the source asks for (loop
/// unroll(full)), and what is ruled out goes before the passes that cost time
/// see it. An elementwise kernel falls from 4,115 instructions to 441 before
/// the standard pipeline, and its compilation from 110 to 55 ms.
static llvm::ModulePassManager pruneByConstants() {
  llvm::FunctionPassManager prune;
  prune.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  addFolding(prune);
  prune.addPass(llvm::createFunctionToLoopPassAdaptor(
      llvm::LoopFullUnrollPass(/*OptLevel=*/2, /*OnlyWhenForced=*/true)));
  addFolding(prune);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(llvm::IPSCCPPass()); // into functions that are not inlined
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(prune)));
  return passes;
}

void TecTarget::optimize(llvm::Module &module) const {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine.get());
  builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager &passes, auto, auto) {
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(
            TecRoundingPass(kTecVectorBits)));
      });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes = pruneByConstants();
  passes.addPass(
      builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2));
  passes.run(module, modules);
}

std::vector<char> TecTarget::compile(llvm::Module &module) const {
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  [[maybe_unused]] bool failed = machine->addPassesToEmitFile(
      passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile);
  assert(!failed && "RISC-V writes objects");
  passes.run(module);
  return {object.begin(), object.end()};
}

} // namespace yarrow
