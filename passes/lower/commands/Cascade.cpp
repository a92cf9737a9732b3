//===- Cascade.cpp - Several convolutions, row band after row band --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/choose/CascadeBands.h"
#include "passes/lower/commands/ConvEmitter.h"

#include <deque>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

namespace {

/// A longer one would cost more to decide on than it can save: each layer with
/// a window adds rows that are computed twice.
constexpr size_t kMostStages = 8;

/// The layers of a chain as the engine sees them.
struct CascadeJobs {
  std::deque<LayerProgram> programs; // jobs refer to them
  std::deque<ConvJob> jobs;
  SmallVector<CascadeStage> stages;
};

/// Where a chain is cut: the last stage of each part, and its bands.
struct CascadeCut {
  uint64_t cycles = UINT64_MAX;
  size_t begin = 0;
  CascadeBands bands;
};

} // namespace

/// The parts of a chain whose cycles, one part after the other, are fewest.
static std::vector<CascadeCut> cutChain(ArrayRef<CascadeStage> stages,
                                        uint64_t freeBytes,
                                        const TilingLimits &limits,
                                        uint32_t cores,
                                        const isa::Machine &machine) {
  std::vector<CascadeCut> best(stages.size() + 1);
  best[0].cycles = 0;
  for (size_t end = 1; end <= stages.size(); ++end)
    for (size_t begin = end; begin-- > 0 && end - begin <= kMostStages;) {
      auto part = stages.slice(begin, end - begin);
      CascadeBands bands;
      if (part.size() > 1) {
        bands = cores > 1 ? chooseBandsForCores(part, freeBytes, cores, machine)
                          : chooseBands(part, freeBytes, machine);
      } else if (cores > 1) {
        if (auto cut = cutForCores(*part[0].layer, limits, part[0].resident,
                                   cores, machine))
          bands.leastCycles = cut->cycles;
      } else if (ConvTiling tiling = chooseTiling(*part[0].layer, limits,
                                                  part[0].resident, machine);
                 tiling.rows != 0) {
        bands.leastCycles =
            costOf(*part[0].layer, tiling, part[0].resident, machine)
                .leastCycles(machine);
      }
      if (bands.leastCycles == UINT64_MAX || best[begin].cycles == UINT64_MAX)
        continue;
      uint64_t cycles = best[begin].cycles + bands.leastCycles;
      if (cycles < best[end].cycles)
        best[end] = {cycles, begin, std::move(bands)};
    }
  return best;
}

void Lowering::lowerChain(ArrayRef<Operation *> chain) {
  CascadeJobs c;
  bool isDescribed = true;
  for (Operation *op : chain) {
    auto fused = graph.fused.layers.find(op);
    bool isFused = fused != graph.fused.layers.end();
    Operation *conv = isFused ? fused->second.conv : op;
    c.programs.push_back(*compass::programOf(conv));
    const LayerProgram &program = c.programs.back();
    ConvJob &job = c.jobs.emplace_back(Step{conv, program, *program.single()},
                                       isFused ? op : nullptr,
                                       isFused ? fused->second : FusedLayer());
    isDescribed &= describeConv(job.step.call, job.layer) &&
                   fitsAccumulator(job.layer) &&
                   prepareConv(job, /*mayFold=*/op == chain.front(),
                               /*maySplit=*/false);
    if (!isDescribed)
      break;
    c.stages.push_back({&job.layer, job.resident, job.tableBytes()});
  }
  size_t first = graph.current;
  std::vector<CascadeCut> cuts;
  if (isDescribed) {
    // What lives while the first stage is computed does so until the last.
    uint64_t freeBytes = UINT64_MAX;
    for (; graph.current < first + chain.size(); ++graph.current)
      freeBytes = std::min(freeBytes, freeSramBytes());
    graph.current = first;
    cuts = cutChain(c.stages, freeBytes, {freeBytes, options.weightPartBytes},
                    isDivided(chain.back()) ? options.cores : 1, machine);
    isDescribed = cuts.back().cycles != UINT64_MAX;
  }
  SmallVector<std::pair<size_t, size_t>> parts;
  for (size_t end = chain.size(); isDescribed && end > 0; end = cuts[end].begin)
    parts.push_back({cuts[end].begin, end});
  for (size_t i = 0; !isDescribed && i < chain.size(); ++i)
    parts.insert(parts.begin(), {i, i + 1});
  for (auto [begin, end] : llvm::reverse(parts)) {
    graph.current = first + begin;
    if (end - begin == 1) {
      lowerOp(chain[begin]);
      continue;
    }
    SmallVector<const ConvJob *> jobs;
    for (size_t i = begin; i < end; ++i)
      jobs.push_back(&c.jobs[i]);
    emitCascade(jobs, ArrayRef(c.stages).slice(begin, end - begin),
                std::move(cuts[end].bands));
  }
  graph.current = first + chain.size() - 1;
}

