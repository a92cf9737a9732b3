//===- Report.cpp - Where the cycles of a run went ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/Report.h"

#include <algorithm>
#include <map>

using namespace yarrow;
using namespace yarrow::runtime;

namespace {
/// What may own a cycle, the most important first.
enum Rank { RankTensor, RankTec, RankDma, kNumRanks };

/// A layer's work on one unit.
struct Interval {
  uint64_t begin, end;
  size_t layer;
  Rank rank;
};

/// Sums over the commands of a layer, to tell what held it up.
struct Pressure {
  uint64_t macCycles = 0;   ///< At the array's peak.
  uint64_t arrayCycles = 0; ///< With what its shape wastes.
  uint64_t sramCycles = 0, startCycles = 0;
  /// The layer's cycles by the unit that worked in them. Copies that were
  /// hidden behind other work are not in here.
  uint64_t owned[kNumRanks] = {};
};

class ReportMaker {
public:
  ReportMaker(const Executable &executable, const isa::Machine &machine,
              const RecordedRun &run)
      : executable(executable), origin(executable.provenance()),
        machine(machine), run(run) {
    report.model = origin.model;
    report.target = machine.name;
    report.clockMhz = machine.clockMhz;
    report.cores = machine.cores;
    report.cycles = run.cycles;
    report.coresUsed = coresOf(run);
    report.peakMacsPerCycle = machine.macsPerCycle() * report.coresUsed;
    report.tecBusyCycles.resize(size_t(machine.tecs) * report.coresUsed);
    report.loadChannels = machine.channelsOf(isa::Unit::DmaLoad);
    report.storeChannels = machine.channelsOf(isa::Unit::DmaStore);
    for (const ProvenanceLayer &l : origin.layers) {
      addRow(l.name, l.type);
      report.layers.back().onTecs = l.onTecs;
    }
    // The last row takes what belongs to no layer.
    addRow("(none)", "");
  }

  Report make() {
    for (const RecordedCommand &c : run.commands)
      addCommand(c);
    for (const sim::TecEvent &s : run.steps)
      addStep(s);
    attribute();
    for (size_t i = 0; i < report.layers.size(); ++i)
      finish(i);
    if (!isUsed(report.layers.back()))
      report.layers.pop_back();
    // Those of other variants have done nothing.
    size_t layer = 0, numLayers = origin.layers.size();
    std::erase_if(report.layers, [&](const LayerReport &) {
      size_t index = layer++;
      return index < numLayers && !executable.hasLayer(index);
    });
    report.total.name = "total";
    report.total.spanCycles = report.total.cycles;
    return report;
  }

private:
  static bool isUsed(const LayerReport &l) {
    return l.cycles || l.tensorCycles || l.tecCycles || l.dmaCycles;
  }
  void addRow(const std::string &name, const std::string &type) {
    LayerReport row;
    row.name = name;
    row.type = type;
    report.layers.push_back(row);
    pressure.push_back({});
    spans.push_back({UINT64_MAX, 0});
  }
  size_t row(int64_t layer) const {
    return layer >= 0 ? size_t(layer) : report.layers.size() - 1;
  }

  void addInterval(uint64_t begin, uint64_t end, size_t layer, Rank rank) {
    intervals.push_back({begin, end, layer, rank});
    spans[layer].first = std::min(spans[layer].first, begin);
    spans[layer].second = std::max(spans[layer].second, end);
  }

  void addCommand(const RecordedCommand &c) {
    size_t index = row(origin.layerAt(c.descriptorOffset));
    LayerReport &layer = report.layers[index];
    uint64_t busy = c.endCycle - c.startCycle;
    layer.macs += c.cost.macs;
    layer.ddrBytes += c.cost.ddrBytes();
    layer.ddrSparedBytes += c.cost.ddrSparedBytes;
    layer.sramBytes += c.cost.sramReadBytes + c.cost.sramWrittenBytes;
    Pressure &p = pressure[index];
    if (c.queue == isa::Unit::TensorEngine) {
      layer.tensorCycles += busy;
      report.tensorBusyCycles += busy;
      p.macCycles += c.cost.macs / machine.macArray.products();
      p.arrayCycles += c.cost.computeCycles;
      p.sramCycles += c.cost.sramCycles;
      p.startCycles += c.cost.startCycles + c.cost.exposedCycles;
    } else {
      layer.dmaCycles += busy;
      (c.queue == isa::Unit::DmaLoad ? report.loadBusyCycles
                                     : report.storeBusyCycles) += busy;
    }
    addInterval(c.startCycle, c.endCycle, index,
                c.queue == isa::Unit::TensorEngine ? RankTensor : RankDma);
  }

