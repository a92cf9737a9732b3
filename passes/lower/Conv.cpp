//===- Conv.cpp - Convolutions on the tensor engine -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Convolution, depthwise convolution and fully connected layers (a 1x1
// convolution over rows), with their residual add. A layer whose input, weights
// and output do not fit in the free SRAM is cut into tiles of output rows and
// output channels; the cut that moves the fewest bytes from DDR wins.
//
//===----------------------------------------------------------------------===//
#include "kernels/Conv.h"
#include "dialects/compass/Layers.h"
#include "kernels/Activation.h"
#include "kernels/Eltwise.h"
#include "kernels/Gemm.h"
#include "passes/lower/Lowering.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using kernels::Act;
using kernels::DType;

namespace {

/// A layer in the tensor engine's terms.
struct ConvLayer {
  isa::Conv base; ///< everything that does not depend on the tile
  uint32_t batch = 1, inH = 1, inW = 1, inC = 1, outH = 1, outW = 1, outC = 1;
  uint32_t groups = 1;
  bool depthwise = false;
  uint64_t inElem = 1, outElem = 1, weightElem = 1, residualElem = 1;
  uint64_t filterElements = 0; ///< weights per output channel
  kernels::Requant requant;
  bool hasResidual = false;

  /// Output channels are cut in multiples of this.
  uint32_t channelUnit() const {
    return depthwise ? outC / inC : outC / groups;
  }
  bool splitsInput() const { return depthwise || groups > 1; }
};

isa::ElementType engineType(DType t) { return isa::ElementType(uint32_t(t)); }

/// Fills geometry and requantization from the kernel call; false if the engine
/// lacks something.
bool describeConv(const KernelCall &call, ConvLayer &c) {
  isa::Conv &d = c.base;
  if (call.symbol == "yk_conv2d_winograd_int")
    return false; // transformed weights: the TECs compute it
  DType inType, weightType;
  if (call.symbol == "yk_fully_connected_int") {
    auto p = call.paramsAs<kernels::FullyConnectedIntParams>();
    if (p.weightZp != 0)
      return false;
    // Rows of features are pixels of a 1x1 convolution.
    c.inH = c.outH = p.rows;
    c.inC = p.inFeatures, c.outC = p.outFeatures;
    d.kernelX = d.kernelY = d.strideX = d.strideY = d.dilationX = d.dilationY =
        1;
    inType = p.inType, weightType = p.weightType, c.requant = p.requant;
  } else {
    auto p = call.paramsAs<kernels::Conv2DIntParams>();
    const kernels::Conv2DShape &s = p.shape;
    if (p.weightZp != 0)
      return false;
    c.depthwise = call.symbol == "yk_depthwise_conv2d_int";
    c.batch = s.batch, c.inH = s.inH, c.inW = s.inW, c.inC = s.inC;
    c.outH = s.outH, c.outW = s.outW, c.outC = s.outC, c.groups = s.groups;
    d.kernelY = s.kernelH, d.kernelX = s.kernelW;
    d.strideY = s.strideH, d.strideX = s.strideW;
    d.dilationY = s.dilationH, d.dilationX = s.dilationW;
    d.padLeft = s.padLeft, d.padTop = s.padTop;
    d.padValue = p.padValue;
    inType = p.inType, weightType = p.weightType, c.requant = p.requant;
  }
  const kernels::Requant &r = c.requant;
  if (!isEngineType(inType) ||
      (weightType != DType::I8 && weightType != DType::I16) ||
      !(isEngineType(r.outType) || r.outType == DType::I32) || c.inH > 65535 ||
      c.inW > 65535 || c.outH > 65535 || c.outW > 65535 || r.shift < -32 ||
      r.shift > 62)
    return false;
  if (r.act == Act::PRelu &&
      (r.slopeType != DType::I16 || r.slopeCount != c.outC))
    return false;
  d.inType = engineType(inType), d.weightType = engineType(weightType),
  d.outType = engineType(r.outType);
  d.depthwise = c.depthwise;
  c.inElem = kernels::dtypeBytes(inType);
  c.weightElem = kernels::dtypeBytes(weightType);
  c.outElem = kernels::dtypeBytes(r.outType);
  c.filterElements =
      uint64_t(d.kernelY) * d.kernelX * (c.depthwise ? 1 : c.inC / c.groups);
  d.perChannel = r.perChannel;
  d.scale = r.perChannel ? 0 : r.scale, d.shift = r.perChannel ? 0 : r.shift;
  d.outZeroPoint = r.zp, d.outMin = r.lo, d.outMax = r.hi;
  switch (r.act) {
  case Act::None:
    d.activation = isa::Activation::None;
    break;
  case Act::Relu:
  case Act::Relu6:
    d.activation = isa::Activation::Relu;
    break;
  case Act::LeakyRelu:
    d.activation = isa::Activation::LeakyRelu;
    break;
  case Act::PRelu:
    d.activation = isa::Activation::PRelu;
    break;
  case Act::Clip:
    d.activation = isa::Activation::Clip;
    d.clipRoundBits = c.outElem == 1 ? 8 : 0; // spec: integer semantics 4.3
    break;
  }
  d.slope = r.slope, d.slopeShift = r.slopeShift;
  d.clipMin = r.clipMin, d.clipMax = r.clipMax;
  return true;
}

/// Adds the residual add's own requantization.
bool describeResidual(Operation *add, const FusedLayer &fused, ConvLayer &c) {
  KernelCall call;
  if (failed(cast<compass::CompassOp>(add).buildKernel(call)))
    return false;
  auto p = call.paramsAs<kernels::EltwiseIntParams>();
  bool first = fused.convOperand == 0;
  DType residualType = first ? p.typeB : p.typeA;
  if (!isEngineType(residualType) || !isEngineType(p.requant.outType))
    return false;
  isa::Conv &d = c.base;
  c.hasResidual = d.hasResidual = true;
  d.mainType = d.outType;
  d.outType = engineType(p.requant.outType);
  d.residualType = engineType(residualType);
  d.sumActivation = p.requant.act == Act::None ? isa::Activation::None
                                               : isa::Activation::Relu;
  d.sumScale = p.requant.scale, d.sumShift = p.requant.shift;
  d.sumZeroPoint = p.requant.zp, d.sumMin = p.requant.lo,
  d.sumMax = p.requant.hi;
  d.mainZeroPoint = first ? p.zpA : p.zpB,
  d.residualZeroPoint = first ? p.zpB : p.zpA;
  d.mainScale = first ? p.scaleA : p.scaleB,
  d.residualScale = first ? p.scaleB : p.scaleA;
  c.outElem = kernels::dtypeBytes(p.requant.outType);
  c.residualElem = kernels::dtypeBytes(residualType);
  return true;
}

/// Adds the look-up table; its result is what the command writes.
bool describeTable(Operation *lookup, KernelCall &call, ConvLayer &c) {
  if (failed(cast<compass::CompassOp>(lookup).buildKernel(call)))
    return false;
  auto p = call.paramsAs<kernels::LutParams>();
  if (!isEngineType(p.tableType) || engineType(p.inType) != c.base.outType)
    return false;
  isa::Conv &d = c.base;
  d.hasLut = true;
  d.lutType = engineType(p.tableType);
  d.lutLog2Items = p.log2Size;
  d.lutInputBits = p.inBits;
  d.lutInputMin = p.indexMin;
  c.outElem = kernels::dtypeBytes(p.tableType);
  return true;
}

/// The accumulators have 32 bits for 8-bit inputs and 48 for 16-bit ones. With
/// the actual weights the largest sum of a channel is
///   |bias| + max|x| * sum |w|,
/// which holds for every partial sum as well, in any order.
bool fitsAccumulator(const KernelCall &call, const ConvLayer &c) {
  auto weights = compass::viewConstant(call.buffers[1].constant);
  auto biases = compass::viewConstant(call.buffers[2].constant);
  if (!weights || !biases || biases->dtype != DType::I32)
    return false;
  int64_t maxInput = int64_t(1) << (8 * c.inElem); // covers a pad value as well
  int64_t limit =
      c.inElem == 1 ? (int64_t(1) << 31) - 1 : (int64_t(1) << 47) - 1;
  for (uint32_t o = 0; o < c.outC; ++o) {
    int64_t sum = 0;
    const char *p = weights->bytes.data() + o * c.filterElements * c.weightElem;
    for (uint64_t i = 0; i < c.filterElements; ++i) {
      int16_t w;
      if (c.weightElem == 1)
        w = int8_t(p[i]);
      else
        std::memcpy(&w, p + 2 * i, 2);
      sum += std::abs(int32_t(w));
    }
    if (sum > limit / maxInput ||
        sum * maxInput + std::abs(biases->intAt(o)) > limit)
      return false;
  }
  return true;
}

/// Weights, bias, scales, shifts and slopes of some output channels, packed for
/// one copy. Parts start at multiples of 16 bytes.
struct Blob {
  uint64_t bias = 0, scales = 0, shifts = 0, slopes = 0, sizeBytes = 0;

