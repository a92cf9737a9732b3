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
#include "passes/lower/ConvBlob.h"
#include "passes/lower/ConvTiling.h"
#include "passes/lower/ConvWinograd.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

namespace {

/// Rows and channels of one image that a tile computes.
struct OutputPart {
  uint32_t image, row, rows, channel, channels;
};

class ConvEmitter {
public:
  ConvEmitter(Lowering &lowering, const ConvLayer &layer,
              const ConvTiling &tiling, StringRef name)
      : lowering(lowering), layer(layer), tiling(tiling), name(name) {}

  Tensor in, out, residual;
  Value table; ///< in SRAM, or null

  void run();

private:
  using Buffers = SmallVectorImpl<FieldBuffer>;
  std::string nameOf(StringRef part) const { return name + "." + part.str(); }
  void loadWeights(uint32_t channel, uint32_t phase);
  WeightPart weightPart(uint32_t channel, uint32_t phase) const;
  void tile(uint32_t image, uint32_t row, uint32_t channel);
  void placeInput(const OutputPart &part, isa::Conv &d, Buffers &buffers);
  void placeWeights(const OutputPart &part, uint32_t phase, isa::Conv &d,
                    Buffers &buffers);
  void placeOutput(const OutputPart &part, isa::Conv &d, Buffers &buffers);
  void placeResidual(const OutputPart &part, isa::Conv &d, Buffers &buffers);
  void emitPhases(const OutputPart &part, const isa::Conv &whole,
                  ArrayRef<FieldBuffer> buffers);
  void storeOutput(const OutputPart &part, Value from);

  uint64_t outPixelBytes() const { return layer.outC * layer.outElem; }
  /// Of the part's first element in a tensor of the output's shape.
  uint64_t offsetOf(const OutputPart &part, uint64_t elementBytes) const;
  isa::Copy copyOf(const OutputPart &part, uint64_t elementBytes) const;

  Lowering &lowering;
  const ConvLayer &layer;
  const ConvTiling &tiling;
  std::string name;

  struct Loaded {
    Value buffer;
    uint64_t key = UINT64_MAX;
  } weightTile, inputTile;
  /// By key of weightTile: constants are stored once.
  llvm::DenseMap<uint64_t, Value> blobs;
};

} // namespace

/// What is loaded for a tile of channels and a phase.
WeightPart ConvEmitter::weightPart(uint32_t channel, uint32_t phase) const {
  return {channel, std::min(tiling.channels, layer.outC - channel),
          phase / tiling.phases * tiling.phases, tiling.phases};
}

void ConvEmitter::loadWeights(uint32_t channel, uint32_t phase) {
  WeightPart part = weightPart(channel, phase);
  uint64_t key = part.firstChannel * layer.phases.size() + part.firstPhase;
  if (weightTile.key == key)
    return;
  Value &blob = blobs[key];
  if (!blob)
    blob = lowering.newConstant(packBlob(layer, part), nameOf("weights"));
  uint64_t sizeBytes = ConvBlob::layout(layer, part).sizeBytes;
  weightTile = {lowering.newSram(sizeBytes, nameOf("weights")), key};
  lowering.copyBytes(blob, 0, weightTile.buffer, 0, sizeBytes);
}

void ConvEmitter::placeInput(const OutputPart &part, isa::Conv &d,
                             Buffers &buffers) {
  const ConvLayer &c = layer;
  const uint64_t inPixel = c.inC * c.inElem, inRow = c.inW * inPixel;
  // The channels of the input that this tile reads.
  uint32_t inChannel = 0, inChannels = c.inC;
  if (c.splitsInput()) {
    inChannel = uint64_t(part.channel) * c.inC / c.outC;
    inChannels = uint64_t(part.channels) * c.inC / c.outC;
  }
  d.groups =
      c.depthwise
          ? 1
          : std::max<uint32_t>(1, uint64_t(part.channels) * c.groups / c.outC);
  d.inChannels = inChannels;
  d.inWidth = c.inW;
  int64_t top = int64_t(part.row / c.tileRows) * c.tileStep - d.padTop;
  int64_t bottom = top + int64_t(c.inputRows(part.rows));
  // At least one row is held, although windows may see padding alone.
  int64_t first = std::clamp<int64_t>(top, 0, c.inH - 1),
          end = std::clamp<int64_t>(bottom, first + 1, c.inH);
  // The padding above the first held row. It is negative only below the last
  // row, as rows above `top` are not held.
  d.padTop = int32_t(first - top);
  d.inHeight = uint32_t(end - first);
  uint64_t from = in.offsetBytes +
                  (uint64_t(part.image) * c.inH + first) * inRow +
                  inChannel * c.inElem;
  if (in.inSram) {
    d.input = from;
    d.inRowStride = inRow, d.inPixelStride = inPixel;
    buffers.push_back({"input", in.buffer});
    return;
  }
  uint64_t key = uint64_t(part.image) * c.outH + part.row;
  if (c.splitsInput())
    key = key * c.outC + part.channel;
  uint64_t tilePixel = inChannels * c.inElem;
  if (inputTile.key != key) {
    uint64_t sizeBytes = d.inHeight * uint64_t(c.inW) * tilePixel;
    inputTile = {lowering.newSram(sizeBytes, nameOf("input")), key};
    if (inChannels == c.inC) {
      lowering.copyBytes(in.buffer, from, inputTile.buffer, 0, sizeBytes);
    } else {
      isa::Copy copy;
      copy.elementBytes = 1;
      copy.src = from;
      copy.size0 = tilePixel, copy.size1 = d.inHeight * c.inW;
      copy.size2 = copy.size3 = copy.size4 = 1;
      copy.srcStride0 = copy.dstStride0 = 1;
      copy.srcStride1 = inPixel, copy.dstStride1 = tilePixel;
      lowering.emitCopy(copy, in.buffer, inputTile.buffer, isa::Queue::DmaLoad);
    }
  }
  d.input = 0;
  d.inRowStride = c.inW * tilePixel, d.inPixelStride = tilePixel;
  buffers.push_back({"input", inputTile.buffer});
}