  void addStep(const sim::TecEvent &s) {
    size_t index = row(origin.layerOfStep(s.step));
    LayerReport &layer = report.layers[index];
    uint64_t busy = s.endCycle - s.startCycle;
    layer.tecCycles += busy;
    layer.instructions += s.instructions;
    layer.ddrBytes += s.ddrReadBytes + s.ddrWrittenBytes;
    layer.sramBytes += s.sramReadBytes + s.sramWrittenBytes;
    if (s.tec < report.tecBusyCycles.size())
      report.tecBusyCycles[s.tec] += busy;
    addInterval(s.startCycle, s.endCycle, index, RankTec);
  }

  void own(size_t layer, Rank rank, uint64_t cycles) {
    report.layers[layer].cycles += cycles;
    pressure[layer].owned[rank] += cycles;
  }

  /// Sweeps over the run; see Report.h.
  void attribute() {
    struct Edge {
      uint64_t cycle;
      bool begins;
      size_t interval;
    };
    std::vector<Edge> edges;
    for (size_t i = 0; i < intervals.size(); ++i) {
      if (intervals[i].begin == intervals[i].end)
        continue;
      edges.push_back({intervals[i].begin, true, i});
      edges.push_back({intervals[i].end, false, i});
    }
    std::stable_sort(
        edges.begin(), edges.end(),
        [](const Edge &a, const Edge &b) { return a.cycle < b.cycle; });
    // How many intervals of each layer are under way, by rank.
    std::map<size_t, unsigned> active[kNumRanks];
    uint64_t last = 0, idle = 0;
    for (const Edge &edge : edges) {
      uint64_t length = edge.cycle - last;
      last = edge.cycle;
      bool isOwned = false;
      for (auto &rank : active)
        if (!rank.empty()) {
          // Of several layers on TECs or channels, the earliest.
          own(rank.begin()->first, Rank(&rank - active), length);
          isOwned = true;
          break;
        }
      if (!isOwned)
        idle += length;
      const Interval &interval = intervals[edge.interval];
      auto &rank = active[interval.rank];
      if (edge.begins) {
        ++rank[interval.layer];
        own(interval.layer, interval.rank, idle);
        idle = 0;
      } else if (--rank[interval.layer] == 0) {
        rank.erase(interval.layer);
      }
    }
    report.layers.back().cycles += idle;
    if (run.cycles > last)
      report.layers.back().cycles += run.cycles - last;
  }

  static const char *limitOf(const LayerReport &l, const Pressure &p) {
    uint64_t longest = *std::max_element(p.owned, p.owned + kNumRanks);
    if (longest == 0)
      return "";
    if (longest == p.owned[RankDma])
      return l.ddrBytes ? "ddr" : "dma";
    if (longest == p.owned[RankTec])
      return "tec";
    if (p.startCycles > std::max(p.arrayCycles, p.sramCycles))
      return "start";
    if (p.sramCycles > p.arrayCycles)
      return "sram";
    // An array that idles a third of the time because of the layer's shape.
    return p.arrayCycles * 2 > p.macCycles * 3 ? "shape" : "mac array";
  }

  uint64_t boundOf(const LayerReport &l) const {
    uint64_t macs = (l.macs + report.coresUsed - 1) / report.coresUsed;
    return isa::rooflineCycles(macs, l.ddrBytes, machine);
  }

  void finish(size_t i) {
    LayerReport &l = report.layers[i];
    if (spans[i].first < spans[i].second)
      l.spanCycles = spans[i].second - spans[i].first;
    l.boundCycles = boundOf(l);
    l.limit = limitOf(l, pressure[i]);
    LayerReport &t = report.total;
    t.cycles += l.cycles;
    t.tensorCycles += l.tensorCycles;
    t.tecCycles += l.tecCycles;
    t.dmaCycles += l.dmaCycles;
    t.instructions += l.instructions;
    t.macs += l.macs;
    t.ddrBytes += l.ddrBytes;
    t.ddrSparedBytes += l.ddrSparedBytes;
    t.sramBytes += l.sramBytes;
    t.boundCycles = boundOf(t);
    report.macs = t.macs;
  }

  const Executable &executable;
  const Provenance &origin;
  const isa::Machine &machine;
  const RecordedRun &run;
  Report report;
  std::vector<Pressure> pressure;
  std::vector<std::pair<uint64_t, uint64_t>> spans;
  std::vector<Interval> intervals;
};
} // namespace

Report runtime::makeReport(const Executable &executable,
                           const isa::Machine &machine,
                           const RecordedRun &run) {
  return ReportMaker(executable, machine, run).make();
}
