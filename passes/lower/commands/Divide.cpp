//===- Divide.cpp - Layers among several cores ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Which layers of a graph all cores compute together, and how each has its
// part.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/graph/Graphs.h"
#include "kernels/conv/Conv.h"
#include "kernels/conv/Gemm.h"
#include "kernels/pool/Pool.h"
#include "passes/lower/commands/ConvEmitter.h"
#include "passes/lower/describe/Storage.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

/// Values of a window that the engine's pooling takes in a cycle, roughly.
static constexpr uint64_t kPooledPerCycle = 16;

/// What it gains, in cycles, that all cores compute the layer; 0 and less if
/// nothing, or there is no way to divide it.
int64_t Lowering::gainOfDividing(Operation *op, Operation *conv) {
  auto program = compass::programOf(conv ? conv : op);
  if (failed(program) || !program->single())
    return 0;
  const KernelCall &call = *program->single();
  if (call.is<kernels::PoolInt>()) {
    auto p = call.paramsOf<kernels::PoolInt>();
    uint64_t alone = uint64_t(p.shape.outH) * p.shape.outW * p.shape.channels *
                     p.shape.kernelH * p.shape.kernelW / kPooledPerCycle;
    return int64_t(alone - alone / options.cores) - int64_t(kBarrierCycles);
  }
  bool isConv = call.is<kernels::Conv2DInt>() ||
                call.is<kernels::DepthwiseConv2DInt>() ||
                call.is<kernels::FullyConnectedInt>();
  ConvLayer layer;
  if (!isConv || !describeConv(call, layer))
    return 0;
  uint64_t freeBytes = machine.dataSramBytes();
  auto cut = cutForCores(layer, {freeBytes, options.weightPartBytes},
                         /*resident=*/{}, options.cores, machine);
  if (!cut)
    return 0;
  // Alone, tensors stay in SRAM, and loads begin before.
  ConvResidents resident{.isInputInSram = true, .input = true, .output = true};
  ConvTiling alone = chooseTiling(layer, {freeBytes}, resident, machine);
  if (alone.rows == 0)
    return INT64_MAX; // too large for one core
  return int64_t(costOf(layer, alone, resident, machine).leastCycles(machine)) -
         int64_t(cut->cycles);
}

/// \p chained: what lies between the layers of cascades, which are divided as a
/// whole.
Division Lowering::divideAmongCores(llvm::function_ref<Value(Value)> storageOf,
                                    const llvm::DenseSet<Value> &chained) {
  // A layer's own graph begins and ends within one block of commands.
  if (options.cores == 1 || graph.order.empty() ||
      graph.order.front()->getParentOp() != compass::mainGraph(module))
    return {};
  auto isSilent = [&](Operation *op) {
    return this->isSilent(op) || isAlias(op);
  };
  auto isOfChain = [&](Operation *op) {
    return llvm::any_of(op->getResults(),
                        [&](Value v) { return chained.contains(v); }) ||
           llvm::any_of(op->getOperands(),
                        [&](Value v) { return chained.contains(v); });
  };
  uint32_t seen = 0;
  auto isPart = [&](Operation *op) {
    if (isSilent(op) || seen >= options.dividedLayers)
      return false;
    ++seen;
    return isOfChain(op) || gainOfDividing(op, convOf(op)) > 0;
  };
  auto touchedBy = [&](Operation *op) {
    SmallVector<Value> storages;
    if (isSilent(op))
      return storages;
    auto add = [&](ValueRange values) {
      for (Value v : values)
        storages.push_back(storageOf(v));
    };
    add(op->getOperands());
    add(op->getResults());
    if (Operation *conv = convOf(op))
      add(conv->getOperands());
    return storages;
  };
  Division division = graph.parts.empty()
                          ? findDivision(graph.order, isPart, touchedBy)
                          : divisionOfParts(storageOf);
  // Some of them are copied at the end.
  for (auto &[v, index] : graph.outputOf)
    division.crossing.insert(storageOf(v));
  Operation *end = graph.order.back()->getBlock()->getTerminator();
  for (Value v : end->getOperands())
    division.crossing.insert(storageOf(v));
  return division;
}

void Lowering::emitOnCores(size_t cores,
                           llvm::function_ref<void(size_t)> emit) {
  if (cores == 1)
    return emit(0);
  if (isTrial()) {
    trial.commands->beginControl(currentLayer(), TrialCommand::Kind::Cores, {});
    for (size_t core = 0; core < cores; ++core) {
      emit(core);
      trial.commands->endBlock(/*isLast=*/core + 1 == cores);
    }
    return;
  }
  auto op = CoresOp::create(builder, loc, unsigned(cores));
  op->setAttr(kLayerAttr, builder.getI64IntegerAttr(currentLayer()));
  OpBuilder::InsertionGuard guard(builder);
  for (size_t core = 0; core < cores; ++core) {
    builder.setInsertionPointToEnd(&op.getParts()[core].emplaceBlock());
    emit(core);
  }
}

bool Lowering::emitDivided(ConvJob &job) {
  const ConvLayer &layer = job.layer;
  if (!isDivided(job.last()))
    return false;
  uint64_t freeBytes = freeSramBytes();
  freeBytes -= std::min(freeBytes, job.tableBytes());
  std::optional<DividedConv> cut =
      cutForCores(layer, {freeBytes, options.weightPartBytes}, job.resident,
                  options.cores, machine);
  if (!cut)
    return false;
  ConvEmitter emitter(*this, job);
  emitter.hasBytes = !options.isTrial;
  emitOnCores(cut->ranges.size(), [&](size_t core) {
    emitter.table = loadTable(job, cut->work);
    visitTiles(layer, cut->tiling, job.resident, emitter, cut->ranges[core]);
  });
  emitter.countStreams(cut->work);
  recordConv(job, cut->tiling, cut->work);
  return true;
}