void ConvEmitter::placeWeights(const OutputPart &part, uint32_t phase,
                               isa::Conv &d, Buffers &buffers) {
  loadWeights(part.channel, phase);
  WeightPart weights = weightPart(part.channel, phase);
  ConvBlob blob = ConvBlob::layout(layer, weights);
  d.weights = (phase - weights.firstPhase) * blob.phaseBytes;
  d.bias = blob.bias, d.scales = blob.scales, d.shifts = blob.shifts,
  d.slopes = blob.slopes;
  assert((!d.hasTapShifts ||
          d.weights + isa::tapShiftOffset(d) == blob.tapShifts) &&
         "the engine looks for tap shifts elsewhere");
  buffers.push_back({"weights", weightTile.buffer});
  buffers.push_back({"bias", weightTile.buffer});
  if (d.perChannel) {
    buffers.push_back({"scales", weightTile.buffer});
    buffers.push_back({"shifts", weightTile.buffer});
  }
  if (d.activation == isa::Activation::PRelu)
    buffers.push_back({"slopes", weightTile.buffer});
}

uint64_t ConvEmitter::offsetOf(const OutputPart &part,
                               uint64_t elementBytes) const {
  uint64_t row = uint64_t(part.image) * layer.outH + part.row;
  return (row * layer.outW * layer.outC + part.channel) * elementBytes;
}

/// A part of the tensor's pixels: rows are contiguous only when all channels
/// are taken, so copies have two axes.
isa::Copy ConvEmitter::copyOf(const OutputPart &part,
                              uint64_t elementBytes) const {
  isa::Copy copy;
  copy.elementBytes = 1;
  copy.size0 = part.channels * elementBytes,
  copy.size1 = part.rows * layer.outW;
  copy.size2 = copy.size3 = copy.size4 = 1;
  copy.srcStride0 = copy.dstStride0 = 1;
  if (part.channels == layer.outC) {
    copy.size0 *= copy.size1;
    copy.size1 = 1;
  }
  return copy;
}

void ConvEmitter::placeOutput(const OutputPart &part, isa::Conv &d,
                              Buffers &buffers) {
  d.outHeight = part.rows, d.outWidth = layer.outW,
  d.outChannels = part.channels;
  uint64_t pixelBytes = outPixelBytes();
  Value buffer = out.buffer;
  if (out.inSram) {
    d.output = out.offsetBytes + offsetOf(part, layer.outElem);
  } else {
    pixelBytes = part.channels * layer.outElem;
    buffer =
        lowering.newSram(part.rows * layer.outW * pixelBytes, nameOf("output"));
  }
  d.outRowStride = layer.outW * pixelBytes, d.outPixelStride = pixelBytes;
  buffers.push_back({"output", buffer});
}

void ConvEmitter::placeResidual(const OutputPart &part, isa::Conv &d,
                                Buffers &buffers) {
  uint64_t from = residual.offsetBytes + offsetOf(part, layer.residualElem);
  uint64_t pixelBytes = layer.outC * layer.residualElem;
  Value buffer = residual.buffer;
  if (residual.inSram) {
    d.residual = from;
  } else {
    isa::Copy copy = copyOf(part, layer.residualElem);
    copy.src = from;
    copy.srcStride1 = pixelBytes;
    pixelBytes = part.channels * layer.residualElem;
    copy.dstStride1 = pixelBytes;
    buffer = lowering.newSram(part.rows * layer.outW * pixelBytes,
                              nameOf("residual"));
    lowering.emitCopy(copy, residual.buffer, buffer, isa::Queue::DmaLoad);
  }
  d.residualRowStride = layer.outW * pixelBytes;
  d.residualPixelStride = pixelBytes;
  buffers.push_back({"residual", buffer});
}

void ConvEmitter::storeOutput(const OutputPart &part, Value from) {
  isa::Copy copy = copyOf(part, layer.outElem);
  copy.dst = out.offsetBytes + offsetOf(part, layer.outElem);
  copy.srcStride1 = part.channels * layer.outElem;
  copy.dstStride1 = outPixelBytes();
  lowering.emitCopy(copy, from, out.buffer, isa::Queue::DmaStore);
}

