//===- RowRun.cpp - A run of layers, each core its rows -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Between the layers of a run, a core has rows of tensors in its SRAM. Such a
// tensor is a buffer of these rows, at a negative offset where rows before them
// are missing: commands name rows of the whole tensor and touch those alone
// that are there.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/commands/ConvEmitter.h"

#include <deque>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

namespace yarrow::npu {

/// A layer of a run.
struct RunStage {
  const RowLayer *layer;
  std::optional<LayerProgram> program; ///< Of the convolution or the pooling.
  std::optional<ConvJob> job;
  ConvTiling tiling;
  isa::WorkCost work;
  int64_t row = 0; ///< Of the layer table.
  unsigned position = 0;
  /// Of Lowering: all cores use the same constants.
  std::unordered_multimap<uint64_t, Value> constants;
  llvm::DenseMap<ElementsAttr, Value> attributes;
  uint64_t liveBytes = 0; ///< Of rows in SRAM, on the core with the most.
};

/// A tensor of which a core has rows in SRAM.
struct RunLocal {
  Value value;
  Tensor home;
  uint64_t rowBytes;
  size_t first, last; ///< Stages that use it.
  bool isLoaded = false, isStored = false;
};

struct RowRun {
  CorePart part;
  std::deque<RunStage> stages;
  std::vector<RunRows> rows; ///< By core.
  std::vector<RunLocal> locals;
};

} // namespace yarrow::npu

/// The stages that read a value from where it lies, each as often as it does.
static SmallVector<size_t> readersOf(const RowRun &run, Value value) {
  SmallVector<size_t> readers;
  for (auto [i, stage] : llvm::enumerate(run.stages))
    for (const RowLayer::Read &read : stage.layer->reads)
      if (read.value == value)
        readers.push_back(i);
  return readers;
}

/// What lies in SRAM: what the run makes and reads again, and what it reads
/// several times. Branches of a Concat are a part of it.
static void findLocals(RowRun &run, const ConcatSlices &slices) {
  llvm::DenseSet<Value> made;
  for (auto [i, stage] : llvm::enumerate(run.stages)) {
    const RowLayer &layer = *stage.layer;
    Value value = layer.result;
    made.insert(value);
    bool isJoin = layer.kind == RowLayer::Kind::Join;
    SmallVector<size_t> readers = readersOf(run, value);
    if (slices.contains(value) || (readers.empty() && !isJoin))
      continue;
    size_t first = i;
    for (const RowLayer::Read &read : layer.reads)
      if (isJoin)
        for (auto [k, other] : llvm::enumerate(run.stages))
          if (other.layer->result == read.value)
            first = std::min(first, k);
    size_t last = readers.empty() ? i : readers.back();
    run.locals.push_back({value, {}, layer.rowBytes, first, last});
    run.locals.back().isStored = layer.lastReader > run.part.last;
  }
  llvm::DenseSet<Value> seen;
  for (const RunStage &stage : run.stages)
    for (const RowLayer::Read &read : stage.layer->reads) {
      if (made.contains(read.value) || !seen.insert(read.value).second)
        continue;
      SmallVector<size_t> readers = readersOf(run, read.value);
      if (readers.size() < 2)
        continue;
      run.locals.push_back(
          {read.value, {}, read.rowBytes, readers.front(), readers.back()});
      run.locals.back().isLoaded = true;
    }
}

/// The tensor with these rows of it in SRAM, in \p buffer.
static Tensor withRows(const Tensor &home, Value buffer, Rows rows,
                       uint64_t rowBytes) {
  Tensor t = home;
  t.buffer = buffer;
  t.inSram = true;
  t.offsetBytes = uint64_t(0) - rows.begin * rowBytes;
  return t;
}

void Lowering::placeOperands(ConvJob &job) const {
  const Step &step = job.step;
  Operation *transpose = graph.planarInputs.lookup(step.op);
  job.in =
      tensorOf(transpose ? transpose->getOperand(0) : step.op->getOperand(0));
  Value result = job.last()->getResult(0);
  job.out = tensorOf(result);
  if (job.layer.outPitchBytes) {
    const ConcatSlice &slice = graph.slices.find(result)->second;
    job.out = tensorOf(slice.whole);
    job.out.offsetBytes += slice.firstElement * job.layer.outElem;
  }
  if (job.epilogue && job.epilogue->getNumOperands() == 2)
    job.residual =
        tensorOf(job.epilogue->getOperand(1 - job.fused.convOperand));
}

