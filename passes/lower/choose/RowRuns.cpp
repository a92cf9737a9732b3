//===- RowRuns.cpp - Layers that cores compute row by row -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/choose/RowRuns.h"
#include "isa/Cost.h"
#include "isa/Division.h"
#include "isa/ElfLayout.h"
#include "passes/lower/choose/Division.h"
#include "llvm/ADT/DenseMap.h"

#include <array>
#include <map>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using llvm::ArrayRef;

/// More layers are not looked at together: a search takes time in proportion.
static constexpr size_t kMostLayers = 64;

/// The share of the SRAM that tensors and the weights of a layer may take in a
/// run, of 16: gaps, and weights that are loaded ahead, take the rest.
static constexpr uint64_t kSramShare = 12;

/// A layer whose weights are larger loads them in parts.
static constexpr uint64_t kMostWeightBytes = 512 << 10;

/// What is loaded before a part begins to compute, and stored behind the last
/// command: the first and the last of so many bands.
static constexpr uint64_t kBands = 4;

Rows npu::ownRows(uint32_t height, uint32_t core, uint32_t cores) {
  auto at = [&](uint64_t c) {
    return uint32_t(llvm::divideCeil(height * c, uint64_t(cores)));
  };
  return {at(core), at(core + 1)};
}

static Rows rowsUnderPool(const kernels::PoolShape &s, Rows rows) {
  int64_t top = int64_t(rows.begin) * s.strideH - s.padTop;
  int64_t bottom = top + int64_t(rows.count() - 1) * s.strideH +
                   int64_t(s.kernelH - 1) * s.dilationH + 1;
  // At least one row is held, although windows may see padding alone.
  int64_t first = std::clamp<int64_t>(top, 0, s.inH - 1),
          last = std::clamp<int64_t>(bottom, first + 1, s.inH);
  return {uint32_t(first), uint32_t(last)};
}

Rows npu::rowsUnder(const RowLayer &layer, const RowLayer::Read &read,
                    Rows rows) {
  if (read.isAligned)
    return rows;
  if (layer.kind == RowLayer::Kind::Pool)
    return rowsUnderPool(layer.pool, rows);
  InputRows under = inputRowsUnder(
      *layer.conv, {0, rows.begin, rows.count(), 0, layer.conv->outC});
  return {under.first, under.first + under.count};
}

/// Rows that the core makes of the layer's result: those that later layers of
/// the run need, and its own if they are needed behind the run.
static Rows madeRows(const RowLayer &layer, const RunRows &needed, size_t last,
                     uint32_t core, uint32_t cores) {
  Rows rows = needed.lookup(layer.result);
  if (layer.lastReader > last)
    rows = rows.hull(ownRows(layer.height, core, cores));
  return rows;
}

static void addNeeds(const RowLayer &layer, RunRows &needed) {
  Rows made = needed.lookup(layer.result);
  for (const RowLayer::Read &read : layer.reads) {
    Rows &rows = needed[read.value];
    rows = rows.hull(rowsUnder(layer, read, made));
  }
}

RunRows npu::rowsOfRun(ArrayRef<RowLayer> layers, const CorePart &run,
                       uint32_t core, uint32_t cores) {
  RunRows needed;
  for (size_t i = run.last + 1; i-- > run.first;) {
    needed[layers[i].result] =
        madeRows(layers[i], needed, run.last, core, cores);
    addNeeds(layers[i], needed);
  }
  return needed;
}

namespace {

/// Cycles of one core for rows of a layer, each computed once.
class RowCosts {
public:
  RowCosts(ArrayRef<RowLayer> layers, const isa::Machine &machine)
      : layers(layers), machine(machine), known(layers.size()) {}

  uint64_t cyclesOf(size_t i, Rows rows) {
    if (rows.count() == 0)
      return 0;
    auto [it, isNew] = known[i].try_emplace({rows.begin, rows.end}, 0);
    if (isNew)
      it->second = compute(layers[i], rows);
    return it->second;
  }

private:
  uint64_t compute(const RowLayer &layer, Rows rows) const {
    if (layer.kind == RowLayer::Kind::Join)
      return 0;
    if (layer.kind == RowLayer::Kind::Pool) {
      const kernels::PoolShape &s = layer.pool;
      const isa::MacArray &array = machine.macArray;
      uint64_t lanes = std::min(array.inputLanes, array.outputLanes);
      return machine.engineStartCycles +
             uint64_t(s.kernelH) * s.kernelW *
                 llvm::divideCeil(s.channels, lanes) *
                 llvm::divideCeil(uint64_t(rows.count()) * s.outW,
                                  uint64_t(array.pixels));
    }
    const ConvLayer &c = *layer.conv;
    ConvResidents all{.isInputInSram = true,
                      .input = true,
                      .output = true,
                      .residual = true,
                      .weights = true};
    isa::WorkCost work;
    ConvTile tile =
        describeTile(c, all, {0, rows.begin, rows.count(), 0, c.outC});
    for (const ConvPhase &phase : c.phases)
      if (phase.row < rows.count() && phase.column < c.outW)
        work.add(isa::Unit::TensorEngine,
                 isa::costOf(commandOfPhase(c, tile, phase), machine));
    return work.tensorCycles(machine) * c.batch;
  }

