//===- Cost.cpp - What a tensor command costs on a machine ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "isa/Cost.h"
#include "isa/Division.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::isa;

namespace {
/// A product of `pixels` windows with `filters` filters of cells x channels
/// weights, `groups` times.
struct ArrayWork {
  uint64_t pixels, filters, cells, channels, groups;
  ElementType input;
  uint32_t weightBits;
};
} // namespace

/// Cycles per step of the array. Its multipliers take 8 bits by 8; wider
/// operands go through it in several passes.
static uint64_t passes(ElementType input, ElementType weights,
                       const Machine &machine) {
  return (elementBytes(input) == 2 ? machine.int16Passes : 1) *
         (elementBytes(weights) == 2 ? machine.int16Passes : 1);
}

/// Output pixels whose sums the accumulators hold, of outputLanes channels.
static uint64_t heldPixels(ElementType input, const Machine &machine) {
  return std::max(1u, machine.accumulatorPixels(input));
}

static void addArrayWork(const ArrayWork &work, uint64_t passes,
                         const Machine &machine, CommandCost &cost) {
  const MacArray &array = machine.macArray;
  uint64_t filterBlocks = divideUp(work.filters, array.outputLanes);
  // One step takes inputLanes channels of one window cell of `pixels` pixels;
  // what does not fill the three sides of the array is lost.
  cost.computeCycles = passes * work.groups * filterBlocks * work.cells *
                       divideUp(work.channels, array.inputLanes) *
                       divideUp(work.pixels, array.pixels);
  cost.macs =
      work.groups * work.pixels * work.filters * work.cells * work.channels;

  // There is no input buffer: each block of filters streams every window cell
  // from SRAM again.
  // Weights of 4 bits stay packed up to the multipliers.
  uint64_t filterBits = work.cells * work.channels * work.weightBits;
  cost.sramReadBytes += work.groups * filterBlocks * work.pixels * work.cells *
                        work.channels * elementBytes(work.input);
  // Filters that fit the weight buffer are loaded once; longer ones in parts,
  // again for each set of pixels that the accumulators hold.
  uint64_t weightLoads = 1;
  if (divideUp(filterBits, 8) > machine.weightBytesPerLane())
    weightLoads = divideUp(work.pixels, heldPixels(work.input, machine));
  cost.sramReadBytes +=
      divideUp(work.groups * work.filters * filterBits, 8) * weightLoads;

  // The array starts when the first filter block is in the weight buffer; later
  // ones are loaded beside the work.
  uint64_t firstLoad = std::min<uint64_t>(
      machine.weightBufferBytes,
      divideUp(std::min<uint64_t>(work.filters, array.outputLanes) * filterBits,
               8));
  cost.exposedCycles += divideUp(firstLoad, machine.engineSramBytesPerCycle());
}

/// Depthwise work has no products to share: of the array's output lanes one
/// works, for inputLanes channels of `pixels` pixels per cycle.
static void addChannelWork(uint64_t pixels, uint64_t channels, uint64_t cells,
                           uint64_t inputBytes, uint64_t passes,
                           const Machine &machine, CommandCost &cost) {
  uint64_t lanes =
      std::min(machine.macArray.inputLanes, machine.macArray.outputLanes);
  cost.computeCycles = passes * cells * divideUp(channels, lanes) *
                       divideUp(pixels, machine.macArray.pixels);
  cost.sramReadBytes += pixels * channels * cells * inputBytes;
}

/// Columns of the input that a row of outputs, or a part of one, covers.
static uint64_t columnsUnder(const Conv &conv, uint64_t outputs) {
  return (outputs - 1) * conv.strideX +
         uint64_t(conv.kernelX - 1) * conv.dilationX + 1;
}

