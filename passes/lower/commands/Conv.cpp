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
#include "passes/lower/choose/ConvTiling.h"
#include "passes/lower/commands/Lowering.h"
#include "passes/lower/describe/ConvFold.h"
#include "passes/lower/describe/ConvTransposed.h"
#include "passes/lower/describe/ConvWinograd.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

namespace {

/// Gives the commands of all tiles their buffers.
class ConvEmitter final : public ConvTileVisitor {
public:
  ConvEmitter(Lowering &lowering, const ConvLayer &layer, StringRef name)
      : lowering(lowering), layer(layer), name(name) {}

  Tensor in, out, residual;
  Value table;       ///< in SRAM, or null
  Value keptWeights; ///< in SRAM, from an earlier call; or null
  bool keepsWeights = false;
  bool hasBytes = true; ///< Constants have them, not only sizes.

  void loadWeights(const WeightPart &part) override;
  void begin(const ConvTile &tile, bool hasNewInput) override;
  void compute(const ConvTile &tile, const WeightPart &part, uint32_t phase,
               const isa::Conv &command) override;
  void end(const ConvTile &tile) override;

private:
  using Buffers = SmallVectorImpl<FieldBuffer>;
  bool takesInputInPlace() const { return in.inSram && !layer.fold.isPadded; }
  std::string nameOf(StringRef part) const { return name + "." + part.str(); }
  /// A buffer of the tile's own with what \p copy brings there.
  Value load(isa::Copy copy, const Tensor &from, uint64_t sizeBytes,
             StringRef part, isa::Unit queue);
  void addWeights(const WeightPart &part, uint32_t phase, isa::Conv &d,
                  Buffers &buffers) const;

  Lowering &lowering;
  const ConvLayer &layer;
  std::string name;
  Value weightBuffer, inputBuffer, outputBuffer, residualBuffer;
  /// By first channel and phase: constants are stored once.
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, Value> blobs;
};

} // namespace

void ConvEmitter::loadWeights(const WeightPart &part) {
  if (keptWeights) {
    weightBuffer = keptWeights;
    return;
  }
  Value &blob = blobs[{part.firstChannel, part.firstPhase}];
  if (!blob)
    blob =
        hasBytes
            ? lowering.newConstant(packBlob(layer, part), nameOf("weights"))
            : lowering.newConstantOfSize(
                  ConvBlob::layout(layer, part).sizeBytes, nameOf("weights"));
  if (keepsWeights) {
    weightBuffer = lowering.keepConstant(blob, nameOf("weights"));
    if (weightBuffer)
      return;
  }
  uint64_t sizeBytes = ConvBlob::layout(layer, part).sizeBytes;
  weightBuffer = lowering.newSram(sizeBytes, nameOf("weights"));
  lowering.copyBytes(blob, 0, weightBuffer, 0, sizeBytes);
}

Value ConvEmitter::load(isa::Copy copy, const Tensor &from, uint64_t sizeBytes,
                        StringRef part, isa::Unit queue) {
  Value buffer = lowering.newSram(sizeBytes, nameOf(part));
  copy.src += from.offsetBytes;
  copy.srcRegion = 0; // the buffer's
  lowering.emitCopy(copy, from.buffer, buffer, queue);
  return buffer;
}

void ConvEmitter::begin(const ConvTile &tile, bool hasNewInput) {
  if (takesInputInPlace()) {
    inputBuffer = in.buffer;
  } else if (hasNewInput) {
    isa::Unit queue = inputQueue(in.inSram);
    inputBuffer = load(tile.loadInput, in, tile.inputBytes, "input", queue);
    for (const isa::Copy &pad : tile.padInput)
      lowering.emitCopy(pad, {}, inputBuffer, queue);
  }
  outputBuffer = out.inSram
                     ? out.buffer
                     : lowering.newSram(tile.outputBytes, nameOf("output"));
  if (!layer.hasResidual)
    return;
  residualBuffer = residual.inSram
                       ? residual.buffer
                       : load(tile.loadResidual, residual, tile.residualBytes,
                              "residual", isa::Unit::DmaLoad);
}