  static Blob layout(const ConvLayer &c, uint32_t channels) {
    Blob b;
    uint64_t at = llvm::alignTo(channels * c.filterElements * c.weightElem, 16);
    auto place = [&](uint64_t bytes) {
      uint64_t begin = at;
      at = llvm::alignTo(at + bytes, 16);
      return begin;
    };
    b.bias = place(4ull * channels);
    if (c.requant.perChannel) {
      b.scales = place(2ull * channels);
      b.shifts = place(channels);
    }
    if (c.requant.act == Act::PRelu)
      b.slopes = place(2ull * channels);
    b.sizeBytes = at;
    return b;
  }
};

std::vector<char> packBlob(const KernelCall &call, const ConvLayer &c,
                           uint32_t begin, uint32_t channels) {
  Blob b = Blob::layout(c, channels);
  std::vector<char> bytes(b.sizeBytes);
  auto view = [&](unsigned i) {
    return *compass::viewConstant(call.buffers[i].constant);
  };
  uint64_t filterBytes = c.filterElements * c.weightElem;
  std::memcpy(bytes.data(), view(1).bytes.data() + begin * filterBytes,
              channels * filterBytes);
  std::memcpy(bytes.data() + b.bias, view(2).bytes.data() + 4ull * begin,
              4ull * channels);
  if (c.requant.perChannel) {
    auto scales = view(3), shifts = view(4);
    for (uint32_t i = 0; i < channels; ++i) {
      uint16_t scale =
          uint16_t(scales.intAt(begin + i)); // may be stored as uint8
      std::memcpy(bytes.data() + b.scales + 2 * i, &scale, 2);
    }
    std::memcpy(bytes.data() + b.shifts, shifts.bytes.data() + begin, channels);
  }
  if (c.requant.act == Act::PRelu)
    std::memcpy(bytes.data() + b.slopes, view(5).bytes.data() + 2ull * begin,
                2ull * channels);
  return bytes;
}

/// How a layer is cut: tiles of rows and of output channels, and which loop is
/// outside.
struct Tiling {
  uint32_t rows = 0, channels = 0;
  bool channelsOutside = false;
  uint64_t ddrBytes = UINT64_MAX;
  uint32_t tiles = 0;
};

uint32_t inputRowsOf(const ConvLayer &c, uint32_t outRows) {
  uint64_t rows = uint64_t(outRows - 1) * c.base.strideY +
                  uint64_t(c.base.kernelY - 1) * c.base.dilationY + 1;
  return uint32_t(std::min<uint64_t>(rows, c.inH));
}

/// The cheapest cut that fits in \p freeBytes; rows is 0 if none does.
Tiling chooseTiling(const ConvLayer &c, uint64_t freeBytes, bool inResident,
                    bool outResident, bool residualResident,
                    const isa::Machine &machine) {
  uint32_t outputLanes = machine.macArray.outputLanes;
  Tiling best;
  uint64_t inRow = uint64_t(c.inW) * c.inC * c.inElem;
  for (uint32_t channels = c.outC;;) {
    uint32_t channelTiles = llvm::divideCeil(c.outC, channels);
    for (uint32_t rows = c.outH;; rows = llvm::divideCeil(rows, 2)) {
      uint32_t rowTiles = llvm::divideCeil(c.outH, rows);
      uint64_t tiles = uint64_t(rowTiles) * channelTiles * c.batch;
      uint64_t part =
          c.splitsInput() ? llvm::divideCeil(inRow * channels, c.outC) : inRow;
      auto buffered = [](uint64_t bytes, bool twice) {
        return llvm::alignTo(bytes, 64) * (twice ? 2 : 1);
      };
      uint64_t weights = Blob::layout(c, channels).sizeBytes;
      uint64_t pixels = uint64_t(rows) * c.outW * channels;
      uint64_t need = buffered(weights, channelTiles > 1);
      if (!inResident)
        need += buffered(part * inputRowsOf(c, rows),
                         (c.splitsInput() ? tiles : rowTiles * c.batch) > 1);
      if (!outResident)
        need += buffered(pixels * c.outElem, tiles > 1);
      if (c.hasResidual && !residualResident)
        need += buffered(pixels * c.residualElem, tiles > 1);
      if (need <= freeBytes) {
        uint64_t weightBytes = weights * channelTiles;
        // What the bus carries: tiles of channels are short runs, and each
        // costs whole bursts.
        uint64_t inPixels =
            uint64_t(c.batch) * rowTiles * inputRowsOf(c, rows) * c.inW;
        uint64_t inBytes =
            inResident ? 0
            : c.splitsInput() && channelTiles > 1
                ? inPixels * channelTiles *
                      llvm::alignTo(llvm::divideCeil(part, c.inW),
                                    machine.ddrBurstBytes)
                : inPixels * c.inC * c.inElem;
        uint64_t outBytes =
            outResident || channelTiles == 1
                ? 0
                : uint64_t(c.batch) * c.outH * c.outW *
                      (channelTiles * llvm::alignTo(channels * c.outElem,
                                                    machine.ddrBurstBytes) -
                       uint64_t(c.outC) * c.outElem);
        bool reloads =
            !c.splitsInput(); // a depthwise tile reads its own channels only
        uint64_t rowsOutside =
            inBytes +
            (channelTiles > 1 ? weightBytes * rowTiles * c.batch : weightBytes);
        uint64_t channelsOutside =
            weightBytes + (reloads && rowTiles * c.batch > 1
                               ? inBytes * channelTiles
                               : inBytes);
        bool outside = channelsOutside < rowsOutside;
        uint64_t bytes = std::min(rowsOutside, channelsOutside) + outBytes;
        if (bytes < best.ddrBytes ||
            (bytes == best.ddrBytes && tiles < best.tiles))
          best = {rows, channels, outside, bytes, uint32_t(tiles)};
        break; // fewer rows move more bytes
      }
      if (rows == 1)
        break;
    }
    uint32_t unit = c.channelUnit();
    // Whole blocks of output lanes where possible: a part of one costs a whole.
    uint32_t step = unit >= outputLanes && unit % outputLanes == 0 &&
                            c.groups == 1 && !c.depthwise
                        ? outputLanes
                    : c.groups == 1 && !c.depthwise && c.outC > outputLanes
                        ? outputLanes
                    : c.groups > 1 || c.depthwise ? unit
                                                  : 1;
    if (channels <= step && step == 1)
      break;
    uint32_t half = channels / 2;
    uint32_t next = half / step * step;
    if (next == 0)
      next =
          c.groups == 1 && !c.depthwise ? half : (channels > unit ? unit : 0);
    if (next == 0 || next == channels)
      break;
    channels = next;
  }
  return best;
}

} // namespace

