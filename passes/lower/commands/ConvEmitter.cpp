//===- ConvEmitter.cpp - The commands of a convolution's tiles ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/commands/ConvEmitter.h"
#include "passes/lower/choose/ConvCost.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

ConvEmitter::Blob ConvEmitter::makeBlob(const WeightPart &part) {
  ConvBlob layout = ConvBlob::layout(layer, part);
  std::string name = nameOf("weights");
  Blob blob{{}, copyOfBytes(layout.sizeBytes)};
  WeightLoads loads =
      keepsWeights ? WeightLoads::Plain : lowering.getOptions().weightLoads;
  if (loads != WeightLoads::Streams && !hasBytes) {
    if (loads == WeightLoads::HalfStreams)
      blob.load =
          streamedCopy(blob.load, llvm::divideCeil(layout.sizeBytes, 2));
    blob.buffer = lowering.newConstantOfSize(layout.sizeBytes, name);
    return blob;
  }
  std::vector<char> bytes = packBlob(layer, part);
  ArrayRef<char> stream;
  if (loads == WeightLoads::Streams)
    stream = lowering.getStreams().of(bytes, layout.bias);
  if (!stream.empty()) {
    blob.load = streamedCopy(blob.load, stream.size());
    bytes.assign(stream.begin(), stream.end());
  }
  blob.buffer = hasBytes ? lowering.newConstant(std::move(bytes), name)
                         : lowering.newConstantOfSize(bytes.size(), name);
  return blob;
}

void ConvEmitter::loadWeights(const WeightPart &part) {
  if (keptWeights) {
    weightBuffer = keptWeights;
    return;
  }
  auto [it, isNew] = blobs.try_emplace({part.firstChannel, part.firstPhase});
  if (isNew)
    it->second = makeBlob(part);
  const Blob &blob = it->second;
  if (keepsWeights) {
    weightBuffer = lowering.keepConstant(blob.buffer, nameOf("weights"));
    if (weightBuffer)
      return;
  }
  weightBuffer = lowering.newSram(blob.load.size0, nameOf("weights"));
  lowering.emitCopy(blob.load, blob.buffer, weightBuffer, isa::Unit::DmaLoad);
  if (blob.load.streamBytes == 0)
    return;
  const isa::Machine &machine = lowering.getMachine();
  streamedWork.add(isa::Unit::DmaLoad, costOfLoad(blob.load, machine));
  plainWork.add(isa::Unit::DmaLoad,
                costOfLoad(copyOfBytes(blob.load.size0), machine));
}

void ConvEmitter::countStreams(isa::WorkCost &work) const {
  work.add(streamedWork);
  for (auto [all, plain] : llvm::zip(work.queueCycles, plainWork.queueCycles))
    all -= plain;
  work.ddrCycles -= plainWork.ddrCycles;
  work.ddrBytes -= plainWork.ddrBytes;
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
  if (chainedInput) {
    inputBuffer = chainedInput;
  } else if (takesInputInPlace()) {
    inputBuffer = in.buffer;
  } else if (hasNewInput) {
    isa::Unit queue = inputQueue(in.inSram);
    inputBuffer = load(tile.loadInput, in, tile.inputBytes, "input", queue);
    for (const isa::Copy &pad : tile.padInput)
      lowering.emitCopy(pad, {}, inputBuffer, queue);
  }
  bool isInPlace = out.inSram && !isOutputChained;
  outputBuffer = isInPlace
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
         "the engine looks for tap shifts in another place");
  buffers.push_back({"weights", weightBuffer});
  buffers.push_back({"bias", weightBuffer});
  if (d.perChannel) {
    buffers.push_back({"scales", weightBuffer});
    buffers.push_back({"shifts", weightBuffer});
  }
  if (isa::hasSlopes(d))
    buffers.push_back({"slopes", weightBuffer});
}

void ConvEmitter::compute(const ConvTile &, const WeightPart &part,
                          uint32_t phase, const isa::Conv &command) {
  isa::Conv d = command;
  SmallVector<FieldBuffer> buffers = {{"input", inputBuffer},
                                      {"output", outputBuffer}};
  if (takesInputInPlace())
    d.input += in.offsetBytes;
  if (out.inSram && !isOutputChained)
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
  if (out.inSram || isOutputChained)
    return;
  isa::Copy copy = tile.storeOutput;
  copy.dst += out.offsetBytes;
  lowering.emitCopy(copy, outputBuffer, out.buffer, isa::Unit::DmaStore);
}
