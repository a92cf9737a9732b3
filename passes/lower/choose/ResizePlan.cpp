//===- ResizePlan.cpp - How the engines make a resized image --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/choose/ResizePlan.h"
#include "isa/Cost.h"
#include "isa/ElfLayout.h"
#include "kernels/image/ResizeColumns.h"
#include "passes/lower/describe/ConvTile.h"

using namespace yarrow;
using namespace yarrow::npu;

/// More commands of an image than this are not worth their place.
static constexpr uint64_t kMostCommands = 2048;
/// Nor are constants of more bytes, or of more than twice the result's.
static constexpr uint64_t kManyConstants = 256 * 1024;
/// Of a command that makes a block of columns, at the least.
static constexpr uint32_t kColumnsOfBlock = 8;

/// What the TECs need at the least, by measurement (bench_kernels): so many
/// cycles of one of them for a pixel, and for the strips of its channels or, if
/// columns are strips (kernels/image/ResizeColumns.h), for each of them and to
/// find places.
static uint64_t leastTecCycles(const ResizeLayer &layer,
                               const isa::Machine &machine) {
  const kernels::ResizeShape &s = layer.params.shape;
  uint64_t pixels = uint64_t(s.batch) * s.outH * s.outW;
  bool isNearest = s.method == kernels::ResizeMethod::Nearest;
  constexpr uint32_t kStrip = 16, kPlaces = 800;
  if (s.channels <= kernels::kFewChannels)
    return kPlaces + pixels *
                         (isNearest ? 1 + 2 * s.channels : 5 + 5 * s.channels) /
                         machine.tecs;
  uint64_t perPixel = isNearest ? 16 : 48, perStrip = isNearest ? 8 : 32;
  return pixels * (perPixel + perStrip * llvm::divideCeil(s.channels, kStrip)) /
         machine.tecs;
}

namespace {

class ResizePlanner {
public:
  ResizePlanner(const ResizeLayer &layer, const ResizeResidents &resident,
                uint64_t freeBytes, const isa::Machine &machine)
      : layer(layer), shape(layer.params.shape), resident(resident),
        freeBytes(freeBytes), machine(machine) {}

  /// The plan of a form, in the largest bands that fit, takes the place of one
  /// that costs more.
  void tryConvolutions(ResizeForm form);
  void tryProducts(uint32_t columns);
  /// Whether the best one takes hardly longer than copies of the result.
  bool isDone() const {
    return best && best->cycles <= 3 * isa::ddrCyclesOf(resultBytes(), machine);
  }
  std::optional<ResizePlan> best;

private:
  std::optional<ResizePlan> convolutions(ResizeForm form, uint32_t rows) const;
  std::optional<ResizePlan> products(uint32_t columns, uint32_t rows) const;
  template <typename Fn> void tryBands(Fn planOf);
  uint64_t sramBytes(const ResizePlan &plan) const;
  uint64_t cyclesOf(const ResizePlan &plan) const;
  bool isTooMuch(uint64_t commands, uint64_t constants) const {
    return commands > kMostCommands ||
           constants > std::max(2 * resultBytes(), kManyConstants);
  }
  uint64_t resultBytes() const { return shape.outH * layer.outRowBytes(); }
  uint64_t weightBytes(ResizeForm form) const;
  uint64_t productBytes(uint32_t columns) const;

  const ResizeLayer &layer;
  const kernels::ResizeShape &shape;
  ResizeResidents resident;
  uint64_t freeBytes;
  const isa::Machine &machine;
};

} // namespace

/// Columns of the input that so many of the result see, or one more.
static uint64_t columnsUnder(const kernels::ResizeShape &shape,
                             uint32_t columns) {
  return std::min<uint64_t>(uint64_t(columns) * shape.inW / shape.outW + 2,
                            shape.inW);
}

/// What the weights of a command take at most.
uint64_t ResizePlanner::weightBytes(ResizeForm form) const {
  uint64_t perResult =
      form.blockColumns
          ? 2 * columnsUnder(shape, form.blockColumns) * shape.channels
          : 4;
  return outputChannelsOf(layer, form) * perResult *
         elementBytes(layer.grid.weightType);
}

std::optional<ResizePlan> ResizePlanner::convolutions(ResizeForm form,
                                                      uint32_t rows) const {
  ResizeConstants constants(outputChannelsOf(layer, form));
  ResizePlan plan;
  uint64_t count = 0;
  for (uint32_t row = 0; row < shape.outH; row += rows) {
    RowBand band{row, std::min(shape.outH, row + rows)};
    uint64_t inBand = commandCount(layer, form, band);
    count += inBand;
    if (isTooMuch(count, inBand * weightBytes(form)) ||
        isTooMuch(count, constants.bytes.size()))
      return std::nullopt;
    plan.bands.push_back({band,
                          inputBandUnder(layer.grid, band),
                          commandsOf(layer, form, band, constants),
                          {},
                          {}});
  }
  plan.constants = std::move(constants.bytes);
  return plan;
}

/// About what the matrices of one image take.
uint64_t ResizePlanner::productBytes(uint32_t columns) const {
  uint32_t rowKinds = 0;
  for (const ResizePlace &place : layer.grid.rows)
    rowKinds = std::max(rowKinds, place.kind + 1);
  return 2 * columnsUnder(shape, columns) * shape.outW * rowKinds *
         elementBytes(layer.grid.weightType);
}