bool Lowering::lowerConv(Operation *op, const KernelCall &call,
                         Operation *epilogue, const FusedLayer &fused) {
  ConvLayer c;
  if (!describeConv(call, c) || !fitsAccumulator(call, c))
    return false;
  bool isAdd = epilogue && epilogue->getNumOperands() == 2;
  Operation *add = isAdd ? epilogue : nullptr;
  KernelCall table;
  if (add && !describeResidual(add, fused, c))
    return false;
  if (epilogue && !isAdd && !describeTable(epilogue, table, c))
    return false;
  Operation *last = epilogue ? epilogue : op;
  Tensor in = tensorOf(op->getOperand(0)), out = tensorOf(last->getResult(0)),
         residual;
  if (add)
    residual = tensorOf(add->getOperand(1 - fused.convOperand));
  uint64_t tableBytes = c.base.hasLut ? uint64_t(2) << c.base.lutLog2Items : 0;
  uint64_t freeBytes = freeSramBytes();
  freeBytes -= std::min(freeBytes, tableBytes);
  Tiling t = chooseTiling(c, freeBytes, in.inSram, out.inSram,
                          add && residual.inSram, machine);
  if (t.rows == 0)
    return false;
  std::string name = compass::layerNameOf(op).str();
  Value tableBuffer;
  if (c.base.hasLut) {
    Value constant = newConstant(table.buffers[1].constant, name + ".lut");
    uint64_t sizeBytes =
        compass::viewConstant(table.buffers[1].constant)->bytes.size();
    tableBuffer = newSram(sizeBytes, name + ".lut");
    copyBytes(constant, 0, tableBuffer, 0, sizeBytes);
  }
  const uint64_t inPixel = c.inC * c.inElem, inRow = c.inW * inPixel;
  const uint64_t outPixel = c.outC * c.outElem, outRow = c.outW * outPixel;
  const uint64_t resPixel = c.outC * c.residualElem, resRow = c.outW * resPixel;

  struct Loaded {
    Value buffer;
    uint64_t key = UINT64_MAX;
  } weightTile, inputTile;
  llvm::DenseMap<uint32_t, Value>
      blobs; // by first channel: constants are stored once

  auto loadWeights = [&](uint32_t channel, uint32_t channels) {
    if (weightTile.key == channel)
      return;
    Value &blob = blobs[channel];
    if (!blob)
      blob =
          newConstant(packBlob(call, c, channel, channels), name + ".weights");
    uint64_t size = Blob::layout(c, channels).sizeBytes;
    weightTile = {newSram(size, name + ".weights"), channel};
    copyBytes(blob, 0, weightTile.buffer, 0, size);
  };

  auto tile = [&](uint32_t n, uint32_t row, uint32_t channel) {
    uint32_t rows = std::min(t.rows, c.outH - row),
             channels = std::min(t.channels, c.outC - channel);
    isa::Conv d = c.base;
    // The channels of the input that this tile reads.
    uint32_t inChannel = 0, inChannels = c.inC;
    if (c.splitsInput()) {
      inChannel = uint64_t(channel) * c.inC / c.outC;
      inChannels = uint64_t(channels) * c.inC / c.outC;
    }
    d.groups =
        c.depthwise
            ? 1
            : std::max<uint32_t>(1, uint64_t(channels) * c.groups / c.outC);
    d.inChannels = inChannels;
    d.inWidth = c.inW;
    int64_t top = int64_t(row) * d.strideY - d.padTop;
    int64_t bottom = top + int64_t(rows - 1) * d.strideY +
                     int64_t(d.kernelY - 1) * d.dilationY + 1;
    int64_t first = std::clamp<int64_t>(top, 0, c.inH),
            end = std::clamp<int64_t>(bottom, first, c.inH);
    // The padding above the first held row: negative offsets never occur, as
    // rows above `top` are not held.
    d.padTop = int32_t(first - top);
    d.inHeight = uint32_t(end - first);
    Value inputBuffer = in.buffer;
    if (in.inSram) {
      d.input = in.offsetBytes + (uint64_t(n) * c.inH + first) * inRow +
                inChannel * c.inElem;
      d.inRowStride = inRow, d.inPixelStride = inPixel;
    } else {
      uint64_t key =
          (uint64_t(n) * c.outH + row) * (c.splitsInput() ? c.outC : 1) +
          (c.splitsInput() ? channel : 0);
      uint64_t tilePixel = inChannels * c.inElem;
      if (inputTile.key != key) {
        uint64_t size = d.inHeight * uint64_t(c.inW) * tilePixel;
        inputTile = {newSram(size, name + ".input"), key};
        uint64_t from = in.offsetBytes + (uint64_t(n) * c.inH + first) * inRow +
                        inChannel * c.inElem;
        if (inChannels == c.inC) {
          if (size)
            copyBytes(in.buffer, from, inputTile.buffer, 0, size);
        } else {
          isa::Copy copy;
          copy.elementBytes = 1;
          copy.src = from;
          copy.size0 = tilePixel, copy.size1 = d.inHeight * c.inW;
          copy.size2 = copy.size3 = copy.size4 = 1;
          copy.srcStride0 = copy.dstStride0 = 1;
          copy.srcStride1 = inPixel, copy.dstStride1 = tilePixel;
          emitCopy(copy, in.buffer, inputTile.buffer, isa::Queue::DmaLoad);
        }
      }
      inputBuffer = inputTile.buffer;
      d.input = 0;
      d.inRowStride = c.inW * tilePixel, d.inPixelStride = tilePixel;
    }
    Blob b = Blob::layout(c, channels);
    d.bias = b.bias, d.scales = b.scales, d.shifts = b.shifts,
    d.slopes = b.slopes;
    d.outHeight = rows, d.outWidth = c.outW, d.outChannels = channels;
    uint64_t outFrom =
        (uint64_t(n) * c.outH + row) * outRow + channel * c.outElem;
    Value outBuffer = out.buffer;
    uint64_t tileOutPixel = channels * c.outElem;
    if (out.inSram) {
      d.output = out.offsetBytes + outFrom;
      d.outRowStride = outRow, d.outPixelStride = outPixel;
    } else {
      outBuffer = newSram(rows * c.outW * tileOutPixel, name + ".output");
      d.outRowStride = c.outW * tileOutPixel, d.outPixelStride = tileOutPixel;
    }
    SmallVector<FieldBuffer> buffers = {{"input", inputBuffer},
                                        {"weights", weightTile.buffer},
                                        {"bias", weightTile.buffer},
                                        {"output", outBuffer}};
    if (d.perChannel) {
      buffers.push_back({"scales", weightTile.buffer});
      buffers.push_back({"shifts", weightTile.buffer});
    }
    if (d.activation == isa::Activation::PRelu)
      buffers.push_back({"slopes", weightTile.buffer});
    if (tableBuffer)
      buffers.push_back({"lut", tableBuffer});
    // A part of the tensor's pixels: rows are contiguous only when all channels
    // are taken, so copies have two axes.
    auto partCopy = [&](uint64_t elem) {
      isa::Copy copy;
      copy.elementBytes = 1;
      copy.size0 = channels * elem, copy.size1 = rows * c.outW;
      copy.size2 = copy.size3 = copy.size4 = 1;
      copy.srcStride0 = copy.dstStride0 = 1;
      if (channels == c.outC) {
        copy.size0 *= copy.size1;
        copy.size1 = 1;
      }
      return copy;
    };
    if (c.hasResidual) {
      uint64_t from = residual.offsetBytes +
                      (uint64_t(n) * c.outH + row) * resRow +
                      channel * c.residualElem;
      if (residual.inSram) {
        d.residual = from;
        d.residualRowStride = resRow, d.residualPixelStride = resPixel;
        buffers.push_back({"residual", residual.buffer});
      } else {
        uint64_t tilePixel = channels * c.residualElem;
        Value staged = newSram(rows * c.outW * tilePixel, name + ".residual");
        isa::Copy copy = partCopy(c.residualElem);
        copy.src = from;
        copy.srcStride1 = resPixel, copy.dstStride1 = tilePixel;
        emitCopy(copy, residual.buffer, staged, isa::Queue::DmaLoad);
        d.residualRowStride = c.outW * tilePixel,
        d.residualPixelStride = tilePixel;
        buffers.push_back({"residual", staged});
      }
    }
    emit(d, buffers);
    if (!out.inSram) {
      isa::Copy copy = partCopy(c.outElem);
      copy.dst = out.offsetBytes + outFrom;
      copy.srcStride1 = tileOutPixel, copy.dstStride1 = outPixel;
      emitCopy(copy, outBuffer, out.buffer, isa::Queue::DmaStore);
    }
  };

  if (t.channelsOutside) {
    for (uint32_t channel = 0; channel < c.outC; channel += t.channels) {
      loadWeights(channel, std::min(t.channels, c.outC - channel));
      for (uint32_t n = 0; n < c.batch; ++n)
        for (uint32_t row = 0; row < c.outH; row += t.rows)
          tile(n, row, channel);
    }
    return true;
  }
  for (uint32_t n = 0; n < c.batch; ++n)
    for (uint32_t row = 0; row < c.outH; row += t.rows)
      for (uint32_t channel = 0; channel < c.outC; channel += t.channels) {
        loadWeights(channel, std::min(t.channels, c.outC - channel));
        tile(n, row, channel);
      }
  return true;
}
