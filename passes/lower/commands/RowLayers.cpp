//===- RowLayers.cpp - Which layers cores compute row by row --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Describes the layers of a graph for the search of runs (choose/RowRuns.h),
// and what its result means for the places of tensors.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/movement/MovementOps.h"
#include "kernels/conv/Conv.h"
#include "kernels/conv/Gemm.h"
#include "kernels/pool/Pool.h"
#include "passes/lower/commands/ConvEmitter.h"
#include "passes/lower/describe/ConvColumns.h"
#include "passes/lower/describe/ConvFold.h"
#include "passes/lower/describe/ConvWiden.h"
#include "passes/lower/describe/Storage.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

/// What the TECs and the DMA engine take for a byte of other layers, roughly.
static constexpr uint64_t kOtherBytesPerCycle = 32;
static constexpr uint64_t kOtherStartCycles = 200;

/// Rows of an image; nullopt of other tensors and of several images.
static std::optional<uint32_t> heightOf(Value value) {
  auto type = cast<ShapedType>(value.getType());
  if (type.getRank() != 4 || !type.hasStaticShape() || type.getDimSize(0) != 1)
    return std::nullopt;
  return uint32_t(type.getDimSize(1));
}

static uint64_t rowBytesOf(Value value) {
  return compass::describe(value).sizeBytes() /
         std::max(1u, heightOf(value).value_or(1));
}

static RowLayer::Read readOf(Value value, bool isAligned) {
  return {value, compass::describe(value).sizeBytes(), rowBytesOf(value),
          isAligned};
}

/// Fused layers belong to what is computed behind them.
Operation *Lowering::convOf(Operation *op) const {
  auto fused = graph.fused.layers.find(op);
  return fused == graph.fused.layers.end() ? nullptr : fused->second.conv;
}

/// Describes \p op as a convolution that can be divided by rows. False if it
/// cannot be; if it is a convolution at all, it is described nevertheless.
bool Lowering::describeRows(Operation *op, RowLayer &layer) {
  Operation *fused = convOf(op), *conv = fused ? fused : op;
  auto program = compass::programOf(conv);
  if (failed(program) || !program->single())
    return false;
  const KernelCall &call = *program->single();
  bool hasRows =
      call.is<kernels::Conv2DInt>() || call.is<kernels::DepthwiseConv2DInt>();
  if (!hasRows && !call.is<kernels::FullyConnectedInt>() &&
      !call.is<kernels::Conv2DWinogradInt>())
    return false;
  auto c = std::make_unique<ConvLayer>();
  using Form = TrialMemo::Form;
  Form form =
      call.is<kernels::Conv2DWinogradInt>() ? Form::WinogradMode : Form::Plain;
  if (!describe({conv, *program, call}, form, *c))
    return false;
  bool isAdd = fused && op->getNumOperands() == 2;
  if (options.foldColumns && !isAdd && !graph.slices.contains(op->getResult(0)))
    widenOutputs(*c, machine);
  if (options.foldColumns)
    splitColumns(*c, machine);
  packIfNarrow(*c);
  bool isPlanar = graph.planarInputs.contains(conv);
  if (options.foldColumns)
    foldColumns(*c, /*isInputInSram=*/!isPlanar, machine);
  if (isAdd && !describeResidual(
                   op, graph.fused.layers.find(op)->second.convOperand, *c))
    return false;
  layer.weightBytes =
      ConvBlob::layout(
          *c, {.channels = c->outC, .phases = uint32_t(c->phases.size())})
          .sizeBytes;
  hasRows &= c->batch == 1 && c->tileRows == 1 && c->outH == layer.height &&
             hasScales(*c, machine);
  layer.conv = std::move(c);
  if (!hasRows)
    return false;
  layer.kind = RowLayer::Kind::Conv;
  Value input = conv->getOperand(0);
  if (isPlanar)
    input = graph.planarInputs.lookup(conv)->getOperand(0);
  layer.reads = {readOf(input, /*isAligned=*/false)};
  layer.reads[0].rowBytes =
      uint64_t(layer.conv->inW) * layer.conv->inC * layer.conv->inElem;
  if (!isAdd)
    return true;
  Value other =
      op->getOperand(1 - graph.fused.layers.find(op)->second.convOperand);
  layer.reads.push_back(readOf(other, /*isAligned=*/true));
  return heightOf(other) == layer.height;
}

