//===- Report.h - Where the cycles of a run went ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One row per layer: how long the machine worked on it, on what, and how far
// that is from the least the machine could need.
//
//   Report report = makeReport(*model, machine, recorder.run());
//   os << report.text();
//
// Layers overlap: while one computes, the next one's weights are loaded. The
// column "cycles" gives each cycle to one layer, so that it adds up to the
// run: a cycle belongs to the layer whose unit works then, first the tensor
// engine's, then a TEC's, then a DMA channel's; a cycle in which nothing works
// belongs to the layer that works next. "span" is first start to last end,
// loads ahead of time included, and so never below "bound".
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_REPORT_H
#define YARROW_RUNTIME_REPORT_H

#include "runtime/Executable.h"
#include "runtime/Recorder.h"

#include <nlohmann/json_fwd.hpp>

namespace yarrow::runtime {

struct LayerReport {
  std::string name, type;
  uint64_t cycles = 0;     ///< Attributed; these add up to the run's.
  uint64_t spanCycles = 0; ///< Last end minus first start.
  uint64_t tensorCycles = 0, tecCycles = 0, dmaCycles = 0; ///< Busy.
  uint64_t instructions = 0;
  /// Multiplications done: by Winograd's algorithm fewer than the layer's. The
  /// array has the same peak in that mode, so bound and utilization are as of
  /// any layer.
  uint64_t macs = 0;
  uint64_t ddrBytes = 0, ddrSparedBytes = 0, sramBytes = 0;
  /// Least cycles: max(MACs / peak, DDR bytes / bandwidth), peak that of all
  /// cores used.
  uint64_t boundCycles = 0;
  /// "mac array", "shape", "ddr", "dma", "sram", "tec", "start": what the time
  /// went to.
  std::string limit;
  /// Why TECs compute it, or a part of it; or "".
  std::string onTecs;
};

struct Report {
  std::string model, target;
  uint32_t clockMhz = 0;
  /// Of the machine, and of those the ones that the network ran on.
  uint32_t cores = 1, coresUsed = 1;
  uint32_t samples = 1; ///< Executed in these cycles.
  uint64_t cycles = 0, macs = 0;
  uint64_t peakMacsPerCycle = 0; ///< Of the cores used.
  /// Sums over all cores; of a DMA direction, over its channels, too.
  uint64_t tensorBusyCycles = 0, loadBusyCycles = 0, storeBusyCycles = 0;
  uint32_t loadChannels = 1, storeChannels = 1;
  std::vector<uint64_t> tecBusyCycles; ///< Those of all cores in a row.
  std::vector<LayerReport> layers;     ///< In the order of the network.
  LayerReport total;

  double milliseconds() const {
    return clockMhz ? double(cycles) / (clockMhz * 1000.0) : 0;
  }
  /// MACs done of those that the array could do in the time.
  double utilization() const {
    return cycles ? double(macs) / (double(cycles) * double(peakMacsPerCycle))
                  : 0;
  }
  /// A table no wider than \p width, and what it comes to.
  std::string text(size_t width = SIZE_MAX) const;
  /// What it comes to in one line.
  std::string summary() const;
  /// The object "performance" of a report (docs/report.md).
  nlohmann::ordered_json json() const;
};

Report makeReport(const Executable &executable, const isa::Machine &machine,
                  const RecordedRun &run);

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_REPORT_H