/// Row reuse: columns come into the row buffer at the rate of the array's
/// inputs, each once for a kernel row, and all taps of that row work on them at
/// once, each on an output lane of its own, for the same pixels. The control
/// takes whichever of both ways is shorter.
static void useRowBuffer(const Conv &conv, uint64_t passes,
                         const Machine &machine, CommandCost &cost) {
  const MacArray &array = machine.macArray;
  uint64_t inputBytes = elementBytes(conv.inType);
  uint64_t blockBytes =
      columnsUnder(conv, array.pixels) * array.inputLanes * inputBytes;
  if (machine.depthwise.rowBufferBytes < blockBytes)
    return;
  uint64_t columns = columnsUnder(conv, conv.outWidth);
  uint64_t rowSteps = std::max(divideUp(columns, array.pixels),
                               divideUp(conv.outWidth, array.pixels) *
                                   divideUp(conv.kernelX, array.outputLanes));
  uint64_t lanes = std::min(array.inputLanes, array.outputLanes);
  uint64_t rows = uint64_t(conv.outHeight) * conv.kernelY;
  uint64_t cycles =
      passes * rows * divideUp(conv.outChannels, lanes) * rowSteps;
  if (cycles >= cost.computeCycles)
    return;
  cost.computeCycles = cycles;
  cost.sramReadBytes = rows * columns * conv.outChannels * inputBytes;
}

/// Tiles of a Winograd command whose sums, one per tap, the accumulators hold.
/// Its inputs have 8 bits.
static uint64_t heldTiles(uint64_t taps, const Machine &machine) {
  return std::max<uint64_t>(
      1, machine.accumulatorBytes /
             (sumBytes(ElementType::I8) * taps * machine.macArray.outputLanes));
}

/// The products of Winograd's algorithm; the transforms before and after them
/// work beside the array.
static void addWinogradWork(const Conv &conv, const Machine &machine,
                            CommandCost &cost) {
  const MacArray &array = machine.macArray;
  WinogradTile tile = tileOf(conv.winograd);
  uint64_t taps = tile.taps();
  uint64_t tiles = divideUp(conv.outHeight, tile.outRows) *
                   divideUp(conv.outWidth, tile.outColumns);
  uint64_t channels = conv.inChannels, filters = conv.outChannels;
  uint64_t filterBlocks = divideUp(filters, array.outputLanes);
  // As in any convolution, with a tile in the place of a pixel and a tap in the
  // place of a window cell. Weights of any width take one pass: in this mode
  // the multipliers are as wide as the machine's winograd.weightBits.
  cost.computeCycles = filterBlocks * taps *
                       divideUp(channels, array.inputLanes) *
                       divideUp(tiles, array.pixels);
  cost.macs = tiles * taps * channels * filters;

  // A tile has as many cells as taps. Those of the next step are read in the
  // cycles that this step's taps take: one cell of inputLanes channels for each
  // of the array's pixels per cycle, which is what a direct convolution reads.
  // Cells that tiles share are read for each, and all for each block of
  // filters.
  cost.sramReadBytes += filterBlocks * tiles * taps * channels;
  // There is a sum for each tap, so the accumulators hold fewer tiles than
  // pixels, and filters longer than the weight buffer are loaded more often.
  uint64_t filterBytes = taps * channels * elementBytes(conv.weightType);
  uint64_t weightLoads = filterBytes > machine.weightBytesPerLane()
                             ? divideUp(tiles, heldTiles(taps, machine))
                             : 1;
  cost.sramReadBytes += filters * filterBytes * weightLoads;
  if (conv.hasTapShifts)
    cost.sramReadBytes += filters * taps;

  // Nothing overlaps the first weights, the cells of the first step, and the
  // way through both transforms.
  uint64_t firstLoad = std::min<uint64_t>(
      machine.weightBufferBytes,
      std::min<uint64_t>(filters, array.outputLanes) * filterBytes);
  uint64_t firstCells = taps * std::min<uint64_t>(channels, array.inputLanes) *
                        std::min<uint64_t>(tiles, array.pixels);
  cost.exposedCycles +=
      divideUp(firstLoad, machine.engineSramBytesPerCycle()) +
      divideUp(firstCells, machine.engineSramBytesPerCycle()) +
      machine.winograd.transformCycles;
}

/// Vectors of results, outputLanes of `pixels` each, that a set of sums makes.
static uint64_t resultVectors(uint64_t pixels, uint64_t filters,
                              const Machine &machine) {
  return divideUp(filters, machine.macArray.outputLanes) *
         divideUp(pixels, machine.macArray.pixels);
}