void Lowering::emitCascade(ArrayRef<const ConvJob *> jobs,
                           ArrayRef<CascadeStage> stages, CascadeBands bands) {
  auto firstRow = int64_t(layers.size());
  auto enter = [&](size_t i) {
    graph.layer = firstRow + int64_t(i);
    loc = jobs[i]->last()->getLoc();
  };
  std::deque<ConvEmitter> emitters;
  SmallVector<WeightPart> weights;
  for (auto [i, job] : llvm::enumerate(jobs)) {
    layers.push_back(
        describeLayer(job->last(), job->epilogue ? job->step.op : nullptr));
    ConvEmitter &emitter = emitters.emplace_back(*this, *job);
    emitter.hasBytes = !options.isTrial;
    emitter.isOutputChained = i + 1 < jobs.size();
    weights.push_back({.channels = job->layer.outC, .phases = 1});
  }
  auto loadAll = [&] {
    for (auto [i, job] : llvm::enumerate(jobs)) {
      enter(i);
      layerConstants.clear();
      layerAttributes.clear();
      emitters[i].loadWeights(weights[i]);
      emitters[i].table = loadTable(*job, bands.stageWork[i]);
    }
  };
  auto emitBand = [&](const OutputPart &band) {
    SmallVector<OutputPart> parts = partsOf(stages, band);
    for (size_t i = 0; i < jobs.size(); ++i) {
      enter(i);
      const ConvLayer &layer = jobs[i]->layer;
      ConvTile tile =
          describeTile(layer, describedResidents(stages, i), parts[i]);
      if (i > 0)
        emitters[i].chainedInput = emitters[i - 1].lastOutput();
      emitters[i].begin(tile, /*hasNewInput=*/true);
      emitters[i].compute(tile, weights[i], 0,
                          commandOfPhase(layer, tile, layer.phases[0]));
      emitters[i].end(tile);
    }
  };
  const ConvLayer &last = jobs.back()->layer;
  SmallVector<OutputRange> ranges = {OutputRange::all(last)};
  if (isDivided(jobs.back()->last()))
    ranges = rangesOf(last, options.cores, DivideBy::Rows, machine);
  enter(0);
  emitOnCores(ranges.size(), [&](size_t core) {
    const OutputRange &range = ranges[core];
    loadAll();
    for (uint32_t image = 0; image < last.batch; ++image)
      for (uint32_t row = range.row; row < range.endRow; row += bands.rows)
        emitBand({image, row, std::min(bands.rows, range.endRow - row), 0,
                  last.outC});
  });
  for (auto [i, job] : llvm::enumerate(jobs)) {
    enter(i);
    // Bands are costed with weights that are loaded once.
    for (size_t core = 1; core < ranges.size(); ++core)
      bands.stageWork[i].add(
          isa::Unit::DmaLoad,
          costOfLoad(
              copyOfBytes(ConvBlob::layout(job->layer, weights[i]).sizeBytes),
              machine));
    emitters[i].countStreams(bands.stageWork[i]);
    recordConv(*job, {bands.rows, job->layer.outC}, bands.stageWork[i]);
  }
}