bool Lowering::describePoolRows(Operation *op, RowLayer &layer) const {
  auto program = compass::programOf(op);
  if (failed(program) || !program->single() ||
      !program->single()->is<kernels::PoolInt>())
    return false;
  auto p = program->single()->paramsOf<kernels::PoolInt>();
  if (p.shape.batch != 1 || p.shape.outH != layer.height ||
      !isPoolOfEngine(p, machine))
    return false;
  layer.kind = RowLayer::Kind::Pool;
  layer.pool = p.shape;
  Value input = op->getOperand(0);
  layer.reads = {readOf(input, /*isAligned=*/false)};
  return true;
}

/// A Concat that its branches write to.
bool Lowering::describeJoinRows(Operation *op, RowLayer &layer) const {
  if (!llvm::isa<compass::ConcatOp>(op))
    return false;
  for (Value branch : op->getOperands()) {
    auto slice = graph.slices.find(branch);
    if (slice == graph.slices.end() ||
        slice->second.whole != op->getResult(0) ||
        heightOf(branch) != layer.height)
      return false;
  }
  layer.kind = RowLayer::Kind::Join;
  layer.reads.clear();
  for (Value branch : op->getOperands())
    layer.reads.push_back(readOf(branch, /*isAligned=*/true));
  return true;
}

RowLayer Lowering::rowLayerOf(Operation *op) {
  RowLayer layer;
  layer.op = op;
  auto addReads = [&](Operation *reader) {
    for (Value v : reader->getOperands())
      layer.reads.push_back(readOf(v, /*isAligned=*/true));
  };
  addReads(op);
  if (Operation *conv = convOf(op))
    addReads(conv);
  if (op->getNumResults() == 0)
    return layer;
  layer.result = op->getResult(0);
  std::optional<uint32_t> height = heightOf(layer.result);
  layer.height = height.value_or(1);
  layer.rowBytes = rowBytesOf(layer.result);
  if (isAlias(op))
    return layer;
  if (!height || op->getNumResults() != 1)
    layer.height = 1;
  bool isOfRows = describeRows(op, layer);
  if (!isOfRows && !layer.conv && !convOf(op))
    isOfRows = describePoolRows(op, layer) || describeJoinRows(op, layer);
  if (!isOfRows || !height)
    layer.kind = RowLayer::Kind::Other;
  uint64_t bytes = layer.rowBytes * layer.height;
  for (const RowLayer::Read &read : layer.reads)
    bytes += compass::describe(read.value).sizeBytes();
  layer.otherCycles = kOtherStartCycles + bytes / kOtherBytesPerCycle;
  return layer;
}

/// Whether the op has no commands of its own.
bool Lowering::isSilent(Operation *op) const {
  return op->hasTrait<compass::trait::Source>() ||
         graph.fused.convs.contains(op) || graph.absorbed.contains(op);
}

