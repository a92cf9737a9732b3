//===- TecMain.cpp - The part of a TEC program that calls kernels ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/TecMain.h"

#include "codegen/TecLinker.h"
#include "codegen/TecMainBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <cstddef>
#include <cstring>

namespace yarrow {

std::string tecStepName(const TecProgramInput &input, size_t step) {
  return "step." + std::to_string(step) + "." + input.steps[step].symbol;
}

llvm::Function *
TecMainBuilder::addFunction(const std::string &name,
                            llvm::ArrayRef<llvm::Type *> arguments,
                            llvm::Type *result) {
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(result ? result : builder.getVoidTy(), arguments,
                              false),
      llvm::GlobalValue::ExternalLinkage, name, *module);
  target.decorate(*function);
  return function;
}

/// isa::TextHeader but for the sizes of image and code, which the linker puts
/// between the two parts.
void TecMainBuilder::addHeader() {
  isa::TextHeader header{};
  std::memcpy(header.magic, isa::kTextMagic, sizeof header.magic);
  header.stackTopAddress = input.stackTopAddress;
  header.constantBytes = input.constantBytes;
  header.descriptorBytes = input.descriptorBytes;
  constexpr size_t kRest = offsetof(isa::TextHeader, stackTopAddress);
  llvm::StringRef bytes(reinterpret_cast<const char *>(&header), sizeof header);
  addHeaderPart(bytes.take_front(sizeof header.magic), kHeaderSection, 64);
  addHeaderPart(bytes.drop_front(kRest), kHeaderRestSection, 4);
}

void TecMainBuilder::addHeaderPart(llvm::StringRef bytes, const char *section,
                                   unsigned align) {
  auto *data = llvm::ConstantDataArray::getString(context, bytes, false);
  auto *part = new llvm::GlobalVariable(
      *module, data->getType(), /*isConstant=*/true,
      llvm::GlobalValue::PrivateLinkage, data, "header");
  part->setSection(section);
  part->setAlignment(llvm::Align(align));
  used.push_back(part);
}

/// Registers at the start: see isa/ElfLayout.h. The stack pointer arrives as
/// the lowest address of the stack.
void TecMainBuilder::addEntry() {
  llvm::Function *entry = addFunction("_start", {});
  entry->setSection(".text.entry");
  entry->setAlignment(llvm::Align(64));
  entry->addFnAttr(llvm::Attribute::Naked);
  used.push_back(entry);
  builder.SetInsertPoint(addBlock(entry, "entry"));
  static_assert(isa::kStackBytes % 4096 == 0, "lui sets the upper 20 bits");
  static_assert(isa::kSramStackBytes == 1u << 14, "the shift below");
  assert(input.stackTopAddress % 4096 == 0 && "lui sets the upper 20 bits");
  std::string code = input.stackTopAddress
                         ? "lui sp, " +
                               std::to_string(input.stackTopAddress >> 12) +
                               "\nslli t0, a3, 14\nsub sp, sp, t0\n"
                         : "lui t0, " + std::to_string(isa::kStackBytes >> 12) +
                               "\nadd sp, sp, t0\n";
  code += "mv a1, a3\n"
          "mv a2, a4\n"
          "mv a3, a6\n"
          "tail yarrow_main\n";
  builder.CreateCall(llvm::InlineAsm::get(
      llvm::FunctionType::get(builder.getVoidTy(), false), code, "",
      /*hasSideEffects=*/true));
  builder.CreateUnreachable();
}

/// What the DMA engine knows of regions; TEC 0 does it for all.
void TecMainBuilder::emitSetBases(llvm::Value *parameterBlock) {
  for (uint32_t region = isa::kWeightRegion; region < input.regionCount;
       ++region)
    emitInst(SetBase, 0, builder.getInt32(region),
             loadWord(parameterBlock, isa::ParameterRegions + region));
}

void TecMainBuilder::addMain() {
  auto *pointer = builder.getPtrTy();
  auto *word = builder.getInt32Ty();
  llvm::Function *main =
      addFunction("yarrow_main", {pointer, word, word, pointer});
  parameterBlock = main->getArg(0), task = main->getArg(1);
  llvm::Value *taskCount = main->getArg(2);
  llvm::BasicBlock *entry = addBlock(main, "entry"),
                   *tooFew = addBlock(main, "too_few_tecs"),
                   *checked = addBlock(main, "checked"),
                   *working = addBlock(main, "working"),
                   *start = addBlock(main, "start_engines"),
                   *run = addBlock(main, "run"), *end = addBlock(main, "end");
  llvm::Value *tecs = builder.getInt32(input.tecs);

  builder.SetInsertPoint(entry);
  if (hasDecisions) {
    counts =
        builder.CreateAlloca(llvm::ArrayType::get(word, isa::kNumCounters));
    for (unsigned counter = 0; counter < isa::kNumCounters; ++counter)
      builder.CreateStore(builder.getInt32(0), wordAddress(counts, counter));
  }
  builder.CreateCondBr(builder.CreateICmpULT(taskCount, tecs), tooFew, checked);
  builder.SetInsertPoint(tooFew); // counters would never be reached: fault
  builder.CreateIntrinsic(llvm::Intrinsic::trap, {});
  builder.CreateUnreachable();
  builder.SetInsertPoint(checked);
  builder.CreateCondBr(builder.CreateICmpULT(task, tecs), working, end);
  builder.SetInsertPoint(working);
  builder.CreateCondBr(builder.CreateICmpEQ(task, builder.getInt32(0)), start,
                       run);
  builder.SetInsertPoint(start);
  emitSetBases(parameterBlock);
  if (isOneBlock)
    emitSubmit(input.groups[0].programs[0][0]);
  builder.CreateBr(run);
  builder.SetInsertPoint(run);
  llvm::Value *choice = nullptr;
  if (!input.variants.empty())
    choice = builder.CreateCall(addChoose(), main->getArg(3));
  emitGroups(choice, end);
  builder.SetInsertPoint(end);
  emitInst(End, 0);
  builder.CreateUnreachable();
}

std::vector<char> TecMainBuilder::run() {
  addHeader();
  addEntry();
  for (size_t i = 0; i < input.steps.size(); ++i)
    steps.push_back(input.steps[i].flagBytes ? addDecision(i) : addStep(i));
  addMain();
  llvm::appendToUsed(*module, used);
  return target.compile(*module);
}

std::vector<char> compileTecMain(const TecProgramInput &input,
                                 const std::vector<TecCallee> &callees) {
  return TecMainBuilder(input, callees).run();
}

} // namespace yarrow
