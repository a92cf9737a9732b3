//===- TecMainSteps.cpp - A function for each step of a TEC program -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/TecMainBuilder.h"

#include "codegen/TecMain.h"
#include "llvm/IR/InlineAsm.h"
#include <cstring>

namespace yarrow {

/// The memory clobber keeps LLVM from moving accesses across, since the
/// engines and the other TECs use the same memory.
void TecMainBuilder::emitInst(NpuInst inst, unsigned funct7, llvm::Value *rs1,
                              llvm::Value *rs2) {
  llvm::SmallVector<llvm::Value *> operands;
  std::string constraints;
  auto addOperand = [&](llvm::Value *value) -> std::string {
    if (!value)
      return "x0";
    operands.push_back(value);
    constraints += "r,";
    return "$" + std::to_string(operands.size() - 1);
  };
  std::string code = ".insn r 0x0B, " + std::to_string(inst) + ", " +
                     std::to_string(funct7) + ", x0, ";
  code += addOperand(rs1);
  code += ", " + addOperand(rs2);
  llvm::SmallVector<llvm::Type *> types(operands.size(), builder.getInt32Ty());
  builder.CreateCall(
      llvm::InlineAsm::get(
          llvm::FunctionType::get(builder.getVoidTy(), types, false), code,
          constraints + "~{memory}", /*hasSideEffects=*/true),
      operands);
}

/// A function around an instruction that every step has: parsing the assembly
/// in each would take half of the time.
llvm::Function *TecMainBuilder::addHelper(const std::string &name, NpuInst inst,
                                          unsigned funct7, bool hasOperand) {
  if (llvm::Function *known = module->getFunction(name))
    return known;
  llvm::IRBuilder<>::InsertPointGuard guard(builder);
  llvm::SmallVector<llvm::Type *, 1> arguments(hasOperand,
                                               builder.getInt32Ty());
  llvm::Function *helper = addFunction(name, arguments);
  builder.SetInsertPoint(addBlock(helper, "entry"));
  emitInst(inst, funct7, hasOperand ? helper->getArg(0) : nullptr);
  builder.CreateRetVoid();
  return helper;
}

void TecMainBuilder::emitWaits(const isa::Waits &waits) {
  static constexpr const char *names[] = {"wait.te", "wait.load", "wait.store",
                                          "wait.tec"};
  for (unsigned counter = 0; counter < isa::kNumCounters; ++counter) {
    if (!waits[counter])
      continue;
    llvm::Value *until = builder.getInt32(waits[counter]);
    if (hasDecisions)
      until = builder.CreateAdd(countOf(counter), until);
    builder.CreateCall(addHelper(names[counter], Wait, counter, true), until);
  }
}

llvm::Value *TecMainBuilder::wordAddress(llvm::Value *words, unsigned index) {
  return builder.CreateConstInBoundsGEP1_32(builder.getInt32Ty(), words, index);
}

llvm::Value *TecMainBuilder::countOf(unsigned counter) {
  return loadWord(counts, counter);
}

void TecMainBuilder::advance(unsigned counter, uint32_t by) {
  builder.CreateStore(builder.CreateAdd(countOf(counter), builder.getInt32(by)),
                      wordAddress(counts, counter));
}

llvm::Value *TecMainBuilder::loadWord(llvm::Value *words, uint32_t index) {
  return builder.CreateLoad(builder.getInt32Ty(), wordAddress(words, index));
}

llvm::Value *TecMainBuilder::bufferAddress(llvm::Value *parameterBlock,
                                           const TecBuffer &buffer) {
  if (buffer.isNull)
    return builder.getInt32(0);
  if (buffer.region == isa::kSramRegion)
    return builder.getInt32(isa::kSramBaseAddress + buffer.offset);
  return builder.CreateAdd(
      loadWord(parameterBlock, isa::ParameterRegions + buffer.region),
      builder.getInt32(buffer.offset));
}

llvm::Constant *TecMainBuilder::paramsOf(const TecStep &step) {
  llvm::Constant *&constant = paramConstants[step.params];
  if (constant)
    return constant;
  auto *data = llvm::ConstantDataArray::getString(
      context, llvm::StringRef(step.params.data(), step.params.size()), false);
  auto *global = new llvm::GlobalVariable(
      *module, data->getType(), /*isConstant=*/true,
      llvm::GlobalValue::PrivateLinkage, data, "params");
  global->setAlignment(llvm::Align(8)); // a struct may hold 64-bit integers
  return constant = global;
}

/// Tells reports and faults which step it is. Where no step is left out or
/// repeated, they know by counting signals.
void TecMainBuilder::beginStep(size_t index) {
  if (isOneBlock)
    return;
  builder.CreateCall(
      llvm::InlineAsm::get(llvm::FunctionType::get(builder.getVoidTy(),
                                                   builder.getInt32Ty(), false),
                           "csrw 0x800, $0", "r", /*hasSideEffects=*/true),
      builder.getInt32(uint32_t(index + 1)));
}

/// step(parameterBlock, task, counts): waits, builds the array of buffers on
/// the stack, calls the kernel, signals. Without decisions there are no counts.
static uint32_t wordOf(const std::vector<char> &params, size_t number) {
  uint32_t word = 0;
  std::memcpy(&word, params.data() + number * sizeof word, sizeof word);
  return word;
}

llvm::Function *TecMainBuilder::addStep(size_t index) {
  const TecStep &step = input.steps[index];
  auto *pointer = builder.getPtrTy();
  auto *word = builder.getInt32Ty();
  llvm::SmallVector<llvm::Type *> arguments = {pointer, word};
  if (hasDecisions)
    arguments.push_back(pointer);
  llvm::Function *function = addFunction(tecStepName(input, index), arguments);
  parameterBlock = function->getArg(0), task = function->getArg(1);
  counts = hasDecisions ? function->getArg(2) : nullptr;
  builder.SetInsertPoint(addBlock(function, "entry"));
  beginStep(index);
  llvm::AllocaInst *buffers = builder.CreateAlloca(
      llvm::ArrayType::get(word, std::max<size_t>(step.buffers.size(), 1)));
  for (size_t i = 0; i < step.buffers.size(); ++i)
    builder.CreateStore(bufferAddress(parameterBlock, step.buffers[i]),
                        wordAddress(buffers, unsigned(i)));
  emitWaits(step.waits);
  const auto &[callee, openWords] = callees[index];
  if (callee == step.symbol) {
    builder.CreateCall(
        module->getOrInsertFunction(callee, builder.getVoidTy(), pointer,
                                    pointer, word, word),
        {paramsOf(step), buffers, task, builder.getInt32(input.tecs)});
  } else {
    llvm::SmallVector<llvm::Type *> types = {pointer, word};
    llvm::SmallVector<llvm::Value *> values = {buffers, task};
    for (uint32_t number : openWords) {
      types.push_back(word);
      values.push_back(builder.getInt32(wordOf(step.params, number)));
    }
    builder.CreateCall(
        module->getOrInsertFunction(
            callee, llvm::FunctionType::get(builder.getVoidTy(), types, false)),
        values);
  }
  builder.CreateCall(addHelper("signal", Signal, 0, false));
  builder.CreateRetVoid();
  return function;
}

/// bool decision(parameterBlock, counts): reads the flag, and waits until all
/// TECs have, since what comes next may write it.
llvm::Function *TecMainBuilder::addDecision(size_t index) {
  const TecStep &step = input.steps[index];
  auto *pointer = builder.getPtrTy();
  llvm::Function *function = addFunction(
      tecStepName(input, index), {pointer, pointer}, builder.getInt1Ty());
  parameterBlock = function->getArg(0), counts = function->getArg(1);
  builder.SetInsertPoint(addBlock(function, "entry"));
  beginStep(index);
  llvm::Type *flagType = builder.getIntNTy(step.flagBytes * 8);
  llvm::Value *address = builder.CreateIntToPtr(
      bufferAddress(parameterBlock, step.buffers[0]), pointer);
  llvm::Value *flag =
      builder.CreateLoad(flagType, address, /*isVolatile=*/true);
  builder.CreateCall(addHelper("signal", Signal, 0, false));
  isa::Waits allHaveRead = {};
  allHaveRead[unsigned(isa::Unit::Tec)] = input.tecs;
  emitWaits(allHaveRead);
  advance(unsigned(isa::Unit::Tec), input.tecs);
  builder.CreateRet(
      builder.CreateICmpNE(flag, llvm::ConstantInt::get(flagType, 0)));
  return function;
}

} // namespace yarrow
