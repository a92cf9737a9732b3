//===- TecMain.cpp - The part of a TEC program that calls kernels ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/TecMain.h"

#include "codegen/TecLinker.h"
#include "codegen/TecTarget.h"
#include "isa/ElfLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <cstddef>
#include <cstring>
#include <map>

namespace yarrow {

std::string tecStepName(const TecProgramInput &input, size_t step) {
  return "step." + std::to_string(step) + "." + input.steps[step].symbol;
}

namespace {

/// funct3 of the custom-0 instructions (isa/RiscvInsts.def).
enum NpuInst {
  Submit = 0,
  SetBase = 1,
  Wait = 2,
  Signal = 3,
  End = 4,
  SetOrigin = 5
};

class MainBuilder {
public:
  MainBuilder(const TecProgramInput &input,
              const std::vector<std::string> &callees)
      : input(input), callees(callees), target(TecTarget::Effort::Quick),
        module(target.createModule("main", context)), builder(context),
        hasDecisions(llvm::any_of(input.groups, hasDecision)),
        isOneBlock(input.groups.size() == 1 && input.variants.empty() &&
                   !hasDecisions) {}

  std::vector<char> run() {
    addHeader();
    addEntry();
    for (size_t i = 0; i < input.steps.size(); ++i)
      steps.push_back(input.steps[i].flagBytes ? addDecision(i) : addStep(i));
    addMain();
    llvm::appendToUsed(*module, used);
    return target.compile(*module);
  }

private:
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
  llvm::Value *loadWord(llvm::Value *words, uint32_t index);
  llvm::Value *bufferAddress(llvm::Value *parameterBlock,
                             const TecBuffer &buffer);
  llvm::Constant *paramsOf(const TecStep &step);
  llvm::BasicBlock *addBlock(llvm::Function *function, const char *name) {
    return llvm::BasicBlock::Create(context, name, function);
  }