/// Who reads each result last, and what must stay together.
static void findReaders(std::vector<RowLayer> &layers,
                        llvm::function_ref<Operation *(Operation *)> convOf) {
  llvm::DenseMap<Operation *, size_t> numbers;
  for (auto [i, layer] : llvm::enumerate(layers)) {
    numbers[layer.op] = i;
    if (Operation *conv = convOf(layer.op))
      numbers[conv] = i;
  }
  for (auto [i, layer] : llvm::enumerate(layers)) {
    layer.firstTogether = std::min(layer.firstTogether, i);
    layer.lastTogether = std::max(layer.lastTogether, i);
    layer.lastReader = i;
    if (layer.result)
      for (Operation *user : layer.result.getUsers()) {
        auto number = numbers.find(user);
        layer.lastReader =
            std::max(layer.lastReader,
                     number == numbers.end() ? SIZE_MAX : number->second);
      }
    if (layer.kind != RowLayer::Kind::Join)
      continue;
    size_t first = i;
    for (const RowLayer::Read &read : layer.reads)
      if (auto maker = numbers.find(read.value.getDefiningOp());
          maker != numbers.end())
        first = std::min(first, maker->second);
    for (size_t k = first; k <= i; ++k)
      first = std::min(first, layers[k].firstTogether);
    for (size_t k = first; k <= i; ++k) {
      layers[k].firstTogether = first;
      layers[k].lastTogether = i;
    }
  }
}

void Lowering::chooseRuns() {
  if (options.cores == 1 || !options.rowRuns || graph.order.empty() ||
      graph.order.front()->getParentOp() != compass::mainGraph(module))
    return;
  std::vector<RowLayer> layers;
  for (auto [i, op] : llvm::enumerate(graph.order))
    if (!isSilent(op)) {
      layers.push_back(rowLayerOf(op));
      layers.back().firstTogether = layers.size() - 1;
    }
  findReaders(layers, [&](Operation *op) { return convOf(op); });
  uint64_t freeBytes = machine.dataSramBytes();
  auto divided = [&](const RowLayer &layer) -> std::optional<PartCycles> {
    if (!layer.conv || layer.conv->tileRows != 1)
      return std::nullopt;
    auto cut = cutForCores(*layer.conv, {freeBytes, options.weightPartBytes},
                           /*resident=*/{}, options.cores, machine);
    if (!cut)
      return std::nullopt;
    // Its tensors are loaded and stored while nothing else is to be done, as
    // far as its time does not hide them.
    uint64_t waits = cut->slowestCycles - cut->tensorCycles;
    uint64_t weights = isa::ddrCyclesOf(layer.weightBytes, machine);
    uint64_t edges =
        std::min(waits, cut->busCycles - std::min(cut->busCycles, weights));
    return PartCycles{cut->tensorCycles, cut->busCycles, edges, waits - edges};
  };
  graph.parts =
      findParts(layers, {options.cores, options.busPercent}, machine, divided);
  if (llvm::all_of(graph.parts, [](const CorePart &part) {
        return part.kind == CorePart::Kind::Alone;
      })) {
    graph.parts.clear();
    return;
  }
  graph.rowLayers = std::move(layers);
  for (const CorePart &part : graph.parts) {
    if (part.kind != CorePart::Kind::Run)
      continue;
    graph.runs[graph.rowLayers[part.first].op] = part;
    for (size_t i = part.first; i <= part.last; ++i)
      graph.runValues.insert(graph.rowLayers[i].result);
  }
}

/// The layers that are divided by themselves, and what several cores use.
Division
Lowering::divisionOfParts(llvm::function_ref<Value(Value)> storageOf) const {
  Division division;
  llvm::DenseMap<Value, size_t> partOf;
  for (auto [number, part] : llvm::enumerate(graph.parts)) {
    bool isDivided = part.kind == CorePart::Kind::Divided;
    if (isDivided)
      division.layers.insert(graph.rowLayers[part.first].op);
    // One core goes on where it stopped; nothing else does.
    for (size_t i = part.first; i <= part.last; ++i) {
      Operation *op = graph.rowLayers[i].op, *conv = convOf(op);
      auto touch = [&](Value v) {
        Value storage = storageOf(v);
        if (isDivided ||
            partOf.try_emplace(storage, number).first->second != number)
          division.crossing.insert(storage);
      };
      if (isAlias(op))
        continue;
      llvm::for_each(op->getOperands(), touch);
      llvm::for_each(op->getResults(), touch);
      if (conv)
        llvm::for_each(conv->getOperands(), touch);
    }
  }
  return division;
}