/// The output stage takes a vector of results per cycle, which the array, at a
/// vector or less per cycle, never waits for. Wide scales go through its
/// multipliers in halves: where the array makes a vector in fewer cycles than
/// that takes, the stage is what is waited for, and of the last sums, which
/// nothing overlaps, each vector takes so many cycles more.
static void addWideStage(uint64_t vectors, uint64_t lastPixels,
                         const Machine &machine, CommandCost &cost) {
  // A machine that lacks it will not execute the command.
  uint64_t passes = std::max(1u, machine.outputStage.widePasses);
  cost.computeCycles = std::max(cost.computeCycles, vectors * passes);
  cost.exposedCycles +=
      divideUp(lastPixels, machine.macArray.pixels) * (passes - 1);
}

static void finishTensor(const Machine &machine, uint64_t drainBytes,
                         CommandCost &cost) {
  cost.startCycles = machine.engineStartCycles;
  cost.sramCycles = divideUp(cost.sramReadBytes + cost.sramWrittenBytes,
                             machine.engineSramBytesPerCycle());
  // Results leave through the output stage while the other half of the
  // accumulators works; the last half has nothing to hide behind.
  cost.exposedCycles += divideUp(drainBytes, machine.engineSramBytesPerCycle());
}

/// Bytes of the last results in the accumulators.
static uint64_t lastBytes(uint64_t pixels, uint64_t channels,
                          uint64_t elementBytes, ElementType input,
                          const Machine &machine) {
  uint64_t lanes = std::min<uint64_t>(channels, machine.macArray.outputLanes);
  return std::min(pixels, heldPixels(input, machine)) * lanes * elementBytes;
}

/// Output pixels of the last sums of a convolution.
static uint64_t lastPixels(const Conv &conv, const Machine &machine) {
  uint64_t pixels = uint64_t(conv.outHeight) * conv.outWidth;
  if (conv.winograd == WinogradMode::None)
    return std::min(pixels, heldPixels(conv.inType, machine));
  WinogradTile tile = tileOf(conv.winograd);
  return std::min(pixels, heldTiles(tile.taps(), machine) * tile.outRows *
                              tile.outColumns);
}

/// lastBytes for a convolution, in elements of so many bytes.
static uint64_t lastBytes(const Conv &conv, uint64_t elementBytes,
                          const Machine &machine) {
  return lastPixels(conv, machine) * elementBytes *
         std::min<uint64_t>(conv.outChannels, machine.macArray.outputLanes);
}

CommandCost isa::costOf(const Conv &conv, const Machine &machine) {
  CommandCost cost;
  uint64_t pixels = uint64_t(conv.outHeight) * conv.outWidth;
  uint64_t cells = uint64_t(conv.kernelY) * conv.kernelX;
  uint64_t inputBytes = elementBytes(conv.inType);
  uint64_t numPasses = passes(conv.inType, conv.weightType, machine);
  if (conv.winograd != WinogradMode::None) {
    addWinogradWork(conv, machine, cost);
  } else if (conv.depthwise) {
    addChannelWork(pixels, conv.outChannels, cells, inputBytes, numPasses,
                   machine, cost);
    useRowBuffer(conv, numPasses, machine, cost);
    cost.macs = pixels * conv.outChannels * cells;
    cost.sramReadBytes += filterBytesOf(conv);
  } else {
    uint64_t groups = std::max(1u, uint32_t(conv.groups));
    addArrayWork({pixels, conv.outChannels / groups, cells,
                  conv.inChannels / groups, groups, conv.inType,
                  weightBits(conv)},
                 numPasses, machine, cost);
  }
  uint64_t results = pixels * conv.outChannels;
  uint64_t partialBytes = sumBytes(conv.inType);
  if (conv.accumulateIn)
    cost.sramReadBytes += results * partialBytes;
  if (conv.accumulateOut) {
    cost.sramWrittenBytes += results * partialBytes;
    finishTensor(machine, lastBytes(conv, partialBytes, machine), cost);
    return cost;
  }
  // Bias, scales, shifts and slopes.
  uint64_t scaleBytes = conv.wideScale ? 4 : 2;
  cost.sramReadBytes +=
      conv.outChannels *
      ((conv.wideBias ? 8ull : 4ull) + (conv.perChannel ? scaleBytes + 1 : 0) +
       (hasSlopes(conv) ? 2 : 0));
  if (conv.wideScale || (conv.hasResidual && conv.wideSum)) {
    uint64_t groups = conv.depthwise ? 1 : std::max(1u, uint32_t(conv.groups));
    uint64_t filters = conv.outChannels / groups;
    addWideStage(groups * resultVectors(pixels, filters, machine),
                 lastPixels(conv, machine), machine, cost);
  }
  if (conv.hasLut)
    cost.sramReadBytes += uint64_t(elementBytes(conv.lutType))
                          << conv.lutLog2Items;
  if (conv.hasResidual)
    cost.sramReadBytes += (conv.residualPerPixel ? pixels : results) *
                          elementBytes(conv.residualType);
  uint64_t outBytes = elementBytes(conv.hasLut ? conv.lutType : conv.outType);
  cost.sramWrittenBytes += results * outBytes;
  finishTensor(machine, lastBytes(conv, outBytes, machine), cost);
  return cost;
}