  const TecProgramInput &input;
  const std::vector<std::string> &callees;
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

} // namespace

llvm::Function *MainBuilder::addFunction(const std::string &name,
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
void MainBuilder::addHeader() {
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

void MainBuilder::addHeaderPart(llvm::StringRef bytes, const char *section,
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
void MainBuilder::addEntry() {
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

/// The memory clobber keeps LLVM from moving accesses across, since the
/// engines and the other TECs use the same memory.
void MainBuilder::emitInst(NpuInst inst, unsigned funct7, llvm::Value *rs1,
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
llvm::Function *MainBuilder::addHelper(const std::string &name, NpuInst inst,
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

void MainBuilder::emitWaits(const isa::Waits &waits) {
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

static llvm::Value *wordAddress(llvm::IRBuilder<> &builder, llvm::Value *words,
                                unsigned index) {
  return builder.CreateConstInBoundsGEP1_32(builder.getInt32Ty(), words, index);
}

llvm::Value *MainBuilder::countOf(unsigned counter) {
  return loadWord(counts, counter);
}

void MainBuilder::advance(unsigned counter, uint32_t by) {
  builder.CreateStore(builder.CreateAdd(countOf(counter), builder.getInt32(by)),
                      wordAddress(builder, counts, counter));
}

llvm::Value *MainBuilder::loadWord(llvm::Value *words, uint32_t index) {
  return builder.CreateLoad(builder.getInt32Ty(),
                            wordAddress(builder, words, index));
}

llvm::Value *MainBuilder::bufferAddress(llvm::Value *parameterBlock,
                                        const TecBuffer &buffer) {
  if (buffer.isNull)
    return builder.getInt32(0);
  if (buffer.region == isa::kSramRegion)
    return builder.getInt32(isa::kSramBaseAddress + buffer.offset);
  return builder.CreateAdd(
      loadWord(parameterBlock, isa::ParameterRegions + buffer.region),
      builder.getInt32(buffer.offset));
}

llvm::Constant *MainBuilder::paramsOf(const TecStep &step) {
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
void MainBuilder::beginStep(size_t index) {
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
llvm::Function *MainBuilder::addStep(size_t index) {
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
                        wordAddress(builder, buffers, unsigned(i)));
  emitWaits(step.waits);
  if (callees[index] == step.symbol)
    builder.CreateCall(
        module->getOrInsertFunction(callees[index], builder.getVoidTy(),
                                    pointer, pointer, word, word),
        {paramsOf(step), buffers, task, builder.getInt32(input.tecs)});
  else
    builder.CreateCall(module->getOrInsertFunction(
                           callees[index], builder.getVoidTy(), pointer, word),
                       {buffers, task});
  builder.CreateCall(addHelper("signal", Signal, 0, false));
  builder.CreateRetVoid();
  return function;
}

/// bool decision(parameterBlock, counts): reads the flag, and waits until all
/// TECs have, since what comes next may write it.
llvm::Function *MainBuilder::addDecision(size_t index) {
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

/// What the DMA engine knows of regions; TEC 0 does it for all.
void MainBuilder::emitSetBases(llvm::Value *parameterBlock) {
  for (uint32_t region = isa::kWeightRegion; region < input.regionCount;
       ++region)
    emitInst(SetBase, 0, builder.getInt32(region),
             loadWord(parameterBlock, isa::ParameterRegions + region));
}

void MainBuilder::emitSubmit(const TecItem &block) {
  for (unsigned counter = 0; hasDecisions && counter < isa::kNumCounters;
       ++counter)
    emitInst(SetOrigin, counter, countOf(counter));
  for (unsigned queue = 0; queue < isa::kNumQueues; ++queue) {
    const QueueList &list = block.queues[queue];
    if (!list.sizeBytes)
      continue;
    llvm::Value *address =
        builder.CreateAdd(loadWord(parameterBlock, isa::ParameterDescriptors),
                          builder.getInt32(list.offsetBytes));
    emitInst(Submit, queue, address, builder.getInt32(list.sizeBytes));
  }
}

/// Lists are submitted, kernels called; then every TEC waits for all of it.
void MainBuilder::emitBlock(const TecItem &block) {
  if (!isOneBlock) {
    llvm::Function *main = builder.GetInsertBlock()->getParent();
    llvm::BasicBlock *submit = addBlock(main, "submit"),
                     *run = addBlock(main, "run");
    builder.CreateCondBr(builder.CreateICmpEQ(task, builder.getInt32(0)),
                         submit, run);
    builder.SetInsertPoint(submit);
    emitSubmit(block);
    builder.CreateBr(run);
    builder.SetInsertPoint(run);
  }
  for (size_t i = 0; i < block.numSteps; ++i) {
    llvm::SmallVector<llvm::Value *> arguments = {parameterBlock, task};
    if (hasDecisions)
      arguments.push_back(counts);
    builder.CreateCall(steps[block.firstStep + i], arguments);
  }
  emitWaits(block.finalWaits);
  for (unsigned counter = 0; hasDecisions && counter < isa::kNumCounters;
       ++counter)
    if (block.finalWaits[counter])
      advance(counter, block.finalWaits[counter]);
}

/// word choose(globalParameters): which program the lengths of the inputs
/// choose. None is a fault.
llvm::Function *MainBuilder::addChoose() {
  auto *word = builder.getInt32Ty();
  llvm::IRBuilder<>::InsertPointGuard guard(builder);
  llvm::Function *choose =
      addFunction(isa::kChooseFunction, {builder.getPtrTy()}, word);
  choose->addFnAttr(llvm::Attribute::NoInline); // faults tell its name
  llvm::BasicBlock *entry = addBlock(choose, "entry"),
                   *given = addBlock(choose, "given"),
                   *last = addBlock(choose, "last"),
                   *next = addBlock(choose, "next");
  llvm::Value *globals = choose->getArg(0);
  builder.SetInsertPoint(last);
  builder.CreateRet(builder.getInt32(uint32_t(input.variants.size() - 1)));
  builder.SetInsertPoint(entry);
  builder.CreateCondBr(builder.CreateIsNull(globals), last, given);
  builder.SetInsertPoint(given);
  static_assert(offsetof(isa::GlobalParameters, inputShapeOffset) == 0);
  llvm::Value *lengths =
      builder.CreatePtrAdd(globals, builder.CreateLoad(word, globals));
  std::vector<uint32_t> noLengths(input.variants[0].inputLengths.size());
  llvm::SmallVector<llvm::Value *> found;
  for (size_t i = 0; i < noLengths.size(); ++i)
    found.push_back(loadWord(lengths, uint32_t(i)));
  auto areEqual = [&](llvm::ArrayRef<uint32_t> expected) {
    llvm::Value *differences = builder.getInt32(0);
    for (auto [length, wanted] : llvm::zip(found, expected))
      differences = builder.CreateOr(
          differences, builder.CreateXor(length, builder.getInt32(wanted)));
    return builder.CreateICmpEQ(differences, builder.getInt32(0));
  };
  builder.CreateCondBr(areEqual(noLengths), last, next);
  for (auto [i, choice] : llvm::enumerate(input.variants)) {
    builder.SetInsertPoint(next);
    next = addBlock(choose, "next");
    llvm::BasicBlock *chosen = addBlock(choose, "chosen");
    builder.CreateCondBr(areEqual(choice.inputLengths), chosen, next);
    builder.SetInsertPoint(chosen);
    builder.CreateRet(builder.getInt32(uint32_t(i)));
  }
  builder.SetInsertPoint(next);
  builder.CreateIntrinsic(llvm::Intrinsic::trap, {});
  builder.CreateUnreachable();
  return choose;
}

/// By TEC 0, in the last region.
void MainBuilder::emitOutputLengths(const TecVariant &choice) {
  llvm::Function *main = builder.GetInsertBlock()->getParent();
  llvm::BasicBlock *tell = addBlock(main, "tell_lengths"),
                   *next = addBlock(main, "next");
  builder.CreateCondBr(builder.CreateICmpEQ(task, builder.getInt32(0)), tell,
                       next);
  builder.SetInsertPoint(tell);
  llvm::Value *lengths = builder.CreateIntToPtr(
      bufferAddress(parameterBlock, {.region = input.regionCount - 1}),
      builder.getPtrTy());
  for (auto [i, length] : llvm::enumerate(choice.outputLengths))
    builder.CreateStore(builder.getInt32(length),
                        wordAddress(builder, lengths, unsigned(i)));
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
}

/// A fault if the number is none of \p count cases, which callers add.
llvm::SwitchInst *MainBuilder::emitSwitch(llvm::Value *number, size_t count) {
  llvm::BasicBlock *none =
      addBlock(builder.GetInsertBlock()->getParent(), "none");
  llvm::SwitchInst *cases = builder.CreateSwitch(number, none, unsigned(count));
  builder.SetInsertPoint(none);
  builder.CreateIntrinsic(llvm::Intrinsic::trap, {});
  builder.CreateUnreachable();
  return cases;
}

/// Each goes to \p end. Which one this core executes, the parameter block
/// tells.
void MainBuilder::emitGroups(llvm::Value *choice, llvm::BasicBlock *end) {
  if (input.groups.size() == 1)
    return emitGroup(0, choice, end);
  llvm::Function *main = builder.GetInsertBlock()->getParent();
  llvm::SwitchInst *groups = emitSwitch(
      loadWord(parameterBlock, isa::ParameterGroup), input.groups.size());
  for (size_t i = 0; i < input.groups.size(); ++i) {
    llvm::BasicBlock *begin = addBlock(main, "group");
    groups->addCase(builder.getInt32(uint32_t(i)), begin);
    builder.SetInsertPoint(begin);
    emitGroup(i, choice, end);
  }
}

/// What the variant \p choice, if there are several, does in the group.
void MainBuilder::emitGroup(size_t index, llvm::Value *choice,
                            llvm::BasicBlock *end) {
  const TecGroup &group = input.groups[index];
  if (!choice) {
    emitItems(group.programs[0]);
    builder.CreateBr(end);
    return;
  }
  llvm::Function *main = builder.GetInsertBlock()->getParent();
  llvm::SwitchInst *variants = emitSwitch(choice, group.programs.size());
  for (auto [i, items] : llvm::enumerate(group.programs)) {
    llvm::BasicBlock *begin = addBlock(main, "variant");
    variants->addCase(builder.getInt32(uint32_t(i)), begin);
    builder.SetInsertPoint(begin);
    if (index == 0)
      emitOutputLengths(input.variants[i]);
    emitItems(items);
    builder.CreateBr(end);
  }
}

llvm::Value *MainBuilder::emitDecision(const TecItem &item) {
  return builder.CreateCall(steps[item.firstStep], {parameterBlock, counts});
}

void MainBuilder::emitItems(llvm::ArrayRef<TecItem> items) {
  llvm::Function *main = builder.GetInsertBlock()->getParent();
  for (const TecItem &item : items) {
    if (item.kind == TecItem::Kind::Block) {
      emitBlock(item);
      continue;
    }
    bool repeats = item.kind == TecItem::Kind::While;
    llvm::BasicBlock *decide = addBlock(main, "decide"),
                     *body = addBlock(main, "body"),
                     *otherwise = repeats ? nullptr : addBlock(main, "else"),
                     *next = addBlock(main, "next");
    builder.CreateBr(decide);
    builder.SetInsertPoint(decide);
    builder.CreateCondBr(emitDecision(item), body, repeats ? next : otherwise);
    builder.SetInsertPoint(body);
    emitItems(item.body);
    builder.CreateBr(repeats ? decide : next);
    if (otherwise) {
      builder.SetInsertPoint(otherwise);
      emitItems(item.otherwise);
      builder.CreateBr(next);
    }
    builder.SetInsertPoint(next);
  }
}

void MainBuilder::addMain() {
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
      builder.CreateStore(builder.getInt32(0),
                          wordAddress(builder, counts, counter));
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

std::vector<char> compileTecMain(const TecProgramInput &input,
                                 const std::vector<std::string> &callees) {
  return MainBuilder(input, callees).run();
}

} // namespace yarrow
