//===- TecMainBlocks.cpp - Blocks, groups and variants of a TEC program ---===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/TecMainBuilder.h"

#include <cstddef>

namespace yarrow {

void TecMainBuilder::emitSubmit(const TecItem &block) {
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
void TecMainBuilder::emitBlock(const TecItem &block) {
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
llvm::Function *TecMainBuilder::addChoose() {
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
void TecMainBuilder::emitOutputLengths(const TecVariant &choice) {
  llvm::Function *main = builder.GetInsertBlock()->getParent();
  llvm::BasicBlock *notify = addBlock(main, "tell_lengths"),
                   *next = addBlock(main, "next");
  builder.CreateCondBr(builder.CreateICmpEQ(task, builder.getInt32(0)), notify,
                       next);
  builder.SetInsertPoint(notify);
  llvm::Value *lengths = builder.CreateIntToPtr(
      bufferAddress(parameterBlock, {.region = input.regionCount - 1}),
      builder.getPtrTy());
  for (auto [i, length] : llvm::enumerate(choice.outputLengths))
    builder.CreateStore(builder.getInt32(length),
                        wordAddress(lengths, unsigned(i)));
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
}

/// A fault if the number is none of \p count cases, which callers add.
llvm::SwitchInst *TecMainBuilder::emitSwitch(llvm::Value *number,
                                             size_t count) {
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
void TecMainBuilder::emitGroups(llvm::Value *choice, llvm::BasicBlock *end) {
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
void TecMainBuilder::emitGroup(size_t index, llvm::Value *choice,
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

llvm::Value *TecMainBuilder::emitDecision(const TecItem &item) {
  return builder.CreateCall(steps[item.firstStep], {parameterBlock, counts});
}

void TecMainBuilder::emitItems(llvm::ArrayRef<TecItem> items) {
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

} // namespace yarrow
