//===- CascadeBands.cpp - Row bands through several convolutions ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/choose/CascadeBands.h"
#include "isa/ElfLayout.h"
#include "passes/lower/choose/Division.h"

using namespace yarrow;
using namespace yarrow::npu;
using llvm::ArrayRef;

llvm::SmallVector<OutputPart> npu::partsOf(ArrayRef<CascadeStage> stages,
                                           const OutputPart &last) {
  llvm::SmallVector<OutputPart> parts(stages.size(), last);
  for (size_t i = stages.size() - 1; i > 0; --i) {
    InputRows rows = inputRowsUnder(*stages[i].layer, parts[i]);
    parts[i - 1] = {last.image, rows.first, rows.count, 0,
                    stages[i - 1].layer->outC};
  }
  return parts;
}

ConvResidents npu::describedResidents(ArrayRef<CascadeStage> stages, size_t i) {
  ConvResidents resident = stages[i].resident;
  if (i > 0)
    resident.input = resident.isInputInSram = false;
  if (i + 1 < stages.size())
    resident.output = false;
  return resident;
}

static WeightPart allWeightsOf(const ConvLayer &c) {
  return {.channels = c.outC, .phases = uint32_t(c.phases.size())};
}

namespace {
/// One choice of bands: what it takes of the SRAM, and of time.
class BandCost {
public:
  BandCost(ArrayRef<CascadeStage> stages, const isa::Machine &machine)
      : stages(stages), last(*stages.back().layer) {
    for (auto [i, stage] : llvm::enumerate(stages)) {
      // What lies between two stages is there when it is needed.
      ConvResidents resident = stage.resident;
      resident.input |= i > 0;
      resident.output |= i + 1 < stages.size();
      costs.emplace_back(*stage.layer, resident, machine);
    }
  }

  void add(uint32_t rows) {
    for (auto [stage, cost] : llvm::zip(stages, costs))
      cost.loadWeights(allWeightsOf(*stage.layer));
    for (uint32_t image = 0; image < last.batch; ++image)
      for (uint32_t row = 0; row < last.outH; row += rows)
        addBand({image, row, std::min(rows, last.outH - row), 0, last.outC});
  }
  uint64_t sramBytes() const {
    uint64_t bytes = mostBandBytes;
    for (const CascadeStage &stage : stages)
      bytes +=
          aligned(stage.tableBytes) +
          aligned(ConvBlob::layout(*stage.layer, allWeightsOf(*stage.layer))
                      .sizeBytes);
    return bytes;
  }
  std::vector<isa::WorkCost> work() const {
    std::vector<isa::WorkCost> work;
    for (const ConvCost &cost : costs)
      work.push_back(cost.work);
    return work;
  }

private:
  static uint64_t aligned(uint64_t bytes) {
    return llvm::alignTo(bytes, isa::kBufferAlignBytes);
  }
  void addBand(const OutputPart &part) {
    llvm::SmallVector<OutputPart> parts = partsOf(stages, part);
    // What is loaded or stored has two buffers; of what lies between stages,
    // two tensors exist at a time.
    uint64_t outside = 0, before = 0, between = 0;
    for (size_t i = 0; i < stages.size(); ++i) {
      const CascadeStage &stage = stages[i];
      const ConvLayer &layer = *stage.layer;
      ConvTile tile =
          describeTile(layer, describedResidents(stages, i), parts[i]);
      costs[i].begin(tile, /*hasNewInput=*/true);
      costs[i].compute(tile, {}, 0,
                       commandOfPhase(layer, tile, layer.phases[0]));
      costs[i].end(tile);
      if (i == 0 && !stage.resident.input)
        outside += 2 * aligned(tile.inputBytes);
      if (layer.hasResidual && !stage.resident.residual)
        outside += 2 * aligned(tile.residualBytes);
      uint64_t made = aligned(tile.outputBytes);
      if (i + 1 == stages.size()) {
        outside += stage.resident.output ? 0 : 2 * made;
        made = 0;
      }
      between = std::max(between, before + made);
      before = made;
    }
    mostBandBytes = std::max(mostBandBytes, outside + between);
  }

  ArrayRef<CascadeStage> stages;
  const ConvLayer &last;
  std::vector<ConvCost> costs;
  uint64_t mostBandBytes = 0;
};
} // namespace

CascadeBands npu::chooseBands(ArrayRef<CascadeStage> stages, uint64_t freeBytes,
                              const isa::Machine &machine, uint32_t mostRows) {
  for (uint32_t rows = std::min(stages.back().layer->outH, mostRows);;
       rows = llvm::divideCeil(rows, 2)) {
    BandCost cost(stages, machine);
    cost.add(rows);
    if (cost.sramBytes() <= freeBytes) {
      CascadeBands bands{rows, 0, cost.work()};
      isa::WorkCost all;
      for (const isa::WorkCost &work : bands.stageWork)
        all.add(work);
      bands.leastCycles = all.leastCycles(machine);
      return bands;
    }
    if (rows == 1)
      return {};
  }
}

CascadeBands npu::chooseBandsForCores(ArrayRef<CascadeStage> stages,
                                      uint64_t freeBytes, uint32_t cores,
                                      const isa::Machine &machine) {
  uint64_t weightBytes = 0;
  for (const CascadeStage &stage : stages)
    weightBytes +=
        ConvBlob::layout(*stage.layer, allWeightsOf(*stage.layer)).sizeBytes;
  // Every core loads all weights.
  uint64_t weightCycles = isa::ddrCyclesOf(cores * weightBytes, machine);
  uint64_t once = isa::ddrCyclesOf(weightBytes, machine);
  uint32_t each = llvm::divideCeil(stages.back().layer->outH, cores);
  CascadeBands best;
  // Of several bands, the first is loaded and the last is stored while nothing
  // is computed; rows between bands are computed twice.
  for (uint32_t parts : {1, 2, 3, 4, 6, 8}) {
    if (parts > each)
      break;
    CascadeBands bands =
        chooseBands(stages, freeBytes, machine, llvm::divideCeil(each, parts));
    if (bands.rows == 0)
      break;
    isa::WorkCost all;
    for (const isa::WorkCost &work : bands.stageWork)
      all.add(work);
    uint64_t compute = all.tensorCycles(machine) / cores;
    uint64_t tensors = all.ddrCycles - std::min(all.ddrCycles, once);
    bands.leastCycles = std::max(compute + weightCycles + tensors / parts,
                                 tensors + weightCycles) +
                        kBarrierCycles;
    if (bands.leastCycles < best.leastCycles)
      best = std::move(bands);
  }
  return best;
}