/// Of the most rows that a core makes.
static Rows mostRows(const RowRun &run, Value value) {
  Rows most;
  for (const RunRows &rows : run.rows)
    if (Rows r = rows.lookup(value); r.count() > most.count())
      most = r;
  return most;
}

/// A tensor comes from DDR in bands, or goes there: the first one is loaded
/// before the computation begins, and the last one stored behind it.
static ConvTiling cutIntoBands(const ConvJob &job, TilingLimits limits,
                               const isa::Machine &machine) {
  bool isStreamed = !job.resident.input || !job.resident.output;
  ConvTiling best;
  uint64_t least = UINT64_MAX;
  for (uint32_t bands : {1, 2, 4, 8, 16}) {
    if (bands > (isStreamed ? limits.range->rows() : 1))
      break;
    limits.inputBands = bands;
    ConvTiling tiling = chooseTiling(job.layer, limits, job.resident, machine);
    if (tiling.rows == 0)
      continue;
    ConvCost cost(job.layer, job.resident, machine);
    visitTiles(job.layer, tiling, job.resident, cost, *limits.range);
    uint64_t cycles =
        cost.work.leastCycles(machine) + cost.fillCycles + cost.drainCycles;
    if (cycles < least)
      best = tiling, least = cycles;
  }
  return best;
}

bool Lowering::planConvRows(RowRun &run, RunStage &stage) {
  ConvJob &job = *stage.job;
  const KernelCall &call = job.step.call;
  bool isDirect = call["input"].kind == compass::BufferBinding::Kind::Operand &&
                  call["input"].index == 0 && !call["input"].part &&
                  call["output"].kind == compass::BufferBinding::Kind::Result;
  if (!isDirect || !describe(job.step, TrialMemo::Form::Plain, job.layer) ||
      !prepareConv(job))
    return false;
  Value result = job.last()->getResult(0);
  if (graph.slices.contains(result) && !job.layer.outPitchBytes)
    return false;
  uint64_t freeBytes = freeSramBytes();
  freeBytes -= std::min(freeBytes, job.tableBytes());
  TilingLimits limits{freeBytes, options.weightPartBytes};
  Rows rows = mostRows(run, result);
  limits.range = OutputRange{rows.begin, rows.end, 0, job.layer.outC};
  stage.tiling = cutIntoBands(job, limits, machine);
  return stage.tiling.rows != 0;
}

bool Lowering::planRun(RowRun &run) {
  for (uint32_t core = 0; core < options.cores; ++core)
    run.rows.push_back(
        rowsOfRun(graph.rowLayers, run.part, core, options.cores));
  findLocals(run, graph.slices);
  for (RunLocal &local : run.locals) {
    local.home = tensorOf(local.value);
    uint64_t bytes =
        llvm::alignTo(mostRows(run, local.value).count() * local.rowBytes,
                      isa::kBufferAlignBytes);
    for (size_t i = local.first; i <= local.last; ++i)
      run.stages[i].liveBytes += bytes;
    tensors[local.value] = withRows(local.home, {}, {}, 0);
  }
  bool isPlanned = true;
  for (RunStage &stage : run.stages) {
    if (!stage.job || !isPlanned)
      continue;
    graph.current = stage.position;
    graph.intermediateBytes = stage.liveBytes;
    isPlanned = planConvRows(run, stage);
  }
  graph.intermediateBytes = 0;
  for (const RunLocal &local : run.locals)
    tensors[local.value] = local.home;
  return isPlanned;
}

void Lowering::emitConvRows(RunStage &stage, Rows rows) {
  ConvJob &job = *stage.job;
  placeOperands(job);
  ConvEmitter emitter(*this, job);
  emitter.hasBytes = !options.isTrial;
  OutputRange range{rows.begin, rows.end, 0, job.layer.outC};
  if (!isTrial())
    stage.work.add(
        costOf(job.layer, stage.tiling, job.resident, machine, range));
  emitter.table = loadTable(job, stage.work);
  visitTiles(job.layer, stage.tiling, job.resident, emitter, range);
  emitter.countStreams(stage.work);
}