/// One command for each phase: its outputs lie a tile of outputs apart, in
/// rows and columns, and so do its windows.
void ConvEmitter::emitPhases(const OutputPart &part, const isa::Conv &whole,
                             ArrayRef<FieldBuffer> buffers) {
  for (auto [i, phase] : llvm::enumerate(layer.phases)) {
    if (phase.row >= part.rows || phase.column >= layer.outW)
      continue; // the last tile is a part of one
    isa::Conv d = whole;
    SmallVector<FieldBuffer> all(buffers);
    placeWeights(part, i, d, all);
    d.padTop -= phase.startY, d.padLeft -= phase.startX;
    d.outHeight = llvm::divideCeil(part.rows - phase.row, layer.phaseRows);
    d.outWidth =
        llvm::divideCeil(layer.outW - phase.column, layer.phaseColumns);
    d.output += phase.row * d.outRowStride + phase.column * d.outPixelStride;
    d.outRowStride *= layer.phaseRows;
    d.outPixelStride *= layer.phaseColumns;
    if (layer.hasResidual) {
      d.residual += phase.row * d.residualRowStride +
                    phase.column * d.residualPixelStride;
      d.residualRowStride *= layer.phaseRows;
      d.residualPixelStride *= layer.phaseColumns;
    }
    lowering.emit(d, all);
  }
}

void ConvEmitter::tile(uint32_t image, uint32_t row, uint32_t channel) {
  loadWeights(channel, /*phase=*/0);
  OutputPart part{image, row, std::min(tiling.rows, layer.outH - row), channel,
                  std::min(tiling.channels, layer.outC - channel)};
  isa::Conv d = layer.base;
  SmallVector<FieldBuffer> buffers;
  placeInput(part, d, buffers);
  placeOutput(part, d, buffers);
  Value result = buffers.back().buffer;
  if (table)
    buffers.push_back({"lut", table});
  if (layer.hasResidual)
    placeResidual(part, d, buffers);
  emitPhases(part, d, buffers);
  if (!out.inSram)
    storeOutput(part, result);
}

void ConvEmitter::run() {
  const ConvLayer &c = layer;
  if (tiling.channelsOutside) {
    for (uint32_t channel = 0; channel < c.outC; channel += tiling.channels)
      for (uint32_t image = 0; image < c.batch; ++image)
        for (uint32_t row = 0; row < c.outH; row += tiling.rows)
          tile(image, row, channel);
    return;
  }
  for (uint32_t image = 0; image < c.batch; ++image)
    for (uint32_t row = 0; row < c.outH; row += tiling.rows)
      for (uint32_t channel = 0; channel < c.outC; channel += tiling.channels)
        tile(image, row, channel);
}

bool Lowering::lowerConv(const Step &step, Operation *epilogue,
                         const FusedLayer &fused) {
  ConvLayer layer;
  const KernelCall &call = step.call;
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

bool Lowering::emitConv(const Step &step, ConvLayer &layer, Operation *epilogue,
                        const FusedLayer &fused) {
  bool isAdd = epilogue && epilogue->getNumOperands() == 2;
  compass::BufferBinding table;
  if (isAdd && !describeResidual(epilogue, fused, layer))
    return false;
  if (epilogue && !isAdd) {
    auto lookup = compass::programOf(epilogue);
    if (failed(lookup) || !describeTable(*lookup->single(), layer))
      return false;
    table = (*lookup->single())["table"];
  }
  Tensor in = tensorOf(step, "input"),
         out = epilogue ? tensorOf(epilogue->getResult(0))
                        : tensorOf(step, "output"),
         residual;
  if (isAdd)
    residual = tensorOf(epilogue->getOperand(1 - fused.convOperand));
  uint64_t tableBytes =
      layer.base.hasLut ? uint64_t(2) << layer.base.lutLog2Items : 0;
  uint64_t freeBytes = freeSramBytes();
  freeBytes -= std::min(freeBytes, tableBytes);
  ConvTiling tiling = chooseTiling(layer, freeBytes,
                                   {.input = in.inSram,
                                    .output = out.inSram,
                                    .residual = isAdd && residual.inSram},
                                   machine);
  if (tiling.rows == 0)
    return false;
  std::string name = compass::layerNameOf(step.op).str();
  ConvEmitter emitter(*this, layer, tiling, name);
  emitter.in = in, emitter.out = out, emitter.residual = residual;
  if (layer.base.hasLut) {
    Value constant = newConstant(table, name + ".lut");
    uint64_t sizeBytes = table.view.bytes.size();
    emitter.table = newSram(sizeBytes, name + ".lut");
    copyBytes(constant, 0, emitter.table, 0, sizeBytes);
  }
  emitter.run();
  layers.back().macs = layer.macs();
  if (layer.base.winograd != isa::WinogradMode::None)
    layers.back().form = "winograd";
  return true;
}