CommandCost isa::costOf(const MatMul &op, const Machine &machine) {
  CommandCost cost;
  // B takes the place of the weights.
  addArrayWork({op.rows, op.columns, 1, op.inner, op.batch, op.aType,
                8 * elementBytes(op.bType)},
               passes(op.aType, op.bType, machine), machine, cost);
  uint64_t outBytes = elementBytes(op.outType);
  cost.sramWrittenBytes = uint64_t(op.batch) * op.rows * op.columns * outBytes;
  if (op.wideScale)
    addWideStage(op.batch * resultVectors(op.rows, op.columns, machine),
                 std::min<uint64_t>(op.rows, heldPixels(op.aType, machine)),
                 machine, cost);
  finishTensor(machine,
               lastBytes(op.rows, op.columns, outBytes, op.aType, machine),
               cost);
  return cost;
}

CommandCost isa::costOf(const Pool &pool, const Machine &machine) {
  CommandCost cost;
  uint64_t pixels = uint64_t(pool.outHeight) * pool.outWidth;
  uint64_t inputBytes = elementBytes(pool.inType);
  addChannelWork(pixels, pool.inChannels, uint64_t(pool.kernelY) * pool.kernelX,
                 inputBytes, inputBytes == 2 ? machine.int16Passes : 1, machine,
                 cost);
  uint64_t outBytes = elementBytes(pool.outType);
  cost.sramWrittenBytes = pixels * pool.outChannels * outBytes;
  if (pool.method == PoolMethod::Avg && pool.wideScale)
    addWideStage(resultVectors(pixels, pool.outChannels, machine),
                 std::min(pixels, heldPixels(pool.inType, machine)), machine,
                 cost);
  finishTensor(
      machine,
      lastBytes(pixels, pool.outChannels, outBytes, pool.inType, machine),
      cost);
  return cost;
}

CommandCost isa::costOf(const AnyDescriptor &descriptor,
                        const Machine &machine) {
  return std::visit([&](const auto &d) { return costOf(d, machine); },
                    descriptor);
}

void WorkCost::add(Unit queue, const CommandCost &cost) {
  queueCycles[unsigned(queue)] += cost.aloneCycles();
  if (queue == Unit::TensorEngine)
    longestTensorCycles = std::max(longestTensorCycles, cost.aloneCycles());
  ddrCycles += cost.ddrCycles;
  ddrBytes += cost.ddrBytes();
}

void WorkCost::add(const WorkCost &other) {
  for (unsigned i = 0; i < kNumQueues; ++i)
    queueCycles[i] += other.queueCycles[i];
  longestTensorCycles =
      std::max(longestTensorCycles, other.longestTensorCycles);
  ddrCycles += other.ddrCycles;
  ddrBytes += other.ddrBytes;
}

uint64_t WorkCost::tensorCycles(const Machine &machine) const {
  return std::max(longestTensorCycles,
                  divideUp(queueCycles[unsigned(Unit::TensorEngine)],
                           machine.tensorEngines));
}

uint64_t WorkCost::leastCycles(const Machine &machine) const {
  uint64_t least = std::max(ddrCycles, tensorCycles(machine));
  for (unsigned i = 0; i < kNumQueues; ++i)
    least =
        std::max(least, divideUp(queueCycles[i], machine.channelsOf(Unit(i))));
  return least;
}

uint64_t isa::ddrCyclesOf(uint64_t bytes, const Machine &machine) {
  return divideUp(bytes, machine.ddrBytesPerCycle);
}

uint64_t isa::rooflineCycles(uint64_t macs, uint64_t ddrBytes,
                             const Machine &machine) {
  return std::max(divideUp(macs, machine.macsPerCycle()),
                  ddrCyclesOf(ddrBytes, machine));
}
