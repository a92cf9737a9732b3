//===- Sweep.cpp - A network on many machines -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/sweep/Sweep.h"
#include "support/Format.h"
#include "support/OrderedLoop.h"
#include "support/TextTable.h"
#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace yarrow;

static SweepPoint pointOf(const session::Network &network,
                          session::CompileSettings settings,
                          const isa::Machine &machine,
                          const session::Call &call) {
  SweepPoint point;
  yarrow::DiagnosticEngine diags;
  settings.machine = machine;
  std::optional<runtime::Report> report =
      session::countCycles(network, settings, call.toldTo(diags));
  if (!report) {
    // "error E0602: ..." of the first thing that is wrong.
    for (const yarrow::Diagnostic &d : diags.all())
      if (d.isError() && point.problem.empty())
        point.problem = std::string(d.id->code) + " " + d.message;
    return point;
  }
  point.cycles = report->cycles;
  point.ddrBytes = report->total.ddrBytes;
  point.milliseconds = report->milliseconds();
  point.utilization = report->utilization();
  return point;
}

std::optional<SweepResult>
yarrow::sweep(const session::Network &network, const isa::Machine &base,
              std::vector<MachineAxis> axes,
              const session::CompileSettings &settings,
              const session::Call &call) {
  auto machines = machinesOf(base, axes, call.diags);
  if (!machines)
    return std::nullopt;
  SweepResult result{network.name(), base.name, std::move(axes), {}};
  std::vector<SweepPoint> &points = result.points;
  points.resize(machines->size());
  auto step = call.work().begin("sweep", points.size());
  orderedLoop(
      points.size(), defaultWindow(),
      [&](std::size_t i) {
        points[i] = pointOf(network, settings, (*machines)[i], call);
        return true;
      },
      [&](std::size_t) {
        step->advance(1);
        return true;
      });
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::size_t rest = i;
    points[i].values.resize(result.axes.size());
    for (std::size_t k = result.axes.size(); k-- > 0;) {
      const std::vector<uint64_t> &values = result.axes[k].values;
      points[i].values[k] = values[rest % values.size()];
      rest /= values.size();
    }
  }
  findKnees(result);
  return result;
}

void yarrow::findKnees(SweepResult &result) {
  std::vector<SweepPoint> &points = result.points;
  for (SweepPoint &point : points)
    point.isKnee.assign(result.axes.size(), false);
  std::size_t stride = 1;
  for (std::size_t k = result.axes.size(); k-- > 0;) {
    std::size_t count = result.axes[k].values.size();
    for (std::size_t i = 0; count > 1 && i < points.size(); ++i) {
      // The first point of a line along this axis.
      if (i / stride % count != 0)
        continue;
      uint64_t best = 0;
      for (std::size_t n = 0; n < count; ++n)
        if (uint64_t cycles = points[i + n * stride].cycles)
          best = best ? std::min(best, cycles) : cycles;
      for (std::size_t n = 0; best && n < count; ++n) {
        SweepPoint &point = points[i + n * stride];
        if (!point.cycles ||
            double(point.cycles) * (1 - kKneeShare) > double(best))
          continue;
        point.isKnee[k] = true;
        break;
      }
    }
    stride *= count;
  }
}

std::string SweepResult::table(std::size_t width) const {
  TextTable table;
  for (const MachineAxis &axis : axes)
    table.number(axis.key);
  table.number("cycles").number("ms").optional(1);
  table.number("DDR bytes").number("array use").optional(2);
  bool hasProblems = llvm::any_of(
      points, [](const SweepPoint &point) { return !point.problem.empty(); });
  if (hasProblems)
    table.column("problem").wrapped();
  for (const SweepPoint &point : points) {
    std::vector<std::string> row;
    row.reserve(axes.size() + 5);
    for (std::size_t k = 0; k < axes.size(); ++k)
      row.push_back(shortNumber(point.values[k]) +
                    (point.isKnee[k] ? "*" : " "));
    if (point.problem.empty())
      row.insert(row.end(),
                 {formatCount(point.cycles), formatFixed(point.milliseconds, 3),
                  formatCount(point.ddrBytes),
                  formatFixed(100 * point.utilization, 1) + "%"});
    else
      row.insert(row.end(), {"-", "-", "-", "-", point.problem});
    table.row(row);
  }
  return table.str(width) + "* a knee: a larger number saves fewer than " +
         formatFixed(100 * kKneeShare, 0) + " % of the cycles\n";
}

nlohmann::ordered_json SweepResult::json() const {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const SweepPoint &point : points) {
    Json machine = Json::object(), knees = Json::array();
    for (std::size_t k = 0; k < axes.size(); ++k) {
      machine[axes[k].key] = point.values[k];
      if (point.isKnee[k])
        knees.push_back(axes[k].key);
    }
    Json entry = {{"machine", machine}};
    if (!point.problem.empty())
      entry["problem"] = point.problem;
    else
      entry.update({{"cycles", point.cycles},
                    {"milliseconds", point.milliseconds},
                    {"ddr_bytes", point.ddrBytes},
                    {"mac_utilization", point.utilization},
                    {"knee_of", knees}});
    list.push_back(entry);
  }
  return {{"base", base}, {"points", list}};
}
