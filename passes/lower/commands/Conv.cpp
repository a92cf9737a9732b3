//===- Conv.cpp - Convolutions on the tensor engine -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Emits the commands of a convolution, depthwise convolution or fully connected
// layer with its residual add or look-up table: tile after tile, each with the
// copies that feed it and store its result.
//
//===----------------------------------------------------------------------===//
#include "kernels/conv/Conv.h"
#include "dialects/compass/graph/GraphOps.h"
#include "passes/lower/commands/ConvEmitter.h"
#include "passes/lower/describe/ConvColumns.h"
#include "passes/lower/describe/ConvFold.h"
#include "passes/lower/describe/ConvTransposed.h"
#include "passes/lower/describe/ConvWiden.h"
#include "passes/lower/describe/ConvWinograd.h"
#include "passes/lower/describe/Storage.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

bool Lowering::lowerConv(const Step &step, Operation *epilogue,
                         const FusedLayer &fused) {
  using Form = TrialMemo::Form;
  if (graph.planarInputs.contains(step.op)) {
    ConvJob job(step, epilogue, fused);
    if (describe(step, Form::Plain, job.layer) && emitConv(job))
      return true;
    separateTranspose(step.op);
  }
  ConvJob job(step, epilogue, fused);
  const KernelCall &call = step.call;
  if (call.is<kernels::ConvTranspose2DInt>())
    return describe(step, Form::Transposed, job.layer) && emitConv(job);
  if (!call.is<kernels::Conv2DWinogradInt>())
    return describe(step, Form::Plain, job.layer) && emitConv(job);
  // The engine's mode if it can be had, ordinary convolutions if not.
  if (describe(step, Form::WinogradMode, job.layer) && emitConv(job))
    return true;
  ConvJob phases(step, epilogue, fused);
  return describe(step, Form::WinogradPhases, phases.layer) && emitConv(phases);
}

bool Lowering::describe(const Step &step, TrialMemo::Form form,
                        ConvLayer &layer) {
  using Form = TrialMemo::Form;
  auto describe = [&](ConvLayer &c) {
    const KernelCall &call = step.call;
    switch (form) {
    case Form::Plain:
      return describeConv(call, c) && fitsAccumulator(c);
    case Form::Transposed:
      return describeTransposed(call, c) && fitsAccumulator(c);
    case Form::WinogradMode:
      return describeWinogradMode(call, machine, c);
    case Form::WinogradPhases:
      return describeWinogradPhases(call, c) && fitsAccumulator(c);
    }
    llvm_unreachable("all forms are listed");
  };
  return trial.memo && step.program.single()
             ? trial.memo->describe(step.op, form, layer, describe)
             : describe(layer);
}

/// The table that gives a branch of a Concat its scale.
static void describeBytes(const ConcatTable &table, ConvLayer &c) {
  isa::Conv &d = c.base;
  d.hasLut = true;
  d.lutType = table.outType;
  d.lutLog2Items = d.lutInputBits = 8;
  d.lutInputMin = table.inType == kernels::DType::I8 ? -128 : 0;
  c.outElem = 1;
}

bool Lowering::prepareConv(ConvJob &job, bool mayFold, bool maySplit) {
  ConvLayer &layer = job.layer;
  const Step &step = job.step;
  bool isAdd = job.epilogue && job.epilogue->getNumOperands() == 2;
  // Slices of a Concat have the channels of their own pixels.
  if (options.foldColumns && mayFold && !isAdd &&
      !graph.slices.contains(job.last()->getResult(0)))
    widenOutputs(layer, machine);
  if (options.foldColumns && maySplit)
    splitColumns(layer, machine);
  packIfNarrow(layer);
  job.in = tensorOf(step, "input");
  if (Operation *transpose = graph.planarInputs.lookup(step.op)) {
    job.in = tensorOf(transpose->getOperand(0));
    layer.isInputPlanar = true;
  }
  if (options.foldColumns && mayFold)
    foldColumns(layer, job.in.inSram, machine);
  if (isAdd && !describeResidual(job.epilogue, job.fused.convOperand, layer))
    return false;
  if (!hasScales(layer, machine))
    return false;
  if (job.epilogue && !isAdd) {
    auto lookup = compass::programOf(job.epilogue);
    if (failed(lookup) || !describeTable(*lookup->single(), layer))
      return false;
    job.table = (*lookup->single())["table"];
  }
  auto ofConcat = graph.concatTables.find(step.op);
  if (!job.epilogue && !layer.base.hasLut &&
      ofConcat != graph.concatTables.end() &&
      ofConcat->second.inType == layer.base.outType) {
    job.concatTable = &ofConcat->second;
    describeBytes(*job.concatTable, layer);
  }
  job.out = job.epilogue ? tensorOf(job.epilogue->getResult(0))
                         : tensorOf(step, "output");
  if (job.epilogue || step.program.single())
    placeInConcat(job);
  if (isAdd)
    job.residual =
        tensorOf(job.epilogue->getOperand(1 - job.fused.convOperand));
  job.resident = {.isInputInSram = job.in.inSram,
                  .input = job.in.inSram && !layer.fold.isPadded,
                  .output = job.out.inSram,
                  .residual = isAdd && job.residual.inSram};
  return true;
}