std::optional<ResizePlan> ResizePlanner::products(uint32_t columns,
                                                  uint32_t rows) const {
  uint64_t perRow = llvm::divideCeil(shape.outW, columns), constantBytes = 0;
  if (isTooMuch(shape.outH * perRow, productBytes(columns)))
    return std::nullopt;
  ResizePlan plan;
  for (uint32_t row = 0; row < shape.outH; row += rows) {
    RowBand band{row, std::min(shape.outH, row + rows)};
    ResizeConstants constants(0);
    std::vector<ResizeRow> made = productsOf(layer, columns, band, constants);
    constantBytes += constants.bytes.size();
    if (isTooMuch(0, constantBytes))
      return std::nullopt;
    plan.bands.push_back({band,
                          inputBandUnder(layer.grid, band),
                          {},
                          std::move(made),
                          std::move(constants.bytes)});
  }
  return plan;
}

/// The next band is loaded while one is made and another one stored.
uint64_t ResizePlanner::sramBytes(const ResizePlan &plan) const {
  uint64_t inRows = 0, outRows = 0, constants = 0;
  bool hasProducts = false;
  for (const ResizePlan::Band &band : plan.bands) {
    inRows = std::max<uint64_t>(inRows, band.input.rows());
    outRows = std::max<uint64_t>(outRows, band.rows.rows());
    constants = std::max<uint64_t>(constants, band.constants.size());
    hasProducts |= !band.products.empty();
  }
  unsigned copies = plan.bands.size() * shape.batch > 1 ? 2 : 1;
  uint64_t bytes =
      plan.constants.size() + copies * constants + 8 * isa::kBufferAlignBytes;
  bytes += hasProducts ? 2 * pairBytes(layer) : 0;
  bytes += resident.isInputInSram ? 0 : copies * inRows * layer.inRowBytes();
  bytes += resident.isOutputInSram ? 0 : copies * outRows * layer.outRowBytes();
  return bytes;
}

uint64_t ResizePlanner::cyclesOf(const ResizePlan &plan) const {
  auto load = [&](uint64_t bytes) {
    isa::Copy copy = copyOfBytes(bytes);
    copy.srcRegion = isa::kWorkspaceRegion;
    return bytes ? isa::costOf(copy, machine).aloneCycles() : 0;
  };
  uint64_t image = 0;
  for (const ResizePlan::Band &band : plan.bands) {
    for (const isa::Conv &command : band.commands)
      image += isa::costOf(command, machine).aloneCycles();
    for (const ResizeRow &row : band.products) {
      for (const isa::MatMul &product : row.products)
        image += isa::costOf(product, machine).aloneCycles();
      if (row.pairs)
        image += isa::costOf(*row.pairs, machine).aloneCycles();
    }
    image += load(band.constants.size());
    if (!resident.isInputInSram)
      image += load(band.input.rows() * layer.inRowBytes());
    if (!resident.isOutputInSram) // a store takes as long
      image += load(band.rows.rows() * layer.outRowBytes());
  }
  return shape.batch * image + load(plan.constants.size());
}

template <typename Fn> void ResizePlanner::tryBands(Fn planOf) {
  for (uint32_t rows = shape.outH;; rows = llvm::divideCeil(rows, 2)) {
    std::optional<ResizePlan> plan = planOf(rows);
    if (!plan)
      return;
    if (sramBytes(*plan) <= freeBytes) {
      plan->cycles = cyclesOf(*plan);
      if (!best || plan->cycles < best->cycles)
        best = std::move(plan);
      return;
    }
    if (rows == 1)
      return;
  }
}

void ResizePlanner::tryConvolutions(ResizeForm form) {
  tryBands([&](uint32_t rows) { return convolutions(form, rows); });
}

void ResizePlanner::tryProducts(uint32_t columns) {
  tryBands([&](uint32_t rows) { return products(columns, rows); });
}

/// How far apart columns lie that are alike.
static uint32_t columnPeriod(const ResizeGrid &grid) {
  PlaceRun longest{};
  for (const PlaceRun &run : runsOf(grid.columns, 0, grid.columns.size()))
    if (run.count > longest.count)
      longest = run;
  return longest.step;
}

std::optional<ResizePlan> npu::planResize(const ResizeLayer &layer,
                                          const ResizeResidents &resident,
                                          uint64_t freeBytes,
                                          const isa::Machine &machine) {
  const kernels::ResizeShape &s = layer.params.shape;
  ResizePlanner planner(layer, resident, freeBytes, machine);
  planner.tryConvolutions(ResizeForm());
  // Pixels of many channels fill the array as they are.
  uint32_t lanes = machine.macArray.inputLanes;
  if (s.channels < lanes) {
    uint32_t most = 8 * lanes / s.channels, first = columnPeriod(layer.grid);
    // Blocks of columns that are nowhere alike are as good as others.
    if (first > most)
      first = kColumnsOfBlock;
    for (uint32_t columns = first; columns <= std::min(s.outW, most);
         columns *= 2)
      if (columns > 1)
        planner.tryConvolutions(ResizeForm{columns});
  }
  for (uint32_t columns : {lanes, 2 * lanes, 4 * lanes, s.outW})
    if (columns <= s.outW && !planner.isDone())
      planner.tryProducts(columns);
  if (planner.best && planner.best->cycles > leastTecCycles(layer, machine))
    return std::nullopt;
  return std::move(planner.best);
}
