//===- CycleDiff.h - Where cycles came and went -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Compares the figures of two runs layer by layer: of executables, which are
// run once with zeros, or of reports.
//
//   auto before = figuresOf("old.bin", diags), after = figuresOf("new.bin",
//   diags); driver.say(cycleTable(*before, *after, width));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMPARE_CYCLEDIFF_H
#define YARROW_COMPILER_COMPARE_CYCLEDIFF_H

#include "support/Diagnostics.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace yarrow {

struct LayerFigures {
  std::string name, type;
  uint64_t cycles = 0, macs = 0, ddrBytes = 0;

  bool operator==(const LayerFigures &) const = default;
};

struct RunFigures {
  std::string target;
  /// The sum is that of the run; what belongs to no layer is one of them.
  std::vector<LayerFigures> layers;
  /// By network and metric, such as "npu top1", in percent; of reports.
  std::vector<std::pair<std::string, double>> accuracy;

  LayerFigures total() const;
};

/// Of an executable or a report (by its contents). Nullopt after errors.
std::optional<RunFigures> figuresOf(const std::string &path,
                                    DiagnosticEngine &diags);

/// The layers that differ, those with the most cycles of difference first, and
/// the totals.
std::string cycleTable(const RunFigures &before, const RunFigures &after,
                       std::size_t width);
bool areEqual(const RunFigures &before, const RunFigures &after);

} // namespace yarrow

#endif // YARROW_COMPILER_COMPARE_CYCLEDIFF_H