void Lowering::placeInConcat(ConvJob &job) const {
  auto it = graph.slices.find(job.last()->getResult(0));
  if (it == graph.slices.end())
    return;
  ConvLayer &layer = job.layer;
  const ConcatSlice &slice = it->second;
  uint64_t pixels = uint64_t(layer.batch) * layer.outH * layer.outW;
  if (slice.channels != layer.outC || slice.pixels != pixels ||
      !(slice.hasScale || job.concatTable))
    return;
  job.out = tensorOf(slice.whole);
  job.out.offsetBytes += slice.firstElement * layer.outElem;
  layer.outPitchBytes = slice.pitchElements * layer.outElem;
}

Value Lowering::loadTable(const ConvJob &job, isa::WorkCost &work) {
  if (!job.layer.base.hasLut)
    return {};
  std::string name = job.name() + ".lut";
  Value constant = job.concatTable ? newConstant(job.concatTable->entries, name)
                                   : newConstant(job.table, name);
  uint64_t sizeBytes = constant.getDefiningOp<BufferOp>().getSizeBytes();
  Value table = newSram(sizeBytes, name);
  copyBytes(constant, 0, table, 0, sizeBytes);
  work.add(isa::Unit::DmaLoad, costOfLoad(copyOfBytes(sizeBytes), machine));
  return table;
}

void Lowering::recordConv(const ConvJob &job, const ConvTiling &tiling,
                          const isa::WorkCost &work, bool isWhole) {
  Value result = job.last()->getResult(0);
  if (job.concatTable) {
    graph.requantized.insert(result);
    // What it has is not the tensor of its name.
    auto home = tensorOf(result).buffer.getDefiningOp<BufferOp>();
    if (std::string name = compass::tensorNameOf(result);
        home.getBufferName() == name)
      home.setBufferName(name + ".requantized");
  }
  if (job.layer.outPitchBytes)
    graph.joined.insert(result);
  if (!isTrial())
    tilings.push_back(tilingAttr(
        tiling, work, currentLayer(),
        /*isWholeLayer=*/isWhole && job.step.program.single(), builder));
  LayerRow &row = layers[currentLayer()];
  row.macs = job.layer.macs();
  if (job.layer.base.winograd != isa::WinogradMode::None)
    row.form = "winograd";
}

/// Whether it reads what comes from outside, and can begin with the first rows.
static bool readsNetworkInput(const ConvJob &job) {
  if (job.layer.isInputPlanar)
    return true;
  Operation *maker = job.step.op->getOperand(0).getDefiningOp();
  while (maker && isAlias(maker))
    maker = maker->getOperand(0).getDefiningOp();
  return isa_and_nonnull<compass::InputOp>(maker) && !job.in.inSram;
}

bool Lowering::emitConv(ConvJob &job) {
  if (!prepareConv(job))
    return false;
  if (emitDivided(job))
    return true;
  const ConvLayer &layer = job.layer;
  uint64_t freeBytes = freeSramBytes();
  freeBytes -= std::min(freeBytes, job.tableBytes());
  // What an earlier call keeps in SRAM is whole.
  WeightPart whole{.channels = layer.outC,
                   .phases = uint32_t(layer.phases.size())};
  bool isRepeated = areRepeated(job.step.call.bindings());
  Value keptWeights =
      isRepeated ? keptConstant(findConstant(packBlob(layer, whole))) : Value();
  job.resident.weights = bool(keptWeights);
  TilingLimits limits{freeBytes, options.weightPartBytes};
  if (options.inputBands != 0 && readsNetworkInput(job))
    limits.inputBands = options.inputBands;
  ConvTiling tiling =
      trial.memo ? trial.memo->tilingOf(layer, limits, job.resident, machine)
                 : chooseTiling(layer, limits, job.resident, machine);
  if (tiling.rows == 0)
    return false;
  ConvEmitter emitter(*this, job);
  emitter.keptWeights = keptWeights;
  emitter.keepsWeights = isRepeated && tiling.channels == layer.outC &&
                         tiling.phases == layer.phases.size();
  // What several calls share is known by its bytes.
  emitter.hasBytes = isRepeated || !options.isTrial;
  isa::WorkCost work;
  if (!isTrial())
    work = costOf(layer, tiling, job.resident, machine);
  emitter.table = loadTable(job, work);
  visitTiles(layer, tiling, job.resident, emitter);
  emitter.countStreams(work);
  recordConv(job, tiling, work);
  return true;
}
