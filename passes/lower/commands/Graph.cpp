//===- Graph.cpp - The layers of a graph, one after the other -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "isa/ElfLayout.h"
#include "passes/lower/commands/Lowering.h"
#include "passes/lower/describe/Storage.h"
#include "support/Cancellation.h"
#include <utility>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

/// Branches of a Concat have its memory, if that stays in SRAM.
void Lowering::chooseResidents() {
  uint64_t budget =
      uint64_t(machine.dataSramBytes() * options.residentFraction);
  budget -= std::min(budget, graph.callerBytes);
  auto storageOf = [&](Value v) {
    for (;;) {
      if (auto slice = graph.slices.find(v); slice != graph.slices.end())
        v = slice->second.whole;
      else if (v.getDefiningOp() && sharesOperand(v.getDefiningOp()))
        v = v.getDefiningOp()->getOperand(0);
      else
        return v;
    }
  };
  auto between = [](ArrayRef<CascadeChain> chains) {
    llvm::DenseSet<Value> values;
    for (const CascadeChain &chain : chains)
      for (Operation *op : llvm::drop_end(chain))
        values.insert(op->getResult(0));
    return values;
  };
  // What may be between the layers of a cascade leaves the room to others.
  llvm::DenseSet<Value> chained, chainable;
  if (options.cascades)
    chainable = between(findCascades(graph.order, graph.fused, [&](Value v) {
      return !graph.outputOf.contains(v);
    }));
  chooseRuns();
  auto choose = [&] {
    graph.division = divideAmongCores(storageOf, chained);
    auto stayOf = [&](Value v) {
      Operation *op = v.getDefiningOp();
      if (chained.contains(v) || graph.absorbed.contains(op) ||
          graph.runValues.contains(v) ||
          graph.division.crossing.contains(storageOf(v)) ||
          op->hasTrait<compass::trait::Source>() ||
          graph.outputOf.contains(v) || graph.fused.convs.contains(op))
        return Stay::Never;
      return chainable.contains(v) ? Stay::IfRoom : Stay::Gladly;
    };
    graph.residency =
        npu::chooseResidents(graph.order, budget, storageOf, stayOf);
  };
  choose();
  // Branches that get memory of their own take room from others: until every
  // slice is of a Concat that stays.
  auto dropHomeless = [&] {
    SmallVector<Value> homeless;
    for (auto &[branch, slice] : graph.slices)
      if (!graph.residency.resident.contains(storageOf(slice.whole)) &&
          !graph.runValues.contains(slice.whole))
        homeless.push_back(branch);
    for (Value branch : homeless)
      graph.slices.erase(branch);
    return !homeless.empty();
  };
  while (dropHomeless())
    choose();
  if (!options.cascades)
    return;
  auto isSpilled = [&](Value v) {
    return !graph.outputOf.contains(v) &&
           !graph.residency.resident.contains(storageOf(v));
  };
  std::vector<CascadeChain> chains =
      findCascades(graph.order, graph.fused, isSpilled);
  if (chains.empty())
    return;
  graph.order = gatherChains(graph.order, chains);
  chained = between(chains);
  for (CascadeChain &chain : chains)
    graph.chains[chain.front()] = std::move(chain);
  // What chains keep takes room, too.
  do
    choose();
  while (dropHomeless());
}

/// Gives every value its storage: inputs and outputs their places, constants
/// the weight region, the rest SRAM or the workspace.
void Lowering::placeTensors(func::FuncOp func, const GraphPlaces &places) {
  for (auto [i, v] : llvm::enumerate(compass::graphOutputs(func))) {
    // What a state becomes may stay in SRAM until it is copied.
    const KeptState *kept = stateOfOutput(func, unsigned(i));
    if (kept && !isWrittenInPlace(*kept))
      continue;
    if (!v.getDefiningOp()->hasTrait<compass::trait::Source>() &&
        !isAlias(v.getDefiningOp()))
      graph.outputOf.try_emplace(v, i);
  }
  chooseResidents();
  for (Operation *op : graph.order) {
    for (Value v : op->getResults()) {
      Tensor t;
      t.info = compass::describe(v);
      std::string name = compass::tensorNameOf(v);
      loc = op->getLoc();
      if (auto input = dyn_cast<compass::InputOp>(op)) {
        t = places.input(input.getInputIndex(), v);
      } else if (auto constant = dyn_cast<compass::ConstantOp>(op)) {
        t.buffer = newConstant(*constant.getWeights(), name);
      } else if (sharesOperand(op)) {
        Tensor base = tensors.find(op->getOperand(0))->second;
        base.info = t.info;
        t = base;
      } else if (auto it = graph.outputOf.find(v); it != graph.outputOf.end()) {
        t = places.output(it->second, v);
      } else if (!graph.fused.convs.contains(op)) {
        t.inSram = graph.residency.resident.contains(v);
        t.buffer =
            createBuffer(bufferBuilder, loc,
                         t.inSram ? isa::kSramRegion : isa::kWorkspaceRegion,
                         t.sizeBytes(), name);
      }
      tensors[v] = t;
    }
  }
}