void ConvEmitter::addWeights(const WeightPart &part, uint32_t phase,
                             isa::Conv &d, Buffers &buffers) const {
  ConvBlob blob = ConvBlob::layout(layer, part);
  uint32_t index = phase - part.firstPhase;
  d.weights = blob.weights[index];
  d.bias = blob.bias + index * blob.biasBytes, d.scales = blob.scales,
  d.shifts = blob.shifts, d.slopes = blob.slopes;
  assert((!d.hasTapShifts ||
          d.weights + isa::tapShiftOffset(d) == blob.tapShifts) &&
         "the engine looks for tap shifts elsewhere");
  buffers.push_back({"weights", weightBuffer});
  buffers.push_back({"bias", weightBuffer});
  if (d.perChannel) {
    buffers.push_back({"scales", weightBuffer});
    buffers.push_back({"shifts", weightBuffer});
  }
  if (d.activation == isa::Activation::PRelu)
    buffers.push_back({"slopes", weightBuffer});
}

void ConvEmitter::compute(const ConvTile &, const WeightPart &part,
                          uint32_t phase, const isa::Conv &command) {
  isa::Conv d = command;
  SmallVector<FieldBuffer> buffers = {{"input", inputBuffer},
                                      {"output", outputBuffer}};
  if (takesInputInPlace())
    d.input += in.offsetBytes;
  if (out.inSram)
    d.output += out.offsetBytes;
  if (table)
    buffers.push_back({"lut", table});
  if (layer.hasResidual) {
    buffers.push_back({"residual", residualBuffer});
    if (residual.inSram)
      d.residual += residual.offsetBytes;
  }
  addWeights(part, phase, d, buffers);
  lowering.emit(d, buffers);
}

void ConvEmitter::end(const ConvTile &tile) {
  if (out.inSram)
    return;
  isa::Copy copy = tile.storeOutput;
  copy.dst += out.offsetBytes;
  lowering.emitCopy(copy, outputBuffer, out.buffer, isa::Unit::DmaStore);
}

