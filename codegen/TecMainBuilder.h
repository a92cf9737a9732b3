//===- TecMainBuilder.h - Builds the main program of TECs -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Implements compileTecMain(). TecMain.cpp has the program from its header to
// its end, TecMainSteps.cpp a function for each step, and TecMainBlocks.cpp the
// blocks of commands, groups for several cores, variants and decisions.
//
//   std::vector<char> object = TecMainBuilder(input, callees).run();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_TECMAINBUILDER_H
#define YARROW_CODEGEN_TECMAINBUILDER_H

#include "codegen/TecCallee.h"
#include "codegen/TecProgramInput.h"
#include "codegen/TecTarget.h"
#include "isa/ElfLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include <map>
#include <string>
#include <vector>

namespace yarrow {

class TecMainBuilder {
public:
  TecMainBuilder(const TecProgramInput &input,
                 const std::vector<TecCallee> &callees)
      : input(input), callees(callees), target(TecTarget::Effort::Quick),
        module(target.createModule("main", context)), builder(context),
        hasDecisions(llvm::any_of(input.groups, hasDecision)),
        isOneBlock(input.groups.size() == 1 && input.variants.empty() &&
                   !hasDecisions) {}

  /// A relocatable file.
  std::vector<char> run();

private:
  /// funct3 of the custom-0 instructions (isa/RiscvInsts.def).
  enum NpuInst {
    Submit = 0,
    SetBase = 1,
    Wait = 2,
    Signal = 3,
    End = 4,
    SetOrigin = 5
  };

  static bool hasDecision(const TecGroup &group) {
    return llvm::any_of(group.programs, [](const auto &items) {
      return items.size() > 1 ||
             (!items.empty() && items[0].kind != TecItem::Kind::Block);
    });
  }
  llvm::Function *addFunction(const std::string &name,
                              llvm::ArrayRef<llvm::Type *> arguments,
                              llvm::Type *result = nullptr);
  void addHeader();
  void addHeaderPart(llvm::StringRef bytes, const char *section,
                     unsigned align);
  void addEntry();
  llvm::Function *addStep(size_t step);
  llvm::Function *addDecision(size_t step);
  void beginStep(size_t step);
  void addMain();
  void emitSetBases(llvm::Value *parameterBlock);
  void emitItems(llvm::ArrayRef<TecItem> items);
  void emitBlock(const TecItem &block);
  llvm::SwitchInst *emitSwitch(llvm::Value *number, size_t count);
  void emitGroups(llvm::Value *choice, llvm::BasicBlock *end);
  void emitGroup(size_t index, llvm::Value *choice, llvm::BasicBlock *end);
  llvm::Function *addChoose();
  void emitOutputLengths(const TecVariant &choice);
  void emitSubmit(const TecItem &block);
  llvm::Value *emitDecision(const TecItem &item);

  void emitInst(NpuInst inst, unsigned funct7, llvm::Value *rs1 = nullptr,
                llvm::Value *rs2 = nullptr);
  llvm::Function *addHelper(const std::string &name, NpuInst inst,
                            unsigned funct7, bool hasOperand);
  void emitWaits(const isa::Waits &waits);
  /// How far counters were when the block began, one word each; only if
  /// hasDecisions.
  llvm::Value *countOf(unsigned counter);
  void advance(unsigned counter, uint32_t by);
  llvm::Value *wordAddress(llvm::Value *words, unsigned index);
  llvm::Value *loadWord(llvm::Value *words, uint32_t index);
  llvm::Value *bufferAddress(llvm::Value *parameterBlock,
                             const TecBuffer &buffer);
  llvm::Constant *paramsOf(const TecStep &step);
  llvm::BasicBlock *addBlock(llvm::Function *function, const char *name) {
    return llvm::BasicBlock::Create(context, name, function);
  }

  const TecProgramInput &input;
  const std::vector<TecCallee> &callees;
  llvm::LLVMContext context;
  TecTarget target;
  std::unique_ptr<llvm::Module> module;
  llvm::IRBuilder<> builder;
  /// Otherwise counters begin at 0.
  const bool hasDecisions;
  /// Neither decisions nor several groups.
  const bool isOneBlock;
  std::vector<llvm::Function *> steps;
  /// Of the function that is being built.
  llvm::Value *parameterBlock = nullptr, *task = nullptr, *counts = nullptr;
  std::vector<llvm::GlobalValue *> used;
  std::map<std::vector<char>, llvm::Constant *> paramConstants;
};

} // namespace yarrow

#endif // YARROW_CODEGEN_TECMAINBUILDER_H