void Lowering::lowerOp(Operation *op) {
  if (op->hasTrait<compass::trait::Source>() || isAlias(op) ||
      graph.fused.convs.contains(op))
    return;
  loc = op->getLoc();
  auto fused = graph.fused.layers.find(op);
  Operation *conv =
      fused == graph.fused.layers.end() ? nullptr : fused->second.conv;
  graph.layer = int64_t(layers.size());
  layers.push_back(isTrial() ? LayerRow() : describeLayer(op, conv));
  layerConstants.clear();
  layerAttributes.clear();
  if (graph.absorbed.contains(op))
    return;
  if (!conv)
    return lowerAlone(op);
  auto program = compass::programOf(conv);
  if (failed(program) ||
      lowerConv({conv, *program, *program->single()}, op, fused->second))
    return;
  // The pair does not fit the engine: the convolution's result needs a home.
  Tensor t;
  t.info = compass::describe(conv->getResult(0));
  t.buffer =
      createBuffer(bufferBuilder, loc, isa::kWorkspaceRegion, t.sizeBytes(),
                   compass::tensorNameOf(conv->getResult(0)));
  tensors[conv->getResult(0)] = t;
  // And in its other shapes.
  for (Value v = conv->getResult(0); isAlias(*v.user_begin());) {
    v = v.user_begin()->getResult(0);
    TensorInfo info = compass::describe(v);
    tensors[v] = t;
    tensors[v].info = info;
  }
  lowerAlone(conv);
  lowerAlone(op);
}

void Lowering::separateTranspose(Operation *conv) {
  Operation *transpose = graph.planarInputs.lookup(conv);
  if (!transpose)
    return;
  graph.planarInputs.erase(conv);
  graph.absorbed.erase(transpose);
  lowerAlone(transpose);
}

/// Outputs that are inputs, constants, reshapes or repeated need a copy.
void Lowering::copyOutputs(func::FuncOp func, const GraphPlaces &places) {
  for (auto [i, v] : llvm::enumerate(compass::graphOutputs(func))) {
    if (auto it = graph.outputOf.find(v);
        it != graph.outputOf.end() && it->second == i)
      continue;
    if (stateOfOutput(func, unsigned(i)))
      continue;
    Tensor t = tensorOf(v);
    if (t.sizeBytes() == 0)
      continue;
    loc = v.getLoc();
    Tensor home = places.output(i, v);
    copyBytes(t.buffer, t.offsetBytes, home.buffer, home.offsetBytes,
              t.sizeBytes());
  }
  keepStates(func); // behind all that read what they were
}

/// Does the op's result share its operand's storage? Reshapes keep the bytes,
/// elementwise layers replace them.
bool Lowering::sharesOperand(Operation *op) const {
  return isAlias(op) ||
         (isInPlace(op) &&
          !graph.fused.convs.contains(op->getOperand(0).getDefiningOp()));
}

void Lowering::lowerGraph(func::FuncOp func, const GraphPlaces &places) {
  GraphState inner;
  inner.callerBytes = liveSramBytes();
  inner.layer = graph.layer;
  GraphState caller = std::exchange(graph, std::move(inner));
  for (Operation &op : func.getBody().front().without_terminator())
    graph.order.push_back(&op);
  if (options.fuseResidual)
    graph.fused = chooseEpilogues(graph.order, machine);
  if (options.inputBands && func == compass::mainGraph(module)) {
    graph.planarInputs = findPlanarInputs(graph.order);
    for (auto [conv, transpose] : graph.planarInputs)
      graph.absorbed.insert(transpose);
  }
  if (options.splitConcat) {
    graph.concatTables = chooseConcatTables(graph.order, graph.fused.convs);
    graph.slices =
        chooseConcatSlices(graph.order, graph.concatTables, graph.fused);
  }
  placeTensors(func, places);
  for (graph.current = 0; graph.current < graph.order.size(); ++graph.current) {
    leaveIfCancelled();
    Operation *op = graph.order[graph.current];
    if (auto run = graph.runs.find(op); run != graph.runs.end())
      lowerRun(run->second);
    else if (auto chain = graph.chains.find(op); chain != graph.chains.end())
      lowerChain(chain->second);
    else
      lowerOp(op);
  }
  copyOutputs(func, places);
  graph = std::move(caller);
}