  ArrayRef<RowLayer> layers;
  const isa::Machine &machine;
  std::vector<std::map<std::pair<uint32_t, uint32_t>, uint64_t>> known;
};

/// What the layers from one on, up to a fixed last one, take as one part. It
/// begins behind the last one and goes towards the first.
class PartCost {
public:
  PartCost(ArrayRef<RowLayer> layers, const PartOptions &options,
           const isa::Machine &machine, RowCosts &costs, size_t last)
      : layers(layers), options(options), machine(machine), costs(costs),
        last(last) {}
  virtual ~PartCost() = default;

  /// With layer \p i in front; false if it cannot be, nor can those before it.
  virtual bool add(size_t i) = 0;
  virtual PartCycles cycles() const = 0;

protected:
  uint64_t busOf(uint64_t bytes) const {
    return isa::ddrCyclesOf(bytes, machine);
  }

  ArrayRef<RowLayer> layers;
  const PartOptions &options;
  const isa::Machine &machine;
  RowCosts &costs;
  const size_t last;
};

class AloneCost final : public PartCost {
public:
  using PartCost::PartCost;

  bool add(size_t i) override {
    const RowLayer &layer = layers[i];
    bool isOfEngine = layer.conv || layer.kind == RowLayer::Kind::Pool;
    compute +=
        isOfEngine ? costs.cyclesOf(i, {0, layer.height}) : layer.otherCycles;
    weights += layer.weightBytes;
    firstWeights = layer.weightBytes;
    open.erase(layer.result);
    if (layer.lastReader > last)
      stored += layer.rowBytes * layer.height;
    for (const RowLayer::Read &read : layer.reads)
      open[read.value] = read.sizeBytes;
    loaded = 0;
    for (auto [value, bytes] : open)
      loaded += bytes;
    return true;
  }
  PartCycles cycles() const override {
    return {compute, busOf(weights + loaded + stored),
            busOf((loaded + stored) / kBands), busOf(firstWeights)};
  }

private:
  uint64_t compute = 0, weights = 0, firstWeights = 0, stored = 0, loaded = 0;
  llvm::MapVector<Value, uint64_t> open; ///< What is read from outside.
};

class RunCost final : public PartCost {
public:
  RunCost(ArrayRef<RowLayer> layers, const PartOptions &options,
          const isa::Machine &machine, RowCosts &costs, size_t last)
      : PartCost(layers, options, machine, costs, last), cores(options.cores) {}

  bool add(size_t i) override {
    const RowLayer &layer = layers[i];
    if (!layer.isOfRows() || layer.height < cores.size() ||
        last - i >= kMostLayers)
      return false;
    uint64_t limit = machine.dataSramBytes() / 16 * kSramShare;
    for (auto [number, core] : llvm::enumerate(cores)) {
      Rows made =
          madeRows(layer, core.needed, last, uint32_t(number), options.cores);
      core.needed[layer.result] = made;
      core.compute += costs.cyclesOf(i, made);
      addNeeds(layer, core.needed);
      // Here the result is there, what the layer reads, and what later layers
      // read that comes from before.
      for (const RowLayer::Read &read : layer.reads)
        core.open[read.value] =
            core.needed.lookup(read.value).count() * read.rowBytes;
      core.open[layer.result] = made.count() * layer.rowBytes;
      uint64_t live = std::min(layer.weightBytes, kMostWeightBytes);
      for (auto [value, bytes] : core.open)
        live += llvm::alignTo(bytes, isa::kBufferAlignBytes);
      if (live > limit)
        return false;
      core.open.erase(layer.result);
    }
    if (layer.lastReader > last)
      stored += layer.rowBytes * layer.height;
    weights += layer.weightBytes;
    firstWeights = layer.weightBytes;
    return true;
  }
  PartCycles cycles() const override {
    uint64_t slowest = 0, loaded = 0;
    for (const Core &core : cores) {
      slowest = std::max(slowest, core.compute);
      for (auto [value, bytes] : core.open)
        loaded += bytes;
    }
    uint64_t all = options.cores;
    return {slowest, busOf(all * weights + loaded + stored),
            busOf((loaded + stored) / kBands), busOf(all * firstWeights)};
  }

private:
  struct Core {
    uint64_t compute = 0;
    RunRows needed;
    llvm::DenseMap<Value, uint64_t> open; ///< Bytes, of what is read later.
  };
  std::vector<Core> cores;
  uint64_t weights = 0, firstWeights = 0, stored = 0;
};

} // namespace

