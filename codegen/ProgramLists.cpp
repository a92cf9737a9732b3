//===- ProgramLists.cpp - Commands as lists and steps ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/ProgramLists.h"
#include "dialects/npu/Commands.h"
#include "dialects/npu/ControlFlow.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

namespace {

isa::Waits waitsOf(Operation *op) {
  isa::Waits waits{};
  if (auto attr = op->getAttrOfType<DenseI64ArrayAttr>("waits"))
    for (unsigned i = 0; i < isa::kNumCounters; ++i)
      waits[i] = uint32_t(attr[i]);
  return waits;
}

TecBuffer placeOf(Value value, uint64_t offsetBytes) {
  auto buffer = value.getDefiningOp<BufferOp>();
  return {uint32_t(buffer.getRegion()),
          uint32_t(buffer.getAddress().value_or(0) + offsetBytes)};
}

TecStep stepOf(KernelOp kernel) {
  TecStep step;
  step.symbol = kernel.getSymbol().str();
  ArrayRef<int8_t> params = kernel.getParams();
  step.params.assign(params.begin(), params.end());
  step.waits = waitsOf(kernel);
  unsigned next = 0;
  for (int64_t role : kernel.getRoles()) {
    if (role == RoleNull) {
      step.buffers.push_back({.isNull = true});
      continue;
    }
    step.buffers.push_back(
        placeOf(kernel.getBuffers()[next], kernel.getOffsets()[next]));
    ++next;
  }
  return step;
}

TecStep decisionOf(Operation *op) {
  Access flag = flagOf(op);
  TecStep step;
  step.symbol = repeats(op) ? "while" : "if";
  step.buffers = {placeOf(flag.buffer, flag.offsetBytes)};
  step.flagBytes = uint32_t(flag.sizeBytes);
  return step;
}

int64_t layerOf(Operation *op) {
  auto attr = op->getAttrOfType<IntegerAttr>(kLayerAttr);
  return attr ? attr.getInt() : 0;
}

class Collector {
public:
  Collector(const isa::Machine &machine, TecProgramInput &program)
      : machine(machine), program(program) {}

  void collect(func::FuncOp func) {
    if (usesCores(func))
      collectGroups(func);
    else
      program.items = itemsOf(func.getBody());
    // A network that only hands its inputs on may have no command at all.
    if (program.items.empty() && program.groups.empty())
      program.items.emplace_back();
    // One list behind the other: each queue's blocks are neighbours.
    uint32_t base[isa::kNumQueues];
    for (unsigned q = 0; q < isa::kNumQueues; ++q) {
      base[q] = uint32_t(lists.descriptors.size() * 4);
      llvm::append_range(lists.descriptors, words[q]);
    }
    program.descriptorBytes = uint32_t(lists.descriptors.size() * 4);
    moveLists(program.items, base);
    for (TecGroup &group : program.groups)
      moveLists(group.block, base);
  }

  ProgramLists lists;

private:
  void addStep(TecStep step, Operation *op) {
    program.steps.push_back(std::move(step));
    lists.stepLayers.push_back(layerOf(op));
  }

  TecItem blockOf(const CommandBlock &block) {
    TecItem item{.firstStep = program.steps.size()};
    for (unsigned q = 0; q < isa::kNumQueues; ++q)
      item.queues[q].offsetBytes = uint32_t(words[q].size() * 4);
    for (Operation *op : block) {
      if (auto kernel = dyn_cast<KernelOp>(op)) {
        addStep(stepOf(kernel), op);
        continue;
      }
      unsigned queue = unsigned(*unitOf(op));
      std::visit([&](const auto &d) { d.encode(words[queue]); },
                 *descriptorOf(op));
      lists.queueLayers[queue].push_back(layerOf(op));
    }
    for (unsigned q = 0; q < isa::kNumQueues; ++q)
      item.queues[q].sizeBytes =
          uint32_t(words[q].size() * 4) - item.queues[q].offsetBytes;
    item.numSteps = program.steps.size() - item.firstStep;
    item.finalWaits = completionOf(block, machine);
    return item;
  }

  std::vector<TecItem> itemsOf(Region &region) {
    std::vector<TecItem> items;
    CommandBlock block;
    auto endBlock = [&] {
      if (!block.empty())
        items.push_back(blockOf(block));
      block.clear();
    };
    for (Operation &op : region.front()) {
      if (unitOf(&op))
        block.push_back(&op);
      if (!isControl(&op))
        continue;
      endBlock();
      TecItem item{.kind =
                       repeats(&op) ? TecItem::Kind::While : TecItem::Kind::If,
                   .firstStep = program.steps.size(),
                   .numSteps = 1};
      addStep(decisionOf(&op), &op);
      item.body = itemsOf(op.getRegion(0));
      if (op.getNumRegions() > 1)
        item.otherwise = itemsOf(op.getRegion(1));
      items.push_back(std::move(item));
    }
    endBlock();
    return items;
  }

  /// The parts of a division follow one another without a barrier.
  void collectGroups(func::FuncOp func) {
    Operation *division = nullptr;
    for (const CommandBlock &block : commandBlocks(func)) {
      Operation *parent = block.front()->getParentOp();
      bool isBeside = isDivided(parent) && parent == division;
      division = parent;
      bool isFirst = program.groups.empty();
      program.groups.push_back({blockOf(block), !isBeside && !isFirst});
    }
  }

  static void moveLists(TecItem &item, const uint32_t *base) {
    for (unsigned q = 0; q < isa::kNumQueues; ++q)
      item.queues[q].offsetBytes += base[q];
    moveLists(item.body, base);
    moveLists(item.otherwise, base);
  }
  static void moveLists(std::vector<TecItem> &items, const uint32_t *base) {
    for (TecItem &item : items)
      moveLists(item, base);
  }

  const isa::Machine &machine;
  TecProgramInput &program;
  std::vector<uint32_t> words[isa::kNumQueues];
};

} // namespace

ProgramLists yarrow::collectLists(func::FuncOp func,
                                  const isa::Machine &machine,
                                  TecProgramInput &program) {
  Collector collector(machine, program);
  collector.collect(func);
  return std::move(collector.lists);
}