bool Lowering::lowerConv(const Step &step, Operation *epilogue,
                         const FusedLayer &fused) {
  ConvLayer layer;
  const KernelCall &call = step.call;
  if (call.is<kernels::ConvTranspose2DInt>())
    return describeTransposed(call, layer) && fitsAccumulator(layer) &&
           emitConv(step, layer, epilogue, fused);
  if (!call.is<kernels::Conv2DWinogradInt>())
    return describeConv(call, layer) && fitsAccumulator(layer) &&
           emitConv(step, layer, epilogue, fused);
  // The engine's mode if it can be had, ordinary convolutions if not.
  if (describeWinogradMode(call, machine, layer) &&
      emitConv(step, layer, epilogue, fused))
    return true;
  ConvLayer phases;
  return describeWinogradPhases(call, phases) && fitsAccumulator(phases) &&
         emitConv(step, phases, epilogue, fused);
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

Tensor Lowering::placeInConcat(Value value, bool hasTable, ConvLayer &layer,
                               const Tensor &own) const {
  auto it = graph.slices.find(value);
  if (it == graph.slices.end())
    return own;
  const ConcatSlice &slice = it->second;
  uint64_t pixels = uint64_t(layer.batch) * layer.outH * layer.outW;
  if (slice.channels != layer.outC || slice.pixels != pixels ||
      !(slice.hasScale || hasTable))
    return own;
  Tensor out = tensorOf(slice.whole);
  out.offsetBytes += slice.firstElement * layer.outElem;
  layer.outPitchBytes = slice.pitchElements * layer.outElem;
  return out;
}

bool Lowering::emitConv(const Step &step, ConvLayer &layer, Operation *epilogue,
                        const FusedLayer &fused) {
  packIfNarrow(layer);
  Tensor in = tensorOf(step, "input");
  if (options.foldColumns)
    foldColumns(layer, in.inSram, machine);
  bool isAdd = epilogue && epilogue->getNumOperands() == 2;
  compass::BufferBinding table;
  if (isAdd && !describeResidual(epilogue, fused.convOperand, layer))
    return false;
  if (epilogue && !isAdd) {
    auto lookup = compass::programOf(epilogue);
    if (failed(lookup) || !describeTable(*lookup->single(), layer))
      return false;
    table = (*lookup->single())["table"];
  }
  auto ofConcat = graph.concatTables.find(step.op);
  bool isForConcat = !epilogue && !layer.base.hasLut &&
                     ofConcat != graph.concatTables.end() &&
                     ofConcat->second.inType == layer.base.outType;
  if (isForConcat)
    describeBytes(ofConcat->second, layer);
  Tensor out = epilogue ? tensorOf(epilogue->getResult(0))
                        : tensorOf(step, "output"),
         residual;
  if (epilogue || step.program.single())
    out = placeInConcat((epilogue ? epilogue : step.op)->getResult(0),
                        isForConcat, layer, out);
  if (isAdd)
    residual = tensorOf(epilogue->getOperand(1 - fused.convOperand));
  uint64_t tableBytes =
      layer.base.hasLut ? uint64_t(2) << layer.base.lutLog2Items : 0;
  uint64_t freeBytes = freeSramBytes();
  freeBytes -= std::min(freeBytes, tableBytes);
  ConvResidents resident{.isInputInSram = in.inSram,
                         .input = in.inSram && !layer.fold.isPadded,
                         .output = out.inSram,
                         .residual = isAdd && residual.inSram};
  // What an earlier call keeps in SRAM is whole.
  WeightPart whole{.channels = layer.outC,
                   .phases = uint32_t(layer.phases.size())};
  bool isRepeated = areRepeated(step.call.bindings());
  Value keptWeights =
      isRepeated ? keptConstant(findConstant(packBlob(layer, whole))) : Value();
  resident.weights = bool(keptWeights);
  ConvTiling tiling = chooseTiling(layer, {freeBytes, options.weightPartBytes},
                                   resident, machine);
  if (tiling.rows == 0)
    return false;
  std::string name = compass::layerNameOf(step.op).str();
  ConvEmitter emitter(*this, layer, name);
  emitter.in = in, emitter.out = out, emitter.residual = residual;
  emitter.keptWeights = keptWeights;
  emitter.keepsWeights = isRepeated && tiling.channels == layer.outC &&
                         tiling.phases == layer.phases.size();
  // What several calls share is known by its bytes.
  emitter.hasBytes = isRepeated || !options.isTrial;
  isa::WorkCost work = costOf(layer, tiling, resident, machine);
  if (layer.base.hasLut) {
    Value constant = isForConcat
                         ? newConstant(ofConcat->second.entries, name + ".lut")
                         : newConstant(table, name + ".lut");
    uint64_t sizeBytes = constant.getDefiningOp<BufferOp>().getSizeBytes();
    emitter.table = newSram(sizeBytes, name + ".lut");
    copyBytes(constant, 0, emitter.table, 0, sizeBytes);
    work.add(isa::Unit::DmaLoad, costOfLoad(copyOfBytes(sizeBytes), machine));
  }
  visitTiles(layer, tiling, resident, emitter);
  if (isForConcat)
    graph.requantized.insert(step.op->getResult(0));
  if (layer.outPitchBytes)
    graph.joined.insert((epilogue ? epilogue : step.op)->getResult(0));
  tilings.push_back(
      tilingAttr(tiling, work, currentLayer(),
                 /*isWholeLayer=*/step.program.single() != nullptr, builder));
  layers.back().macs = layer.macs();
  if (layer.base.winograd != isa::WinogradMode::None)
    layers.back().form = "winograd";
  return true;
}