void Lowering::emitRunStage(RowRun &run, RunStage &stage, const RunRows &rows) {
  const RowLayer &layer = *stage.layer;
  size_t number = size_t(&layer - &graph.rowLayers[run.part.first]);
  graph.current = stage.position;
  graph.layer = stage.row;
  graph.intermediateBytes = stage.liveBytes;
  loc = layer.op->getLoc();
  std::swap(layerConstants, stage.constants);
  std::swap(layerAttributes, stage.attributes);
  for (const RunLocal &local : run.locals) {
    if (local.first != number)
      continue;
    Rows there = rows.lookup(local.value);
    Value buffer = newSram(there.count() * local.rowBytes,
                           compass::tensorNameOf(local.value) + ".rows");
    tensors[local.value] = withRows(local.home, buffer, there, local.rowBytes);
    if (local.isLoaded)
      copyBytes(local.home.buffer,
                local.home.offsetBytes + there.begin * local.rowBytes, buffer,
                0, there.count() * local.rowBytes);
  }
  Rows made = rows.lookup(layer.result);
  if (stage.job) {
    emitConvRows(stage, made);
  } else if (layer.kind == RowLayer::Kind::Pool) {
    graph.rows = made;
    lowerPool({layer.op, *stage.program, *stage.program->single()});
    graph.rows.reset();
  }
  std::swap(layerConstants, stage.constants);
  std::swap(layerAttributes, stage.attributes);
}

void Lowering::emitRun(RowRun &run, uint32_t core) {
  const RunRows &rows = run.rows[core];
  for (auto [number, stage] : llvm::enumerate(run.stages)) {
    emitRunStage(run, stage, rows);
    for (const RunLocal &local : run.locals) {
      if (!local.isStored || local.value != stage.layer->result)
        continue;
      Rows own = ownRows(stage.layer->height, core, options.cores);
      const Tensor &there = tensorOf(local.value);
      copyBytes(there.buffer, there.offsetBytes + own.begin * local.rowBytes,
                local.home.buffer,
                local.home.offsetBytes + own.begin * local.rowBytes,
                own.count() * local.rowBytes);
    }
  }
  for (const RunLocal &local : run.locals)
    tensors[local.value] = local.home;
  graph.intermediateBytes = 0;
}

void Lowering::lowerRun(const CorePart &part) {
  RowRun run{part, {}, {}, {}};
  unsigned position = graph.current;
  for (size_t i = part.first; i <= part.last; ++i) {
    const RowLayer &layer = graph.rowLayers[i];
    while (graph.order[position] != layer.op)
      ++position;
    RunStage &stage = run.stages.emplace_back();
    stage.layer = &layer;
    stage.position = position;
    if (layer.kind == RowLayer::Kind::Join)
      continue;
    auto fused = graph.fused.layers.find(layer.op);
    bool isFused = fused != graph.fused.layers.end();
    Operation *op = isFused ? fused->second.conv : layer.op;
    stage.program = *compass::programOf(op);
    if (layer.kind == RowLayer::Kind::Conv)
      stage.job.emplace(Step{op, *stage.program, *stage.program->single()},
                        isFused ? layer.op : nullptr,
                        isFused ? fused->second : FusedLayer());
  }
  if (!planRun(run)) {
    // On one core, one after the other.
    for (const RunStage &stage : run.stages)
      graph.slices.erase(stage.layer->result);
    for (const RunStage &stage : run.stages) {
      graph.current = stage.position;
      lowerOp(stage.layer->op);
    }
    return;
  }
  for (RunStage &stage : run.stages) {
    stage.row = int64_t(layers.size());
    Operation *op = stage.layer->op;
    layers.push_back(isTrial() ? LayerRow() : describeLayer(op, convOf(op)));
  }
  layerConstants.clear();
  layerAttributes.clear();
  graph.layer = run.stages.front().row;
  loc = run.stages.front().layer->op->getLoc();
  emitOnCores(options.cores,
              [&](size_t core) { emitRun(run, uint32_t(core)); });
  for (RunStage &stage : run.stages) {
    graph.layer = stage.row;
    if (stage.job)
      recordConv(*stage.job, stage.tiling, stage.work, /*isWhole=*/false);
  }
}