namespace {
/// A part that the layers up to one can end with.
struct Candidate {
  CorePart part;
  PartCycles cycles;
};
/// By the layer behind the part.
using Candidates = std::vector<std::vector<Candidate>>;

/// All layers in parts.
struct Partition {
  std::vector<CorePart> parts;
  uint64_t cycles = 0; ///< Of all of them, one after the other.
};
} // namespace

static Candidates candidatesOf(
    ArrayRef<RowLayer> layers, const PartOptions &options,
    const isa::Machine &machine,
    llvm::function_ref<std::optional<PartCycles>(const RowLayer &)> divided) {
  using Kind = CorePart::Kind;
  RowCosts costs(layers, machine);
  Candidates candidates(layers.size() + 1);
  for (size_t end = 1; end <= layers.size(); ++end) {
    size_t last = end - 1;
    auto add = [&](Kind kind, size_t first, const PartCycles &cycles) {
      candidates[end].push_back({{kind, first, last}, cycles});
    };
    AloneCost alone(layers, options, machine, costs, last);
    for (size_t first = end; first-- > 0 && alone.add(first);)
      add(Kind::Alone, first, alone.cycles());
    if (std::optional<PartCycles> part = divided(layers[last]))
      add(Kind::Divided, last, *part);
    if (layers[last].lastTogether > last)
      continue;
    RunCost run(layers, options, machine, costs, last);
    for (size_t first = end; first-- > 0 && run.add(first);)
      if (layers[first].firstTogether == first)
        add(Kind::Run, first, run.cycles());
  }
  return candidates;
}

/// The parts that take least if each takes as long as what it waits for most.
static Partition cheapest(const Candidates &candidates) {
  struct Best {
    uint64_t cycles = UINT64_MAX;
    const Candidate *last = nullptr;
  };
  std::vector<Best> best(candidates.size());
  best[0].cycles = 0;
  for (size_t end = 1; end < candidates.size(); ++end)
    for (const Candidate &c : candidates[end]) {
      uint64_t cycles =
          best[c.part.first].cycles + kBarrierCycles +
          std::max(c.cycles.core + c.cycles.edges + c.cycles.weightEdges,
                   c.cycles.bus);
      if (cycles < best[end].cycles)
        best[end] = {cycles, &c};
    }
  Partition all{{}, best.back().cycles};
  for (size_t end = candidates.size() - 1; end > 0;
       end = all.parts.back().first)
    all.parts.push_back(best[end].last->part);
  std::reverse(all.parts.begin(), all.parts.end());
  return all;
}

/// The parts of which the slower of two takes least: the cores, or the bus in
/// so many percent of its cycles. For each number of cycles that the bus may
/// take, in units, the least that the cores do.
static std::vector<CorePart> balanced(const Candidates &candidates,
                                      uint64_t busPercent,
                                      uint64_t mostCycles) {
  constexpr uint64_t kUnits = 160;
  struct Best {
    uint64_t core = UINT64_MAX;
    const Candidate *last = nullptr;
    uint64_t unitsBefore = 0;
  };
  uint64_t unit = mostCycles / kUnits + 1;
  std::vector<std::array<Best, kUnits + 1>> best(candidates.size());
  best[0][0].core = 0;
  for (size_t end = 1; end < candidates.size(); ++end)
    for (const Candidate &c : candidates[end]) {
      uint64_t units = (c.cycles.bus * busPercent / 100 + unit / 2) / unit;
      uint64_t core = c.cycles.core + c.cycles.edges + kBarrierCycles;
      for (uint64_t before = 0; before + units <= kUnits; ++before) {
        const Best &from = best[c.part.first][before];
        Best &to = best[end][before + units];
        if (from.core != UINT64_MAX && from.core + core < to.core)
          to = {from.core + core, &c, before};
      }
    }
  uint64_t least = UINT64_MAX, units = 0;
  for (uint64_t u = 0; u <= kUnits; ++u)
    if (uint64_t cycles = std::max(best.back()[u].core, u * unit);
        cycles < least)
      least = cycles, units = u;
  std::vector<CorePart> parts;
  for (size_t end = candidates.size() - 1; least != UINT64_MAX && end > 0;
       end = parts.back().first) {
    const Best &b = best[end][units];
    parts.push_back(b.last->part);
    units = b.unitsBefore;
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<CorePart> npu::findParts(
    ArrayRef<RowLayer> layers, const PartOptions &options,
    const isa::Machine &machine,
    llvm::function_ref<std::optional<PartCycles>(const RowLayer &)> divided) {
  Candidates candidates = candidatesOf(layers, options, machine, divided);
  Partition apart = cheapest(candidates);
  if (options.busPercent == 0)
    return apart.parts;
  std::vector<CorePart> parts =
      balanced(candidates, options.busPercent, apart.cycles);
  return parts.empty() ? apart.parts : parts;
}
