//===- ProgramLists.cpp - Commands as lists and steps ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/ProgramLists.h"
#include "dialects/compass/Locations.h"
#include "dialects/npu/Commands.h"
#include "dialects/npu/ControlFlow.h"
#include "isa/CommandRules.h"
#include "support/diagnostics/Compiler.h"

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

class Collector {
public:
  Collector(const isa::Machine &machine, TecProgramInput &input,
            yarrow::DiagnosticEngine &diags)
      : machine(machine), input(input), diags(diags) {}

  void collect(func::FuncOp func, size_t variant) {
    this->variant = variant;
    if (usesCores(func))
      collectGroups(func);
    else
      program(0) = itemsOf(func.getBody());
    // A network that only hands its inputs on may have no command at all.
    if (program(0).empty())
      program(0).emplace_back();
    if (auto layers =
            func->getParentOfType<ModuleOp>()->getAttrOfType<ArrayAttr>(
                kLayersAttr))
      firstLayer += int64_t(layers.size());
  }

  /// One list behind the other: each queue's blocks are neighbours.
  ProgramLists finish() {
    for (TecGroup &group : input.groups)
      group.programs.resize(variant + 1);
    uint32_t base[isa::kNumQueues];
    for (unsigned q = 0; q < isa::kNumQueues; ++q) {
      base[q] = uint32_t(lists.descriptors.size() * 4);
      llvm::append_range(lists.descriptors, words[q]);
    }
    input.descriptorBytes = uint32_t(lists.descriptors.size() * 4);
    for (TecGroup &group : input.groups)
      for (std::vector<TecItem> &items : group.programs)
        moveLists(items, base);
    return std::move(lists);
  }

private:
  /// What the current variant does in a group, which is made if it is not
  /// there.
  std::vector<TecItem> &program(size_t group) {
    if (input.groups.size() <= group)
      input.groups.resize(group + 1);
    std::vector<std::vector<TecItem>> &programs = input.groups[group].programs;
    programs.resize(variant + 1);
    return programs[variant];
  }
  int64_t layerOf(Operation *op) const {
    auto attr = op->getAttrOfType<IntegerAttr>(kLayerAttr);
    return firstLayer + (attr ? attr.getInt() : 0);
  }
  void addStep(TecStep step, Operation *op) {
    lists.places[op] = {isa::Unit::Tec, input.steps.size()};
    input.steps.push_back(std::move(step));
    lists.stepLayers.push_back(layerOf(op));
  }

  void checkCommand(const isa::AnyDescriptor &descriptor, Operation *op) {
    isa::Refusal why = isa::refusalOf(descriptor);
    if (!why)
      return;
    diags
        .report(diag::CodegenFailed, compass::placeOf(op->getLoc()),
                "the " + std::string(isa::name(isa::engineOf(descriptor))) +
                    " would reject a command of the layer")
        .found(*why)
        .hint("a defect of Yarrow, please report it");
  }

  TecItem blockOf(const CommandBlock &block) {
    TecItem item{.firstStep = input.steps.size()};
    for (unsigned q = 0; q < isa::kNumQueues; ++q)
      item.queues[q].offsetBytes = uint32_t(words[q].size() * 4);
    for (Operation *op : block) {
      if (auto kernel = dyn_cast<KernelOp>(op)) {
        addStep(stepOf(kernel), op);
        continue;
      }
      unsigned queue = unsigned(*unitOf(op));
      isa::AnyDescriptor descriptor = *descriptorOf(op);
      checkCommand(descriptor, op);
      std::visit([&](const auto &d) { d.encode(words[queue]); }, descriptor);
      lists.places[op] = {isa::Unit(queue), lists.queueLayers[queue].size()};
      lists.queueLayers[queue].push_back(layerOf(op));
    }
    for (unsigned q = 0; q < isa::kNumQueues; ++q)
      item.queues[q].sizeBytes =
          uint32_t(words[q].size() * 4) - item.queues[q].offsetBytes;
    item.numSteps = input.steps.size() - item.firstStep;
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
                   .firstStep = input.steps.size(),
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

  /// The parts of a division follow one another without a barrier. What is one
  /// for any variant is one for all: groups of the same number are mostly parts
  /// of the same layer.
  void collectGroups(func::FuncOp func) {
    Operation *division = nullptr;
    size_t index = 0;
    for (const CommandBlock &block : commandBlocks(func)) {
      Operation *parent = block.front()->getParentOp();
      bool isBeside = isDivided(parent) && parent == division;
      division = parent;
      program(index) = {blockOf(block)};
      input.groups[index].isBarrier |= !isBeside && index > 0;
      ++index;
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
  TecProgramInput &input;
  yarrow::DiagnosticEngine &diags;
  ProgramLists lists;
  std::vector<uint32_t> words[isa::kNumQueues];
  // Of the function that is being collected.
  size_t variant = 0;
  int64_t firstLayer = 0;
};

} // namespace

std::optional<ProgramLists>
yarrow::collectLists(ArrayRef<func::FuncOp> functions,
                     const isa::Machine &machine, TecProgramInput &program,
                     yarrow::DiagnosticEngine &diags) {
  yarrow::DiagnosticEngine found;
  Collector collector(machine, program, found);
  for (auto [i, func] : llvm::enumerate(functions))
    collector.collect(func, i);
  for (const yarrow::Diagnostic &d : found.all())
    diags.add(d);
  if (found.hasErrors())
    return std::nullopt;
  return collector.finish();
}
